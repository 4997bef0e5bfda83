import { afterEach, beforeEach, expect, it } from 'vitest';
import type { RedisStore } from '../../packages/gateway/src/budget/redis-store.ts';
import type { Budget } from '../../packages/gateway/src/budget/store.ts';
import { type RedisServer, redisSuite, startRedis } from '../kit/redis.ts';
import { ROOM } from '../stores/room.ts';
import { type TurnedNodes, turnedNodes } from './turned-clock.ts';

const budget: Budget = { key: 'shared', limit: 2, windowMs: 60_000, inFlightMs: 10_000, lateMs: 5_000 };
/** A call that was given up may be read by the upstream until 15 s after it was admitted, and counts there for a minute. */
const HELD_MS = 75_000;

redisSuite('what one node has taken, another one', () => {
  let redis: RedisServer;
  let nodes: TurnedNodes;
  let one: RedisStore;
  let other: RedisStore;
  beforeEach(async () => {
    redis = await startRedis();
    nodes = turnedNodes();
    one = await nodes.open(redis.url);
    other = await nodes.open(redis.url);
  });
  afterEach(async () => {
    nodes.close();
    await redis.stop();
  });

  let serial = 0;
  const take = (store: RedisStore) => store.admit({ budget, owner: `owner-${serial++}`, room: ROOM });
  const takeAll = async (store: RedisStore) => {
    for (let slot = 0; slot < budget.limit; slot++) expect((await take(store)).kind).toBe('admitted');
  };

  it('L9 waits for, the late margin included', async () => {
    await takeAll(one);
    nodes.now += HELD_MS - 1;
    expect(await take(other)).toEqual({ kind: 'limited', retryAfterMs: 1 });
    nodes.now += 1;
    expect((await take(other)).kind).toBe('admitted');
  });

  it('R4 waits for although it was lost: the closing lasts until the last lost call can no longer count', async () => {
    await takeAll(one);
    await redis.command('FLUSHALL');
    expect(await take(other)).toEqual({ kind: 'limited', retryAfterMs: HELD_MS });
    nodes.now += HELD_MS - 1;
    const latest = await nodes.open(redis.url);
    for (const store of [other, latest]) expect(await take(store)).toEqual({ kind: 'limited', retryAfterMs: 1 });
    nodes.now += 1;
    expect((await take(other)).kind).toBe('admitted');
  });

  it('U9 does not shorten: of two pauses the one that ends later holds', async () => {
    await one.pause(budget, 30_000);
    // It would tell the others of its pause again, and so hide that it was forgotten.
    one.close();
    await other.pause(budget, 1_000);
    other.close();
    nodes.now += 29_000;
    const third = await nodes.open(redis.url);
    const { kind, retryAfterMs = 0 } = await take(third);
    expect(kind).toBe('paused');
    expect(retryAfterMs).toBeGreaterThan(0);
    expect(retryAfterMs).toBeLessThanOrEqual(1_000);
    nodes.now += 1_001;
    expect((await take(third)).kind).toBe('admitted');
  });
});
