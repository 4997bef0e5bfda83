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
