import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ADMIT } from '../../packages/gateway/src/budget/redis-scripts.ts';
import type { NonceUse } from '../../packages/gateway/src/budget/store.ts';
import { RedisConnection } from '../../packages/gateway/src/stores/redis/connection.ts';
import { Keyspace, READ_EPOCH } from '../../packages/gateway/src/stores/redis/keyspace.ts';
import { type RedisServer, redisSuite, startRedis } from '../kit/redis.ts';
import { openRedisState } from '../kit/redis-state.ts';
import { startTcpProxy } from '../kit/tcp-proxy.ts';
import { storeContract } from './contract.ts';
import { ROOM } from './room.ts';

redisSuite('the store on Redis', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());

  storeContract('redis', async () => {
    await redis.command('FLUSHALL');
    const { store, close } = await openRedisState(redis.url);
    return { store, elapse: (milliseconds) => sleep(milliseconds), stop: close };
  });

  it('holds a slot for its own deadline, also if another node has a shorter one', async () => {
    await redis.command('FLUSHALL');
    const nodes = await Promise.all([1, 2, 3].map(() => openRedisState(redis.url)));
    const take = async (node: number, inFlightMs: number, limit = 2) => {
      const budget = { key: 'k', limit, windowMs: 300, inFlightMs };
      return (await nodes[node]?.store.admit({ budget, owner: randomUUID(), room: ROOM }))?.kind;
    };
    expect([await take(0, 10_000), await take(1, 0)]).toEqual(['admitted', 'admitted']);
    await sleep(400);
    // Nor does it shorten how long the limit of that slot is met.
    expect([await take(2, 0, 6), await take(2, 0, 6)]).toEqual(['admitted', 'limited']);
    for (const { close } of nodes) await close();
  });

  it('U9 a pause holds for a question that is under way as well, whose nonce stays good', async () => {
    const proxy = await startTcpProxy(redis.port);
    const { store, close } = await openRedisState(`redis://127.0.0.1:${proxy.port}`);
    const take = (key: string, nonce: NonceUse) => {
      const budget = { key, limit: 2, windowMs: 300, inFlightMs: 300 };
      return store.admit({ budget, owner: randomUUID(), room: ROOM, nonce }).catch(() => undefined);
    };
    for (let attempt = 0; ; attempt++) {
      const issuedAtSeconds = Math.floor(store.now() / 1000);
      const nonce = { nonce: randomUUID(), issuedAtSeconds, epoch: store.epoch() ?? '' };
      proxy.delayMs = 80;
      const asked = take(`paused ${attempt}`, nonce);
      await sleep(20);
      const paused = store.pause({ key: `paused ${attempt}`, limit: 2, windowMs: 300, inFlightMs: 300 }, 5_000);
      const verdict = await asked;
      await paused;
      proxy.delayMs = 0;
      // On a busy machine a reply may be late; then it is asked anew, with another nonce.
      if (!verdict || verdict.kind === 'not_given_back') continue;
      expect(verdict.kind).toBe('paused');
      expect((await take('other', nonce))?.kind).toBe('admitted');
      break;
    }
    await close();
    await proxy.close();
  });

  it('returns a Retry-After for any remaining fraction', async () => {
    const connection = await RedisConnection.load(redis.url);
    await connection.connect(() => undefined);
    const space = new Keyspace(connection, 'fractions');
    const epoch = String(await space.run({ script: READ_EPOCH, args: ['', 'epoch'] }));
    const waiting = async (here: number, pausedHere: number) => {
      const args = [epoch, 'me', 1, 1_000, 0, 0, 1, here, pausedHere, '', ''];
      return (await space.run({
        script: ADMIT,
        keys: ['slots', 'limits', 'pause', 'holders', 'counts'],
        args,
      })) as unknown[];
    };
    expect((await waiting(0.4, 0)).slice(0, 2)).toEqual(['limited', 1]);
    expect((await waiting(0, 0.4)).slice(0, 2)).toEqual(['paused', 1]);
    connection.close();
  });
});
