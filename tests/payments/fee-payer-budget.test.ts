import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { carrying, type Forge, openForge } from './forge-market.ts';
import { limitOf, priceOf, u32, u64 } from './forge-table.ts';
import { signed } from './forge-wire.ts';

/** Payers that are not known may use half of it. */
const BUDGET = 90_000n;

let forge: Forge;
beforeAll(async () => {
  forge = await openForge({ FEE_BUDGET_LAMPORTS_PER_HOUR: BUDGET.toString() });
});
afterAll(() => forge.stop());

async function payDearly() {
  const { payload, draft } = await forge.genuine();
  limitOf(draft).data = Uint8Array.from([2, ...u32(200_000)]);
  priceOf(draft).data = Uint8Array.from([3, ...u64(50_000n)]);
  return forge.pay(carrying(payload, signed(draft, [forge.payer])));
}

describe('the fee budget of an hour', () => {
  it('P12 is what the fee payer can lose at the most, half of it to payers that are not known, however dear each payment is made', async () => {
    const before = await forge.standing();
    expect((await payDearly()).status).toBe(200);
    expect((await payDearly()).status).toBe(200);
    const spent = await forge.standing();
    expect(before.feePayer - spent.feePayer).toBe(40_000n);
    for (const pay of [payDearly, async () => forge.pay((await forge.genuine()).payload)]) {
      const told = await pay();
      expect({ status: told.status, error: told.error }).toEqual({ status: 503, error: 'facilitator_unavailable' });
      expect(told.body).toMatchObject({ payment: { state: 'unused' } });
    }
    const after = await forge.standing();
    expect({ ...after, calls: spent.calls }).toEqual(spent);
    expect(before.feePayer - after.feePayer).toBeLessThanOrEqual(BUDGET / 2n);
  });
});
