import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PENDING } from './fault-buyer.ts';
import { openRemoteFixture } from './fault-facilitator.ts';
import type { Sale } from './sale.ts';

// The official packages print errors that they also return.
beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => {}));
afterEach(() => vi.restoreAllMocks());

/** The page size of an account's history. */
const ALL_ROWS = 1_000;
const HOUR_MS = 3_600_000;
let aheadMs = 0;

/** Fills the history of a buyer's token account with transactions of now or of an hour ago. */
async function fillHistory({ chain, buyer }: Sale, when: 'now' | 'an hour ago'): Promise<void> {
  const source = await chain.createAta(buyer.address);
  aheadMs = when === 'now' ? 0 : -HOUR_MS;
  try {
    for (let row = 0; row < ALL_ROWS; row++) await chain.answer('requestAirdrop', [source, 1]);
  } finally {
    aheadMs = 0;
  }
}

describe('P6 an unknown settlement in a long history', () => {
  it('P6 with 1,000 older transactions: a payment that was never sent is refused once it has expired', async () => {
    // The clock of this chain can be turned back.
    const now = Date.now;
    vi.spyOn(Date, 'now').mockImplementation(() => now() + aheadMs);
    const fixture = await openRemoteFixture();
    await fillHistory(fixture, 'an hour ago');
    fixture.orders = { settle: { does: false, status: 502 } };
    const payment = await fixture.renew();
    expect((await fixture.ask(payment)).outcome).toBe(PENDING);
    fixture.chain.advanceBlocks(300);
    expect((await fixture.decided(payment)).status).toBe(402);
    expect(fixture.moved()).toEqual([0, 1]);
    fixture.orders = {};
    expect((await fixture.decided(await fixture.renew())).status).toBe(200);
  }, 60_000);

  it('P6 hidden by 1,000 newer transactions: the payment is not refused, and no payer pays twice', async () => {
    const fixture = await openRemoteFixture();
    const { chain, faults } = fixture;
    fixture.orders = { settle: { status: 502, answer: 'Bad gateway' } };
    Object.assign(faults, { status: 503, only: new Set(['getSignaturesForAddress']) });
    expect([(await fixture.ask()).outcome, fixture.moved()[0]]).toEqual([PENDING, 1]);
    await fillHistory(fixture, 'now');
    chain.advanceBlocks(400);
    faults.reset();
    const lookUps = () => chain.calls.filter(({ method }) => method === 'getSignaturesForAddress').length;
    const before = lookUps();
    for (let round = 0; round < 3; round++) expect((await fixture.ask()).outcome).toBe(PENDING);
    expect(lookUps()).toBeGreaterThan(before);
    expect((await fixture.ask(await fixture.renew())).outcome).toBe('503 settlement_pending unused');
    expect(fixture.moved()).toEqual([1, 1]);
  }, 60_000);
});
