import { vi } from 'vitest';
import type { Chain } from '../../packages/sandbox/src/chain/chain.ts';

/** As many rows as an RPC gives of an account's history at once. */
const ALL_ROWS = 1_000;
const HOUR_MS = 3_600_000;

let aheadMs = 0;

/** From here on chains are started on a clock that can be turned back. */
export function turnClocks(): void {
  const now = Date.now;
  vi.spyOn(Date, 'now').mockImplementation(() => now() + aheadMs);
}

/** Fills what an RPC shows of a buyer's token account, with transactions of now or of an hour ago. */
export async function fillHistory(chain: Chain, buyer: { readonly address: string }, when: 'now' | 'an hour ago') {
  const source = await chain.createAta(buyer.address);
  aheadMs = when === 'now' ? 0 : -HOUR_MS;
  try {
    for (let row = 0; row < ALL_ROWS; row++) await chain.answer('requestAirdrop', [source, 1]);
  } finally {
    aheadMs = 0;
  }
}
