import { BlockList } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { HttpServer } from '../../packages/gateway/src/http/server.ts';
import { endsAfterTests } from '../kit/ends.ts';
import { type Client, openClient } from './wire.ts';

type Handle = ConstructorParameters<typeof HttpServer>[0]['handle'];
type Ready = Awaited<ReturnType<Handle>>;

/** The HTTP server with a handler that the test drives. */
export interface BareServer {
  readonly port: number;
  readonly server: HttpServer;
  /** Targets of the handled requests, in order. */
  readonly handled: string[];
  /** Answers a waiting request; default: the oldest. */
  answer(target?: string): void;
  /** Answers every request from now on. */
  answerAll(body?: string): void;
  /** Connects from an address of this machine, and writes these bytes. */
  open(bytes?: string, localAddress?: string): Promise<Client>;
  /** Answers what waits, closes all connections and stops, after the tests of the file at the latest. */
  stop(): Promise<void>;
}

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

/** Starts one on a free port. */
export async function startBareServer(
  options: Partial<ConstructorParameters<typeof HttpServer>[0]> = {},
): Promise<BareServer> {
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
  const bare: BareServer = {
    port,
    server,
    handled,
    answer(target = [...waiting.keys()][0] ?? '') {
      waiting.get(target)?.(readyOf(target));
      waiting.delete(target);
    },
    answerAll(text = '') {
      body = text;
      for (const target of [...waiting.keys()]) bare.answer(target);
    },
    async open(bytes = '', localAddress = '127.0.0.1') {
      const client = openClient(port, { localAddress });
      clients.push(client);
      await client.connected;
      client.socket.write(bytes);
      return client;
    },
    stop: endsAfterTests(async () => {
      for (const { socket } of clients) socket.destroy();
      bare.answerAll();
      await server.drain(1_000);
    }),
  };
  return bare;
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
