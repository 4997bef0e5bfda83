import { afterEach, describe, expect, it, vi } from 'vitest';
import { Payments } from '../../packages/gateway/src/payments/payments.ts';
import type { Lies } from '../../packages/sandbox/src/chain/faults.ts';
import { suiteInCi } from '../kit/optional.ts';
import { startSellingGateway } from '../kit/test-gateway.ts';
import { ask, PENDING, ROOMY, receiptIn, until } from './fault-buyer.ts';
import { openRemoteFixture } from './fault-facilitator.ts';
import { expectStored, newSale, openTwo, type Sale } from './sale.ts';

const STEPS = ['reserve', 'verify', 'upstream', 'store', 'settle', 'record'];
/** A client that leaves later may already have received the answer. */
const NOTICED = STEPS.slice(0, 4);

let onStep: (step: string) => void = () => undefined;
/** The other gateway settles payments that this one does not know. */
const { first: other, second: gateway } = await openTwo({ onStep: (step) => onStep(step) });
afterEach(() => {
  vi.restoreAllMocks();
  onStep = () => undefined;
  gateway.solana.mainnet.faults.reset();
  gateway.solana.provider.faults.reset();
});

/** A payment that was settled after its client had left at this step. */
async function left(step: string) {
  const leaving = new AbortController();
  const sale = await newSale(gateway);
  onStep = (name) => name === step && leaving.abort();
  await sale.ask(sale.payment, { signal: leaving.signal }).catch(() => undefined);
  await until(() => sale.moved()[0] === 1);
  return sale;
}

describe('P18 a client that leaves', () => {
  it.each(STEPS)('P18 after %s: the same payment later gets the stored answer', async (step) => {
    await expectStored(await left(step));
  });

  it.each(NOTICED)('P18 after %s: a new payment gets the owed answer and moves no money', async (step) => {
    const sale = await left(step);
    await expectStored(sale, await sale.renew());
    expect([(await sale.ask(await sale.renew())).outcome, sale.moved()[0]]).toEqual(['200', 2]);
  });
});

it('P6 a payment whose connection to the upstream is lost reaches it at most 3 times', async () => {
  const { ask, moved, provider } = await newSale(gateway);
  for (const calls of [2, 3]) {
    Object.assign(provider.faults, { resetConnection: true });
    expect((await ask()).outcome).toMatch(/^502 upstream_unreachable /);
    expect(moved()).toEqual([0, calls]);
    provider.faults.reset();
    // A lost call is sent again only if the upstream has answered since the last loss.
    expect((await (await newSale(gateway)).ask()).outcome).toBe('200');
  }
  expect((await ask()).outcome).toMatch(/^402 payment_rejected /);
  expect(moved()).toEqual([0, 3]);
});

describe('an answer that cannot be fetched again', () => {
  it.each(['the same', 'a new'])('P18 stays owed when %s payment asks for it, and is not paid twice', async (which) => {
    const { ask, moved, payment, provider, renew } = await newSale(gateway);
    // The answer to HEAD has no body: it is paid for and not delivered.
    expect((await ask(payment, { method: 'HEAD' })).status).toBe(200);
    vi.spyOn(Payments.prototype, 'answer').mockResolvedValue(undefined);
    provider.faults.status = 500;
    const failed = await ask(which === 'a new' ? await renew() : payment);
    expect([failed.status, failed.code]).toEqual([502, 'upstream_error']);
    provider.faults.reset();
    expect([(await ask(await renew())).outcome, moved()[0]]).toEqual(['200 again', 1]);
  });
});

describe('P6 a payment that is on the chain already, and not known here', () => {
  /** A payment that two gateways with one secret accept, and its settlement by the other one. */
  async function seenByTwo() {
    const sale = await newSale(gateway);
    const elsewhere = other.url + new URL(sale.url).pathname;
    return { sale, settle: async () => expect((await ask(elsewhere, sale.payment)).outcome).toBe('200') };
  }

  it.each<[string, Lies]>([
    ['the chain has not confirmed it', { statusProcessed: true }],
    ['one node of the RPC knows it and another one does not', { statusMissing: true }],
  ])('P6 is neither refused nor charged again while %s, and then it buys', async (_, lie) => {
    const { sale, settle } = await seenByTwo();
    await settle();
    sale.faults.lie = lie;
    expect((await sale.ask()).outcome).toBe(PENDING);
    expect(sale.moved()).toEqual([1, 1]);
    sale.faults.reset();
    expect([(await sale.ask()).status, sale.moved()[0]]).toEqual([200, 1]);
  });

  it('P6 is not refused where that is found out only at settling, and one node of the RPC does not know it', async () => {
    const { sale, settle } = await seenByTwo();
    sale.provider.faults.delayMs = 1_500;
    const late = sale.ask();
    await until(() => sale.moved()[1] === 1);
    sale.provider.faults.reset();
    await settle();
    sale.faults.lie = { statusMissing: true };
    expect((await late).outcome).toBe(PENDING);
    sale.faults.reset();
    expect([(await sale.decided()).outcome, sale.moved()[0]]).toEqual(['200 again', 1]);
  });

  it('P6 is said to be settled when the store cannot note it', async () => {
    const { sale, settle } = await seenByTwo();
    await settle();
    const noted = vi.spyOn(Payments.prototype, 'adopt').mockRejectedValueOnce(new Error('ENOSPC'));
    const failed = await sale.ask();
    expect([failed.outcome, noted.mock.calls.length]).toEqual(['503 state_unavailable settled', 1]);
    expect(JSON.parse(failed.text).payment.transaction).toBe(sale.chain.transfers.at(-1)?.signature);
    expect((await sale.ask()).status).toBe(200);
    expect(sale.moved()).toEqual([1, 2]);
  });

  it('is said to be settled when its upstream fails', async () => {
    const { sale, settle } = await seenByTwo();
    await settle();
    sale.provider.faults.status = 500;
    for (let call = 0; call < 2; call++) expect((await sale.ask()).outcome).toBe('502 upstream_error settled');
  });

  it('is found by its memo where another one settles', async () => {
    const secret = { GATEWAY_SECRET: 'a secret that both of them have and use' };
    const fixture = await openRemoteFixture({}, secret);
    const { chain, solana, url, payment } = fixture;
    expect((await fixture.ask()).outcome).toBe('200');
    const remote = { FACILITATOR_URL: fixture.facilitatorUrl, FEE_PAYER_KEYPAIR: '' };
    const second = await startSellingGateway({ ...ROOMY, ...secret, ...remote }, { solana });
    const reply = await ask(second.url + new URL(url).pathname, payment);
    expect(reply.outcome).toBe('200 again');
    expect(receiptIn(reply)).toMatchObject({ success: true, transaction: chain.transfers[0]?.signature });
    expect(chain.transfers).toHaveLength(1);
    await second.stop();
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
