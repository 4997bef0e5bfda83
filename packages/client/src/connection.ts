import { HEADERS, isRedirect, MAX_READ_BYTES, readBytes, TooLarge } from '@asset-gateway/protocol/wire';
import type { Deadline } from './deadline.ts';
import { GatewayError } from './error.ts';
import { NoncePool } from './nonce-pool.ts';
import type { SentRequest } from './sent-request.ts';
import type { ClientOptions } from './settings.ts';
import { type Signer, throwAwaySigner } from './signer.ts';

const NONCE_TIMEOUT_MS = 500;
const MAX_REFUSAL_BYTES = 1024 * 1024;
const NONCE = /^[0-9a-f]{32}$/;

interface OutgoingRequest extends SentRequest {
  /** Further options for `fetch`. */
  readonly init?: RequestInit;
}

/** Returns the same response with its whole body in memory. */
async function buffered(response: Response): Promise<Response> {
  const { ok, status, statusText, headers, url } = response;
  const bytes = await readBytes(response.body, ok ? MAX_READ_BYTES : MAX_REFUSAL_BYTES);
  const whole = new Response(bytes.length > 0 ? bytes : null, { status, statusText, headers });
  return Object.defineProperty(whole, 'url', { value: url });
}

/** Matches what remains of the shared budget, in a `RateLimit` header. */
const REMAINING = /;r=([0-9]{1,9});t=([0-9]{1,6})$/;

/** Delays free calls while the shared budget is used up. */
class Pacing {
  #remaining = Number.POSITIVE_INFINITY;
  #resetsAt = 0;

  /** Reads the `RateLimit` header. */
  learn(response: Response): void {
    const [, remaining, seconds] = REMAINING.exec(response.headers.get('ratelimit') ?? '') ?? [];
    if (remaining === undefined) return;
    this.#remaining = Number(remaining);
    this.#resetsAt = performance.now() + Number(seconds) * 1000;
  }

  /** Returns how many milliseconds the next request should wait. */
  waitMs(): number {
    return this.#remaining > 0 ? 0 : Math.max(0, this.#resetsAt - performance.now());
  }
}

/** State that all calls of a client share: wallet, nonces, and facts about the gateway. */
export class Connection {
  readonly base: URL;
  readonly pacing = new Pacing();
  readonly options: ClientOptions;
  /** Whether the gateway sells credit; undefined until a 402 shows it. */
  sellsCredit: boolean | undefined;
  /** The last known price of each paid method, in millionths of a dollar. */
  readonly prices = new Map<string, number>();
  readonly #fetch: typeof fetch;
  readonly #pools = new Map<string, NoncePool>();
  #signer: Signer | Promise<Signer> | undefined;

  constructor(options: ClientOptions) {
    this.options = options;
    this.base = new URL(options.baseUrl);
    // A URL such as localhost:8402 is valid, with the protocol `localhost:`.
    if (!this.base.protocol.startsWith('http')) throw new TypeError('baseUrl needs http:// or https://');
    this.#fetch = options.fetch ?? ((...request) => fetch(...request));
    this.#signer = options.signer;
  }

  get signer(): Promise<Signer> {
    this.#signer ??= throwAwaySigner();
    return Promise.resolve(this.#signer);
  }

  /** Returns a pool of nonces. Free routes share one, paid routes have one per cluster. */
  pool(name: string): NoncePool {
    const pool = this.#pools.get(name) ?? new NoncePool(this.options.nonceTimeoutMs ?? NONCE_TIMEOUT_MS);
    this.#pools.set(name, pool);
    return pool;
  }

  /** Whether to send `Prefer`. CORS allows it to a page of another origin only if the gateway sells credit. */
  get mayPrefer(): boolean {
    const page = (globalThis as { location?: { origin?: string } }).location?.origin;
    return this.sellsCredit ?? (page === undefined || page === this.base.origin);
  }

  /** Sends a request once and reads its whole answer within the deadline and the size limits. */
  async send(
    { url, method, body, init }: OutgoingRequest,
    headers: Readonly<Record<string, string>>,
    deadline: Deadline,
  ): Promise<Response> {
    const { signal } = deadline;
    const { origin } = this.base;
    const failed = (what: string) => (cause?: unknown) => {
      signal.throwIfAborted();
      if (!(cause instanceof TooLarge)) throw new GatewayError('unreachable', { message: `${origin} ${what}`, cause });
      const message = `${origin} sent more than this client reads; ask for less`;
      throw new GatewayError('answer_too_large', { message });
    };
    signal.throwIfAborted();
    const sent = this.#fetch(url, {
      method,
      redirect: 'manual',
      signal,
      headers: { ...headers, ...(body !== undefined && { 'Content-Type': 'application/json' }) },
      ...(body !== undefined && { body }),
      ...init,
    });
    const response = await deadline.race(sent).catch(failed('cannot be reached; check baseUrl'));
    if (isRedirect(response)) return failed('redirects; check baseUrl')();
    return deadline.race(buffered(response)).catch(failed('broke off its answer; try again'));
  }
}

/** Returns the nonce in an answer's headers, if any. */
export function nonceIn(response: Response): string | undefined {
  const nonce = response.headers.get(HEADERS.replayNonce) ?? '';
  return NONCE.test(nonce) ? nonce : undefined;
}

/** Statuses that ask for a retry. */
export const RETRIED: readonly number[] = [408, 429, 503];

/** Returns how many milliseconds to wait before a retry; undefined if a retry would not help. */
export function retryAfterMs({ status, headers }: Response, statuses = RETRIED): number | undefined {
  const seconds = /^[0-9]{1,6}$/.exec(headers.get('retry-after') ?? (status === 408 ? '0' : ''))?.[0];
  return statuses.includes(status) && seconds !== undefined ? Number(seconds) * 1000 : undefined;
}
