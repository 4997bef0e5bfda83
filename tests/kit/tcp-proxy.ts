import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { endsAfterTests } from './ends.ts';

/** Changes a reply. Undefined drops it. */
export type Meddle = (reply: Buffer) => Buffer | undefined;

/** A TCP proxy whose other side can be changed, and which can meddle with what comes back. */
export interface TcpProxy {
  readonly port: number;
  /** Where new connections lead. */
  target: number;
  /** Default: replies pass unchanged. */
  meddle: Meddle | undefined;
  /** Called with the bytes to the target. */
  overhear: ((asked: Buffer) => void) | undefined;
  /** The delay of replies; default: 0. */
  delayMs: number;
  /** The rate to the target; default: unlimited. */
  bytesPerMs: number | undefined;
  /** Passes on, in turn, what was kept from the connection that was made last. */
  release(replies: readonly Buffer[]): void;
  /** Resets every connection. */
  cut(): void;
  close(): Promise<void>;
}

/** Starts one on a free port, in front of this one. It closes after the tests of the file. */
export async function startTcpProxy(target: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const cut = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  let latest: Socket | undefined;
  const server = createServer((near) => {
    latest = near;
    const far = connect(proxy.target, '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => undefined);
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
    near.on('data', async (asked: Buffer) => {
      near.pause();
      proxy.overhear?.(asked);
      far.write(asked);
      if (proxy.bytesPerMs) await sleep(asked.length / proxy.bytesPerMs);
      near.resume();
    });
    far.on('data', (reply: Buffer) => {
      const passed = proxy.meddle ? proxy.meddle(reply) : reply;
      if (passed && proxy.delayMs > 0) setTimeout(() => near.write(passed), proxy.delayMs);
      else if (passed) near.write(passed);
    });
  });
  const proxy: TcpProxy = {
    port: 0,
    target,
    meddle: undefined,
    overhear: undefined,
    delayMs: 0,
    bytesPerMs: undefined,
    release(replies) {
      for (const reply of replies) latest?.write(reply);
    },
    cut,
    close: endsAfterTests(async () => {
      server.close();
      cut();
      await once(server, 'close');
    }),
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(proxy, { port: (server.address() as AddressInfo).port });
}
