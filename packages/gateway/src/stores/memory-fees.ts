import type { Clock } from './clock.ts';
import { FEES, type Fee, type FeeBudget, type FeeStore } from './fees.ts';

interface Entry {
  readonly lamports: number;
  readonly untilMs: number;
}

/** The fees of one process, forgotten with it. */
export class MemoryFees implements FeeStore {
  readonly #now: Clock;
  readonly #entries = new Map<string, Map<string, Entry>>();

  constructor(now: Clock) {
    this.#now = now;
  }

  async reserve({ feePayer, limit }: FeeBudget, { key, lamports }: Fee): Promise<boolean> {
    const entries = this.#of(feePayer);
    let spent = lamports;
    for (const [known, entry] of entries) {
      if (entry.untilMs <= this.#now()) entries.delete(known);
      else if (known !== key) spent += entry.lamports;
    }
    if (spent > limit) return false;
    this.#hold(feePayer, { key, lamports }, FEES.reservedMs);
    return true;
  }

  async spend({ feePayer }: FeeBudget, fee: Fee): Promise<void> {
    this.#hold(feePayer, fee, FEES.spentMs);
  }

  /** What was spent is not forgotten sooner because the payment comes again. */
  #hold(feePayer: string, { key, lamports }: Fee, holdMs: number): void {
    const known = this.#of(feePayer).get(key);
    const untilMs = Math.max(known?.untilMs ?? 0, this.#now() + holdMs);
    this.#of(feePayer).set(key, { lamports, untilMs });
  }

  #of(feePayer: string): Map<string, Entry> {
    const entries = this.#entries.get(feePayer) ?? new Map<string, Entry>();
    this.#entries.set(feePayer, entries);
    return entries;
  }
}
