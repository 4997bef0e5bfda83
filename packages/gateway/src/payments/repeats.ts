import { PAYMENTS } from './record.ts';

/** How often the answer of one settled payment may be fetched again, by whoever made it and by somebody who need not have. */
const MOST = { withTicket: 200, without: 20 } as const;

/** Counts how often the answers of settled payments are fetched again from this node: for as long as they are kept. */
export class Repeats {
  /** In the order in which they were first fetched again. */
  readonly #counts = new Map<string, { readonly sinceMs: number; times: number }>();

  /** Counts one more, and says whether that is one too many. */
  isTooOften(key: string, kind: keyof typeof MOST, nowMs: number): boolean {
    this.#forget(nowMs);
    const known = this.#counts.get(`${kind} ${key}`) ?? { sinceMs: nowMs, times: 0 };
    this.#counts.set(`${kind} ${key}`, known);
    known.times += 1;
    return known.times > MOST[kind];
  }

  #forget(nowMs: number): void {
    for (const [key, { sinceMs }] of this.#counts) {
      if (nowMs - sinceMs < PAYMENTS.answerMs) return;
      this.#counts.delete(key);
    }
  }
}
