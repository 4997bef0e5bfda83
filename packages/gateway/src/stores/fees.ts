import type { Clock } from './clock.ts';

/** What a fee payer may spend. */
export interface FeeBudget {
  /** Its address. */
  readonly feePayer: string;
  /** Lamports in any hour. */
  readonly limit: number;
}

/** What one payment may cost its fee payer. */
export interface Fee {
  /** The payment's key. */
  readonly key: string;
  readonly lamports: number;
}

/** What fee payers have spent on fees, or may be about to. Every method may reject when the store is down. */
export interface FeeStore {
  /** Sets aside what a verified payment may cost, for as long as it may take until it is sent; no when too little is left. */
  reserve(budget: FeeBudget, fee: Fee): Promise<boolean>;
  /** The payment is being sent: its fee counts for an hour. */
  spend(budget: FeeBudget, fee: Fee): Promise<void>;
}

/** How long a fee counts, in milliseconds. */
export const FEES = { reservedMs: 60_000, spentMs: 3_600_000 } as const;

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
