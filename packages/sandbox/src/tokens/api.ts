import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import {
  type Answer,
  type Arrival,
  type CommonKnobs,
  jsonAnswer,
  retryAfterOf,
  send,
  startUpstream,
  type Upstream,
} from '../upstream.ts';
import { errorAnswer, requestIdOf, serve, valueAnswer } from './serve.ts';

export type { Arrival } from '../upstream.ts';

/** The upstream's faults. Undefined knobs are off. */
export interface FaultKnobs extends CommonKnobs {
  /** Send the headers, then one byte of the body per this many milliseconds. */
  drip?: number | undefined;
  /** Answer 200 with a JSON string of this many bytes, without Content-Length. */
  huge?: number | undefined;
  /** Answer 200 with gzip that unpacks to a JSON string of this many bytes. */
  gzipBomb?: number | undefined;
  /** Compress every answer. */
  encoding?: 'gzip' | 'br' | 'deflate' | undefined;
  /** Answer 200 with exactly these bytes. */
  body?: string | Buffer | undefined;
  /** The Content-Type of every answer. */
  contentType?: string | undefined;
  /** Answer 302 with this Location. */
  redirect?: string | undefined;
  /** Answer 200 with the request, including its key. */
  echo?: boolean | undefined;
  /** Close a keep-alive connection without notice after this many answers. */
  closeAfter?: number | undefined;
}

/** The valid key, the port (default: a free one), and the clock in milliseconds. */
export interface TokensApiOptions {
  readonly key: string;
  readonly port?: number;
  readonly now?: () => number;
}

/** A running offline Tokens API. Its routes are below `/v1`. */
export interface TokensApi extends Upstream<FaultKnobs> {
  readonly key: string;
  /** The valid keys. Add or delete keys at any time. */
  readonly keys: Set<string>;
}

/** Returns a fault's answer in place of the upstream's, if any. */
function faultyAnswer(knobs: FaultKnobs, { method, target, headers, body }: Arrival): Answer | undefined {
  if (knobs.status !== undefined) {
    const answer = errorAnswer(knobs.status, knobs.message);
    return { ...answer, headers: { ...answer.headers, ...retryAfterOf(knobs) } };
  }
  if (knobs.redirect !== undefined) return { status: 302, headers: { location: knobs.redirect }, body: '' };
  if (knobs.echo === true) return valueAnswer(200, { echo: { method, target, headers, body } });
  return knobs.body === undefined ? undefined : jsonAnswer(200, knobs.body);
}

const CHUNK = Buffer.alloc(1024 * 1024, 'a');
const COMPRESS = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync } as const;

// A JSON string of this many bytes, quotes included.
function* longString(bytes: number): Generator<Buffer> {
  yield Buffer.from('"');
  for (let left = bytes - 2; left > 0; left -= CHUNK.length) {
    yield left < CHUNK.length ? CHUNK.subarray(0, left) : CHUNK;
  }
  yield Buffer.from('"');
}

let packedChunk: Buffer | undefined;

/** Packs each part as a gzip member of its own. Because members follow one another, a gigabyte needs one chunk packed once. */
function* packedParts(parts: Iterable<Buffer>): Generator<Buffer> {
  packedChunk ??= gzipSync(CHUNK);
  for (const part of parts) yield part === CHUNK ? packedChunk : gzipSync(part);
}

/** Streams a JSON string of this many bytes, optionally with gzip. */
async function deliverLong(response: ServerResponse, bytes: number, isPacked: boolean): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/json', ...(isPacked ? { 'content-encoding': 'gzip' } : {}) });
  const parts = longString(bytes);
  await pipeline(Readable.from(isPacked ? packedParts(parts) : parts, { objectMode: false }), response);
}

function encoded(answer: Answer, { contentType, encoding, body }: FaultKnobs): Answer {
  const headers = { ...answer.headers, ...(contentType !== undefined && { 'content-type': contentType }) };
  if (encoding === undefined || body !== undefined) return { ...answer, headers };
  return { ...answer, headers: { ...headers, 'content-encoding': encoding }, body: COMPRESS[encoding](answer.body) };
}

async function drip(response: ServerResponse, { status, headers, body }: Answer, everyMs: number): Promise<void> {
  const bytes = Buffer.from(body);
  response.writeHead(status, { ...headers, 'content-length': bytes.length }).flushHeaders();
  for (const byte of bytes) {
    await wait(everyMs, undefined, { ref: false });
    if (response.destroyed) return;
    response.write(Buffer.of(byte));
  }
  response.end();
}

/** Starts an offline Tokens API on 127.0.0.1. It answers like the real one and has fault knobs. */
export async function startTokensApi({ key, port = 0, now = Date.now }: TokensApiOptions): Promise<TokensApi> {
  const keys = new Set([key]);
  const answered = new WeakMap<Socket, number>();
  const upstream = await startUpstream<FaultKnobs>(port, async (arrival, knobs, response) => {
    const { socket } = response.req;
    // Closes without `Connection: close`, so that the client notices only when it reuses the connection.
    response.once('finish', () => {
      const count = (answered.get(socket) ?? 0) + 1;
      answered.set(socket, count);
      if (knobs.closeAfter !== undefined && count % knobs.closeAfter === 0) socket.end();
    });
    const requestId = requestIdOf(arrival);
    if (requestId !== undefined) response.setHeader('x-request-id', requestId);
    const long = knobs.huge ?? knobs.gzipBomb;
    if (long !== undefined) return deliverLong(response, long, knobs.huge === undefined);
    const answer = encoded(faultyAnswer(knobs, arrival) ?? serve(arrival, keys, now()), knobs);
    return knobs.drip === undefined ? send(response, answer, knobs.truncate) : drip(response, answer, knobs.drip);
  });
  return { ...upstream, key, keys };
}
