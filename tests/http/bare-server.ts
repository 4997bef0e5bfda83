import { BlockList, connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { HttpServer } from '../../packages/gateway/src/http/server.ts';
import { readAnswers, type WireAnswer } from './wire.ts';

type Handle = ConstructorParameters<typeof HttpServer>[0]['handle'];
type Received = Parameters<Handle>[0];
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
}

const readyOf = (body: string): Ready => ({
  status: 200,
  headers: { 'Content-Type': 'text/plain', 'Content-Length': String(Buffer.byteLength(body)) },
  body,
});

/** Starts one on a free port. */
export async function startBareServer(maxConnections: number, trustedProxies = new BlockList()): Promise<BareServer> {
  const handled: string[] = [];
  const open = new Map<string, (ready: Ready) => void>();
  let body: string | undefined;
  const handle = ({ target }: Received): Promise<Ready> => {
    handled.push(target);
    if (body !== undefined) return Promise.resolve(readyOf(body));
    return new Promise((resolve) => open.set(target, resolve));
  };
  const onFailure = (error: unknown) => {
    throw error;
  };
  const server = new HttpServer({ handle, trustedProxies, maxConnections, graceMs: 0, onFailure });
  const bare = {
    port: await server.listen(0, '127.0.0.1'),
    server,
    handled,
    answer(target = [...open.keys()][0] ?? '') {
      open.get(target)?.(readyOf(target));
      open.delete(target);
    },
    answerAll(text = '') {
      body = text;
      for (const target of [...open.keys()]) bare.answer(target);
    },
  };
  return bare;
}

/** A raw client connection. */
export interface Client {
  readonly socket: Socket;
  readonly received: () => string;
  readonly answers: () => WireAnswer[];
  /** Whether the other side has closed it. */
  isClosed(): boolean;
}

/** Connects from an address of this machine. */
export async function connectFrom(port: number, localAddress = '127.0.0.1'): Promise<Client> {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  const chunks: Buffer[] = [];
  let closed = false;
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.once('close', () => {
    closed = true;
  });
  await new Promise<void>((resolve) => socket.once('connect', resolve).once('close', () => resolve()));
  const received = () => Buffer.concat(chunks).toString('latin1');
  return { socket, received, answers: () => readAnswers(received(), []), isClosed: () => closed };
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
