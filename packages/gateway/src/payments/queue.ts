import { clusterOfNetwork, Refusal } from '@asset-gateway/protocol';
import type { AccountHolder } from '../credit/account.ts';
import { LIMITS } from '../limits.ts';
import { UNUSED_PAYMENT } from '../receipts/paid-answers.ts';
import { Counts } from '../tallies.ts';
import { TIMES } from '../times.ts';

/**
 * Runs tasks with the same key one after the other, and tasks with different keys in parallel. `p-queue` is a single queue, so we would
 * still need a map of queues that removes empty ones.
 */
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

/** Returns the refusal of a call that has waited too long for other calls of its wallet. */
const busy = (reason: string): Refusal =>
  new Refusal('rate_limited', {
    reason,
    message: 'Another call of this wallet is being paid for; retry after Retry-After.',
    retryAfterSeconds: 2,
    payment: UNUSED_PAYMENT,
  });

const queueNameOf = ({ network, wallet }: AccountHolder): string => `${network}:${wallet}`;

/**
 * Makes calls wait for another call of their account. The first waiting call of an account tries again whenever the account changes. The
 * second one begins to try when the first has ended.
 */
export class AccountQueue {
  readonly #retryMs: number;
  readonly #turns = new Queues();
  readonly #waiting = new Counts();
  /** The function that wakes the first waiting call of each account. */
  readonly #wake = new Map<string, () => void>();

  /** `retryMs`: how often the first call tries again without being woken, in milliseconds, because some changes only come with time. */
  constructor(retryMs: number = Number.POSITIVE_INFINITY) {
    this.#retryMs = retryMs;
  }

  /** Makes the first waiting call of an account try again, because the account has changed. */
  wake(holder: AccountHolder): void {
    this.#wake.get(queueNameOf(holder))?.();
  }

  /** Repeats an attempt until it has a result, and returns the result. Throws a refusal after a time-out, or if too many calls wait. */
  async until<T>(holder: AccountHolder, attempt: () => Promise<T | 'not yet'>): Promise<T> {
    const first = await attempt();
    if (first !== 'not yet') return first;
    const name = queueNameOf(holder);
    const cluster = clusterOfNetwork(holder.network);
    const isFull = this.#waiting.of(name) >= LIMITS.waiting.ofOne || this.#waiting.of('all') >= LIMITS.waiting.ofAll;
    if (isFull || (cluster === 'devnet' && this.#waiting.of(cluster) >= LIMITS.waiting.ofDevnet)) {
      throw busy('too many wait');
    }
    const endMs = performance.now() + TIMES.waitMs;
    const counted = [name, cluster, 'all'];
    for (const each of counted) this.#waiting.add(each, 1);
    try {
      return await this.#turns.run(name, () => this.#retry(name, attempt, endMs));
    } finally {
      for (const each of counted) this.#waiting.add(each, -1);
    }
  }

  async #retry<T>(name: string, attempt: () => Promise<T | 'not yet'>, endMs: number): Promise<T> {
    try {
      for (;;) {
        // Listen before the attempt, so that no change during it is missed.
        const woken = new Promise<void>((resolve) => this.#wake.set(name, resolve));
        const result = await attempt();
        if (result !== 'not yet') return result;
        const leftMs = endMs - performance.now();
        if (leftMs <= 0) throw busy('waited in vain');
        const timer = setTimeout(() => this.#wake.get(name)?.(), Math.min(leftMs, this.#retryMs));
        await woken;
        clearTimeout(timer);
      }
    } finally {
      this.#wake.delete(name);
    }
  }
}
