import { NETWORKS, Refusal } from '@asset-gateway/protocol';
import type { AccountHolder } from './account.ts';

/** How many calls of one wallet, of all devnet wallets, and of all may wait on this node: devnet's money is free. */
const MOST_WAITING = { ofOne: 32, ofDevnet: 64, ofAll: 256 } as const;
/** How long each waits, in milliseconds. */
const WAIT_TIMEOUT_MS = 30_000;

/** Why a call is refused that cannot wait for its wallet's turn any longer. */
export const busy = (reason: string): Refusal =>
  new Refusal('rate_limited', {
    reason,
    message: 'Another call of this wallet is being paid for; send the same request again after Retry-After.',
    retryAfterSeconds: 2,
    payment: { state: 'unused' },
  });

/** The name of an account. */
export const accountName = ({ network, wallet }: AccountHolder): string => `${network}:${wallet}`;

/** Whether an account, by its name, is one of devnet. */
const isDevnet = (name: string): boolean => name.includes(NETWORKS.devnet);

/** A call that waits. */
interface Waiting {
  /** Something has changed since its last attempt began. */
  isWoken: boolean;
  wake(): void;
}

/**
 * Calls that wait until what another call of their account does has ended. The first of an account's calls tries again each
 * time that the account has changed; when it leaves, the next one tries.
 */
export class Turns {
  readonly #lookAgainMs: number;
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #buyers = new Map<string, string>();
  #all = 0;
  #onDevnet = 0;

  /** `lookAgainMs`: how often the first call tries again without being woken, as for what lapses by time. */
  constructor(lookAgainMs: number = Number.POSITIVE_INFINITY) {
    this.#lookAgainMs = lookAgainMs;
  }

  /** The key of the payment that a call on this node buys credit with for the account, or is about to. */
  buyerOf(name: string): string | undefined {
    return this.#buyers.get(name);
  }

  /** Notes that a call on this node buys credit for the account, until `endBuying`. */
  startBuying(name: string, key: string): void {
    this.#buyers.set(name, key);
  }

  endBuying(name: string): void {
    this.#buyers.delete(name);
    this.wake(name);
  }

  /** The account has changed. */
  wake(name: string): void {
    this.#waiting.get(name)?.[0]?.wake();
  }

  /** Tries until something comes of it; refuses where it takes too long or too many wait already. */
  async until<T>(name: string, attempt: () => Promise<T | 'not yet'>): Promise<T> {
    const first = await attempt();
    if (first !== 'not yet') return first;
    const calls = this.#waiting.get(name) ?? [];
    const isFull = this.#all >= MOST_WAITING.ofAll || (isDevnet(name) && this.#onDevnet >= MOST_WAITING.ofDevnet);
    if (calls.length >= MOST_WAITING.ofOne || isFull) throw busy('too many wait');
    const call: Waiting = { isWoken: false, wake: () => undefined };
    this.#waiting.set(name, calls);
    calls.push(call);
    this.#all += 1;
    this.#onDevnet += isDevnet(name) ? 1 : 0;
    try {
      return await this.#tryAgain(attempt, call, () => calls[0] === call);
    } finally {
      this.#leave(name, calls, call);
    }
  }

  async #tryAgain<T>(attempt: () => Promise<T | 'not yet'>, call: Waiting, isFirst: () => boolean): Promise<T> {
    const endMs = performance.now() + WAIT_TIMEOUT_MS;
    do {
      if (isFirst()) {
        call.isWoken = false;
        call.wake = () => {
          call.isWoken = true;
        };
        const result = await attempt();
        if (result !== 'not yet') return result;
      }
      const leftMs = endMs - performance.now();
      if (!call.isWoken) await woken(call, isFirst() ? Math.min(leftMs, this.#lookAgainMs) : leftMs);
    } while (performance.now() < endMs);
    throw busy('waited in vain');
  }

  #leave(name: string, calls: Waiting[], call: Waiting): void {
    this.#all -= 1;
    this.#onDevnet -= isDevnet(name) ? 1 : 0;
    calls.splice(calls.indexOf(call), 1);
    if (calls.length === 0) this.#waiting.delete(name);
    else this.wake(name);
  }
}

/** Resolves when the call is woken, or after so many milliseconds. */
const woken = (call: Waiting, milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    call.wake = () => {
      call.isWoken = true;
      clearTimeout(timer);
      resolve();
    };
  });
