import { describe, expect, it } from 'vitest';
import type { ChainFaultKnobs } from '../../packages/sandbox/src/chain/chain.ts';
import { startSellingGateway } from '../kit/test-gateway.ts';
import { PENDING, ROOMY, receiptIn, until } from './fault-buyer.ts';
import { expectStored, newSale } from './sale.ts';

const open = () => startSellingGateway(ROOMY);
const openSale = async (micros?: bigint) => newSale(await open(), micros);

/** The reply of sendTransaction is lost, and the chain shows nothing yet. */
const UNHEARD: ChainFaultKnobs = { dropAfterBroadcast: true, lie: { statusMissing: true } };

/** The first answer under each fault. When the fault is over, the payment gets the stored answer. */
const FAULTS: readonly (readonly [string, ChainFaultKnobs, string])[] = [
  ['the reply of sendTransaction is lost', { dropAfterBroadcast: true }, '200'],
  ['that, and the chain shows nothing yet', UNHEARD, PENDING],
  ['a status that comes late', { confirmAfterMs: 3_000 }, '200'],
  ['sendTransaction hangs and nothing was sent', { hang: new Set(['sendTransaction']) }, PENDING],
];

describe.concurrent('P6 an unknown outcome', () => {
  it.each(FAULTS)('P6 %s: one transfer, and the stored answer', async (_, faults, outcome) => {
    const sale = await openSale();
    Object.assign(sale.faults, faults);
    const first = await sale.ask();
    expect(first.outcome).toBe(outcome);
    if (outcome === PENDING) {
      expect(first.headers.get('retry-after')).toBe('2');
      expect(receiptIn(first)).toMatchObject({ success: false, errorReason: 'settlement_pending' });
      expect((await sale.ask()).outcome).toBe(PENDING);
      expect(sale.moved()).toEqual([faults.hang ? 0 : 1, 1]);
      sale.faults.reset();
    } else {
      expect(sale.chain.calls.filter(({ method }) => method === 'sendTransaction')).toHaveLength(1);
    }
    await expectStored(sale);
  });

  it('P6 is settled within 5 s after the chain shows it, without a request', async () => {
    const sale = await openSale();
    Object.assign(sale.faults, UNHEARD);
    expect((await sale.ask()).outcome).toBe(PENDING);
    sale.faults.reset();
    const seen = sale.chain.calls.length;
    const shown = performance.now();
    const isLookedUp = () => sale.chain.calls.slice(seen).some(({ method }) => method === 'getSignatureStatuses');
    await until(isLookedUp, 5_000);
    await until(async () => (await sale.ask()).status === 200, 5_000 - (performance.now() - shown));
    await expectStored(sale);
  });

  it('P6 a transaction without a block is refused only once its blockhash has expired', async () => {
    const sale = await openSale();
    Object.assign(sale.faults, { loseBroadcast: true, hang: new Set(['sendTransaction']) });
    expect((await sale.ask()).outcome).toBe(PENDING);
    sale.faults.expireBlockhashes();
    expect((await sale.ask()).outcome).toBe(PENDING);
    sale.chain.advanceBlocks(150);
    const last = await sale.decided();
    expect(last.outcome).toMatch(/^402 \w+ refused$/);
    expect(receiptIn(last)).toMatchObject({ success: false, transaction: '' });
    sale.faults.reset();
    expect((await sale.ask(await sale.renew())).outcome).toBe('200');
    expect(sale.moved()[0]).toBe(1);
  });

  it('P6 a new payment for the same request waits while the first one is open, and gets its answer', async () => {
    const sale = await openSale();
    Object.assign(sale.faults, UNHEARD);
    expect((await sale.ask()).outcome).toBe(PENDING);
    const second = await sale.renew();
    expect((await sale.ask(second)).outcome).toBe('503 settlement_pending unused');
    sale.faults.reset();
    await expectStored(sale, second);
    await expectStored(sale);
  });

  it('P6 a payment that waits too long in the settlement queue is unused, is not sent afterwards, and buys when it comes again', async () => {
    const { gateway, buyer, faults, chain } = await openSale();
    const sales = await Promise.all([1, 2, 3].map(() => newSale(gateway, buyer)));
    faults.confirmAfterMs = 80_000;
    const replies = await Promise.all(sales.map((sale) => sale.ask()));
    const outcomes = replies.map(({ outcome }) => outcome);
    expect(outcomes.toSorted()).toEqual(['503 facilitator_unavailable unused', PENDING, PENDING]);
    faults.reset();
    const waited = sales.filter((_, index) => outcomes[index] !== PENDING);
    for (const sale of sales.filter((each) => !waited.includes(each))) {
      expect((await sale.decided()).outcome).toBe('200 again');
    }
    expect(chain.transfers).toHaveLength(2);
    for (const sale of waited) expect((await sale.ask()).outcome).toBe('200');
    expect(chain.transfers).toHaveLength(3);
  }, 60_000);
});

describe.concurrent('P5 a refusal that proves something', () => {
  it('P5 money that is gone between verify and settle: 402, no byte of the result, nothing moved', async () => {
    const first = await openSale(500n);
    const second = await newSale(first.gateway, first.buyer);
    first.provider.faults.body = '{"canary":"CANARY_result_0123456789"}';
    first.provider.faults.delayMs = 400;
    const replies = await Promise.all([first.ask(), second.ask()]);
    const outcomes = replies.map(({ outcome }) => outcome).sort();
    expect(outcomes).toEqual(['200', '402 invalid_exact_svm_transaction_simulation_failed refused']);
    const refused = replies.filter(({ status }) => status === 402);
    expect(refused.map(({ text }) => text).join()).not.toContain('CANARY_result');
    expect(refused.map(receiptIn)).toEqual([expect.objectContaining({ success: false, transaction: '' })]);
    expect(first.chain.transfers).toHaveLength(1);
  });

  it('P5 P11 simulateOk: a transaction that fails on the chain is never served, and moves nothing', async () => {
    const sale = await openSale(1n);
    sale.faults.lie = { simulateOk: true };
    const reply = await sale.ask();
    expect(reply.outcome).toMatch(/^402 \w+ refused$/);
    expect(receiptIn(reply)).toMatchObject({ success: false });
    expect((await sale.ask()).status).toBe(402);
    expect(sale.moved()[0]).toBe(0);
  });

  it('P5 a transaction that turns out to have failed on the chain is refused', async () => {
    const sale = await openSale(1n);
    Object.assign(sale.faults, { ...UNHEARD, lie: { simulateOk: true, statusMissing: true } });
    expect((await sale.ask()).outcome).toBe(PENDING);
    sale.faults.reset();
    expect((await sale.decided()).outcome).toMatch(/^402 \w+ refused$/);
    expect(sale.moved()[0]).toBe(0);
  });
});

/** Faults of an RPC at verify. */
const BROKEN: Readonly<Record<string, ChainFaultKnobs>> = {
  'answers 503': { status: 503 },
  'answers nonsense': { status: 200 },
  'limits us': { refuse: { simulateTransaction: { code: 429, message: 'Too many requests' } } },
  'hangs at simulations': { hang: new Set(['simulateTransaction']) },
};

const UNAVAILABLE = '503 facilitator_unavailable unused';
const SENT = ({ method }: { method: string }) => method === 'sendTransaction';

describe.concurrent('P8 an RPC that cannot be used', () => {
  it.each(Object.entries(BROKEN))(
    'P8 at verify, %s: 503, unused, no upstream call; then it serves',
    async (_, knobs) => {
      const sale = await openSale();
      Object.assign(sale.faults, knobs);
      const reply = await sale.ask();
      expect([reply.outcome, reply.headers.has('retry-after')]).toEqual([UNAVAILABLE, true]);
      expect(sale.moved()).toEqual([0, 0]);
      sale.faults.reset();
      expect((await sale.decided()).outcome).toBe('200');
      expect(sale.moved()).toEqual([1, 1]);
    },
  );

  /** Asks, and breaks the chain while the upstream is slow. */
  async function brokenMeanwhile(sale: Awaited<ReturnType<typeof openSale>>, breakIt: () => void) {
    sale.provider.faults.delayMs = 500;
    const asked = sale.ask();
    await until(() => sale.provider.arrivals.length === 1);
    breakIt();
    const reply = await asked;
    expect([sale.chain.calls.some(SENT), sale.moved()[0]]).toEqual([false, 0]);
    sale.provider.faults.reset();
    return reply;
  }

  it('P8 between verify and settle: 503, nothing sent, the same payment buys later', async () => {
    const sale = await openSale();
    const reply = await brokenMeanwhile(sale, () => Object.assign(sale.faults, { status: 503 }));
    expect(reply.outcome).toBe(UNAVAILABLE);
    sale.faults.reset();
    expect((await sale.decided()).outcome).toBe('200');
    expect(sale.moved()[0]).toBe(1);
  });

  it('P13 a blockhash that expires while the upstream is slow: a refusal, nothing sent; a new payment buys', async () => {
    const sale = await openSale();
    const reply = await brokenMeanwhile(sale, () => sale.faults.expireBlockhashes());
    expect(reply.outcome).toBe('402 invalid_exact_svm_transaction_simulation_failed refused');
    expect(receiptIn(reply)).toMatchObject({ success: false, transaction: '' });
    expect((await sale.ask(await sale.renew())).outcome).toBe('200');
    expect(sale.moved()[0]).toBe(1);
  });
});

describe.concurrent('P11 an RPC that lies', () => {
  it('P11 statusMissing: never a challenge, and the stored answer when it stops', async () => {
    const sale = await openSale();
    sale.faults.lie = { statusMissing: true };
    const first = sale.ask();
    await until(() => sale.chain.transfers.length === 1);
    expect((await sale.ask()).outcome).toBe('409 payment_in_progress in_progress');
    sale.faults.reset();
    expect((await first).outcome).toBe('200');
    await expectStored(sale);
  });

  it('P11 statusConfirmed: said of everything, it still moves a payment once and serves it once', async () => {
    const sale = await openSale();
    sale.faults.lie = { statusConfirmed: true };
    const replies = await Promise.all(Array.from({ length: 10 }, () => sale.decided()));
    const outcomes = replies.map(({ outcome }) => outcome).sort();
    expect(outcomes).toEqual(['200', ...Array(9).fill('200 again')]);
    expect(sale.moved()).toEqual([1, 1]);
  });
});
