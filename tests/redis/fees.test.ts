import { NETWORKS } from '@asset-gateway/protocol';
import { expect, it } from 'vitest';
import { FEES } from '../../packages/gateway/src/payments/store/fees.ts';
import { redisSuite, startRedis } from '../kit/redis.ts';
import { ask, newBuyer, newPath } from '../payments/fault-buyer.ts';
import { feePayerOf } from '../payments/fault-fee-payer.ts';
import { openFleet } from './fleet.ts';

/** Two settlements; one of a payer that is not known. Each payment makes its payer known. */
const TWO_FEES = { FEE_BUDGET_LAMPORTS_PER_HOUR: '25000', PRICE_SURCHARGE_USD_MICROS: '10000' };

redisSuite('nodes that share a Redis and a fee payer', () => {
  it('P12 spend no more on fees together than one alone', async () => {
    const redis = await startRedis();
    const fleet = await openFleet({ redisUrl: redis.url, paid: true });
    const chain = fleet.solana?.mainnet;
    if (!chain) throw new Error('nothing is for sale');
    const nodes = [1, 2, 3].map(() => fleet.start(TWO_FEES));
    const buyer = await newBuyer(chain);
    const replies = [];
    for (const node of await Promise.all(nodes)) {
      const url = node.url + newPath();
      replies.push(await ask(url, await buyer.pay(url)));
    }
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 503]);
    expect(replies[2]?.code).toBe('facilitator_unavailable');
    expect(replies[2]?.text).toContain('"state":"unused"');
    expect([chain.transfers.length, fleet.solana?.provider.arrivals.length]).toEqual([2, 2]);
    await fleet.close();
    await redis.stop();
  });

  it('P12 count what was sent for an hour from when it was sent', async () => {
    const redis = await startRedis();
    const fleet = await openFleet({ redisUrl: redis.url, paid: true });
    const chain = fleet.solana?.mainnet;
    if (!chain || !fleet.solana) throw new Error('nothing is for sale');
    const node = await fleet.start();
    const url = node.url + newPath();
    const payment = await (await newBuyer(chain)).pay(url);
    expect((await ask(url, payment)).status).toBe(200);
    const name = `{gw:fees}:until:${NETWORKS.mainnet}:${feePayerOf(fleet.solana)}`;
    const [, until] = ((await redis.command('ZRANGE', name, '0', '-1', 'WITHSCORES')) as string[][]).flat();
    expect(Number(until) - Date.now()).toBeGreaterThan(FEES.spentMs - 60_000);
    await fleet.close();
    await redis.stop();
  });
});
