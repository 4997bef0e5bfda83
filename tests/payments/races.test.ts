import { Pool } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rounds } from '../kit/rounds.ts';
import { type SellingGateway, startSellingGateway } from '../kit/selling-gateway.ts';
import { ask, newBuyer, newPath, ROOMY } from './fault-buyer.ts';

const AT_ONCE = 100;

interface Outcome {
  readonly status: number;
  readonly code: string;
  readonly isReplayed: boolean;
  readonly receipt: string;
  readonly text: string;
}

async function over(pool: Pool, path: string, payment: string): Promise<Outcome> {
  const { statusCode, headers, body } = await pool.request({
    method: 'GET',
    path,
    headers: { 'PAYMENT-SIGNATURE': payment },
  });
  const text = await body.text();
  const { error = '' } = JSON.parse(text) as { error?: string };
  const isReplayed = headers['idempotency-replayed'] === 'true';
  return { status: statusCode, code: error, isReplayed, receipt: String(headers['payment-response'] ?? ''), text };
}

describe('P1 one payment sent many times at once', () => {
  let gateway: SellingGateway;
  let pools: readonly Pool[];

  beforeAll(async () => {
    gateway = await startSellingGateway(ROOMY);
    pools = [0, 1].map(() => new Pool(gateway.url, { connections: AT_ONCE / 2 }));
  });
  afterAll(async () => {
    await Promise.all(pools.map((pool) => pool.destroy()));
    await gateway.stop();
  });

  async function race(path: string, payment: string): Promise<Outcome[]> {
    const asked = pools.flatMap((pool) => Array.from({ length: AT_ONCE / 2 }, () => over(pool, path, payment)));
    return Promise.all(asked);
  }

  it('P1 is one upstream call, one transfer and one fresh answer', { timeout: 300_000 }, async () => {
    const { mainnet, provider } = gateway.solana;
    const buyer = await newBuyer(mainnet, 1_000_000_000n);
    for (let round = 0; round < rounds(200); round++) {
      const path = newPath();
      const payment = await buyer.pay(gateway.url + path);
      const [arrivals, transfers] = [provider.arrivals.length, mainnet.transfers.length];
      provider.faults.delayMs = (round % 3) * 40;
      mainnet.faults.delayMs = (round % 2) * 20;
      const outcomes = await race(path, payment);
      provider.faults.reset();
      mainnet.faults.reset();
      expect(provider.arrivals.length - arrivals).toBe(1);
      expect(mainnet.transfers.length - transfers).toBe(1);
      const served = outcomes.filter(({ status }) => status === 200);
      expect(served.filter(({ isReplayed }) => !isReplayed)).toHaveLength(1);
      expect(new Set(served.map(({ text, receipt }) => text + receipt)).size).toBe(1);
      const others = outcomes.filter(({ status }) => status !== 200);
      expect(new Set(others.map(({ status, code }) => `${status} ${code}`))).toEqual(
        new Set(others.length > 0 ? ['409 payment_in_progress'] : []),
      );
      const later = await ask(gateway.url + path, payment);
      expect([later.status, later.isReplayed, later.text]).toEqual([200, true, served[0]?.text]);
    }
  });

  it('P1 the same transaction for two requests at once buys one of them', async () => {
    const { mainnet, provider } = gateway.solana;
    const buyer = await newBuyer(mainnet);
    const [path, other] = [newPath(), newPath()];
    const payment = await buyer.pay(gateway.url + path);
    const [arrivals, transfers] = [provider.arrivals.length, mainnet.transfers.length];
    const outcomes = await Promise.all([race(path, payment), race(other, payment)]);
    expect(outcomes[0].some(({ status }) => status === 200)).toBe(true);
    expect(outcomes[1].some(({ status }) => status === 200)).toBe(false);
    expect(provider.arrivals.length - arrivals).toBe(1);
    expect(mainnet.transfers.length - transfers).toBe(1);
  });

  it('P1 many payers at once are each served once for one transfer', async () => {
    const { mainnet, provider } = gateway.solana;
    const path = newPath();
    const buyers = await Promise.all(Array.from({ length: 20 }, () => newBuyer(mainnet, 500n)));
    const payments = await Promise.all(buyers.map((buyer) => buyer.pay(gateway.url + path)));
    const [arrivals, transfers] = [provider.arrivals.length, mainnet.transfers.length];
    const replies = await Promise.all([...payments, ...payments].map((payment) => ask(gateway.url + path, payment)));
    expect(replies.filter(({ status, isReplayed }) => status === 200 && !isReplayed)).toHaveLength(20);
    expect(provider.arrivals.length - arrivals).toBe(20);
    const moved = mainnet.transfers.slice(transfers);
    expect(new Set(moved.map(({ from }) => from))).toEqual(new Set(buyers.map(({ address }) => address)));
    expect(moved).toHaveLength(20);
  });
});
