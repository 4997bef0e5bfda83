import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Budget } from '../../packages/gateway/src/budget/store.ts';
import type { OpenShared } from '../../packages/gateway/src/cache/shared-entries.ts';
import type { State } from '../../packages/gateway/src/compose/state.ts';
import { freePort } from '../http/ports.ts';
import { type RedisServer, redisSuite, startRedis } from '../kit/redis.ts';
import { openRedisState } from '../kit/redis-state.ts';
import { ROOM } from '../stores/room.ts';

const budget: Budget = { key: 'tokens:key', limit: 5, windowMs: 60_000, inFlightMs: 10_000 };
const second: Budget = { key: 'helius:mainnet:rpc:key', limit: 5, windowMs: 1_000, inFlightMs: 0, fromDispatch: true };
redisSuite('a Redis in cluster mode', () => {
  let redis: RedisServer;
  let state: State;
  beforeAll(async () => {
    // Its own choice, 10,000 beyond the other one, is among those that systems give out by themselves.
    const busPort = String(await freePort());
    redis = await startRedis({ 'cluster-enabled': 'yes', 'cluster-port': busPort });
    await redis.command('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
    while (!String(await redis.command('CLUSTER', 'INFO')).includes('cluster_state:ok')) await sleep(20);
    state = await openRedisState(redis.url);
    await useBudgets();
    await useCache();
  });
  afterAll(async () => {
    await state.close();
    await redis.stop();
  });

  async function useBudgets(): Promise<void> {
    const { store } = state;
    const issuedAtSeconds = Math.floor(store.now() / 1000);
    const nonceOf = (nonce: string) => ({ nonce, issuedAtSeconds, epoch: store.epoch() ?? '' });
    for (const each of [budget, second]) {
      const nonce = each === budget ? { nonce: nonceOf('one') } : {};
      expect((await store.admit({ budget: each, owner: 'me', room: ROOM, ...nonce })).kind).toBe('admitted');
      store.complete(each, 'me');
    }
    expect(await store.burn(nonceOf('two'), 'me')).toBe('burnt');
    await store.pause(budget, 1_000);
    expect((await store.admit({ budget, owner: 'you', room: ROOM })).kind).toBe('paused');
  }

  async function useCache(): Promise<void> {
    const now = () => performance.now();
    const entries = (state.openShared as OpenShared)({
      secrets: ['s'.repeat(32)],
      scope: 'tokens',
      leaseMs: 13_000,
      now,
    });
    const keys = ['one', 'two', 'three'].map((id) => ({ id, freshSeconds: 60, maxStaleSeconds: 300 }));
    expect((await entries.claim(keys, 'me')).leased.size).toBe(3);
    const written = keys.slice(0, 2).map((key) => ({ key, fetchedAtMs: now(), json: '1' }));
    await entries.write(written, 'me');
    expect((await entries.read(keys)).size).toBe(2);
    await entries.giveBack(keys, 'you');
  }

  it('R10 takes every step, for all keys of one have one slot', async () => {
    const keys = (await redis.command('KEYS', '*')) as string[];
    const slots = new Map<string, Set<unknown>>();
    for (const key of keys) {
      const tag = /^\{gw:([^{}]+)\}:./.exec(key)?.[1] ?? 'none';
      const known = slots.get(tag) ?? new Set();
      slots.set(tag, known.add(await redis.command('CLUSTER', 'KEYSLOT', key)));
    }
    expect([...slots.keys()].sort()).toEqual(['budgets', 'cache']);
    for (const each of slots.values()) expect(each.size).toBe(1);
  });

  it('R11 expires each key by itself, but for its clocks and epoch', async () => {
    const keys = (await redis.command('KEYS', '*')) as string[];
    const lasting: string[] = [];
    for (const key of keys) if ((await redis.command('PTTL', key)) === -1) lasting.push(key);
    expect(lasting.sort()).toEqual(['{gw:budgets}:state', '{gw:cache}:state']);
  });
});
