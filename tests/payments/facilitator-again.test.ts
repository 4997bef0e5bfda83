import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Chain } from '../../packages/gateway/src/payments/facilitator/chain.ts';
import { stoppedAfterTests } from '../kit/stop-after-tests.ts';
import { PENDING } from './fault-buyer.ts';
import { openRemoteFixture, type RemoteFixture } from './fault-facilitator.ts';
import { expectStored, type Sale } from './sale.ts';

const open = stoppedAfterTests(() => openRemoteFixture());

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
  'the facilitator does not come back': ({ end }) => end(),
};

describe.concurrent('P6 an unknown settlement elsewhere', () => {
  it.each(Object.entries(EVENTS))('P6 %s: the stored answer, one transfer', { timeout: 60_000 }, async (_, happens) => {
    const fixture = await open();
    Object.assign(fixture.faults, { dropAfterBroadcast: true, lie: { statusMissing: true } });
    await expectPending(fixture);
    await happens(fixture);
    await expectPending(fixture);
    fixture.faults.reset();
    await expectStored(fixture);
  });

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

const HOUR_MS = 3_600_000;

/** The RPC lists a full page of an account's history: a thousand transactions of an hour ago, or newer ones than all others. */
async function fillHistory({ chain, buyer }: Sale, when: 'now' | 'an hour ago'): Promise<void> {
  await chain.answer('requestAirdrop', [await chain.createAta(buyer.address), 1]);
  const { transactionsOf } = Chain.prototype;
  vi.spyOn(Chain.prototype, 'transactionsOf').mockImplementation(async function (this: Chain, account, page) {
    const rows = await transactionsOf.call(this, account, page);
    const more = Array.from({ length: page.limit }, () => rows.slice(0, 1)).flat();
    const old = more.map((row) => ({ ...row, atMs: row.atMs - HOUR_MS }));
    return (when === 'now' ? more : [...rows, ...old]).slice(0, page.limit);
  });
}

describe('P6 an unknown settlement in a long history', () => {
  afterEach(() => void vi.restoreAllMocks());

  it('P6 with 1,000 older transactions: a payment that was never sent is refused once it has expired', async () => {
    const fixture = await open();
    await fillHistory(fixture, 'an hour ago');
    await fixture.order({ storeDown: ['get'] });
    expect((await fixture.ask()).outcome).toBe(PENDING);
    fixture.chain.advanceBlocks(300);
    expect((await fixture.decided()).status).toBe(402);
    expect(fixture.moved()).toEqual([0, 1]);
    await fixture.order({ storeDown: [] });
    expect((await fixture.decided(await fixture.renew())).status).toBe(200);
  });

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
    // The gateway reads the height again after a second.
    await pause(1_100);
    for (let round = 0; round < 3; round++) await expectPending(fixture);
    expect(lookUps()).toBeGreaterThan(before);
    expect((await fixture.ask(await fixture.renew())).outcome).toBe('503 settlement_pending unused');
    expect(fixture.moved()).toEqual([1, 1]);
  });
});
