import { GatewayError } from './error.ts';

/** Dollars that payments may come to. */
export interface Caps {
  /** One call; 0.01 unless told. */
  readonly perCallUsd?: number;
  /** One bundle of credit, which is bought only when told; 0.05 unless told. */
  readonly perBundleUsd?: number;
  /** All of any 24 hours; 1 unless told. */
  readonly perDayUsd?: number;
  /** All that this ledger will ever have seen; no end unless told. */
  readonly inAllUsd?: number;
}

/** A payment that has been signed and not yet been sent. */
export interface LedgerEntry {
  readonly micros: number;
  /** What it buys. */
  readonly request: { readonly url: string; readonly method: 'GET' | 'POST'; readonly body?: string | undefined };
  /** What is sent for it: with it the same payment can be sent again. It is as good as money until it has settled. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Where it is written down what has been spent. One that is shared between processes holds atomically for all of them. */
export interface SpendingLedger {
  /** Sets so much aside, unless that would exceed a cap: then it throws a GatewayError with the code `spending_limit`. Answers with a name for it. */
  hold(micros: number, caps: { readonly perDayMicros: number; readonly inAllMicros: number }): Promise<string>;
  /** The payment is signed and about to be sent. Once this has returned, a crash loses nothing. */
  signed(id: string, entry: LedgerEntry): Promise<void>;
  /** Nothing was signed, or nothing sent of what was: the amount is free again. */
  release(id: string): Promise<void>;
  /** It is known what became of the payment. What was sent counts as spent either way: who asked for it may still cash it. */
  closed(id: string, outcome: 'paid' | 'refused'): Promise<void>;
}

const DAY_MS = 86_400_000;

const limit = (message: string): GatewayError => new GatewayError('spending_limit', { message });

/** A ledger that lasts as long as the process. */
export function memoryLedger(now: () => number = Date.now): SpendingLedger {
  const spent = new Map<string, { readonly micros: number; readonly at: number }>();
  let earlier = 0;
  let last = 0;

  function sums(): { day: number; all: number } {
    let day = 0;
    for (const [id, { micros, at }] of spent) {
      if (now() - at < DAY_MS) day += micros;
      else {
        earlier += micros;
        spent.delete(id);
      }
    }
    return { day, all: earlier + day };
  }

  return {
    async hold(micros, { perDayMicros, inAllMicros }) {
      const { day, all } = sums();
      if (day + micros > perDayMicros) throw limit(`the cap of $${perDayMicros / 1e6} in 24 hours would be exceeded`);
      if (all + micros > inAllMicros) throw limit(`the cap of $${inAllMicros / 1e6} in all would be exceeded`);
      const id = String(++last);
      spent.set(id, { micros, at: now() });
      return id;
    },
    async signed() {},
    async release(id) {
      spent.delete(id);
    },
    async closed() {},
  };
}
