import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
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
    const { store, connect, close } = await openRedis(redis.url);
    await connect(() => undefined);
    return { store, elapse: (milliseconds) => sleep(milliseconds), stop: close };
  });

  it('holds a slot for as long as it was taken, whatever shorter deadline another node asks with', async () => {
    await redis.command('FLUSHALL');
    const nodes = await Promise.all([openRedis(redis.url), openRedis(redis.url)]);
    for (const { connect } of nodes) await connect(() => undefined);
    const take = async (node: number, inFlightMs: number) => {
      const budget = { key: 'k', limit: 2, windowMs: 300, inFlightMs };
      return (await nodes[node]?.store.admit({ budget, owner: randomUUID(), room: true }))?.kind;
    };
    expect([await take(0, 10_000), await take(1, 0)]).toEqual(['admitted', 'admitted']);
    await sleep(400);
    expect([await take(1, 0), await take(1, 0)]).toEqual(['admitted', 'limited']);
    for (const { close } of nodes) await close();
  });
});
