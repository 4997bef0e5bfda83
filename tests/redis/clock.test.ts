import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Budget, NonceUse } from '../../packages/gateway/src/stores/ports.ts';
import { RedisConnection } from '../../packages/gateway/src/stores/redis/connection.ts';
import { RedisStore } from '../../packages/gateway/src/stores/redis/store.ts';
import { type RedisServer, redisSuite, startRedis } from '../kit/redis.ts';

const HOUR = 3_600_000;
const budget: Budget = { key: 'clock', limit: 2, windowMs: 60_000, inFlightMs: 10_000 };

redisSuite('a Redis whose clock steps', () => {
  let redis: RedisServer;
  let clock: number;
  const closing: (() => void)[] = [];
  beforeEach(async () => {
    redis = await startRedis();
    clock = Date.parse('2026-11-20T12:00:00Z');
  });
  afterEach(async () => {
    for (const close of closing.splice(0)) close();
    await redis.stop();
  });

  /** The store of one node, whose scripts take the time from here. */
  async function openNode(): Promise<RedisStore> {
    const connection = await RedisConnection.load(redis.url);
    const store = new RedisStore(connection, () => clock);
    await connection.connect(() => undefined);
    await store.greet();
    closing.push(
      () => store.close(),
      () => connection.close(),
    );
    return store;
  }

  let serial = 0;
  const take = async (store: RedisStore, nonce?: NonceUse): Promise<string> =>
    (await store.admit({ budget, owner: `owner-${serial++}`, room: true, ...(nonce && { nonce }) })).kind;
  const newNonce = (store: RedisStore): NonceUse => ({
    nonce: `nonce-${serial++}`,
    issuedAtSeconds: Math.floor(clock / 1000),
    epoch: store.epoch() ?? '',
  });

  describe('R6 back by an hour', () => {
    it('R6 frees no slot early, and each when its time has passed', async () => {
      const [one, other] = [await openNode(), await openNode()];
      for (let slot = 0; slot < budget.limit; slot++) expect(await take(one)).toBe('admitted');
      clock -= HOUR;
      expect(await take(other)).toBe('limited');
      clock += budget.windowMs + budget.inFlightMs - 1;
      expect(await take(other)).toBe('limited');
      clock += 1;
      expect(await take(other)).toBe('admitted');
    });

    it('R6 lets no nonce be used again', async () => {
      const store = await openNode();
      const nonce = newNonce(store);
      expect(await take(store, nonce)).toBe('admitted');
      clock -= HOUR;
      expect(await take(store, nonce)).toBe('nonce_used');
      clock += 301_000;
      expect(await take(store, nonce)).toBe('nonce_expired');
    });
  });

  it('R6 there and back between two requests is seen: what was too old stays too old', async () => {
    const store = await openNode();
    const nonce = newNonce(store);
    expect(await take(store, nonce)).toBe('admitted');
    clock += HOUR;
    await store.greet();
    clock -= HOUR;
    expect(await take(store, nonce)).toBe('nonce_expired');
  });

  describe('R6 forward by an hour', () => {
    it('R6 gives no node more than its limit', async () => {
      const [one, other] = [await openNode(), await openNode()];
      for (let slot = 0; slot < budget.limit; slot++) expect(await take(one)).toBe('admitted');
      clock += HOUR;
      expect(await take(one)).toBe('limited');
      expect(await take(other)).toBe('admitted');
    });

    it('R6 and back again: what was too old stays too old', async () => {
      const store = await openNode();
      const nonce = newNonce(store);
      expect(await store.burn(nonce, 'somebody')).toBe('burnt');
      clock += HOUR;
      expect(await take(store, nonce)).toBe('nonce_expired');
      clock -= HOUR;
      expect(await take(store, nonce)).toBe('nonce_expired');
      expect(await take(store, newNonce(store))).toBe('nonce_expired');
    });
  });
});
