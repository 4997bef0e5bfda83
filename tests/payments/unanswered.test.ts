import { afterAll, expect, it } from 'vitest';
import { Background } from '../../packages/gateway/src/background.ts';
import { nodeCrypto } from '../../packages/gateway/src/crypto.ts';
import { RemoteFacilitator } from '../../packages/gateway/src/payments/facilitator/remote.ts';
import { Reconciler } from '../../packages/gateway/src/payments/reconcile.ts';
import type { NewPayment } from '../../packages/gateway/src/payments/record.ts';
import { inSuite } from '../kit/in-suite.ts';
import { ledgerSuite, newPayment, startSettling, UNKNOWN } from '../kit/ledger.ts';
import { json, startStrangeGateway } from '../kit/strange-gateway.ts';
import { openMarket } from './forge.ts';

const market = await openMarket();
afterAll(() => market.chain.close());
const { genuine, offer } = market;
const transaction = genuine.wire.toString('base64');
const requirement = { ...offer, extra: { feePayer: offer.feePayer } } as unknown as NewPayment['requirement'];
const MINUTE_MS = 60_000;

ledgerSuite('X16 a payment whose facilitator does not answer, without a chain to read,', (ledger) => {
  const server = inSuite(startStrangeGateway);

  /** Leaves payments without an outcome. */
  async function leave(count: number): Promise<NewPayment[]> {
    const payments: NewPayment[] = [];
    for (let number = 0; number < count; number++) {
      const payment = newPayment({ transaction, requirement: { ...requirement, amount: '5' } });
      await startSettling(ledger, payment);
      await ledger.payments.resolve(payment.key, UNKNOWN, payment.owner);
      payments.push(payment);
      ledger.nowMs += 1;
    }
    return payments;
  }

  /** A reconciler that searches when the test says so. */
  async function searching(task: (searchAfter: (ms: number) => Promise<string[]>) => Promise<void>): Promise<void> {
    server.answer((_, response) => json(response, 503, {}));
    const options = { url: server.url, authorization: undefined, crypto: nodeCrypto, background: new Background() };
    const facilitator = new RemoteFacilitator(options);
    const { payments } = ledger;
    const reconciler = new Reconciler({ payments, facilitator, chains: new Map(), crypto: nodeCrypto });
    try {
      await task(async (ms) => {
        ledger.nowMs += ms;
        const from = server.arrivals.length;
        await Promise.all((await payments.nextOpen(() => false)).map((record) => reconciler.reconcile(record)));
        return server.arrivals.slice(from).map(({ headers }) => String(headers['idempotency-key']));
      });
    } finally {
      await reconciler.close();
      await facilitator.close();
    }
  }

  it('waits for its turn, and a hundred others stop no newer one', async () => {
    const payments = await leave(110);
    await searching(async (searchAfter) => {
      const asked = new Set([...(await searchAfter(2_000)), ...(await searchAfter(1)), ...(await searchAfter(1))]);
      expect(payments.filter(({ key }) => !asked.has(key))).toEqual([]);
    });
  });

  it('takes its turn with those of a chain, which are looked up at each search', async () => {
    const payments = await leave(3);
    const taken = async () => (await ledger.payments.nextOpen(() => true)).map(({ key }) => key);
    for (let round = 0; round < 2; round++) {
      expect(await taken()).toEqual(payments.map(({ key }) => key));
      ledger.nowMs += 1;
    }
  });

  it('is asked about less and less often, and no longer once it cannot land', async () => {
    const [payment] = await leave(1);
    await searching(async (searchAfter) => {
      const counts: number[] = [];
      for (let minute = 0; minute < 14; minute++) {
        let count = 0;
        for (let second = 0; second < 60; second += 2) count += (await searchAfter(2_000)).length;
        counts.push(count);
      }
      const [first = 0, second = 0, ...others] = counts;
      expect(first).toBeLessThan(20);
      expect(second).toBeLessThan(first);
      expect(Math.max(...others)).toBeLessThan(8);
      expect(others.slice(0, 7).every((count) => count > 0)).toBe(true);
      expect(others.slice(-2)).toEqual([0, 0]);
    });
    expect(await ledger.books.openPayments()).toMatchObject([{ id: payment?.key, state: 'given up' }]);
  });

  it('locks its payer out of the request until then, and no longer', async () => {
    const [payment] = await leave(1);
    const again = () => newPayment({ payer: payment?.payer ?? '', requestHash: payment?.requestHash ?? '' });
    await searching(async (searchAfter) => {
      await searchAfter(9 * MINUTE_MS);
      expect(await ledger.payments.reserve(again())).toBe('owed');
      await searchAfter(2 * MINUTE_MS);
    });
    const next = again();
    await startSettling(ledger, next);
    await ledger.payments.resolve(next.key, UNKNOWN, next.owner);
    expect(await ledger.payments.find(payment?.key ?? '')).toMatchObject({ progress: 'unresolved' });
  });

  it('is not given up by a clock that has just jumped', async () => {
    const [payment] = await leave(1);
    const { clock } = ledger.database;
    ledger.database.clock = async () => {
      const row = await clock.call(ledger.database);
      return { ...row, steppedMs: row.nowMs };
    };
    await searching(async (searchAfter) => {
      for (let round = 0; round < 3; round++) expect(await searchAfter(20 * MINUTE_MS)).toEqual([payment?.key]);
    });
    expect((await ledger.books.openPayments()).map(({ state }) => state)).toEqual(['unresolved']);
    ledger.nowMs += MINUTE_MS;
    expect(await ledger.payments.nextOpen(() => false)).toHaveLength(1);
  });
});
