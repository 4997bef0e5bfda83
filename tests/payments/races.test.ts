import { Pool } from 'undici';
import { afterAll, describe, expect, it } from 'vitest';
import { rounds } from '../kit/rounds.ts';
import { startSellingGateway } from '../kit/selling-gateway.ts';
import { stopAfterTests } from '../kit/stop-after-tests.ts';
import { newBuyer, newPath, type Reply, ROOMY, readReply } from './fault-buyer.ts';
import { newSale } from './sale.ts';

const AT_ONCE = 100;

const gateway = await stopAfterTests(startSellingGateway(ROOMY));
const { mainnet, provider } = gateway.solana;
const pools = [0, 1].map(() => new Pool(gateway.url, { connections: AT_ONCE / 2 }));
afterAll(() => Promise.all(pools.map((pool) => pool.destroy())));

async function over(pool: Pool, path: string, payment: string): Promise<Reply> {
  const headers = { 'PAYMENT-SIGNATURE': payment };
  const response = await pool.request({ method: 'GET', path, headers });
  const init = { status: response.statusCode, headers: response.headers as Record<string, string> };
  return readReply(new Response(await response.body.text(), init));
}

/** The answers to one payment that is sent many times at once. */
const race = (url: string, payment: string): Promise<Reply[]> =>
  Promise.all(
    pools.flatMap((pool) => Array.from({ length: AT_ONCE / 2 }, () => over(pool, new URL(url).pathname, payment))),
  );

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

  it('P1 the same transaction for two requests at once buys one of them', async () => {
    const sale = await newSale(gateway);
    const other = gateway.url + newPath();
    const arrivals = provider.arrivals.length;
    const outcomes = await Promise.all([race(sale.url, sale.payment), race(other, sale.payment)]);
    expect(outcomes.map((replies) => replies.some(({ status }) => status === 200))).toEqual([true, false]);
    expect([provider.arrivals.length - arrivals, sale.moved()[0]]).toEqual([1, 1]);
  });

  // No more new payers are verified at once.
  it('P1 many payers at once are each served once for one transfer', async () => {
    const url = gateway.url + newPath();
    const buyers = await Promise.all(Array.from({ length: 16 }, () => newBuyer(mainnet, 500n)));
    const payments = await Promise.all(buyers.map((buyer) => buyer.pay(url)));
    const [arrivals, transfers] = [provider.arrivals.length, mainnet.transfers.length];
    const pool = pools[0] as Pool;
    const sent = [...payments, ...payments].map((payment) => over(pool, new URL(url).pathname, payment));
    const fresh = (await Promise.all(sent)).filter(({ outcome }) => outcome === '200');
    expect([fresh.length, provider.arrivals.length - arrivals]).toEqual([16, 16]);
    const payers = mainnet.transfers.slice(transfers).map(({ from }) => from);
    expect(payers.toSorted()).toEqual(buyers.map(({ address }) => address).sort());
  });
});
