import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RedisStore } from '../../packages/gateway/src/budget/redis-store.ts';
import type { Budget, NonceUse } from '../../packages/gateway/src/budget/store.ts';
import { type RedisServer, redisSuite, startRedis } from '../kit/redis.ts';
import { ROOM } from '../stores/room.ts';
import { type TurnedNodes, turnedNodes } from './turned-clock.ts';

const HOUR = 3_600_000;
const budget: Budget = { key: 'clock', limit: 2, windowMs: 60_000, inFlightMs: 10_000 };

redisSuite('a Redis whose clock steps', () => {
  let redis: RedisServer;
  let nodes: TurnedNodes;
  beforeEach(async () => {
    redis = await startRedis();
    nodes = turnedNodes();
  });
  afterEach(async () => {
    nodes.close();
    await redis.stop();
  });

  const openNode = () => nodes.open(redis.url);
  let serial = 0;
  const take = async (store: RedisStore, nonce?: NonceUse): Promise<string> =>
    (await store.admit({ budget, owner: `owner-${serial++}`, room: ROOM, ...(nonce && { nonce }) })).kind;
  const newNonce = (store: RedisStore): NonceUse => ({
    nonce: `nonce-${serial++}`,
    issuedAtSeconds: Math.floor(nodes.now / 1000),
    epoch: store.epoch() ?? '',
  });

  describe('R6 back by an hour', () => {
    it('R6 frees no slot early, and each when its time has passed', async () => {
      const [one, other] = [await openNode(), await openNode()];
      for (let slot = 0; slot < budget.limit; slot++) expect(await take(one)).toBe('admitted');
      nodes.now -= HOUR;
      expect(await take(other)).toBe('limited');
      nodes.now += budget.windowMs + budget.inFlightMs - 1;
      expect(await take(other)).toBe('limited');
      nodes.now += 1;
      expect(await take(other)).toBe('admitted');
    });

    it('R6 lets no nonce be used again', async () => {
      const store = await openNode();
      const nonce = newNonce(store);
      expect(await take(store, nonce)).toBe('admitted');
      nodes.now -= HOUR;
      expect(await take(store, nonce)).toBe('nonce_used');
      nodes.now += 301_000;
      expect(await take(store, nonce)).toBe('nonce_expired');
    });
  });

  it('R6 there and back between two requests is seen: what was too old stays too old', async () => {
    const store = await openNode();
    const nonce = newNonce(store);
    expect(await take(store, nonce)).toBe('admitted');
    nodes.now += HOUR;
    await store.readEpoch();
    nodes.now -= HOUR;
    expect(await take(store, nonce)).toBe('nonce_expired');
  });

  describe('R6 forward by an hour', () => {
    it('R6 gives no node more than its limit', async () => {
      const [one, other] = [await openNode(), await openNode()];
      for (let slot = 0; slot < budget.limit; slot++) expect(await take(one)).toBe('admitted');
      nodes.now += HOUR;
      expect(await take(one)).toBe('limited');
      expect(await take(other)).toBe('admitted');
    });

    it('R6 gives no more when many ask at once either, and those that it refuses keep their sign-in', async () => {
      const wide = { ...budget, key: 'wide', limit: 5 };
      const [one, other] = [await openNode(), await openNode()];
      const asked = async (store: RedisStore, nonce: NonceUse) =>
        (await store.admit({ budget: wide, owner: `owner-${serial++}`, room: ROOM, nonce })).kind;
      for (let slot = 0; slot < 3; slot++) expect(await asked(one, newNonce(one))).toBe('admitted');
      nodes.now += HOUR;
      await one.readEpoch();
      const nonces = Array.from({ length: 10 }, () => newNonce(one));
      const verdicts = await Promise.all(nonces.map((nonce) => asked(one, nonce)));
      expect(verdicts.toSorted()).toEqual([...Array(2).fill('admitted'), ...Array(8).fill('limited')]);
      const refused = nonces.filter((_, index) => verdicts[index] === 'limited');
      for (const nonce of refused.slice(0, 3)) expect(await asked(other, nonce)).toBe('admitted');
      for (const nonce of refused.slice(3)) expect(await asked(other, nonce)).toBe('limited');
    });

    it('R6 and back again: what was too old stays too old', async () => {
      const store = await openNode();
      const nonce = newNonce(store);
      expect(await store.burn(nonce, 'somebody')).toBe('burnt');
      nodes.now += HOUR;
      expect(await take(store, nonce)).toBe('nonce_expired');
      nodes.now -= HOUR;
      expect(await take(store, nonce)).toBe('nonce_expired');
      expect(await take(store, newNonce(store))).toBe('nonce_expired');
    });
  });
});
