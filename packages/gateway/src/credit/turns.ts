import { setTimeout as pause } from 'node:timers/promises';
import { Refusal } from '@asset-gateway/protocol';

/** How many calls of one wallet, and of all, may wait on this node. */
const MOST_WAITING = { ofOne: 32, ofAll: 256 } as const;
/** How long each waits, and how often it looks again, in milliseconds. */
const [WAIT_TIMEOUT_MS, LOOK_AGAIN_MS] = [30_000, 100];

const busy = (reason: string) =>
  new Refusal('rate_limited', {
    reason,
    message: 'Another call of this wallet is being paid for; send the same request again after Retry-After.',
    retryAfterSeconds: 2,
    payment: { state: 'unused' },
  });

/** Calls that wait until what another call of their wallet is buying has settled: each tries again, for a while. */
export class Turns {
  readonly #waiting = new Map<string, number>();
  #all = 0;

  /** Tries until something comes of it; refuses where it takes too long or too many wait already. */
  async until<T>(name: string, attempt: () => Promise<T | 'not yet'>): Promise<T> {
    const first = await attempt();
    if (first !== 'not yet') return first;
    const others = this.#waiting.get(name) ?? 0;
    if (others >= MOST_WAITING.ofOne || this.#all >= MOST_WAITING.ofAll) throw busy('too many wait');
    this.#waiting.set(name, others + 1);
    this.#all += 1;
    try {
      return await this.#tryAgain(attempt);
    } finally {
      this.#leave(name);
    }
  }

  async #tryAgain<T>(attempt: () => Promise<T | 'not yet'>): Promise<T> {
    const endMs = performance.now() + WAIT_TIMEOUT_MS;
    while (performance.now() < endMs) {
      await pause(LOOK_AGAIN_MS);
      const result = await attempt();
      if (result !== 'not yet') return result;
    }
    throw busy('waited in vain');
  }

  #leave(name: string): void {
    this.#all -= 1;
    const left = (this.#waiting.get(name) ?? 1) - 1;
    if (left === 0) this.#waiting.delete(name);
    else this.#waiting.set(name, left);
  }
}
