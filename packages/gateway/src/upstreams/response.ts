import { pipeline, Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { util } from '../pool.ts';
import { UpstreamRefusal } from './upstream.ts';

/** An upstream's answer before its body is read. */
export interface UpstreamResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  /** The body stream, if it is encoded. */
  readonly encoded: Readable | undefined;
  /** The complete unencoded body. Rejects with a refusal beyond the limit, or with the transport's error. */
  whole(limit: number): Promise<Buffer>;
}

/** The largest body, encoded or decoded. */
export const MAX_BYTES = 5 * 1024 * 1024;

/** The size of an answer depends on the request, so the upstream is not at fault. */
export const tooLarge = (): UpstreamRefusal =>
  new UpstreamRefusal('upstream_invalid_response', 'answered', { reason: 'too large' });

const ignore = (): void => undefined;

/** A promise with its resolvers. It may reject while nothing waits for it. */
class Deferred<T> {
  resolve!: (value: T) => void;
  reject!: (error: unknown) => void;
  readonly promise = new Promise<T>((resolve, reject) => {
    this.resolve = resolve;
    this.reject = reject;
  });

  constructor() {
    this.promise.catch(ignore);
  }
}

/**
 * Handles one request of undici's dispatcher: writes it before its deadline or not at all, and aborts it then. Tracks its progress,
 * which undici's errors do not report. The creator must call `end`.
 */
export class ResponseHandler implements Dispatcher.DispatchHandler, UpstreamResponse {
  statusCode = 0;
  headers: UpstreamResponse['headers'] = {};
  encoded: Readable | undefined;
  /** Whether writing has begun. */
  isWritten = false;
  /** Whether the answer has begun. */
  isStarted = false;
  readonly #head = new Deferred<UpstreamResponse>();
  readonly #whole = new Deferred<void>();
  /** Resolves with the head of the answer. */
  readonly head = this.#head.promise;
  readonly #deadlineAt: number;
  readonly #timer: NodeJS.Timeout;
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #limit = MAX_BYTES;
  #abort: (error: Error) => void = ignore;
  #failure: Error | undefined;
  #isExpired = false;
  #isComplete = false;

  /** The deadline covers the call from now to the last byte read. */
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

  async whole(limit: number): Promise<Buffer> {
    this.#limit = limit;
    if (this.#size > limit) this.onError(tooLarge());
    await this.#whole.promise;
    // The deadline may have passed, or the limit been set, after the last byte.
    if (this.#failure) throw this.#failure;
    return Buffer.concat(this.#chunks, this.#size);
  }

  /** Ends the request. Unread data would block the connection, so it is closed. */
  end(): void {
    clearTimeout(this.#timer);
    this.encoded?.destroy();
    if (!this.#isComplete) this.#giveUp(new Error('not read to its end'));
  }

  /** Called by undici immediately before it writes. */
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

  onHeaders(statusCode: number, rawHeaders: Buffer[], resume: () => void): boolean {
    if (statusCode < 200) return true;
    this.statusCode = statusCode;
    this.headers = util.parseHeaders(rawHeaders);
    const { 'content-encoding': encoding } = this.headers;
    // The stream's reader, if any, receives its errors.
    if (encoding !== undefined) this.encoded = new Readable({ read: resume }).on('error', ignore);
    this.#head.resolve(this);
    return true;
  }

  onData(chunk: Buffer): boolean {
    if (this.encoded) return this.encoded.push(chunk);
    this.#size += chunk.length;
    if (this.#size <= this.#limit) this.#chunks.push(chunk);
    else this.onError(tooLarge());
    return true;
  }

  onComplete(): void {
    this.#isComplete = true;
    this.encoded?.push(null);
    this.#whole.resolve();
  }

  onError(error: Error): void {
    this.#failure ??= error;
    this.#head.reject(this.#failure);
    this.encoded?.destroy(this.#failure);
    this.#whole.reject(this.#failure);
  }

  #giveUp(reason: Error): void {
    this.onError(reason);
    this.#abort(reason);
  }
}

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;

const DECODERS = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const unusable = (reason: string): UpstreamRefusal =>
  new UpstreamRefusal('upstream_invalid_response', 'failed', { reason });

function decoded(body: Readable, encoding: string): AsyncIterable<Buffer> {
  if (encoding === 'identity') return body;
  const decoder = DECODERS.get(encoding)?.();
  if (!decoder) throw unusable('content encoding');
  // Iterating over the decoder throws the errors of both.
  return pipeline(body, decoder, () => undefined);
}

/** The decompressed body. Rejects with a refusal beyond the limit. */
async function decode(body: Readable, encoding: string, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of decoded(body, encoding)) {
      size += chunk.length;
      if (size > limit) throw tooLarge();
      chunks.push(chunk);
    }
  } catch (error) {
    if (String((error as NodeJS.ErrnoException).code).startsWith('Z_')) throw unusable('compression');
    throw error;
  }
  return Buffer.concat(chunks, size);
}

/** A JSON body's original text and its value; refuses anything else. */
export async function readJson(
  response: UpstreamResponse,
  limit = MAX_BYTES,
): Promise<{ text: string; value: unknown }> {
  const { headers, encoded } = response;
  if (!JSON_TYPE.test(String(headers['content-type'] ?? ''))) throw unusable('content type');
  const encoding = String(headers['content-encoding']).toLowerCase();
  const bytes = encoded ? await decode(encoded, encoding, limit) : await response.whole(limit);
  try {
    const text = utf8.decode(bytes);
    return { text, value: JSON.parse(text) };
  } catch {
    throw unusable('not JSON');
  }
}
