import type { Figures } from './figures.ts';

/** A settlement in the gateway's process costs as much at least. */
const LEAST_LAMPORTS = 10_001;

/** What a settlement has cost the fee payer so far, in lamports. */
export function feeOf(now: Figures): number {
  const settled = now.sum('settlements_total', { state: 'settled' }) ?? 0;
  const spent = now.sum('fee_lamports_total') ?? 0;
  return settled > 0 && spent > 0 ? spent / settled : LEAST_LAMPORTS;
}
