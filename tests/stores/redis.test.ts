import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ADMIT, READ_EPOCH } from '../../packages/gateway/src/stores/redis/budget-scripts.ts';
import { RedisConnection } from '../../packages/gateway/src/stores/redis/connection.ts';
import { Keyspace } from '../../packages/gateway/src/stores/redis/keyspace.ts';
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
    const nodes = await Promise.all([1, 2, 3].map(() => openRedis(redis.url)));
    for (const { connect } of nodes) await connect(() => undefined);
    const take = async (node: number, inFlightMs: number, limit = 2) => {
      const budget = { key: 'k', limit, windowMs: 300, inFlightMs };
      return (await nodes[node]?.store.admit({ budget, owner: randomUUID(), room: true }))?.kind;
    };
    expect([await take(0, 10_000), await take(1, 0)]).toEqual(['admitted', 'admitted']);
    await sleep(400);
    // Nor does it shorten how long the limit of that slot is met.
    expect([await take(2, 0, 6), await take(2, 0, 6)]).toEqual(['admitted', 'limited']);
    for (const { close } of nodes) await close();
  });

  it('says when to come again, however little is left of it', async () => {
    const connection = await RedisConnection.load(redis.url);
    await connection.connect(() => undefined);
    const space = new Keyspace(connection, 'fractions');
    const epoch = String(await space.run({ script: READ_EPOCH, args: ['', 'epoch'] }));
    const waiting = async (here: number, pausedHere: number) => {
      const args = [epoch, 'me', 1, 1_000, 0, 0, 1, here, pausedHere, '', ''];
      return (await space.run({ script: ADMIT, keys: ['slots', 'limits', 'pause'], args })) as unknown[];
    };
    expect((await waiting(0.4, 0)).slice(0, 2)).toEqual(['limited', 1]);
    expect((await waiting(0, 0.4)).slice(0, 2)).toEqual(['paused', 1]);
    connection.close();
  });
});
