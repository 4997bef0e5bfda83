import { afterAll, beforeAll, expect, it } from 'vitest';
import { Payments } from '../../packages/gateway/src/payments/payments.ts';
import { PAYMENTS } from '../../packages/gateway/src/payments/record.ts';
import { RedisDocuments } from '../../packages/gateway/src/payments/store/redis.ts';
import { RedisConnection } from '../../packages/gateway/src/stores/redis/connection.ts';
import { type RedisServer, redisSuite, startRedis } from '../kit/redis.ts';
import { newPayment, SETTLED } from './forge-records.ts';

redisSuite('answers that Redis has let go of', () => {
  let redis: RedisServer;
  let connection: RedisConnection;
  let payments: Payments;
  let nowMs = Date.parse('2026-11-20T00:00:00Z');
  beforeAll(async () => {
    redis = await startRedis();
    connection = await RedisConnection.load(redis.url);
    await connection.connect(() => undefined);
    payments = new Payments(new RedisDocuments(connection, { clock: () => nowMs }));
  });
  afterAll(async () => {
    payments.close();
    connection.close();
    await redis.stop();
  });

  async function begin() {
    const payment = newPayment();
    await payments.reserve(payment);
    await payments.settling(payment.key, payment.owner, { answer: '"1"' });
    return payment;
  }

  it('are not counted for ever, however many outcomes stay open', async () => {
    const open = [];
    for (let count = 0; count < 12; count++) open.push(await begin());
    for (const { key } of open) await payments.unresolved(key);
    for (let count = 0; count < 30; count++) {
      const { key } = await begin();
      await payments.resolve(key, SETTLED);
      await redis.command('DEL', `{gw:purchases}:answer:${key}`);
    }
    nowMs += PAYMENTS.answerMs;
    for (let count = 0; count < 10; count++) await begin();
    expect(await redis.command('HLEN', '{gw:purchases}:sizes')).toBe(22);
    expect(await redis.command('ZCARD', '{gw:purchases}:answers')).toBe(22);
    expect(await payments.answer(open[0]?.key ?? '')).toBe('"1"');
  });
});
