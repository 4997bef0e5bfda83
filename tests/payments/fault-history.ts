import { vi } from 'vitest';
import type { Chain } from '../../packages/sandbox/src/chain/chain.ts';

/** The page size of an account's history. */
const ALL_ROWS = 1_000;
const HOUR_MS = 3_600_000;

let aheadMs = 0;

/** From here on chains are started on a clock that can be turned back. */
export function turnClocks(): void {
  const now = Date.now;
  vi.spyOn(Date, 'now').mockImplementation(() => now() + aheadMs);
}

/** Fills the history of a buyer's token account with transactions of now or of an hour ago. */
export async function fillHistory(chain: Chain, buyer: { readonly address: string }, when: 'now' | 'an hour ago') {
  const source = await chain.createAta(buyer.address);
  aheadMs = when === 'now' ? 0 : -HOUR_MS;
  try {
    for (let row = 0; row < ALL_ROWS; row++) await chain.answer('requestAirdrop', [source, 1]);
  } finally {
    aheadMs = 0;
  }
}
