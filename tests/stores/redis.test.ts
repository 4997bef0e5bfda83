import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll } from 'vitest';
import { openRedis } from '../../packages/gateway/src/stores/redis/open.ts';
import { type RedisServer, redisSuite, startRedis } from '../kit/redis.ts';
import { storeContract } from './contract.ts';

redisSuite('the store on Redis', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());

  storeContract('redis', async () => {
    await redis.command('FLUSHALL');
    const { store, connect, close } = await openRedis({ url: redis.url, signInKey: 'suite' });
    await connect(() => undefined);
    return { store, elapse: (milliseconds) => sleep(milliseconds), stop: close };
  });
});
