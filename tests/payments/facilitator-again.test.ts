import { describe, expect, it, vi } from 'vitest';
import type { Chain } from '../../packages/sandbox/src/chain/chain.ts';
import { suiteInCi } from '../kit/optional.ts';
import { stoppedAfterTests } from '../kit/stop-after-tests.ts';
import { ask, askUntilDecided, receiptIn } from './fault-buyer.ts';
import { type Home, openRemoteFixture, type RemoteFixture } from './fault-facilitator.ts';

const WAYS: Readonly<Record<string, (fixture: RemoteFixture) => Promise<void>>> = {
  'the reply of sendTransaction is lost': async () => {},
  'settle is called again after that': async ({ settleAgain }) => void (await settleAgain()),
  'settle is called again and again within 120 s': async ({ settleAgain }) => {
    for (let call = 0; call < 4; call++) await settleAgain();
    await Promise.all([settleAgain(), settleAgain()]);
  },
  'its blockhash has expired since, and settle is called again': async ({ chain, settleAgain }) => {
    chain.faults.expireBlockhashes();
    await settleAgain();
  },
};

/** The page size of an account's history. */
const ALL_ROWS = 1_000;
const HOUR_MS = 3_600_000;

let aheadMs = 0;

/** From here on chains are started on a clock that can be turned back. */
function turnClocks(): void {
  const now = Date.now;
  vi.spyOn(Date, 'now').mockImplementation(() => now() + aheadMs);
}

/** Fills the history of a buyer's token account with transactions of now or of an hour ago. */
async function fillHistory(chain: Chain, buyer: { readonly address: string }, when: 'now' | 'an hour ago') {
  const source = await chain.createAta(buyer.address);
  aheadMs = when === 'now' ? 0 : -HOUR_MS;
  try {
    for (let row = 0; row < ALL_ROWS; row++) await chain.answer('requestAirdrop', [source, 1]);
  } finally {
    aheadMs = 0;
  }
}

const open = stoppedAfterTests((home?: Home) => openRemoteFixture({}, home));

async function expectPending({ url, payment }: RemoteFixture): Promise<void> {
  const reply = await ask(url, payment);
  expect([reply.status, reply.code]).toEqual([503, 'settlement_pending']);
  expect(reply.headers.has('payment-required')).toBe(false);
}

/** A payment that the facilitator has sent without hearing of it, while the chain shows nothing yet. */
async function unheard(home?: Home): Promise<RemoteFixture> {
  const fixture = await open(home);
  fixture.chain.faults.dropAfterBroadcast = true;
  fixture.chain.faults.lie = { statusMissing: true };
  await expectPending(fixture);
  return fixture;
}

async function expectStored(fixture: RemoteFixture): Promise<void> {
  const { url, payment, chain, solana, buyer } = fixture;
  await expectPending(fixture);
  chain.faults.reset();
  const reply = await askUntilDecided(url, payment);
  expect([reply.status, reply.isReplayed]).toEqual([200, true]);
  expect(receiptIn(reply)).toMatchObject({ success: true, transaction: chain.transfers[0]?.signature });
  expect(chain.transfers.filter(({ from }) => from === buyer.address)).toHaveLength(1);
  expect(solana.provider.arrivals).toHaveLength(1);
}

describe.concurrent('P6 an unknown settlement elsewhere', () => {
  it.each(Object.entries(WAYS))('P6 %s: the stored answer, one transfer', { timeout: 60_000 }, async (_, happens) => {
    const fixture = await unheard();
    await happens(fixture);
    await expectStored(fixture);
  });

  it('P6 settle is called again, and again after the facilitator was restarted: the stored answer, one transfer', async () => {
    const fixture = await unheard('own process');
    await fixture.settleAgain();
    await fixture.restart();
    await fixture.settleAgain();
    await expectStored(fixture);
  }, 60_000);

  it('P6 its store of pending payments is down, and settle is called again: the stored answer, one transfer', async () => {
    const fixture = await open();
    fixture.chain.faults.lie = { statusMissing: true };
    await fixture.order({ storeDown: ['set'] });
    await expectPending(fixture);
    await fixture.order({ storeDown: ['get', 'set'] });
    await fixture.settleAgain().catch(() => undefined);
    await expectStored(fixture);
  });

  it('P6 its store is down before anything is sent: 503 until the chain proves that nothing moved', async () => {
    const fixture = await open();
    await fixture.order({ storeDown: ['get'] });
    for (let call = 0; call < 3; call++) await expectPending(fixture);
    fixture.chain.advanceBlocks(300);
    expect((await askUntilDecided(fixture.url, fixture.payment)).status).toBe(402);
    expect(fixture.chain.transfers).toHaveLength(0);
  });

  it('P6 the facilitator does not come back: the stored answer, one transfer', async () => {
    const fixture = await unheard('own process');
    await fixture.crash();
    await expectStored(fixture);
  });

  it('P6 confirmed only later, by when its own deadline is over: the stored answer, one transfer', async () => {
    const fixture = await open();
    fixture.chain.faults.confirmAfterMs = 3_000;
    await expectPending(fixture);
    const reply = await askUntilDecided(fixture.url, fixture.payment);
    expect([reply.status, reply.isReplayed, fixture.chain.transfers.length]).toEqual([200, true, 1]);
  });
});

suiteInCi('P6 an unknown settlement in a long history', {}, () => {
  it('P6 with 1,000 older transactions: a payment that was never sent is refused once it has expired', async () => {
    turnClocks();
    const fixture = await open();
    const { chain, buyer, solana, url } = fixture;
    await fillHistory(chain, buyer, 'an hour ago');
    await fixture.order({ storeDown: ['get'] });
    const payment = await buyer.pay(url);
    await expectPending({ ...fixture, payment });
    chain.advanceBlocks(300);
    expect((await askUntilDecided(url, payment)).status).toBe(402);
    expect([chain.transfers.length, solana.provider.arrivals.length]).toEqual([0, 1]);
    await fixture.order({ storeDown: [] });
    expect((await askUntilDecided(url, await buyer.pay(url))).status).toBe(200);
  }, 60_000);

  it('P6 hidden by 1,000 newer transactions: the payment is not refused, and no payer pays twice', async () => {
    const fixture = await open();
    const { chain, buyer, solana } = fixture;
    await fixture.order({ settle: { status: 502, answer: 'Bad gateway' } });
    Object.assign(chain.faults, { status: 503, only: new Set(['getSignaturesForAddress']) });
    await expectPending(fixture);
    expect(chain.transfers).toHaveLength(1);
    await fillHistory(chain, buyer, 'now');
    chain.advanceBlocks(400);
    chain.faults.reset();
    const lookUps = () => chain.calls.filter(({ method }) => method === 'getSignaturesForAddress').length;
    const before = lookUps();
    for (let round = 0; round < 3; round++) await expectPending(fixture);
    expect(lookUps()).toBeGreaterThan(before);
    const second = await ask(fixture.url, await buyer.pay(fixture.url));
    expect([second.status, second.code]).toEqual([503, 'settlement_pending']);
    expect(second.text).toContain('"state":"unused"');
    expect([chain.transfers.length, solana.provider.arrivals.length]).toEqual([1, 1]);
  }, 60_000);
});
