import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { LIMITS } from '../limits.ts';
import { util } from '../pool.ts';
import { UpstreamRefusal } from './upstream.ts';

/** The size depends on the request, so the upstream is not at fault. */
const tooLarge = (): UpstreamRefusal =>
  new UpstreamRefusal('upstream_invalid_response', 'answered', { reason: 'too large' });

const ignore = (): void => undefined;

/** A promise with its resolvers. It may reject before anything waits for it. */
function deferred<T>() {
  let [resolve, reject]: [(value: T) => void, (error: unknown) => void] = [ignore, ignore];
  const promise = new Promise<T>((...resolvers) => {
    [resolve, reject] = resolvers;
  });
  promise.catch(ignore);
  return { promise, resolve, reject };
}

/**
 * Handles one request of undici's dispatcher. Writes the request before its deadline or not at all, and aborts the call at the deadline.
 * Tracks progress, which undici's errors do not report. The creator must call `end`.
 */
export class ResponseHandler implements Dispatcher.DispatchHandler {
  statusCode = 0;
  headers: Readonly<Record<string, string | string[]>> = {};
  /** Whether writing has begun. */
  isWritten = false;
  /** Whether the answer has begun. */
  isStarted = false;
  readonly #head = deferred<ResponseHandler>();
  readonly #whole = deferred<void>();
  /** Resolves with the head of the answer. */
  readonly head = this.#head.promise;
  readonly #deadlineAt: number;
  readonly #timer: NodeJS.Timeout;
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #limit = LIMITS.oneAnswerBytes;
  #abort: (error: Error) => void = ignore;
  #failure: Error | undefined;
  #isExpired = false;
  #isComplete = false;

  /** `deadlineMs`: milliseconds from now to the last byte read. */
  constructor(deadlineMs: number) {
    this.#deadlineAt = performance.now() + deadlineMs;
    this.#timer = setTimeout(() => {
      this.#isExpired = true;
      this.#giveUp(new Error('deadline'));
    }, deadlineMs).unref();
  }

  /** Whether the deadline has passed. A suspended process reads sockets before its timers run. */
  get isLate(): boolean {
    return this.#isExpired || performance.now() >= this.#deadlineAt;
  }

  /** The complete body, still encoded. Rejects with a refusal if it exceeds the limit, or with the transport's error. */
  async whole(limit: number): Promise<Buffer> {
    this.#limit = limit;
    if (this.#size > limit) this.onError(tooLarge());
    await this.#whole.promise;
    // The deadline may have passed, or the limit been set, after the last byte.
    if (this.#failure) throw this.#failure;
    return Buffer.concat(this.#chunks, this.#size);
  }

  /** Ends the request. Closes its connection if data is unread, because that would block the connection. */
  end(): void {
    clearTimeout(this.#timer);
    if (!this.#isComplete) this.#giveUp(new Error('not read to its end'));
  }

  /** undici calls this immediately before it writes. */
  onConnect(abort: (error?: Error) => void): void {
    if (this.#failure || this.isLate) {
      abort(this.#failure ?? new Error('too late to be written'));
      return;
    }
    this.#abort = abort;
    this.isWritten = true;
  }

  onResponseStarted(): void {
    this.isStarted = true;
  }

  onHeaders(statusCode: number, rawHeaders: Buffer[]): boolean {
    if (statusCode < 200) return true;
    this.statusCode = statusCode;
    this.headers = util.parseHeaders(rawHeaders);
    this.#head.resolve(this);
    return true;
  }

  onData(chunk: Buffer): boolean {
    this.#size += chunk.length;
    if (this.#size <= this.#limit) this.#chunks.push(chunk);
    else this.onError(tooLarge());
    return true;
  }

  onComplete(): void {
    this.#isComplete = true;
    this.#whole.resolve();
  }

  onError(error: Error): void {
    this.#failure ??= error;
    this.#head.reject(this.#failure);
    this.#whole.reject(this.#failure);
  }

  #giveUp(reason: Error): void {
    this.onError(reason);
    this.#abort(reason);
  }
}

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;

const gunzipped = promisify(gunzip);

const DECODERS = new Map<string, (body: Buffer, options: { readonly maxOutputLength: number }) => Promise<Buffer>>([
  ['identity', async (body) => body],
  ['gzip', gunzipped],
  ['x-gzip', gunzipped],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
]);

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const unusable = (reason: string): UpstreamRefusal =>
  new UpstreamRefusal('upstream_invalid_response', 'failed', { reason });

function refuseEncoding(error: NodeJS.ErrnoException): never {
  if (error.code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
  throw error.code?.startsWith('Z_') ? unusable('compression') : error;
}

const [QUOTE, BACKSLASH, OPENING, CLOSING] = [0x22, 0x5c, 0x7b, 0x7d];
/** The bit by which braces differ from brackets. */
const BRACE = 0x20;

/** The index of the quote that ends a text, or the end of the bytes. */
function endOfText(json: Buffer, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** Refuses JSON that would take long to parse. Its number of lists depends on the request, as its size does. */
function assertParsable(json: Buffer): void {
  let [depth, lists] = [0, 0];
  for (let at = 0; at < json.length; at++) {
    const sign = json[at] ?? 0;
    if (sign === QUOTE) at = endOfText(json, at);
    else if ((sign | BRACE) === CLOSING) depth--;
    else if ((sign | BRACE) === OPENING) {
      depth++;
      lists++;
      if (depth > LIMITS.oneAnswerDepth) throw unusable('nested too deep');
      if (lists > LIMITS.oneAnswerLists) throw tooLarge();
    }
  }
}

/** The original text and the value of a JSON body. Refuses any other body. */
export async function readJson(
  response: ResponseHandler,
  limit = LIMITS.oneAnswerBytes,
): Promise<{ text: string; value: unknown }> {
  const { headers } = response;
  if (!JSON_TYPE.test(String(headers['content-type'] ?? ''))) throw unusable('content type');
  const decode = DECODERS.get(String(headers['content-encoding'] ?? 'identity').toLowerCase());
  if (!decode) throw unusable('content encoding');
  const bytes = await decode(await response.whole(limit), { maxOutputLength: limit }).catch(refuseEncoding);
  assertParsable(bytes);
  try {
    const text = utf8.decode(bytes);
    return { text, value: JSON.parse(text) };
  } catch {
    throw unusable('not JSON');
  }
}
