import { afterAll, beforeAll, it } from 'vitest';
import { RedisBooks } from '../../packages/gateway/src/sales/redis-books.ts';
import { RedisConnection } from '../../packages/gateway/src/stores/redis/connection.ts';
import { type RedisServer, redisSuite, startRedis } from '../kit/redis.ts';
import { isFull, roundsOnEach } from '../kit/rounds.ts';
import { openStreet, type Street } from '../payments/fault-process.ts';
import { expectServedOnce, killedAfter } from '../payments/fault-story.ts';
import { compileGateway } from '../process/program.ts';
import { expectOnePerTransfer } from './one-entry.ts';

/** Around the two where money has moved and its entry is written; the others as well with ROUNDS=full. */
const STEPS = isFull ? ['reserve', 'verify', 'upstream', 'store', 'settle', 'record', 'respond'] : ['settle', 'record'];

/** The same in a folder: `tests/payments/kills.test.ts` and `kills-late.test.ts`. */
redisSuite('a gateway on Redis that is killed around a purchase', () => {
  let redis: RedisServer;
  let street: Street;
  let connection: RedisConnection;
  beforeAll(async () => {
    await compileGateway();
    redis = await startRedis();
    street = await openStreet({ REDIS_URL: redis.url, GATEWAY_SECRET: 'a-secret-of-these-nodes-that-is-long' });
    connection = await RedisConnection.load(redis.url);
    await connection.connect(() => undefined);
  }, 120_000);
  afterAll(async () => {
    await street.close();
    connection.close();
    await redis.stop();
  });

  it.each(STEPS)('killed after %s: one transfer, one entry', { timeout: 600_000 }, async (step) => {
    for (let round = 0; round < roundsOnEach(20); round++) {
      expectServedOnce(await killedAfter(step, street));
      await expectOnePerTransfer(new RedisBooks(connection), street);
    }
  });
});
