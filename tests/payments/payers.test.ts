import { NETWORKS } from '@asset-gateway/protocol';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { LIMITS } from '../../packages/gateway/src/limits.ts';
import { InProcessFacilitator } from '../../packages/gateway/src/payments/facilitator/local.ts';
import { isKnownPayer, type Paid, withPaid } from '../../packages/gateway/src/payments/record.ts';
import { TIMES } from '../../packages/gateway/src/times.ts';
import { ledgerSuite, newPayment, REFUSED, requirementOf, settle, startSettling } from '../kit/ledger.ts';
import { rounds } from '../kit/rounds.ts';
import { startSellingGateway } from '../kit/test-gateway.ts';
import { ask, newBuyer, newPath, type Reply, ROOMY, until } from './fault-buyer.ts';
import { newSale } from './sale.ts';

const gateway = await startSellingGateway(ROOMY);
const { mainnet, provider } = gateway.solana;
afterEach(() => {
  vi.restoreAllMocks();
  provider.faults.reset();
});

const LIMITED = '429 rate_limited unused';

describe('P14 payers without enough money', () => {
  it('P14 twelve payments with money for one: at most 4 calls, one served, one transfer; others buy on', async () => {
    const poor = await newBuyer(mainnet, 500n);
    const crowd = await Promise.all(Array.from({ length: 12 }, () => newSale(gateway, poor)));
    const honest = await newSale(gateway);
    provider.faults.delayMs = 300;
    const asked = crowd.map((sale) => sale.ask());
    await until(() => provider.arrivals.length > 0);
    const other = honest.ask();
    const replies = await Promise.all(asked);
    expect((await other).outcome).toBe('200');
    expect(provider.arrivals.length - 1).toBeLessThanOrEqual(4);
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(mainnet.transfers).toHaveLength(2);
    const limited = replies.filter(({ outcome }) => outcome === LIMITED);
    expect(limited.length).toBeGreaterThanOrEqual(8);
    expect(limited.every(({ headers }) => headers.has('retry-after'))).toBe(true);
    expect(limited.some(({ text }) => text.includes('Too many payments of this wallet are in progress'))).toBe(true);
  });

  it('P14 payments of one wallet are settled one after the other', async () => {
    const { settle } = InProcessFacilitator.prototype;
    let [running, most] = [0, 0];
    vi.spyOn(InProcessFacilitator.prototype, 'settle').mockImplementation(async function (
      this: InProcessFacilitator,
      payment,
    ) {
      running++;
      most = Math.max(most, running);
      return settle.call(this, payment).finally(() => void running--);
    });
    const buyer = await newBuyer(mainnet);
    const sales = await Promise.all([1, 2, 3].map(() => newSale(gateway, buyer)));
    provider.faults.delayMs = 100;
    const replies = await Promise.all(sales.map((sale) => sale.ask()));
    expect([replies.map(({ outcome }) => outcome), most]).toEqual([['200', '200', '200'], 1]);
  });

  it('P20 a result of 2 MiB is served, and served again from the store', async () => {
    const sale = await newSale(gateway);
    const result = JSON.stringify({ big: 'x'.repeat(2 * 1024 * 1024) });
    sale.provider.faults.body = result;
    const first = await sale.ask();
    expect([first.outcome, first.text.includes(result)]).toEqual(['200', true]);
    const again = await sale.ask();
    expect([again.outcome, again.text === first.text, sale.moved()]).toEqual(['200 again', true, [1, 1]]);
  });
});

const AT_ONCE = 100;

/** The answers to one payment that is sent many times at once. */
const race = (url: string, payment: string): Promise<Reply[]> =>
  Promise.all(Array.from({ length: AT_ONCE }, () => ask(url, payment)));

describe('P1 one payment sent many times at once', () => {
  it('P1 is one upstream call, one transfer and one fresh answer', { timeout: 300_000 }, async () => {
    const buyer = await newBuyer(mainnet, 1_000_000_000n);
    for (let round = 0; round < rounds(200); round++) {
      const sale = await newSale(gateway, buyer);
      const [transfers] = sale.moved();
      provider.faults.delayMs = (round % 3) * 40;
      mainnet.faults.delayMs = (round % 2) * 20;
      const replies = await race(sale.url, sale.payment);
      provider.faults.reset();
      mainnet.faults.reset();
      expect(sale.moved()).toEqual([transfers + 1, 1]);
      expect(replies.filter(({ outcome }) => outcome === '200')).toHaveLength(1);
      const served = replies.filter(({ status }) => status === 200);
      expect(new Set(served.map(({ text, headers }) => text + headers.get('payment-response'))).size).toBe(1);
      const others = new Set(replies.map(({ outcome }) => outcome).filter((outcome) => !outcome.startsWith('200')));
      expect([...others].filter((outcome) => outcome !== '409 payment_in_progress in_progress')).toEqual([]);
      const later = await sale.ask();
      expect([later.outcome, later.text]).toEqual(['200 again', served[0]?.text]);
    }
  });

  it('P1 the same transaction for two requests at once buys one answer', async () => {
    const sale = await newSale(gateway);
    const other = gateway.url + newPath();
    const arrivals = provider.arrivals.length;
    const outcomes = await Promise.all([race(sale.url, sale.payment), race(other, sale.payment)]);
    expect(outcomes.map((replies) => replies.some(({ status }) => status === 200))).toEqual([true, false]);
    expect([provider.arrivals.length - arrivals, sale.moved()[0]]).toEqual([1, 1]);
  });
});

const [LEAST, DAY_MS] = [10_000, 86_400_000];

const NETWORK_IDS = Object.values(NETWORKS);

const EXPIRED = { outcome: 'refused', reason: 'expired' } as const;

const newWallet = (): string => newPayment().payer;

const paymentOf = (payer: string, micros: number, network: string = NETWORKS.mainnet) =>
  newPayment({ payer, network, requirement: requirementOf(micros) });

ledgerSuite('known payers', (ledger) => {
  /** Whether a payment of this wallet counts as that of a known payer. */
  const isKnownOn = async (network: string, payer: string) =>
    isKnownPayer((await ledger.payments.look(paymentOf(payer, 5, network))).paidOnMainnet, ledger.nowMs);

  const pay = (payer: string, micros: number, network?: string) => settle(ledger, paymentOf(payer, micros, network));

  it('W4 a known payer is a wallet whose mainnet payments come to one cent, and on devnet as well', async () => {
    const [one, several, poor] = [newWallet(), newWallet(), newWallet()];
    await pay(one, LEAST);
    for (const micros of [5, LEAST - 10, 4]) await pay(several, micros);
    await pay(poor, LEAST - 1);
    expect(await ledger.payments.isKnownPayer(one)).toBe(true);
    for (const network of NETWORK_IDS) expect(await isKnownOn(network, one)).toBe(true);
    expect(await ledger.payments.isKnownPayer(several)).toBe(false);
    await pay(several, 1);
    expect(await ledger.payments.isKnownPayer(several)).toBe(true);
    await ledger.reopen();
    expect(await ledger.payments.isKnownPayer(several)).toBe(true);
    expect(await ledger.payments.isKnownPayer(poor)).toBe(false);
  });

  it('P12 a known payer is none any more once a payment has failed on the chain at our cost, until it pays again', async () => {
    const wallet = newWallet();
    const isKnownAfter = async (feeLamports: number, settlement: typeof REFUSED | typeof EXPIRED) => {
      const payment = { ...paymentOf(wallet, 5), feeLamports };
      await startSettling(ledger, payment);
      await ledger.payments.resolve(payment.key, settlement);
      return ledger.payments.isKnownPayer(wallet);
    };
    await pay(wallet, LEAST);
    expect(await isKnownAfter(10_001, EXPIRED)).toBe(true);
    expect(await isKnownAfter(0, REFUSED)).toBe(true);
    expect(await isKnownAfter(10_001, REFUSED)).toBe(false);
    await pay(wallet, LEAST - 1);
    expect(await ledger.payments.isKnownPayer(wallet)).toBe(false);
    await pay(wallet, 1);
    expect(await ledger.payments.isKnownPayer(wallet)).toBe(true);
  });

  it('W4 a known payer is not a wallet that has paid only on devnet', async () => {
    const wallet = newWallet();
    await pay(wallet, 5, NETWORKS.devnet);
    await pay(wallet, 100 * LEAST, NETWORKS.devnet);
    for (const network of NETWORK_IDS) expect(await isKnownOn(network, wallet)).toBe(false);
    await ledger.reopen();
    for (const network of NETWORK_IDS) expect(await isKnownOn(network, wallet)).toBe(false);
    expect(await ledger.payments.isKnownPayer(wallet)).toBe(false);
  });

  it('W4 a wallet stays known for 30 days after its payment, across restarts and pruning', async () => {
    const wallet = newWallet();
    await pay(wallet, LEAST);
    for (let day = 1; day < 30; day++) {
      ledger.nowMs += DAY_MS;
      await ledger.retention.prune();
    }
    ledger.nowMs += DAY_MS - 60_000;
    await ledger.reopen();
    expect(await ledger.payments.isKnownPayer(wallet)).toBe(true);
    ledger.nowMs += 60_000;
    expect(await ledger.payments.isKnownPayer(wallet)).toBe(false);
  });

  it('W4 payments in flight on devnet leave a wallet its four on mainnet', async () => {
    const wallet = newWallet();
    for (let count = 0; count < LIMITS.paymentsInFlight; count++)
      await startSettling(ledger, paymentOf(wallet, 5, NETWORKS.devnet));
    expect(await ledger.payments.reserve(paymentOf(wallet, 5, NETWORKS.devnet))).toBe('payer_busy');
    for (let count = 0; count < LIMITS.paymentsInFlight; count++) await startSettling(ledger, paymentOf(wallet, 5));
    expect(await ledger.payments.reserve(paymentOf(wallet, 5))).toBe('payer_busy');
  });
});

const anyPayments = fc.array(fc.tuple(fc.integer({ min: 1, max: 12_000 }), fc.nat(3 * DAY_MS)), { maxLength: 120 });

it('W4 the stored mainnet payments identify a known payer with at most 31 entries, up to a day less than 30 days back', () => {
  fc.assert(
    fc.property(anyPayments, fc.nat(40 * DAY_MS), (payments, laterMs) => {
      let [paid, nowMs]: [readonly Paid[], number] = [[], Date.parse('2026-11-20T00:00:00Z')];
      const all: Paid[] = [];
      for (const [micros, elapsedMs] of payments) {
        nowMs += elapsedMs;
        paid = withPaid(paid, micros, nowMs);
        all.push({ atMs: nowMs, micros });
        expect(paid.length).toBeLessThanOrEqual(31);
      }
      nowMs += laterMs;
      const sumOf = (spanMs: number) =>
        all.filter(({ atMs }) => nowMs - atMs < spanMs).reduce((sum, { micros }) => sum + micros, 0);
      const isKnown = isKnownPayer(paid, nowMs);
      if (isKnown) expect(sumOf(TIMES.payerMs)).toBeGreaterThanOrEqual(LEAST);
      else expect(sumOf(TIMES.payerMs - DAY_MS)).toBeLessThan(LEAST);
    }),
    { numRuns: 300 },
  );
});
