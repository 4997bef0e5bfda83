import type { SiwxInfo } from '@asset-gateway/protocol';
import type { SignInChallenge } from './sign-in.ts';

/** A nonce is good for five minutes; the rest is for the way. */
const LIFETIME_MS = 270_000;
const MAX_NONCES = 100;

interface Held {
  readonly nonce: string;
  readonly since: number;
}

type Waiter = (nonce: string | undefined) => void;

/**
 * The nonces that a gateway has handed out with its answers, for the requests to come. Who finds none and sees others under way
 * waits a moment for what they bring, as a challenge would cost a request.
 */
export class NoncePool {
  readonly #nonceTimeoutMs: number;
  #held: Held[] = [];
  #waiters: Waiter[] = [];
  #underWay = 0;
  #challenge: SignInChallenge | undefined;
  /** Our clock when the challenge came: what has passed since is added to its time, as the time of day here may be wrong. */
  #challengedAt = 0;

  constructor(nonceTimeoutMs: number) {
    this.#nonceTimeoutMs = nonceTimeoutMs;
  }

  /** Whether the gateway has shown what is to be signed. */
  get isKnown(): boolean {
    return this.#challenge !== undefined;
  }

  /** A challenge has come: what it names is what is signed from now on. */
  learn(challenge: SignInChallenge): void {
    this.#challenge = challenge;
    this.#challengedAt = performance.now();
  }

  /** Nonces that came before may all be dead: the gateway has just refused one. */
  forget(): void {
    this.#held = [];
  }

  give(nonce: string): void {
    const [waiter] = this.#waiters;
    if (waiter) waiter(nonce);
    else if (this.#held.length < MAX_NONCES) this.#held.push({ nonce, since: performance.now() });
  }

  /** Begins a request: with a nonce, or with none, when it is to ask for a challenge. Each one ends with `done`. */
  async take(signal: AbortSignal): Promise<string | undefined> {
    const now = performance.now();
    this.#held = this.#held.filter(({ since }) => now - since < LIFETIME_MS);
    const held = this.#held.shift();
    return held || this.#underWay === 0 ? this.#begin(held?.nonce) : this.#wait(signal);
  }

  /** A request has ended. When it was the last one, nobody brings a nonce any more. */
  done(): void {
    this.#underWay--;
    if (this.#underWay === 0) this.#waiters[0]?.(undefined);
  }

  /** The challenge with this nonce in it, for another path. It says no amount: that was another call's. */
  challengeWith(nonce: string, url: URL): SignInChallenge | undefined {
    if (!this.#challenge) return undefined;
    const { expirationTime: _, statement: __, ...rest } = this.#challenge.info;
    const issuedAtMs = Date.parse(rest.issuedAt) + performance.now() - this.#challengedAt;
    const issuedAt = new Date(issuedAtMs).toISOString();
    const info = { ...rest, nonce, issuedAt, uri: url.origin + url.pathname } as SiwxInfo;
    return { ...this.#challenge, info };
  }

  #begin(nonce: string | undefined): string | undefined {
    this.#underWay++;
    return nonce;
  }

  #wait(signal: AbortSignal): Promise<string | undefined> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
        this.#waiters = this.#waiters.filter((each) => each !== waiter);
      };
      const waiter: Waiter = (nonce) => {
        leave();
        // Counted at once: between now and the one who waits, another request may end.
        resolve(this.#begin(nonce));
      };
      const giveUp = () => {
        leave();
        reject(signal.reason);
      };
      const timer = setTimeout(waiter, this.#nonceTimeoutMs, undefined);
      signal.addEventListener('abort', giveUp, { once: true });
      this.#waiters.push(waiter);
    });
  }
}
