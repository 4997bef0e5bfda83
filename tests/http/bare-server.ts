import { BlockList } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { HttpServer } from '../../packages/gateway/src/http/server.ts';
import { endsAfterTests } from '../kit/ends.ts';
import { type Client, openClient } from './wire.ts';

type Handle = ConstructorParameters<typeof HttpServer>[0]['handle'];
type Ready = Awaited<ReturnType<Handle>>;

/** The HTTP server with a handler that the test drives. */
export type BareServer = Awaited<ReturnType<typeof startBareServer>>;

const readyOf = (body: string): Ready => ({
  status: 200,
  headers: { 'Content-Type': 'text/plain', 'Content-Length': String(Buffer.byteLength(body)) },
  body,
});

/** Starts the HTTP server of the gateway on a free port with another handler. */
export async function listen(
  options: Partial<ConstructorParameters<typeof HttpServer>[0]> & { readonly handle: Handle },
) {
  const onFailure = (error: unknown) => {
    throw error;
  };
  const fixed = { trustedProxies: new BlockList(), maxConnections: 100, graceMs: 0, onFailure };
  const server = new HttpServer({ ...fixed, ...options });
  return { server, port: await server.listen(0, '127.0.0.1') };
}

/** Starts one on a free port. It stops after the tests of the file. */
export async function startBareServer(options: Partial<ConstructorParameters<typeof HttpServer>[0]> = {}) {
  const handled: string[] = [];
  const waiting = new Map<string, (ready: Ready) => void>();
  const clients: Client[] = [];
  let body: string | undefined;
  const handle: Handle = ({ target }) => {
    handled.push(target);
    if (body !== undefined) return Promise.resolve(readyOf(body));
    return new Promise((resolve) => waiting.set(target, resolve));
  };
  const { server, port } = await listen({ handle, ...options });
  const answer = (target = [...waiting.keys()][0] ?? '') => {
    waiting.get(target)?.(readyOf(target));
    waiting.delete(target);
  };
  const answerAll = (text = '') => {
    body = text;
    for (const target of [...waiting.keys()]) answer(target);
  };
  return {
    port,
    server,
    /** Targets of the handled requests, in order. */
    handled: handled as readonly string[],
    /** Answers a waiting request; default: the oldest. */
    answer,
    /** Answers every request from now on. */
    answerAll,
    /** Connects from an address of this machine, and writes these bytes. */
    async open(bytes = '', localAddress = '127.0.0.1') {
      const client = openClient(port, { localAddress });
      clients.push(client);
      await client.connected;
      client.socket.write(bytes);
      return client;
    },
    /** Answers what waits, closes all connections and stops. */
    stop: endsAfterTests(async () => {
      for (const { socket } of clients) socket.destroy();
      answerAll();
      await server.drain(1_000);
    }),
  };
}

/** A minimal request. */
export const get = (target: string): string => `GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`;

/** Waits until a number stops changing. */
export async function still(read: () => number, quietMs = 400): Promise<number> {
  for (let last = read(); ; last = read()) {
    await pause(quietMs);
    if (read() === last) return last;
  }
}
