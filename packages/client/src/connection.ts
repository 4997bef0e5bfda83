import { HEADERS, readBytes, TooLarge } from '@asset-gateway/protocol';
import type { Deadline } from './deadline.ts';
import { GatewayError } from './error.ts';
import { NoncePool } from './nonce-pool.ts';
import { Pacing } from './pacing.ts';
import type { SentRequest } from './sent-request.ts';
import type { ClientOptions } from './settings.ts';
import { type Signer, throwAwaySigner } from './signer.ts';

const NONCE_TIMEOUT_MS = 500;
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
const MAX_REFUSAL_BYTES = 1024 * 1024;
const NONCE = /^[0-9a-f]{32}$/;

/** A request, and how many bytes of its answer are read; default: 16 MiB. */
interface BoundedRequest extends SentRequest {
  readonly maxBytes?: number;
  /** Whether a browser asks the gateway if its own copy still holds. */
  readonly isRevalidated?: boolean;
}

/** The same response with its whole body in memory. */
async function buffered(response: Response, maxBytes: number): Promise<Response> {
  const { ok, status, statusText, headers, url } = response;
  const bytes = await readBytes(response.body, ok ? maxBytes : MAX_REFUSAL_BYTES);
  const whole = new Response(bytes.length > 0 ? bytes : null, { status, statusText, headers });
  return Object.defineProperty(whole, 'url', { value: url });
}

/** What all calls of a client share: the wallet, its nonces, and what is known of the gateway. */
export class Connection {
  readonly base: URL;
  readonly pacing = new Pacing();
  readonly options: ClientOptions;
  /** Whether the gateway sells credit; nothing until it has shown. */
  sellsCredit: boolean | undefined;
  /** Millionths of a dollar that each paid method was last said to cost. */
  readonly prices = new Map<string, number>();
  readonly #fetch: typeof fetch;
  readonly #pools = new Map<string, NoncePool>();
  #signer: Signer | Promise<Signer> | undefined;

  constructor(options: ClientOptions) {
    this.options = options;
    this.base = new URL(options.baseUrl);
    this.#fetch = options.fetch ?? ((...request) => fetch(...request));
    this.#signer = options.signer;
  }

  get signer(): Promise<Signer> {
    this.#signer ??= throwAwaySigner();
    return Promise.resolve(this.#signer);
  }

  /** Free routes share their nonces; those that spend have others, of which each cluster has its own. */
  pool(name: string): NoncePool {
    const pool = this.#pools.get(name) ?? new NoncePool(this.options.nonceTimeoutMs ?? NONCE_TIMEOUT_MS);
    this.#pools.set(name, pool);
    return pool;
  }

  /** A page of another origin may send `Prefer` only to a gateway that sells credit: others do not allow it, and a browser obeys. */
  get mayPrefer(): boolean {
    const page = (globalThis as { location?: { origin?: string } }).location?.origin;
    return this.sellsCredit ?? (page === undefined || page === this.base.origin);
  }

  /** Sends one request once, and reads the whole answer within the deadline and the limits of size. */
  async send(
    request: BoundedRequest,
    headers: Readonly<Record<string, string>>,
    deadline: Deadline,
  ): Promise<Response> {
    const { url, method, body } = request;
    const { signal } = deadline;
    const { origin } = this.base;
    const failed = (what: string) => (cause: unknown) => {
      signal.throwIfAborted();
      if (!(cause instanceof TooLarge)) throw new GatewayError('unreachable', { message: `${origin} ${what}`, cause });
      const message = `${origin} sends more than this client reads; ask for less`;
      throw new GatewayError('answer_too_large', { message });
    };
    signal.throwIfAborted();
    const asked = this.#fetch(url, {
      method,
      redirect: 'error',
      ...(request.isRevalidated && { cache: 'no-cache' }),
      signal,
      headers: { ...headers, ...(body !== undefined && { 'Content-Type': 'application/json' }) },
      ...(body !== undefined && { body }),
    });
    const response = await deadline.race(asked).catch(failed('cannot be reached; check baseUrl'));
    return deadline
      .race(buffered(response, request.maxBytes ?? MAX_ANSWER_BYTES))
      .catch(failed('broke off its answer; ask again'));
  }
}

/** The nonce that an answer hands out, if any. */
export function nonceIn(response: Response): string | undefined {
  const nonce = response.headers.get(HEADERS.replayNonce) ?? '';
  return NONCE.test(nonce) ? nonce : undefined;
}
