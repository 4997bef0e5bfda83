import { connect, type TcpNetConnectOpts } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** A request as bytes; a character is a byte. */
export interface WireRequest {
  readonly method: string;
  readonly bytes: string;
}

/** An answer, with header names in lower case. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const BATCH = 250;
const GIVE_UP_MS = 5_000;
const PACKET_MS = 100;

/** A request of exactly these lines. */
export const wireRequest = (method: string, target: string, lines: readonly string[] = [], body = ''): WireRequest => ({
  method,
  bytes: `${[`${method} ${target} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n${body}`,
});

/** A request to a gateway of this machine, with its own Host and these lines. */
export const requestTo = (port: number, method: string, target: string, ...lines: readonly string[]): WireRequest =>
  wireRequest(method, target, [`Host: 127.0.0.1:${port}`, ...lines]);

function readChunks(raw: string, from: number): { body: string; end: number } | undefined {
  let body = '';
  let at = from;
  for (;;) {
    const lineEnd = raw.indexOf('\r\n', at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(raw.slice(at, lineEnd), 16);
    body += raw.slice(lineEnd + 2, lineEnd + 2 + size);
    at = lineEnd + 2 + size + 2;
    if (size === 0) return { body, end: at };
  }
}

function readBody(raw: string, from: number, { headers, status }: WireAnswer): { body: string; end: number } {
  if (status < 200 || status === 204 || status === 304) return { body: '', end: from };
  const chunked = headers['transfer-encoding'] === 'chunked' ? readChunks(raw, from) : undefined;
  if (chunked) return chunked;
  const length = headers['content-length'];
  const end = length === undefined ? raw.length : from + Number(length);
  return { body: raw.slice(from, end), end };
}

function readHead(raw: string, from: number): { answer: WireAnswer; end: number } | undefined {
  const end = raw.indexOf('\r\n\r\n', from);
  if (end < 0) return undefined;
  const [statusLine = '', ...lines] = raw.slice(from, end).split('\r\n');
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1] ?? 0);
  return { answer: { status, headers, body: '' }, end: end + 4 };
}

/** The answers in raw bytes, in order; `methods` are those of the requests, because HEAD has no body. */
export function readAnswers(raw: string, methods: readonly string[]): WireAnswer[] {
  const answers: WireAnswer[] = [];
  let at = 0;
  while (at < raw.length) {
    const head = readHead(raw, at);
    if (!head) break;
    const { body, end } =
      methods[answers.length] === 'HEAD' ? { body: '', end: head.end } : readBody(raw, head.end, head.answer);
    at = end;
    if (head.answer.status !== 100) answers.push({ ...head.answer, body });
  }
  return answers;
}

/** A raw client connection. */
export type Client = ReturnType<typeof openClient>;

/** Connects to a port of this machine. */
export function openClient(port: number, options: Partial<TcpNetConnectOpts> = {}) {
  const socket = connect({ port, host: '127.0.0.1', ...options });
  const chunks: Buffer[] = [];
  socket.on('error', () => undefined).on('data', (chunk) => chunks.push(chunk));
  const first = (...events: readonly string[]) =>
    new Promise<void>((resolve) => {
      for (const event of events) socket.once(event, () => resolve());
    });
  const received = () => Buffer.concat(chunks).toString('latin1');
  return {
    socket,
    received,
    /** The answers to these methods; default: none of HEAD. */
    answers: (methods: readonly string[] = []) => readAnswers(received(), methods),
    connected: first('connect', 'close'),
    /** The other side has ended its part, or the connection is closed. */
    ended: first('end', 'close'),
    closed: first('close'),
    isClosed: () => socket.closed,
  };
}

/** Writes each piece as a packet and reads until the connection closes or the time is up. */
export async function writePieces(
  port: number,
  pieces: readonly (string | Uint8Array)[],
  giveUpMs = GIVE_UP_MS,
): Promise<string> {
  const { socket, received, closed } = openClient(port);
  socket.setNoDelay(true).setTimeout(giveUpMs, () => socket.destroy());
  for (const piece of pieces) {
    socket.write(piece, 'latin1');
    if (pieces.length > 1) await pause(PACKET_MS);
  }
  await closed;
  return received();
}

/** Writes bytes and reads until the connection closes or the time is up. */
export const writeAndRead = (port: number, bytes: string | Uint8Array, giveUpMs = GIVE_UP_MS): Promise<string> =>
  writePieces(port, [bytes], giveUpMs);

async function askBatch(port: number, requests: readonly WireRequest[]): Promise<(WireAnswer | undefined)[]> {
  const last = requestTo(port, 'GET', '/healthz', 'Connection: close');
  const raw = await writeAndRead(port, [...requests, last].map(({ bytes }) => bytes).join(''));
  const methods = requests.map(({ method }) => method);
  const answers = readAnswers(raw, methods).slice(0, requests.length);
  return answers.length > 0 ? answers : [undefined];
}

/**
 * Sends requests byte for byte, pipelined, and answers with one answer each.
 * Where the connection ends early, the request after the last answered one goes first on a new connection;
 * one that ends a connection without any answer has none.
 */
export async function askAll(port: number, requests: readonly WireRequest[]): Promise<(WireAnswer | undefined)[]> {
  const answers: (WireAnswer | undefined)[] = [];
  while (answers.length < requests.length) {
    answers.push(...(await askBatch(port, requests.slice(answers.length, answers.length + BATCH))));
  }
  return answers;
}

/** Sends one request on a connection of its own. */
export const askOne = async (port: number, request: WireRequest): Promise<WireAnswer | undefined> =>
  (await askAll(port, [request]))[0];

/** Sends a request with its own Host and these lines, on a connection of its own. */
export const askFor = (port: number, method: string, target: string, ...lines: readonly string[]) =>
  askOne(port, requestTo(port, method, target, ...lines));

/** A fetch response as a WireAnswer. */
export async function seen(response: Response): Promise<WireAnswer> {
  return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
}

/** The status of the first answer in raw bytes; 0 when there is none. */
export const statusOf = (raw: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(raw)?.[1] ?? 0);
