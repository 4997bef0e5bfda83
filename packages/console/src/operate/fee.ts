import type { Figures } from './figures.ts';

/** The fee of a settlement without a priority fee. */
const LEAST_LAMPORTS = 10_001;

/** The average fee of a settlement, in lamports. */
export function feeOf(now: Figures): number {
  const settled = now.sum('settlements_total', { state: 'settled' }) ?? 0;
  const spent = now.sum('fee_lamports_total') ?? 0;
  return settled > 0 && spent > 0 ? spent / settled : LEAST_LAMPORTS;
}
