import { expect, it } from 'vitest';
import { openPostgresDatabase, postgresSuite } from '../kit/postgres.ts';
import { redisSuite, startRedis } from '../kit/redis.ts';
import { ask, newBuyer, newPath } from '../payments/fault-buyer.ts';
import { openFleet } from './fleet.ts';

/** Two settlements; one of a payer that is not known. Each payment makes its payer known. */
const TWO_FEES = { FEE_BUDGET_LAMPORTS_PER_HOUR: '25000', PRICE_SURCHARGE_USD_MICROS: '10000' };

const suite = () =>
  it('P12 spend no more on fees together than one alone', async () => {
    const [redis, database] = [await startRedis(), await openPostgresDatabase()];
    const fleet = await openFleet({ redisUrl: redis.url, databaseUrl: database.url });
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
    await database.drop();
    await redis.stop();
  });

redisSuite('nodes that share a fee payer', () => postgresSuite('and a database', suite));
