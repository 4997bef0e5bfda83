import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** What becomes of bytes on their way back; nothing is passed on where it answers nothing. */
export type Meddle = (reply: Buffer) => Buffer | undefined;

/** A TCP proxy whose other side can be changed, and which can meddle with what comes back. */
export interface TcpProxy {
  readonly port: number;
  /** Where new connections lead. */
  target: number;
  /** Off unless told. */
  meddle: Meddle | undefined;
  /** Told of what goes there, unless nobody wants to know. */
  overhear: ((asked: Buffer) => void) | undefined;
  /** How much later what comes back is passed on; at once unless told. */
  delayMs: number;
  /** Of what goes there; as fast as it can unless told. */
  bytesPerMs: number | undefined;
  /** Passes on, in turn, what was kept from the connection that was made last. */
  release(replies: readonly Buffer[]): void;
  /** Resets every connection. */
  cut(): void;
  close(): Promise<void>;
}

/** Starts one on a free port, in front of this one. */
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
    async close() {
      server.close();
      cut();
      await once(server, 'close');
    },
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(proxy, { port: (server.address() as AddressInfo).port });
}
