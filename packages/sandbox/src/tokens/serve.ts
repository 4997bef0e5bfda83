import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { brotliCompressSync, createGzip, deflateSync, gzipSync } from 'node:zlib';
import type { Arrival, FaultKnobs } from './faults.ts';
import { errorBody, Refusal, type Tag } from './parameters.ts';
import { cacheControlOf, matchUpstream, type UpstreamRoute } from './routes.ts';

/** An answer before it is written. */
interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** The valid keys and the clock. */
export interface TokensApiState {
  readonly keys: ReadonlySet<string>;
  readonly now: () => number;
}

const JSON_TYPE = 'application/json';
const NOT_FOUND_PAGE =
  '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>404: This page could not be found.</title></head>' +
  '<body><h1>404</h1><h2>This page could not be found.</h2></body></html>';

const TAGS: Readonly<Record<number, readonly [Tag, string]>> = {
  400: ['BadRequestError', 'Bad request'],
  401: ['UnauthorizedError', 'Invalid API key'],
  403: ['ForbiddenError', 'Insufficient scope'],
  404: ['NotFoundError', 'Asset not found'],
  429: ['RateLimitedError', 'Rate limited'],
  502: ['UpstreamDataError', 'Upstream data error'],
};

function jsonAnswer(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return {
    status,
    headers: { 'content-type': JSON_TYPE, 'cache-control': 'no-store', ...headers },
    body: Buffer.from(JSON.stringify(value)),
  };
}

function checkKey(arrival: Arrival, keys: ReadonlySet<string>): void {
  const given = arrival.headers['x-api-key'];
  if (given === undefined || given === '') throw new Refusal(401, 'UnauthorizedError', 'Missing API key');
  if (typeof given !== 'string' || !keys.has(given)) throw new Refusal(401, 'UnauthorizedError', 'Invalid API key');
}

function refused(error: unknown): Answer {
  return error instanceof Refusal
    ? jsonAnswer(error.status, errorBody(error.tag, error.message, error.details))
    : jsonAnswer(500, errorBody('InternalServerError', 'Internal server error'));
}

const accepts = ({ httpMethod }: UpstreamRoute, verb: string): boolean =>
  verb === httpMethod || (verb === 'HEAD' && httpMethod === 'GET');

/** The request id of an answer: the received one, a new one for health, none on the framework's pages. */
export function requestIdOf({ target, method, headers }: Arrival): string | undefined {
  const match = matchUpstream(target.split('?')[0] ?? '');
  if (match === undefined || !accepts(match.route, method)) return undefined;
  const given = headers['x-request-id'];
  return match.route.isOpen || typeof given !== 'string' || given === '' ? randomUUID() : given;
}

/** The upstream's answer to a request. */
export function serve(arrival: Arrival, state: TokensApiState): Answer {
  const [path = '', ...rest] = arrival.target.split('?');
  const match = matchUpstream(path);
  if (match === undefined) {
    const headers = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' };
    return { status: 404, headers, body: Buffer.from(NOT_FOUND_PAGE) };
  }
  const { route, reference } = match;
  if (!accepts(route, arrival.method)) {
    return { status: 405, headers: { allow: route.httpMethod, 'cache-control': 'no-store' }, body: Buffer.alloc(0) };
  }
  try {
    if (!route.isOpen) checkKey(arrival, state.keys);
    const query = new URLSearchParams(rest.join('?'));
    const value = route.answer({ reference, query, body: arrival.body, now: state.now() });
    return jsonAnswer(200, value, { 'cache-control': cacheControlOf(route) });
  } catch (error) {
    return refused(error);
  }
}

/** The answer of a fault that replaces the upstream's, if any. */
export function faultyAnswer(knobs: FaultKnobs, arrival: Arrival): Answer | undefined {
  if (knobs.status !== undefined) {
    const [tag, message] = TAGS[knobs.status] ?? ['InternalServerError', 'Internal server error'];
    const headers: Record<string, string> = knobs.retryAfter === undefined ? {} : { 'retry-after': knobs.retryAfter };
    return jsonAnswer(knobs.status, errorBody(tag, knobs.message ?? message), headers);
  }
  if (knobs.redirect !== undefined) {
    return { status: 302, headers: { location: knobs.redirect }, body: Buffer.alloc(0) };
  }
  if (knobs.echo === true) {
    const { method, target, headers, body } = arrival;
    return jsonAnswer(200, { echo: { method, target, headers, body } });
  }
  if (knobs.body !== undefined) {
    return { status: 200, headers: { 'content-type': JSON_TYPE }, body: Buffer.from(knobs.body) };
  }
  return undefined;
}

const CHUNK = Buffer.alloc(65_536, 'a');
const COMPRESS = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync } as const;

// A JSON string of this many bytes, including quotes.
function* longString(bytes: number): Generator<Buffer> {
  yield Buffer.from('"');
  for (let left = bytes - 2; left > 0; left -= CHUNK.length) {
    yield left < CHUNK.length ? CHUNK.subarray(0, left) : CHUNK;
  }
  yield Buffer.from('"');
}

/** Streams a JSON string of this many bytes, optionally with gzip. */
export async function deliverLong(response: ServerResponse, bytes: number, packed: boolean): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/json', ...(packed ? { 'content-encoding': 'gzip' } : {}) });
  const source = Readable.from(longString(bytes), { objectMode: false });
  await (packed ? pipeline(source, createGzip({ level: 1 }), response) : pipeline(source, response));
}

function encoded(answer: Answer, knobs: FaultKnobs): Answer {
  const headers =
    knobs.contentType === undefined ? answer.headers : { ...answer.headers, 'content-type': knobs.contentType };
  if (knobs.encoding === undefined || knobs.body !== undefined) return { ...answer, headers };
  const body = COMPRESS[knobs.encoding](answer.body);
  return { ...answer, headers: { ...headers, 'content-encoding': knobs.encoding }, body };
}

async function drip(response: ServerResponse, body: Buffer, everyMs: number): Promise<void> {
  response.flushHeaders();
  for (const byte of body) {
    await wait(everyMs, undefined, { ref: false });
    if (response.destroyed) return;
    response.write(Buffer.of(byte));
  }
  response.end();
}

/** Sends an answer with the transport faults of the knobs. */
export async function deliver(response: ServerResponse, answer: Answer, knobs: FaultKnobs): Promise<void> {
  const { status, headers, body } = encoded(answer, knobs);
  response.writeHead(status, { ...headers, 'content-length': body.length });
  if (response.req.method === 'HEAD') {
    response.end();
  } else if (knobs.truncate !== undefined) {
    response.flushHeaders();
    response.write(body.subarray(0, Math.floor(body.length * knobs.truncate)));
    response.socket?.destroySoon();
  } else if (knobs.drip !== undefined) {
    await drip(response, body, knobs.drip);
  } else {
    response.end(body);
  }
}
