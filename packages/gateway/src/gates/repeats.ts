/** How often the answer of one payment may be fetched again, by whoever made it and by somebody who need not have. */
const MOST = { payer: 200, anybody: 20 } as const;
/** As long as answers that were paid for are kept. */
const COUNTED_MS = 600_000;

/** Counts how often answers that were paid for are fetched again from this node: for as long as they are kept. */
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
      if (nowMs - sinceMs < COUNTED_MS) return;
      this.#counts.delete(key);
    }
  }
}
