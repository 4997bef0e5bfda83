import { HEADERS } from '@asset-gateway/protocol';
import type { Deadline } from './deadline.ts';
import { GatewayError } from './error.ts';
import { NoncePool } from './nonce-pool.ts';
import { Pacing } from './pacing.ts';
import type { SentRequest } from './payer.ts';
import type { ClientOptions } from './settings.ts';
import { type Signer, throwAwaySigner } from './signer.ts';

const NONCE_TIMEOUT_MS = 500;

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

  /** Sends one request once. */
  async send(request: SentRequest, headers: Readonly<Record<string, string>>, deadline: Deadline): Promise<Response> {
    const { url, method, body } = request;
    deadline.signal.throwIfAborted();
    try {
      return await this.#fetch(url, {
        method,
        redirect: 'error',
        signal: deadline.signal,
        headers: { ...headers, ...(body !== undefined && { 'Content-Type': 'application/json' }) },
        ...(body !== undefined && { body }),
      });
    } catch (cause) {
      deadline.signal.throwIfAborted();
      throw new GatewayError('unreachable', { message: `${this.base.origin} cannot be reached; check baseUrl`, cause });
    }
  }
}

/** The nonce that an answer hands out. */
export const nonceIn = (response: Response): string | null => response.headers.get(HEADERS.replayNonce);
