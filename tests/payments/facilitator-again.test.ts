import { describe, expect, it, vi } from 'vitest';
import { suiteInCi } from '../kit/optional.ts';
import { stoppedAfterTests } from '../kit/stop-after-tests.ts';
import { PENDING } from './fault-buyer.ts';
import { type Home, openRemoteFixture, type RemoteFixture } from './fault-facilitator.ts';
import { expectStored, type Sale } from './sale.ts';

const open = stoppedAfterTests((home?: Home) => openRemoteFixture({}, home));

async function expectPending(sale: Sale): Promise<void> {
  expect((await sale.ask()).outcome).toBe(PENDING);
}

/** What happens between a settlement whose outcome is unknown and the next request. */
const EVENTS: Readonly<Record<string, (fixture: RemoteFixture) => Promise<unknown>>> = {
  'the reply of sendTransaction is lost': async () => {},
  'settle is called again and again within 120 s': async ({ settleAgain }) => {
    for (let call = 0; call < 4; call++) await settleAgain();
    await Promise.all([settleAgain(), settleAgain()]);
  },
  'its blockhash has expired since, and settle is called again': async ({ faults, settleAgain }) => {
    faults.expireBlockhashes();
    await settleAgain();
  },
  'settle is called again, and again after the facilitator was restarted': async ({ settleAgain, restart }) => {
    await settleAgain();
    await restart();
    await settleAgain();
  },
  'the facilitator does not come back': ({ crash }) => crash(),
};

describe.concurrent('P6 an unknown settlement elsewhere', () => {
  it.each(Object.entries(EVENTS))(
    'P6 %s: the stored answer, one transfer',
    { timeout: 60_000 },
    async (title, happens) => {
      const fixture = await open(title.includes('the facilitator') ? 'own process' : 'shared process');
      Object.assign(fixture.faults, { dropAfterBroadcast: true, lie: { statusMissing: true } });
      await expectPending(fixture);
      await happens(fixture);
      await expectPending(fixture);
      fixture.faults.reset();
      await expectStored(fixture);
    },
  );

  it('P6 its store of pending payments is down, and settle is called again: the stored answer, one transfer', async () => {
    const fixture = await open();
    fixture.faults.lie = { statusMissing: true };
    await fixture.order({ storeDown: ['set'] });
    await expectPending(fixture);
    await fixture.order({ storeDown: ['get', 'set'] });
    await fixture.settleAgain().catch(() => undefined);
    await expectPending(fixture);
    fixture.faults.reset();
    await expectStored(fixture);
  });

  it('P6 its store is down before anything is sent: 503 until the chain proves that nothing moved', async () => {
    const fixture = await open();
    await fixture.order({ storeDown: ['get'] });
    for (let call = 0; call < 3; call++) await expectPending(fixture);
    fixture.chain.advanceBlocks(300);
    expect((await fixture.decided()).status).toBe(402);
    expect(fixture.moved()[0]).toBe(0);
  });

  it('P6 confirmed only later, by when its own deadline is over: the stored answer, one transfer', async () => {
    const fixture = await open();
    fixture.faults.confirmAfterMs = 3_000;
    await expectPending(fixture);
    await expectStored(fixture);
  });
});

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

suiteInCi('P6 an unknown settlement in a long history', {}, () => {
  it('P6 with 1,000 older transactions: a payment that was never sent is refused once it has expired', async () => {
    // The clock of this chain can be turned back.
    const now = Date.now;
    vi.spyOn(Date, 'now').mockImplementation(() => now() + aheadMs);
    const fixture = await open();
    await fillHistory(fixture, 'an hour ago');
    await fixture.order({ storeDown: ['get'] });
    const payment = await fixture.renew();
    expect((await fixture.ask(payment)).outcome).toBe(PENDING);
    fixture.chain.advanceBlocks(300);
    expect((await fixture.decided(payment)).status).toBe(402);
    expect(fixture.moved()).toEqual([0, 1]);
    await fixture.order({ storeDown: [] });
    expect((await fixture.decided(await fixture.renew())).status).toBe(200);
  }, 60_000);

  it('P6 hidden by 1,000 newer transactions: the payment is not refused, and no payer pays twice', async () => {
    const fixture = await open();
    const { chain, faults } = fixture;
    await fixture.order({ settle: { status: 502, answer: 'Bad gateway' } });
    Object.assign(faults, { status: 503, only: new Set(['getSignaturesForAddress']) });
    await expectPending(fixture);
    expect(fixture.moved()[0]).toBe(1);
    await fillHistory(fixture, 'now');
    chain.advanceBlocks(400);
    faults.reset();
    const lookUps = () => chain.calls.filter(({ method }) => method === 'getSignaturesForAddress').length;
    const before = lookUps();
    for (let round = 0; round < 3; round++) await expectPending(fixture);
    expect(lookUps()).toBeGreaterThan(before);
    expect((await fixture.ask(await fixture.renew())).outcome).toBe('503 settlement_pending unused');
    expect(fixture.moved()).toEqual([1, 1]);
  }, 60_000);
});
