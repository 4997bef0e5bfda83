import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { InFlight } from '../../packages/gateway/src/budget/in-flight.ts';
import { RedisStore } from '../../packages/gateway/src/budget/redis-store.ts';
import type { Budget, NonceUse } from '../../packages/gateway/src/budget/store.ts';
import { RedisConnection } from '../../packages/gateway/src/stores/redis/connection.ts';
import { inEachTest, inSuite } from '../kit/in-suite.ts';
import { redisSuite, startRedis } from '../kit/redis.ts';
import { startTcpProxy } from '../kit/tcp-proxy.ts';
import { admitUntilAnswered, nonceOf, openRedisState, openRedisStore, ROOM, storeContract } from './contract.ts';

const HOUR = 3_600_000;
const budget: Budget = { key: 'clock', limit: 2, windowMs: 60_000, inFlightMs: 10_000 };

/** Stores of nodes whose scripts take the time from here instead of Redis's own clock. */
class TurnedNodes {
  /** Milliseconds since the Unix epoch. */
  now = Date.parse('2026-11-20T12:00:00Z');
  readonly #closing: (() => void)[] = [];

  async open(url: string): Promise<RedisStore> {
    const connection = await RedisConnection.load(url);
    const store = new RedisStore(connection, () => this.now);
    await connection.connect(() => undefined);
    await store.readEpoch();
    this.#closing.push(
      () => store.close(),
      () => connection.close(),
    );
    return store;
  }

  async stop(): Promise<void> {
    for (const close of this.#closing) close();
  }
}

redisSuite('the store on Redis', () => {
  const redis = inSuite(startRedis);

  storeContract('redis', async () => {
    await redis.command('FLUSHALL');
    return openRedisStore(redis.url);
  });

  it('holds a slot for its own deadline, also if another node has a shorter one', async () => {
    await redis.command('FLUSHALL');
    const nodes = await Promise.all([1, 2, 3].map(() => openRedisState(redis.url)));
    const take = async (node: number, inFlightMs: number, limit = 2) => {
      const budget = { key: 'k', limit, windowMs: 300, inFlightMs };
      return (await nodes[node]?.store.admit({ budget, owner: randomUUID(), inFlightLimit: ROOM }))?.kind;
    };
    expect([await take(0, 10_000), await take(1, 0)]).toEqual(['admitted', 'admitted']);
    await sleep(400);
    // Nor does it shorten how long the limit of that slot is met.
    expect([await take(2, 0, 6), await take(2, 0, 6)]).toEqual(['admitted', 'limited']);
    for (const { close } of nodes) await close();
  });

  it.each(['copies of one used nonce', 'nonces that were used at another node'])(
    'V13 200 %s at once take nothing from honest sign-ins',
    async (replays) => {
      const [node, other] = [await openRedisState(redis.url), await openRedisState(redis.url)];
      const newNonces = (count: number) => Array.from({ length: count }, () => nonceOf(node.store));
      const used = replays.startsWith('copies') ? newNonces(1) : newNonces(200);
      for (const nonce of used) await other.store.useNonce(nonce, 'somebody');
      const [room, honest] = [new InFlight(4), newNonces(4)];
      const narrow = { ...budget, key: randomUUID(), limit: 4 };
      const nonces = [...Array.from({ length: 200 }, (_, index) => used[index % used.length] as NonceUse), ...honest];
      const admit = (nonce: NonceUse) => {
        const attempt = { budget: narrow, owner: randomUUID(), inFlightLimit: room, nonce };
        return admitUntilAnswered(node.store, attempt);
      };
      const kinds = (await Promise.all(nonces.map(admit))).map(({ kind }) => kind);
      expect(kinds).toEqual([...Array(200).fill('nonce_used'), ...Array(4).fill('admitted')]);
      for (const { close } of [node, other]) await close();
    },
  );

  it('U9 a pause holds for a question that is under way as well, whose nonce stays good', async () => {
    const proxy = await startTcpProxy(redis.port);
    const { store, close } = await openRedisState(`redis://127.0.0.1:${proxy.port}`);
    const take = (key: string, nonce: NonceUse) => {
      const budget = { key, limit: 2, windowMs: 300, inFlightMs: 300 };
      return store.admit({ budget, owner: randomUUID(), inFlightLimit: ROOM, nonce }).catch(() => undefined);
    };
    for (let attempt = 0; ; attempt++) {
      const nonce = nonceOf(store);
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
  });
});

redisSuite('a Redis whose clock steps', () => {
  const redis = inEachTest(startRedis);
  const nodes = inEachTest(async () => new TurnedNodes());

  const openNode = () => nodes.open(redis.url);
  let serial = 0;
  const take = async (store: RedisStore, nonce?: NonceUse): Promise<string> =>
    (await store.admit({ budget, owner: `owner-${serial++}`, inFlightLimit: ROOM, ...(nonce && { nonce }) })).kind;
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

  describe('X1 back by an hour and forward again', () => {
    const returned = async (open: () => Promise<RedisStore>) => {
      const stores = [await open(), await open()] as const;
      const nonce = newNonce(stores[0]);
      expect(await stores[0].useNonce(nonce, 'somebody')).toBe('accepted');
      nodes.now -= HOUR;
      for (const store of stores) await store.readEpoch();
      nodes.now += HOUR + 1_000;
      for (const store of stores) await store.readEpoch();
      return { stores, nonce };
    };
    it('X1 returns to the clock of the server', async () => {
      await returned(openNode);
      const [state = ''] = (await redis.command('KEYS', '*:state')) as string[];
      expect(Number(await redis.command('HGET', state, 'ahead'))).toBe(0);
    });

    it('X1 takes no nonce again, whose record the server may have dropped', async () => {
      const { stores, nonce } = await returned(openNode);
      const records = ((await redis.command('KEYS', '*')) as string[]).filter((key) => !key.endsWith(':state'));
      expect(records).not.toEqual([]);
      await redis.command('DEL', ...records);
      for (const store of stores) expect(await store.useNonce(nonce, 'another')).toBe('nonce_used');
    });
  });

  describe('R6 forward by an hour', () => {
    it('R6 gives no node more than its limit', async () => {
      const [one, other] = [await openNode(), await openNode()];
      for (let slot = 0; slot < budget.limit; slot++) expect(await take(one)).toBe('admitted');
      nodes.now += HOUR;
      expect(await take(one)).toBe('limited');
      expect(await take(other)).toBe('admitted');
    });

    it('R6 gives no more to many requests at once, and refused ones keep their sign-in', async () => {
      const wide = { ...budget, key: 'wide', limit: 5 };
      const [one, other] = [await openNode(), await openNode()];
      const asked = async (store: RedisStore, nonce: NonceUse) =>
        (await store.admit({ budget: wide, owner: `owner-${serial++}`, inFlightLimit: ROOM, nonce })).kind;
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

    it('R6 and back again: an expired nonce stays expired', async () => {
      const store = await openNode();
      const nonce = newNonce(store);
      expect(await store.useNonce(nonce, 'somebody')).toBe('accepted');
      nodes.now += HOUR;
      expect(await take(store, nonce)).toBe('nonce_expired');
      nodes.now -= HOUR;
      expect(await take(store, nonce)).toBe('nonce_expired');
      expect(await take(store, newNonce(store))).toBe('nonce_expired');
    });
  });
});

const shared: Budget = { key: 'shared', limit: 2, windowMs: 60_000, inFlightMs: 10_000, lateMs: 5_000 };
/** A call that was given up may be read by the upstream until 15 s after it was admitted, and counts there for a minute. */
const HELD_MS = 75_000;

redisSuite('what one node has taken, another one', () => {
  const redis = inEachTest(startRedis);
  const nodes = inEachTest(async () => new TurnedNodes());
  let one: RedisStore;
  let other: RedisStore;
  beforeEach(async () => {
    one = await nodes.open(redis.url);
    other = await nodes.open(redis.url);
  });

  let serial = 0;
  const take = (store: RedisStore) => store.admit({ budget: shared, owner: `owner-${serial++}`, inFlightLimit: ROOM });
  const takeAll = async (store: RedisStore) => {
    for (let slot = 0; slot < shared.limit; slot++) expect((await take(store)).kind).toBe('admitted');
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

  it('R4 waits for although a node that has started since has read the new data first', async () => {
    await takeAll(one);
    await redis.command('FLUSHALL');
    const latest = await nodes.open(redis.url);
    nodes.now += 1_000;
    await other.readEpoch();
    for (const store of [other, latest]) {
      expect(await take(store)).toEqual({ kind: 'limited', retryAfterMs: HELD_MS - 1_000 });
    }
  });

  it('U9 does not shorten, so the later end of two pauses holds', async () => {
    await one.pause(shared, 30_000);
    // It would tell the others of its pause again, and so hide that it was forgotten.
    one.close();
    await other.pause(shared, 1_000);
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
