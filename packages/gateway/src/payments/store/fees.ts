/** What a fee payer may spend. */
export interface FeeBudget {
  /** Its network and address. */
  readonly feePayer: string;
  /** Lamports in any hour. */
  readonly limit: number;
}

/** What one payment may cost its fee payer. */
export interface Fee {
  /** The payment's key. */
  readonly key: string;
  readonly lamports: number;
  /** Whether its payer is not known: all of those share half of the budget, so that the others get through. */
  readonly isNewPayer: boolean;
}

/** What fee payers have spent on fees, or may be about to. Every method may reject when the store is down. */
export interface FeeStore {
  /** Whether so much is left; nothing is held. */
  fits(budget: FeeBudget, fee: Fee): Promise<boolean>;
  /** Holds what a verified payment may cost, for as long as it may take until it is sent; no when too little is left. */
  hold(budget: FeeBudget, fee: Fee): Promise<boolean>;
  /** The payment is being sent: its fee counts for an hour, as that of the payer that it was held for. */
  spend(budget: FeeBudget, fee: Fee): Promise<void>;
  /** The payment has settled and made its payer known: its fee goes on counting, as that of a known payer. */
  settle(feePayer: string, key: string): Promise<void>;
  /** Nothing is sent now: what is held is given back. What was spent goes on counting. */
  release(feePayer: string, key: string): Promise<void>;
  /** The chain has shown that the payment can never land: what was spent counts no more either. */
  expire(feePayer: string, key: string): Promise<void>;
}

/** How long a fee counts, in milliseconds, and how much of the budget new payers share. */
export const FEES = { heldMs: 60_000, spentMs: 3_600_000, newPayersShare: 0.5 } as const;
