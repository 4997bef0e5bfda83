import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FEES, type FeeBudget, type FeeStore } from '../../packages/gateway/src/stores/fees.ts';
import { MemoryFees } from '../../packages/gateway/src/stores/memory-fees.ts';
import { RedisConnection } from '../../packages/gateway/src/stores/redis/connection.ts';
import { RedisFees } from '../../packages/gateway/src/stores/redis/fees.ts';
import { type RedisServer, redisSuite, startRedis } from '../kit/redis.ts';

let now = Date.parse('2026-11-21T12:00:00Z');
let serial = 0;
const feeOf = (lamports: number) => ({ key: `network:${serial++}`, lamports });

/** What every store of fees keeps to; each test has a fee payer of its own. */
function suite(fees: () => FeeStore): void {
  const newBudget = (): FeeBudget => ({ feePayer: `fee payer ${serial++}`, limit: 100 });

  it('P12 sets aside up to the limit, and no more', async () => {
    const budget = newBudget();
    expect(await fees().reserve(budget, feeOf(60))).toBe(true);
    expect(await fees().reserve(budget, feeOf(41))).toBe(false);
    expect(await fees().reserve(budget, feeOf(40))).toBe(true);
    expect(await fees().reserve(budget, feeOf(1))).toBe(false);
    expect(await fees().reserve(newBudget(), feeOf(100))).toBe(true);
  });

  it('P12 forgets in a minute what was set aside and not sent', async () => {
    const budget = newBudget();
    await fees().reserve(budget, feeOf(100));
    now += FEES.reservedMs - 1;
    expect(await fees().reserve(budget, feeOf(1))).toBe(false);
    now += 1;
    expect(await fees().reserve(budget, feeOf(100))).toBe(true);
  });

  it('P12 counts for an hour what was sent, also when its payment comes again', async () => {
    const [budget, sent] = [newBudget(), feeOf(70)];
    await fees().reserve(budget, sent);
    await fees().spend(budget, sent);
    now += FEES.spentMs / 2;
    expect(await fees().reserve(budget, sent)).toBe(true);
    expect(await fees().reserve(budget, feeOf(31))).toBe(false);
    now += FEES.spentMs / 2 - 1;
    expect(await fees().reserve(budget, feeOf(31))).toBe(false);
    now += 1;
    expect(await fees().reserve(budget, feeOf(100))).toBe(true);
  });

  it('P12 counts a payment once, however often it is set aside', async () => {
    const [budget, fee] = [newBudget(), feeOf(60)];
    for (let again = 0; again < 3; again++) expect(await fees().reserve(budget, fee)).toBe(true);
    expect(await fees().reserve(budget, feeOf(40))).toBe(true);
  });

  it('P12 gives many at once no more than the limit', async () => {
    const budget = newBudget();
    const answers = await Promise.all(Array.from({ length: 30 }, () => fees().reserve(budget, feeOf(10))));
    expect(answers.filter((isLeft) => isLeft)).toHaveLength(10);
  });
}

describe('fees of one process', () => {
  const fees = new MemoryFees(() => now);
  suite(() => fees);
});

redisSuite('fees on Redis', () => {
  let redis: RedisServer;
  let connection: RedisConnection;
  let fees: RedisFees;
  beforeAll(async () => {
    redis = await startRedis();
    connection = await RedisConnection.load(redis.url);
    await connection.connect(() => undefined);
    fees = new RedisFees(connection, () => now);
  });
  afterAll(async () => {
    connection.close();
    await redis.stop();
  });
  suite(() => fees);
});
