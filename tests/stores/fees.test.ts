import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FEES, type FeeBudget, type FeeStore } from '../../packages/gateway/src/payments/store/fees.ts';
import { MemoryFees } from '../../packages/gateway/src/payments/store/memory-fees.ts';
import { RedisFees } from '../../packages/gateway/src/payments/store/redis-fees.ts';
import { RedisConnection } from '../../packages/gateway/src/stores/redis/connection.ts';
import { type RedisServer, redisSuite, startRedis } from '../kit/redis.ts';

let now = Date.parse('2026-11-21T12:00:00Z');
let serial = 0;
const feeOf = (lamports: number, isNewPayer = false) => ({ key: `network:${serial++}`, lamports, isNewPayer });

/** What every store of fees keeps to; each test has a fee payer of its own. */
function suite(fees: () => FeeStore): void {
  const newBudget = (): FeeBudget => ({ feePayer: `fee payer ${serial++}`, limit: 100 });

  it('P12 holds up to the limit, and no more', async () => {
    const budget = newBudget();
    expect(await fees().hold(budget, feeOf(60))).toBe(true);
    expect(await fees().hold(budget, feeOf(41))).toBe(false);
    expect(await fees().hold(budget, feeOf(40))).toBe(true);
    expect(await fees().hold(budget, feeOf(1))).toBe(false);
    expect(await fees().hold(newBudget(), feeOf(100))).toBe(true);
  });

  it('V3 looks at what is left without holding anything', async () => {
    const budget = newBudget();
    for (let again = 0; again < 20; again++) expect(await fees().fits(budget, feeOf(100))).toBe(true);
    expect(await fees().fits(budget, feeOf(101))).toBe(false);
    await fees().hold(budget, feeOf(60));
    expect(await fees().fits(budget, feeOf(40))).toBe(true);
    expect(await fees().fits(budget, feeOf(41))).toBe(false);
  });

  it('V3 V4 gives back what was held, and what was sent only when it has expired', async () => {
    const [budget, held, sent] = [newBudget(), feeOf(50), feeOf(50, true)];
    await fees().hold(budget, held);
    await fees().hold(budget, sent);
    await fees().spend(budget, sent);
    expect(await fees().fits(budget, feeOf(1))).toBe(false);
    await fees().release(budget.feePayer, held.key);
    expect(await fees().fits(budget, feeOf(50))).toBe(true);
    expect(await fees().fits(budget, feeOf(51))).toBe(false);
    for (let again = 0; again < 2; again++) {
      expect(await fees().hold(budget, sent)).toBe(true);
      await fees().release(budget.feePayer, sent.key);
      expect(await fees().fits(budget, feeOf(51))).toBe(false);
      expect(await fees().fits(budget, feeOf(1, true))).toBe(false);
    }
    await fees().expire(budget.feePayer, sent.key);
    expect(await fees().fits(budget, feeOf(100))).toBe(true);
    await fees().expire(budget.feePayer, sent.key);
    expect(await fees().fits(budget, feeOf(101))).toBe(false);
  });

  it('V3 gives back what is held anew of a payment that has expired', async () => {
    const [budget, fee] = [newBudget(), feeOf(100)];
    await fees().spend(budget, fee);
    await fees().expire(budget.feePayer, fee.key);
    expect(await fees().hold(budget, fee)).toBe(true);
    await fees().release(budget.feePayer, fee.key);
    expect(await fees().fits(budget, feeOf(100))).toBe(true);
  });

  it('V4 gives payers that have settled nothing yet half of the limit, and the others all of it', async () => {
    const budget = newBudget();
    const first = feeOf(30, true);
    expect(await fees().hold(budget, first)).toBe(true);
    expect(await fees().hold(budget, feeOf(21, true))).toBe(false);
    expect(await fees().hold(budget, feeOf(20, true))).toBe(true);
    expect(await fees().fits(budget, feeOf(1, true))).toBe(false);
    expect(await fees().hold(budget, feeOf(50))).toBe(true);
    expect(await fees().fits(budget, feeOf(1))).toBe(false);
  });

  it('V4 counts a payer as new no more when a payment has settled', async () => {
    const [budget, first] = [newBudget(), feeOf(50, true)];
    await fees().hold(budget, first);
    await fees().spend(budget, first);
    expect(await fees().fits(budget, feeOf(1, true))).toBe(false);
    await fees().settle(budget.feePayer, first.key);
    expect(await fees().fits(budget, feeOf(50, true))).toBe(true);
    expect(await fees().fits(budget, feeOf(51))).toBe(false);
  });

  it('V4 sends a payment as that of the payer that it was held for', async () => {
    const [budget, known] = [newBudget(), feeOf(50)];
    await fees().hold(budget, known);
    await fees().spend(budget, { ...known, isNewPayer: true });
    expect(await fees().fits(budget, feeOf(50, true))).toBe(true);
    const stranger = feeOf(50, true);
    await fees().spend(budget, stranger);
    expect(await fees().fits(newBudget(), feeOf(50, true))).toBe(true);
    await fees().expire(budget.feePayer, known.key);
    expect(await fees().fits(budget, feeOf(1, true))).toBe(false);
  });

  it('P12 forgets in a minute what was held and not sent', async () => {
    const budget = newBudget();
    await fees().hold(budget, feeOf(50, true));
    await fees().hold(budget, feeOf(50));
    now += FEES.heldMs - 1;
    expect(await fees().hold(budget, feeOf(1))).toBe(false);
    now += 1;
    expect(await fees().hold(budget, feeOf(50, true))).toBe(true);
    expect(await fees().hold(budget, feeOf(50))).toBe(true);
  });

  it('P12 counts for an hour what was sent, also when its payment comes again', async () => {
    const [budget, sent] = [newBudget(), feeOf(70)];
    await fees().hold(budget, sent);
    await fees().spend(budget, sent);
    now += FEES.spentMs / 2;
    expect(await fees().hold(budget, sent)).toBe(true);
    expect(await fees().hold(budget, feeOf(31))).toBe(false);
    now += FEES.spentMs / 2 - 1;
    await fees().release(budget.feePayer, sent.key);
    expect(await fees().hold(budget, feeOf(31))).toBe(false);
    now += 1;
    expect(await fees().hold(budget, feeOf(100))).toBe(true);
  });

  it('P12 counts at sending what was never held', async () => {
    const [budget, sent] = [newBudget(), feeOf(70)];
    await fees().spend(budget, sent);
    expect(await fees().hold(budget, feeOf(31))).toBe(false);
  });

  it('P12 counts a payment once, however often it is held', async () => {
    const [budget, fee] = [newBudget(), feeOf(60)];
    for (let again = 0; again < 3; again++) expect(await fees().hold(budget, fee)).toBe(true);
    expect(await fees().hold(budget, feeOf(40))).toBe(true);
  });

  it('P12 gives many at once no more than the limit', async () => {
    const budget = newBudget();
    const answers = await Promise.all(Array.from({ length: 30 }, () => fees().hold(budget, feeOf(10))));
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
