import { SHARED_TIMES, type SiwxInfo } from '@asset-gateway/protocol/wire';
import type { SignInChallenge } from './sign-in.ts';

/** How long a nonce is used, in milliseconds. The margin allows for the transit. */
const LIFETIME_MS = SHARED_TIMES.challengeMs - SHARED_TIMES.aheadMs;
const MAX_NONCES = 100;

interface PooledNonce {
  readonly nonce: string;
  readonly since: number;
}

type Waiter = (nonce: string | undefined) => void;

/**
 * Nonces from a gateway's answers, for later requests. If the pool is empty while requests are in flight, a call waits briefly for their
 * nonces, because a challenge would cost a request.
 */
export class NoncePool {
  readonly #nonceTimeoutMs: number;
  #held: PooledNonce[] = [];
  #waiters: Waiter[] = [];
  #inFlight = 0;
  #challenge: SignInChallenge | undefined;
  /** When the challenge arrived. Signatures use the gateway's time plus the time since then, because the local clock may be wrong. */
  #challengedAt = 0;

  constructor(nonceTimeoutMs: number) {
    this.#nonceTimeoutMs = nonceTimeoutMs;
  }

  /** Whether a challenge has arrived. */
  get isKnown(): boolean {
    return this.#challenge !== undefined;
  }

  /** Uses this challenge for later signatures. */
  useChallenge(challenge: SignInChallenge): void {
    this.#challenge = challenge;
    this.#challengedAt = performance.now();
  }

  /** Drops all nonces after the gateway refused one. */
  forget(): void {
    this.#held = [];
  }

  add(nonce: string): void {
    const [waiter] = this.#waiters;
    if (waiter) waiter(nonce);
    else if (this.#held.length < MAX_NONCES) this.#held.push({ nonce, since: performance.now() });
  }

  /** Begins a request with a nonce. Without a nonce, the caller must fetch a challenge. Each request ends with `end`. */
  async take(signal: AbortSignal): Promise<string | undefined> {
    const now = performance.now();
    this.#held = this.#held.filter(({ since }) => now - since < LIFETIME_MS);
    const held = this.#held.shift();
    return held || this.#inFlight === 0 ? this.#begin(held?.nonce) : this.#wait(signal);
  }

  /** Ends a request. After the last request no nonce can arrive, so one waiting call continues without a nonce. */
  end(): void {
    this.#inFlight--;
    if (this.#inFlight === 0) this.#waiters[0]?.(undefined);
  }

  /**
   * Returns the last challenge with a new nonce, path and statement; undefined without one. The old statement is dropped, because it may
   * name the price of another call.
   */
  challengeWith(nonce: string, url: URL, statement?: string): SignInChallenge | undefined {
    if (!this.#challenge) return undefined;
    const { expirationTime: _, statement: __, ...rest } = this.#challenge.info;
    const issuedAtMs = Date.parse(rest.issuedAt) + performance.now() - this.#challengedAt;
    const issuedAt = new Date(issuedAtMs).toISOString();
    const uri = url.origin + url.pathname;
    const info = { ...rest, nonce, issuedAt, uri, ...(statement !== undefined && { statement }) } as SiwxInfo;
    return { ...this.#challenge, info };
  }

  #begin(nonce: string | undefined): string | undefined {
    this.#inFlight++;
    return nonce;
  }

  #wait(signal: AbortSignal): Promise<string | undefined> {
    return new Promise((resolve, reject) => {
      const stopWaiting = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
        this.#waiters = this.#waiters.filter((each) => each !== waiter);
      };
      const waiter: Waiter = (nonce) => {
        stopWaiting();
        // Count the request now, because another request may end before the waiting call resumes.
        resolve(this.#begin(nonce));
      };
      const giveUp = () => {
        stopWaiting();
        reject(signal.reason);
      };
      const timer = setTimeout(waiter, this.#nonceTimeoutMs, undefined);
      signal.addEventListener('abort', giveUp, { once: true });
      this.#waiters.push(waiter);
    });
  }
}
