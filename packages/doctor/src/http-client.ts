import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { readBytes, TooLarge } from '@asset-gateway/protocol';
import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici';

/** The limit of concurrent requests. */
export const CONNECTIONS = 8;
const TIMEOUT_MS = 10_000;
const MAX_BYTES = 5 * 1024 * 1024;
/** The limit of all bodies together, which stay in memory until the end. */
const MAX_BYTES_IN_ALL = 64 * 1024 * 1024;
const MAX_ATTEMPTS = 3;
/** The limit of all pauses together after 429s. */
export const PAUSES_SECONDS = 30;
/** The time limit of all requests together. */
export const ASKING_SECONDS = 120;
/** The failure of a request after that time. */
export const TIME_OVER = `not sent within ${ASKING_SECONDS} seconds`;
/** Matches gateways on this machine, which are reached without a proxy. */
const LOCAL = /^https?:\/\/(?:localhost|127\.[\d.]+|\[::1\])(?::\d+)?$/;
/** Matches a target with the characters that a request line may contain. */
const TARGET = /^\/[\x21-\x7e]{0,8191}$/;

/** The headers and body of a request. */
export interface AskOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends a request. Never rejects. */
export type Ask = (method: string, target: string, options?: AskOptions) => Promise<Answer>;

/** The answer to one request. */
export interface Answer {
  readonly method: string;
  readonly url: string;
  /** The status; 0 if there is no answer. */
  readonly status: number;
  /** Headers by lower-case name. Repeated headers are joined. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Why there is no answer. */
  readonly failure?: string;
}

function plainHeaders(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String([value].flat().join(', '))]));
}

/** Returns an answer's Retry-After in milliseconds. */
function pauseOf({ headers }: Answer): number {
  const seconds = Number(headers['retry-after'] ?? 1);
  return (seconds >= 0 ? seconds : 1) * 1000;
}

/** Returns why there was no answer. */
function failureText(error: unknown): string {
  if (error instanceof TooLarge) return error.message;
  const { code, name } = error as NodeJS.ErrnoException;
  return typeof code === 'string' ? code : name;
}

/**
 * A client of one origin. It sends targets unchanged, follows no redirect, and neither signs nor pays. After a 429 it pauses as long as
 * the origin asks, within a limit for all pauses. After the signal it sends nothing. It uses `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`,
 * except for a gateway on this machine.
 */
export class HttpClient {
  readonly #origin: string;
  readonly #signal: AbortSignal;
  readonly #dispatcher: Dispatcher;
  #quietUntil = 0;
  #pausesLeftMs = PAUSES_SECONDS * 1000;
  #bytesLeft = MAX_BYTES_IN_ALL;

  constructor(origin: string, signal: AbortSignal = AbortSignal.timeout(ASKING_SECONDS * 1000)) {
    this.#origin = origin;
    this.#signal = signal;
    this.#dispatcher = new (LOCAL.test(origin) ? Agent : EnvHttpProxyAgent)({ connections: CONNECTIONS });
  }

  /** Sends a request. A failed request is an answer with status 0. */
  readonly ask: Ask = async (method, target, options = {}) => {
    for (let attempt = 1; ; attempt++) {
      await pause(Math.max(0, this.#quietUntil - performance.now()), undefined, { signal: this.#signal }).catch(
        () => undefined,
      );
      const answer = await this.#exchange(method, target, options);
      if (answer.status !== 429 || attempt === MAX_ATTEMPTS || !this.#mayPause(pauseOf(answer))) return answer;
    }
  };

  async close(): Promise<void> {
    await this.#dispatcher.destroy();
  }

  /** Starts a pause if the limit still allows it. */
  #mayPause(milliseconds: number): boolean {
    const now = performance.now();
    const moreMs = Math.max(0, now + milliseconds - Math.max(now, this.#quietUntil));
    if (moreMs > this.#pausesLeftMs) return false;
    this.#pausesLeftMs -= moreMs;
    this.#quietUntil = Math.max(this.#quietUntil, now + milliseconds);
    return true;
  }

  async #exchange(method: string, target: string, options: AskOptions): Promise<Answer> {
    const asked = { method, url: this.#origin + target };
    const failed = (failure: string): Answer => ({ ...asked, status: 0, headers: {}, body: '', failure });
    // With another target, the connections would throw and stop working.
    if (!TARGET.test(target)) return failed('not a path');
    if (this.#signal.aborted) return failed(TIME_OVER);
    try {
      return { ...asked, ...(await this.#answer(method, target, options)) };
    } catch (error) {
      return failed(this.#signal.aborted ? TIME_OVER : failureText(error));
    }
  }

  async #answer(method: string, target: string, { headers = {}, body }: AskOptions) {
    const response = await this.#dispatcher.request({
      origin: this.#origin,
      method: method as Dispatcher.HttpMethod,
      path: target,
      headers: { Accept: '*/*', ...headers },
      body: body ?? null,
      signal: AbortSignal.any([this.#signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    const stream = Readable.toWeb(response.body) as ReadableStream<Uint8Array<ArrayBuffer>>;
    const bytes = await readBytes(stream, Math.min(MAX_BYTES, this.#bytesLeft));
    this.#bytesLeft = Math.max(0, this.#bytesLeft - bytes.length);
    const text = new TextDecoder().decode(bytes);
    return { status: response.statusCode, headers: plainHeaders(response.headers), body: text };
  }
}
