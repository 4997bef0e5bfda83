import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Room, Store } from '../../packages/gateway/src/budget/store.ts';
import { makeFolder } from '../kit/folder.ts';
import { openLocalStore } from '../kit/local-store.ts';
import { type RedisServer, redisSuite, startRedis } from '../kit/redis.ts';
import { openRedisState } from '../kit/redis-state.ts';
import { at, budgetOf, fill, sharesContract, take } from './shares.ts';

const START_MS = 1_790_000_000_000;

sharesContract('of one process', async () => {
  let now = START_MS;
  const { store, close } = await openLocalStore(() => now);
  return {
    store,
    elapse: async (milliseconds) => {
      now += milliseconds;
    },
    stop: close,
  };
});

it('slots from before a restart count as taken, but to no share', async () => {
  const [budget, folder] = [budgetOf(), makeFolder()];
  const before = await openLocalStore(() => START_MS, { folder });
  for (let slots = 0; slots < 10; slots++) await take(before.store, { budget, share: at(1) });
  await before.close();
  const { store, close } = await openLocalStore(() => START_MS, { folder });
  expect(await fill(store, budget, at(1))).toBe(16);
  await close();
  rmSync(folder, { recursive: true, force: true });
});

it('a refusal says when the share frees, without other clients', async () => {
  let now = START_MS;
  const { store, close } = await openLocalStore(() => now);
  const budget = { ...budgetOf(), windowMs: 60_000, inFlightMs: 0 };
  for (let slots = 0; slots < 24; slots++) {
    await take(store, { budget, share: at(1) });
    now += 1_000;
  }
  for (let place = 2; place < 6; place++) await take(store, { budget, share: at(place) });
  const { retryAfterMs = 0, scope } = await take(store, { budget, share: at(1) });
  expect(scope).toBe('group');
  now += retryAfterMs - 1;
  expect((await take(store, { budget, share: at(1) })).kind).toBe('limited');
  now += 1;
  expect((await take(store, { budget, share: at(1) })).kind).toBe('admitted');
  await close();
});

redisSuite('shares on Redis', () => {
  let redis: RedisServer;
  const closes: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(async () => {
    for (const close of closes) await close();
    await redis.stop();
  });

  async function node(): Promise<Store> {
    const { store, close } = await openRedisState(redis.url);
    closes.push(close);
    return store;
  }

  sharesContract('redis', async () => {
    const { store, close } = await openRedisState(redis.url);
    return { store, elapse: (milliseconds) => sleep(milliseconds), stop: close };
  });

  const countsOf = async (key: string) => ({ ...Object(await redis.command('HGETALL', `{gw:budgets}:counts:${key}`)) });

  it('are judged over the slots of all nodes', async () => {
    const [one, other] = [await node(), await node()];
    const budget = budgetOf();
    for (let slots = 0; slots < 12; slots++) {
      for (const store of [one, other]) expect((await take(store, { budget, share: at(1) })).kind).toBe('admitted');
    }
    for (const store of [one, other]) expect((await take(store, { budget, share: at(1) })).scope).toBe('group');
    for (const store of [one, other]) expect((await take(store, { budget, share: at(2) })).kind).toBe('admitted');
  });

  it('are those of one process: every sequence of calls ends the same', async () => {
    const [shared, { store: own, close }] = [await node(), await openLocalStore(() => START_MS)];
    closes.push(close);
    const share = fc.tuple(fc.integer({ min: 0, max: 4 }), fc.constantFrom('A', 'B', 'C'), fc.boolean());
    const sequence = fc.array(fc.array(share, { minLength: 1, maxLength: 3 }), { minLength: 30, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(sequence, fc.integer({ min: 1, max: 40 }), async (calls, limit) => {
        const budget = budgetOf(limit);
        const told = async (store: Store, waiting: readonly (readonly [number, string, boolean])[]) => {
          const { kind, scope, charged } = await take(store, { budget, share: waiting.map((each) => at(...each)) });
          return { kind, scope, charged };
        };
        for (const call of calls) expect(await told(shared, call)).toEqual(await told(own, call));
      }),
      { numRuns: 15 },
    );
  });

  it('are given back with a slot that the node could not use', async () => {
    const [store, budget] = [await node(), budgetOf()];
    const asked: boolean[] = [];
    const closing: Room = {
      /** Free when it is asked about, and not any more when Redis has answered. */
      isFreeFor: () => asked.push(true) === 1,
      take: () => undefined,
    };
    expect((await take(store, { budget, share: at(1), room: closing })).kind).toBe('crowded');
    expect(await countsOf(budget.key)).toEqual({});
  });

  it('are not left charged by a node that lets slots expire without sharing them out', async () => {
    const [store, budget] = [await node(), budgetOf(5)];
    const owner = randomUUID();
    await take(store, { budget, share: at(1), owner });
    await redis.command('ZREM', `{gw:budgets}:slots:${budget.key}`, owner);
    expect((await take(store, { budget, share: at(2) })).kind).toBe('admitted');
    expect(await countsOf(budget.key)).toEqual({
      groups: '1',
      'address:10.0.2.0/24': '1',
      'address:10.0.2.0/24 W': '1',
    });
  });
});
