import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { endsAfterTests } from './ends.ts';

/** Changes a reply. Undefined drops it. */
export type Meddle = (reply: Buffer) => Buffer | undefined;

/** Starts a TCP proxy on a free port. A test can change its target and meddle with replies. Closes it after the file's tests. */
export async function startTcpProxy(target: number) {
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
  const proxy = {
    /** The port for new connections. */
    target,
    /** Default: replies pass unchanged. */
    meddle: undefined as Meddle | undefined,
    /** Called with the bytes to the target. */
    overhear: undefined as ((asked: Buffer) => void) | undefined,
    /** The delay of replies; default: 0. */
    delayMs: 0,
    /** The rate to the target; default: unlimited. */
    bytesPerMs: undefined as number | undefined,
    /** Passes these withheld replies, in turn, to the latest connection. */
    release(replies: readonly Buffer[]) {
      for (const reply of replies) latest?.write(reply);
    },
    /** Resets every connection. */
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
