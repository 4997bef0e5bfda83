import type { KeptEntry } from '../payments/store/journal.ts';

/** What a number of entries comes to. Money is in millionths of a dollar. */
export interface Totals {
  readonly settlements: number;
  readonly refusals: number;
  readonly grants: number;
  readonly debits: number;
  /** What arrived at the payee. */
  readonly settledMicros: number;
  /** What of it became credit, */
  readonly grantedMicros: number;
  /** and what was bought from credit. */
  readonly spentMicros: number;
  readonly feeLamports: number;
}

export const NOTHING: Totals = {
  settlements: 0,
  refusals: 0,
  grants: 0,
  debits: 0,
  settledMicros: 0,
  grantedMicros: 0,
  spentMicros: 0,
  feeLamports: 0,
};

/** What one entry comes to. */
export function totalsOf({ kind, micros, feeLamports }: KeptEntry): Totals {
  const fee = { ...NOTHING, feeLamports };
  switch (kind) {
    case 'settlement':
      return { ...fee, settlements: 1, settledMicros: micros };
    case 'refusal':
      return { ...fee, refusals: 1 };
    case 'grant':
      return { ...fee, grants: 1, grantedMicros: micros };
    case 'debit':
      return { ...fee, debits: 1, spentMicros: micros };
  }
}

export const sumOf = (one: Totals, other: Totals): Totals => ({
  settlements: one.settlements + other.settlements,
  refusals: one.refusals + other.refusals,
  grants: one.grants + other.grants,
  debits: one.debits + other.debits,
  settledMicros: one.settledMicros + other.settledMicros,
  grantedMicros: one.grantedMicros + other.grantedMicros,
  spentMicros: one.spentMicros + other.spentMicros,
  feeLamports: one.feeLamports + other.feeLamports,
});

const LAMPORTS_PER_SOL = 1_000_000_000;
const MICROS_PER_DOLLAR = 1_000_000;

/** What fees cost at a price of SOL in dollars, in whole millionths of a dollar. */
export const feeMicros = (lamports: number, solPriceUsd: number): number =>
  Math.round((lamports / LAMPORTS_PER_SOL) * solPriceUsd * MICROS_PER_DOLLAR);

/** What is left of what arrived after fees. */
export const marginMicros = ({ settledMicros, feeLamports }: Totals, solPriceUsd: number): number =>
  settledMicros - feeMicros(feeLamports, solPriceUsd);
