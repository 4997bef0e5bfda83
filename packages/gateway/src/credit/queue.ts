import { NETWORKS, Refusal } from '@asset-gateway/protocol';
import type { AccountHolder } from './account.ts';

/** The most waiting calls of one wallet, of all devnet wallets and of all wallets on this node. Devnet's money is free. */
const MOST_WAITING = { ofOne: 32, ofDevnet: 64, ofAll: 256 } as const;
const WAIT_TIMEOUT_MS = 30_000;

/** The call cannot wait any longer for other calls of its wallet. */
export const busy = (reason: string): Refusal =>
  new Refusal('rate_limited', {
    reason,
    message: 'Another call of this wallet is being paid for; retry after Retry-After.',
    retryAfterSeconds: 2,
    payment: { state: 'unused' },
  });

/** The name of an account. */
export const accountName = ({ network, wallet }: AccountHolder): string => `${network}:${wallet}`;

const isDevnet = (name: string): boolean => name.includes(NETWORKS.devnet);

interface Waiting {
  /** Whether the account has changed since the last attempt began. */
  isWoken: boolean;
  wake(): void;
}

/**
 * Calls that wait for another call of their account. The first call of an account tries again whenever the account changes; when it
 * leaves, the next one tries.
 */
export class AccountQueue {
  readonly #retryMs: number;
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #buyers = new Map<string, string>();
  #all = 0;
  #onDevnet = 0;

  /** `retryMs`: how often the first call tries again without being woken, because some changes come with time. */
  constructor(retryMs: number = Number.POSITIVE_INFINITY) {
    this.#retryMs = retryMs;
  }

  /** The key of the payment with which a call on this node buys credit for the account. */
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

  /** Lets the first call of an account try again, because the account has changed. */
  wake(name: string): void {
    this.#waiting.get(name)?.[0]?.wake();
  }

  /** Repeats an attempt until it has a result. Refuses after a time-out, or if too many calls wait. */
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
      return await this.#retry(attempt, call, () => calls[0] === call);
    } finally {
      this.#remove(name, calls, call);
    }
  }

  async #retry<T>(attempt: () => Promise<T | 'not yet'>, call: Waiting, isFirst: () => boolean): Promise<T> {
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
      if (!call.isWoken) await woken(call, isFirst() ? Math.min(leftMs, this.#retryMs) : leftMs);
    } while (performance.now() < endMs);
    throw busy('waited in vain');
  }

  #remove(name: string, calls: Waiting[], call: Waiting): void {
    this.#all -= 1;
    this.#onDevnet -= isDevnet(name) ? 1 : 0;
    calls.splice(calls.indexOf(call), 1);
    if (calls.length === 0) this.#waiting.delete(name);
    else this.wake(name);
  }
}

/** Resolves when the call is woken, or after a time. */
const woken = (call: Waiting, milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    call.wake = () => {
      call.isWoken = true;
      clearTimeout(timer);
      resolve();
    };
  });

/** Runs tasks with the same key one after the other, and tasks with different keys in parallel. */
export class Queues {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Resolves when all tasks so far have ended. */
  async idle(): Promise<void> {
    await Promise.all(this.#last.values());
  }

  run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const result = before.then(task, task);
    const ended = result.catch(() => undefined);
    this.#last.set(key, ended);
    void ended.then(() => {
      if (this.#last.get(key) === ended) this.#last.delete(key);
    });
    return result;
  }
}
