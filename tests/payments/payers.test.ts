import type { Environment } from '@asset-gateway/gateway';
import { describe, expect, it } from 'vitest';
import { type SellingGateway, startSellingGateway } from '../kit/selling-gateway.ts';
import { stoppedAfterTests } from '../kit/stop-after-tests.ts';
import { WITHOUT_BREAKER } from '../kit/test-gateway.ts';
import { ask, askUntilDecided, newBuyer, newPath, ROOMY, until } from './fault-buyer.ts';

const open = stoppedAfterTests((variables: Environment = {}) =>
  startSellingGateway({ ...ROOMY, ...variables }, WITHOUT_BREAKER),
);

/** A URL with what pays for it. */
type Paid = readonly [url: string, payment: string];

/** Payments of one wallet for as many different requests. */
async function payments(gateway: SellingGateway, count: number, micros?: bigint): Promise<Paid[]> {
  const buyer = await newBuyer(gateway.solana.mainnet, micros);
  const urls = Array.from({ length: count }, () => gateway.url + newPath());
  return Promise.all(urls.map(async (url): Promise<Paid> => [url, await buyer.pay(url)]));
}

async function onePayment(gateway: SellingGateway): Promise<Paid> {
  const [paid] = await payments(gateway, 1);
  if (!paid) throw new Error('no payment');
  return paid;
}

describe.concurrent('P14 payers without enough money', () => {
  it('P14 fifty payments with money for one: at most 4 calls, one served, one transfer; others buy on', async () => {
    const gateway = await open();
    const { mainnet, provider } = gateway.solana;
    const paid = await payments(gateway, 50, 500n);
    const honest = await onePayment(gateway);
    provider.faults.delayMs = 300;
    const crowd = paid.map((each) => ask(...each));
    await until(() => provider.arrivals.length > 0);
    const other = ask(...honest);
    const replies = await Promise.all(crowd);
    expect((await other).status).toBe(200);
    expect(provider.arrivals.length - 1).toBeLessThanOrEqual(4);
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(mainnet.transfers).toHaveLength(2);
    const limited = replies.filter(({ code }) => code === 'rate_limited');
    expect(limited.length).toBeGreaterThanOrEqual(46);
    for (const reply of limited) {
      expect([reply.status, reply.headers.has('retry-after')]).toEqual([429, true]);
      expect(reply.text).toContain('"state":"unused"');
    }
  });

  it('P14 the same payments buy once there is capacity and money', async () => {
    const gateway = await open();
    const { mainnet, provider } = gateway.solana;
    const paid = await payments(gateway, 12);
    provider.faults.delayMs = 200;
    const first = await Promise.all(paid.map((each) => ask(...each)));
    expect(first.filter(({ status }) => status === 200)).toHaveLength(4);
    provider.faults.reset();
    const missed = paid.filter((_, index) => first[index]?.status !== 200);
    for (const each of missed) expect((await ask(...each)).status).toBe(200);
    expect(mainnet.transfers).toHaveLength(12);
    expect(provider.arrivals).toHaveLength(12);
  });

  it('P14 calls that fail: 10 of one payer at most, and others are not stopped', async () => {
    const gateway = await open();
    const { mainnet, provider } = gateway.solana;
    const paid = await payments(gateway, 14);
    const failing = new Set(paid.map(([url]) => url.split('/').at(-1) ?? ''));
    provider.faults.status = 500;
    provider.faults.only = ({ target }) => [...failing].some((each) => target.includes(each));
    const statuses: number[] = [];
    for (const each of paid) statuses.push((await ask(...each)).status);
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 502), 429, 429, 429, 429]);
    expect(provider.arrivals).toHaveLength(10);
    const honest = await onePayment(gateway);
    expect((await ask(...honest)).status).toBe(200);
    expect(mainnet.transfers).toHaveLength(1);
  });

  it('P14 calls that hang: 4 of one payer at most, and others are not stopped', async () => {
    const gateway = await open({ PAID_UPSTREAM_TIMEOUT_MS: '2500' });
    const { mainnet, provider } = gateway.solana;
    const paid = await payments(gateway, 10);
    const honest = await onePayment(gateway);
    const hanging = new Set(paid.map(([url]) => url.split('/').at(-1) ?? ''));
    provider.faults.hang = true;
    provider.faults.only = ({ target }) => [...hanging].some((each) => target.includes(each));
    const asked = paid.map((each) => ask(...each));
    await until(() => provider.arrivals.length === 4);
    expect((await ask(...honest)).status).toBe(200);
    const codes = (await Promise.all(asked)).map(({ code }) => code).sort();
    expect(codes.filter((code) => code === 'upstream_timeout')).toHaveLength(4);
    expect(codes.filter((code) => code === 'rate_limited')).toHaveLength(6);
    expect([provider.arrivals.length, mainnet.transfers.length]).toEqual([5, 1]);
  });

  it('P14 one payment reaches an upstream at most 3 times, and buys on one of them', async () => {
    const gateway = await open();
    const { mainnet, provider } = gateway.solana;
    const [first, second, third] = [await onePayment(gateway), await onePayment(gateway), await onePayment(gateway)];
    provider.faults.status = 500;
    const statuses: number[] = [];
    for (let call = 0; call < 5; call++) statuses.push((await ask(...first)).status);
    expect(statuses).toEqual([502, 502, 502, 402, 402]);
    expect(provider.arrivals).toHaveLength(3);
    await Promise.all(Array.from({ length: 40 }, () => askUntilDecided(...second, 1_500)));
    expect(provider.arrivals).toHaveLength(6);
    await ask(...third);
    await ask(...third);
    provider.faults.reset();
    const reply = await ask(...third);
    expect([reply.status, reply.isReplayed]).toEqual([200, false]);
    expect(mainnet.transfers).toHaveLength(1);
  });

  it('P20 a result of 2 MiB is served, and served again from the store', async () => {
    const gateway = await open();
    const paid = await onePayment(gateway);
    const result = JSON.stringify({ big: 'x'.repeat(2 * 1024 * 1024) });
    gateway.solana.provider.faults.body = result;
    const first = await ask(...paid);
    expect([first.status, first.text.includes(result)]).toEqual([200, true]);
    const again = await ask(...paid);
    expect([again.status, again.isReplayed, again.text === first.text]).toEqual([200, true, true]);
    expect([gateway.solana.provider.arrivals.length, gateway.solana.mainnet.transfers.length]).toEqual([1, 1]);
  });
});
