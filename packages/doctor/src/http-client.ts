import { setTimeout as pause } from 'node:timers/promises';
import { type Dispatcher, Pool } from 'undici';

/** How many requests are under way at most. */
export const CONNECTIONS = 8;
const TIMEOUT_MS = 10_000;
const MAX_BYTES = 5 * 1024 * 1024;
const MAX_ATTEMPTS = 3;
const MAX_PAUSE_SECONDS = 60;
/** What a request line can carry. */
const TARGET = /^\/[\x21-\x7e]*$/;

/** A request beyond its verb and its target. */
export interface AskOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Asks for a target, and answers in any case. */
export type Ask = (method: string, target: string, options?: AskOptions) => Promise<Answer>;

/** An answer as it came, to one request. */
export interface Answer {
  readonly method: string;
  readonly url: string;
  /** 0 where there was no answer. */
  readonly status: number;
  /** By name in lower case; several lines of one name as one list. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Why there was no answer. */
  readonly failure?: string;
}

function plainHeaders(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String([value].flat().join(', '))]));
}

/** How long a 429 asks to be left alone, in milliseconds. */
function pauseOf({ headers }: Answer): number {
  const seconds = Number(headers['retry-after'] ?? 1);
  return Math.min(Number.isFinite(seconds) ? seconds : 1, MAX_PAUSE_SECONDS) * 1000;
}

/**
 * A client of one origin: it sends targets as they are written, follows no redirect, and neither signs nor pays.
 * After a 429 it leaves the origin alone for as long as it was told to.
 */
export class HttpClient {
  readonly #origin: string;
  readonly #pool: Pool;
  #quiet: Promise<unknown> = Promise.resolve();

  constructor(origin: string) {
    this.#origin = origin;
    this.#pool = new Pool(origin, { connections: CONNECTIONS, maxResponseSize: MAX_BYTES });
  }

  /** Asks for a target; a request that fails is an answer with status 0. */
  readonly ask: Ask = async (method, target, options = {}) => {
    for (let attempt = 1; ; attempt++) {
      await this.#quiet;
      const answer = await this.#exchange(method, target, options);
      if (answer.status !== 429 || attempt === MAX_ATTEMPTS) return answer;
      this.#quiet = pause(pauseOf(answer));
    }
  };

  async close(): Promise<void> {
    await this.#pool.close();
  }

  async #exchange(method: string, target: string, { headers = {}, body }: AskOptions): Promise<Answer> {
    const asked = { method, url: this.#origin + target };
    // The pool throws at any other, and answers nothing from then on.
    if (!TARGET.test(target)) return { ...asked, status: 0, headers: {}, body: '', failure: 'not a path' };
    try {
      const response = await this.#pool.request({
        method: method as Dispatcher.HttpMethod,
        path: target,
        headers: { Accept: '*/*', ...headers },
        body: body ?? null,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const text = await response.body.text();
      return { ...asked, status: response.statusCode, headers: plainHeaders(response.headers), body: text };
    } catch (error) {
      const { code, name } = error as NodeJS.ErrnoException;
      return { ...asked, status: 0, headers: {}, body: '', failure: typeof code === 'string' ? code : name };
    }
  }
}
