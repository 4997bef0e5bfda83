import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Payments } from '../../packages/gateway/src/payments/payments.ts';
import type { Commit, Committed } from '../../packages/gateway/src/payments/store/port.ts';
import { LEASE_MS, RedisDocuments } from '../../packages/gateway/src/payments/store/redis.ts';
import { RedisConnection } from '../../packages/gateway/src/stores/redis/connection.ts';
import { type RedisServer, redisSuite, startRedis } from '../kit/redis.ts';
import { newPayment } from '../payments/forge-records.ts';

/** Documents on Redis that a test may keep from being written for a while, or for good. */
class HeldDocuments extends RedisDocuments {
  beforeCommit: () => Promise<unknown> = async () => undefined;

  override async commit(commit: Commit): Promise<Committed> {
    await this.beforeCommit();
    return super.commit(commit);
  }
}

redisSuite('P22 a payment that a living node has let go', () => {
  let redis: RedisServer;
  const connections: RedisConnection[] = [];
  const opened: Payments[] = [];
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(async () => {
    for (const each of [...opened, ...connections]) each.close();
    await redis.stop();
  });

  /** One node more. */
  async function open() {
    const connection = await RedisConnection.load(redis.url);
    connections.push(connection);
    await connection.connect(() => undefined);
    const documents = new HeldDocuments(connection);
    const payments = new Payments(documents);
    opened.push(payments);
    return { documents, payments };
  }

  it('P22 while its lease was being renewed is free when that has passed', async () => {
    const [{ documents, payments }, other] = [await open(), await open()];
    const payment = newPayment();
    expect(await payments.reserve(payment)).toBe('reserved');
    const test = new EventTarget();
    const renewing = once(test, 'renewing');
    documents.beforeCommit = () => {
      test.dispatchEvent(new Event('renewing'));
      return once(test, 'renew');
    };
    await renewing;
    documents.beforeCommit = () => Promise.reject(new Error('the store is down'));
    await payments.release(payment.key, payment.owner);
    documents.beforeCommit = async () => undefined;
    test.dispatchEvent(new Event('renew'));
    const again = () => other.payments.reserve({ ...payment, owner: 'another' });
    expect(await again()).toBe('taken');
    await expect.poll(again, { timeout: 2 * LEASE_MS, interval: 200 }).toBe('reserved');
  });
});
