import type { Sale } from '../call.ts';

/** An answer that did not reach its payer may be fetched for ten minutes; a little longer, so that no clock matters. */
const REMEMBERED_MS = 660_000;

/** Tells the first answer that a payment has brought from those that follow, so that no money is counted twice. */
export class Sales {
  /** When each payment was first answered, the oldest first. */
  readonly #answered = new Map<string, number>();

  /** Whether this node has not answered this payment before. */
  isFirst({ transaction, isRepeat }: Sale, nowMs: number): boolean {
    this.#forget(nowMs);
    if (isRepeat || this.#answered.has(transaction)) return false;
    this.#answered.set(transaction, nowMs);
    return true;
  }

  #forget(nowMs: number): void {
    for (const [transaction, answeredAtMs] of this.#answered) {
      if (nowMs - answeredAtMs < REMEMBERED_MS) return;
      this.#answered.delete(transaction);
    }
  }
}
