import { Refusal } from '@asset-gateway/protocol';
import fc from 'fast-check';
import { LRUCache } from 'lru-cache';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Budget, Share } from '../../packages/gateway/src/budget/store.ts';
import type { CacheKey } from '../../packages/gateway/src/cache/cache-key.ts';
import { CallOrder, type NextCall, type OrderLimits } from '../../packages/gateway/src/cache/call-order.ts';
import { CallsInFlight } from '../../packages/gateway/src/cache/calls-in-flight.ts';
import type { KeyRequest } from '../../packages/gateway/src/cache/key-demand.ts';
import { CallClaim, NOT_SHARED } from '../../packages/gateway/src/cache/shared-entries.ts';
import type { CachedOutcome } from '../../packages/gateway/src/cache/stored.ts';
import { Waiter, Waiters } from '../../packages/gateway/src/cache/waiters.ts';
import type { Input, Slots, UpstreamCall } from '../../packages/gateway/src/call.ts';
import { rowOf } from '../http/targets.ts';
import { standIn } from '../kit/stand-in.ts';

const LIMITS: OrderLimits = { slots: 30, windowMs: 60_000, demands: 64, candidates: 32 };
const [FRESH, STALE] = [30, 300];
const key = (id: string): CacheKey => ({ id, freshSeconds: FRESH, maxStaleSeconds: STALE });
const mint = (id: string): CacheKey => ({ ...key(id), batch: { name: 'snapshots', size: 3 } });

const WAITS: KeyRequest = { isWaiting: true, weight: 1, refusesCached: false };
const served = (ageSeconds: number): KeyRequest => ({ ...WAITS, isWaiting: false, ageSeconds });
const called = (next: NextCall): readonly string[] => ('ids' in next ? next.ids : []);

/** An order with a few busy, cached keys. */
function busyOrder(limits = LIMITS): { order: CallOrder; nowMs: number } {
  const order = new CallOrder(limits);
  for (let second = 0; second < 600; second++) {
    for (const id of ['a', 'b', 'c']) order.enqueue(key(id), served(1), second * 1_000);
    order.next(0, second * 1_000);
  }
  return { order, nowMs: 600_000 };
}

let order: CallOrder;
beforeEach(() => {
  order = new CallOrder(LIMITS);
});

describe('the next call', () => {
  it('is made at once for a waiting request while slots are free, and once', () => {
    order.enqueue(key('a'), WAITS, 0);
    expect(called(order.next(30, 0))).toEqual(['a']);
    order.enqueue(key('a'), WAITS, 10);
    expect(called(order.next(29, 1_000))).toEqual([]);
    order.completed(['a'], true, 1_100);
    expect(called(order.next(29, 2_000))).toEqual([]);
  });

  it('is not made without a free slot', () => {
    for (let id = 0; id < 20; id++) order.enqueue(key(`${id}`), WAITS, 0);
    expect(order.next(0, 0)).toEqual({ againAtMs: Number.POSITIVE_INFINITY });
  });

  it('is for the key with the most waiters', () => {
    for (const id of ['one', 'three', 'three', 'three']) order.enqueue(key(id), WAITS, 0);
    expect(called(order.next(1, 0))).toEqual(['three']);
  });

  it('is for a popular key before a new one', () => {
    const { order, nowMs } = busyOrder();
    for (const id of ['new', 'a']) order.enqueue(key(id), WAITS, nowMs);
    expect(called(order.next(1, nowMs))).toEqual(['a']);
  });

  it('ignores requests with an invalid sign-in', () => {
    const { order, nowMs } = busyOrder();
    for (let count = 0; count < 2_000; count++) {
      order.enqueue(key('replayed'), WAITS, nowMs);
      order.dequeue('replayed', { ...WAITS, isVoid: true });
    }
    for (const id of ['replayed', 'a']) order.enqueue(key(id), WAITS, nowMs);
    expect(called(order.next(1, nowMs))).toEqual(['a']);
  });

  it.each([
    ['fresh', FRESH - 1, 30, []],
    ['stale', FRESH + 1, 30, ['a']],
    ['stale', FRESH + 1, 10, []],
    ['almost too old', STALE - 1, 10, ['a']],
  ])('refreshes a %s answer (%i s) with %i free slots: %j', (_, ageSeconds, free, expected) => {
    for (let second = 0; second < 20; second++) order.enqueue(key('a'), served(ageSeconds), second * 10);
    expect(called(order.next(free, 200))).toEqual(expected);
  });

  it('serves no-cache requests while slots are free, after requests without an answer', () => {
    const refuses: KeyRequest = { ...WAITS, ageSeconds: 5, refusesCached: true };
    const calm = new CallOrder(LIMITS);
    calm.enqueue(key('a'), refuses, 0);
    expect(called(calm.next(30, 0))).toEqual(['a']);
    const { order, nowMs } = busyOrder();
    for (let count = 0; count < 200; count++) order.enqueue(key('a'), refuses, nowMs);
    for (let count = 0; count < 9; count++) order.enqueue(key('new'), WAITS, nowMs);
    expect(called(order.next(1, nowMs))).toEqual(['new']);
  });
});

describe('a batch', () => {
  const third: KeyRequest = { ...WAITS, weight: 1 / 3 };

  it('is worth the sum of its members, which share one call', () => {
    order.enqueue(key('one'), WAITS, 0);
    for (const id of 'xxyyzz') order.enqueue(mint(id), third, 0);
    expect([...called(order.next(1, 0))].sort()).toEqual(['x', 'y', 'z']);
  });

  it('is limited to the size of the row, dropping the members of least worth', () => {
    for (const id of 'wxxxxyyyzz') order.enqueue(mint(id), WAITS, 0);
    expect(called(order.next(30, 0))).toEqual(['x', 'y', 'z']);
    order.completed(['x', 'y', 'z'], true, 500);
    expect(called(order.next(29, 2_000))).toEqual(['w']);
  });

  it('includes stale members, not fresh ones', () => {
    order.enqueue(mint('stale'), served(FRESH + 1), 0);
    order.enqueue(mint('fresh'), served(1), 0);
    order.enqueue(mint('missing'), WAITS, 0);
    expect(called(order.next(30, 0))).toEqual(['missing', 'stale']);
  });

  it('W2 includes no key that was never answered, unless a request waits for it', () => {
    order.enqueue(mint('unknown'), WAITS, 0);
    order.dequeue('unknown', WAITS);
    order.enqueue(mint('missing'), WAITS, 0);
    expect(called(order.next(30, 0))).toEqual(['missing']);
    order.completed(['missing'], true, 300);
    order.enqueue(mint('unknown'), WAITS, 2_000);
    order.enqueue(mint('other'), WAITS, 2_000);
    expect(called(order.next(29, 2_000))).toEqual(['unknown', 'other']);
  });

  it('W2 includes no key that was rejected after its last answer', () => {
    order.enqueue(mint('bad'), WAITS, 0);
    expect(called(order.next(30, 0))).toEqual(['bad']);
    order.completed(['bad'], true, 300);
    order.enqueue(mint('bad'), WAITS, 2_000);
    expect(called(order.next(30, 2_000))).toEqual(['bad']);
    order.dequeue('bad', WAITS);
    order.rejected(['bad'], 2_300);
    order.enqueue(mint('missing'), WAITS, 100_000);
    expect(called(order.next(30, 100_000))).toEqual(['missing']);
  });

  it('W3 without a share with room delays no other key or batch', () => {
    for (let count = 0; count < 9; count++) order.enqueue(mint('crowded'), WAITS, 0);
    order.enqueue(key('other'), WAITS, 0);
    order.enqueue(mint('calm'), served(1), 0);
    expect(called(order.next(5, 0))).toEqual(['crowded']);
    order.setBack(['crowded'], 1);
    expect(called(order.next(5, 1))).toEqual(['other']);
    order.enqueue(mint('calm'), WAITS, 501);
    expect(called(order.next(4, 501))).toContain('calm');
    expect(called(order.next(4, 1_001))).toEqual([]);
  });
});

describe('a call that fails', () => {
  it('is repeated after a growing delay', () => {
    const gaps: number[] = [];
    let failedAtMs = 0;
    for (let nowMs = 0; nowMs < 400_000; nowMs += 100) {
      order.enqueue(key('a'), WAITS, nowMs);
      if (called(order.next(30, nowMs)).length === 0) continue;
      gaps.push(nowMs - failedAtMs);
      order.completed(['a'], false, nowMs);
      failedAtMs = nowMs;
    }
    for (const [index, afterMs] of [2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000].entries()) {
      expect(gaps[index + 1]).toBeGreaterThanOrEqual(afterMs);
      expect(gaps[index + 1]).toBeLessThanOrEqual(afterMs + 200);
    }
  });

  /** An order whose calls for these keys failed until now, the first key being the most wanted. */
  function failing(ids: readonly string[], untilMs: number): CallOrder {
    for (let nowMs = 0; nowMs < untilMs; nowMs += 1_000) {
      const asked = ids.flatMap((id, index) => Array<string>(ids.length - index).fill(id));
      for (const id of asked) order.enqueue(key(id), WAITS, nowMs);
      for (let next = called(order.next(30, nowMs)); next.length > 0; next = called(order.next(30, nowMs)))
        order.completed(next, false, nowMs);
      for (const id of asked) order.dequeue(id, WAITS);
    }
    return order;
  }

  it('in an outage is delayed only until the outage ends: then the most wanted keys go first', () => {
    const order = failing(['most', 'more', 'less'], 600_000);
    for (const id of ['new', 'less', 'more', 'most']) order.enqueue(key(id), WAITS, 600_000);
    expect(called(order.next(30, 600_000))).toEqual(['new']);
    order.completed(['new'], true, 600_100);
    const order3 = [600_200, 602_000, 604_000].map((nowMs) => called(order.next(30, nowMs))[0]);
    expect(order3).toEqual(['most', 'more', 'less']);
  });

  it('in an outage is repeated when it is over, without a new request', () => {
    const order = failing(['most', 'more'], 600_000);
    order.enqueue(key('new'), WAITS, 600_000);
    expect(called(order.next(30, 600_000))).toEqual(['new']);
    order.completed(['new'], true, 600_100);
    expect([29, 28, 27].map((free) => called(order.next(free, 600_200)))).toEqual([['most'], ['more'], []]);
  });

  it('in an outage stays delayed until there is an answer', () => {
    const order = failing(['most'], 600_000);
    order.completed([], true, 600_000);
    for (const id of ['new', 'most']) order.enqueue(key(id), WAITS, 600_000);
    expect(called(order.next(30, 600_000))).toEqual(['new']);
    expect(called(order.next(30, 600_000))).toEqual([]);
    order.completed(['new'], true, 600_100);
    expect(called(order.next(30, 600_200))).toEqual(['most']);
  });

  it('stays delayed while others are answered', () => {
    const order = failing(['broken'], 600_000);
    let calls = 0;
    for (let nowMs = 600_000; nowMs < 1_200_000; nowMs += 1_000) {
      order.enqueue(key(`new ${nowMs}`), WAITS, nowMs);
      order.enqueue(key('broken'), WAITS, nowMs);
      for (let next = called(order.next(30, nowMs)); next.length > 0; next = called(order.next(30, nowMs))) {
        order.completed(next, next[0] !== 'broken', nowMs);
        if (next[0] === 'broken') calls++;
      }
    }
    expect(calls).toBeLessThanOrEqual(11);
  });

  it('delays no other key, and is forgotten after a success', () => {
    const call = (id: string, nowMs: number, isAnswered?: boolean) => {
      order.enqueue(key(id), WAITS, nowMs);
      expect(called(order.next(30, nowMs))).toEqual([id]);
      if (isAnswered !== undefined) order.completed([id], isAnswered, nowMs);
    };
    call('a', 0, false);
    call('b', 100);
    call('a', 3_000, true);
    call('a', 400_000, false);
    call('a', 402_500);
  });
});

const input = standIn<Input>({ path: {}, query: {}, body: {} });
const PLAN = { key: key('a'), route: rowOf('tokens.health'), input };
const claimAlone = () => new CallClaim({ entries: NOT_SHARED, owner: 'this node', isEnough: () => false });

it('a call whose upstream throws at once no longer counts as starting', async () => {
  const fault = () => {
    throw new Error('broken');
  };
  const dependencies = { refreshSlots: { take: fault }, upstream: { answer: fault }, now: () => 0 };
  const kept = new LRUCache<string, CachedOutcome>({ max: 1 });
  const calls = new CallsInFlight(dependencies, { kept, order }, new Waiters(order));
  await calls.make([PLAN], claimAlone());
  expect([calls.starting, calls.made]).toEqual([0, { awaited: 0, refresh: 0 }]);
});

describe('any requests', () => {
  it('use at most half of the slots at once, and the others half a second apart', () => {
    const order = new CallOrder({ ...LIMITS, demands: 8_192, candidates: 256 });
    const atMs: number[] = [];
    for (let nowMs = 0; nowMs < 5_000; nowMs += 10) {
      order.enqueue(key(`${nowMs}`), WAITS, nowMs);
      if (called(order.next(30 - atMs.length, nowMs)).length > 0) atMs.push(nowMs);
    }
    const gaps = atMs.slice(1).map((at, index) => at - (atMs[index] ?? 0));
    expect(gaps.findIndex((gap) => gap > 10)).toBe(14);
    expect(Math.min(...gaps.slice(14))).toBeGreaterThanOrEqual(500);
  });
});

const step = fc.record({
  afterMs: fc.integer({ min: 0, max: 3_000 }),
  id: fc.integer({ min: 0, max: 400 }),
  isBatch: fc.boolean(),
  ageSeconds: fc.option(fc.integer({ min: 0, max: STALE - 1 }), { nil: undefined }),
  refusesCached: fc.boolean(),
  hasAnswered: fc.boolean(),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Drives an order like a gateway: calls take 300 ms, slots free after a minute, waiters leave after 2 s. */
function drive(steps: readonly Step[]) {
  const order = new CallOrder(LIMITS);
  const due: { atMs: number; act: (nowMs: number) => void }[] = [];
  const calls: { atMs: number; free: number; ids: readonly string[] }[] = [];
  const inFlight = new Set<string>();
  let [nowMs, free] = [0, LIMITS.slots];
  for (const { afterMs, id, isBatch, ageSeconds, refusesCached, hasAnswered } of steps) {
    nowMs += afterMs;
    for (const event of due.filter(({ atMs }) => atMs <= nowMs)) event.act(nowMs);
    due.splice(0, due.length, ...due.filter(({ atMs }) => atMs > nowMs));
    const asked = isBatch ? mint(`m${id}`) : key(`${id}`);
    const ask = { ageSeconds, refusesCached, weight: 1, isWaiting: refusesCached || ageSeconds === undefined };
    order.enqueue(asked, ask, nowMs);
    if (ask.isWaiting) due.push({ atMs: nowMs + 2_000, act: () => order.dequeue(asked.id, ask) });
    const ids = called(order.next(free, nowMs));
    if (ids.length === 0) continue;
    calls.push({ atMs: nowMs, free, ids });
    expect(free).toBeGreaterThan(0);
    for (const each of ids) {
      expect(inFlight.has(each)).toBe(false);
      inFlight.add(each);
    }
    free--;
    const end = (endMs: number) => {
      for (const each of ids) inFlight.delete(each);
      order.completed(ids, hasAnswered, endMs);
    };
    due.push({ atMs: nowMs + 300, act: end }, { atMs: nowMs + 60_300, act: () => free++ });
  }
  return calls;
}

const histories = fc.array(step, { minLength: 200, maxLength: 600 });

describe('a flood of random keys', () => {
  it('never exceed the slots, call a key twice at once, or make a batch too large', () => {
    const holds = fc.property(histories, (steps) => {
      for (const { ids } of drive(steps)) expect(ids.length).toBeLessThanOrEqual(3);
    });
    fc.assert(holds, { numRuns: 20 });
  });

  it('evicts no key whose call is under way, which would be called twice', () => {
    order.enqueue(key('slow'), WAITS, 0);
    expect(called(order.next(30, 0))).toEqual(['slow']);
    for (let id = 0; id < 5_000; id++) order.enqueue(key(`x${id}`), WAITS, id);
    expect(order.isInFlight('slow')).toBe(true);
  });

  it('evicts the least popular keys first', () => {
    const { order, nowMs } = busyOrder();
    for (let id = 0; id < 5_000; id++) order.enqueue(key(`x${id}`), WAITS, nowMs + id);
    expect(order.size).toBeLessThanOrEqual(2 * LIMITS.demands);
    order.enqueue(key('a'), WAITS, nowMs + 5_000);
    for (const id of ['p', 'q']) for (let count = 0; count < 9; count++) order.enqueue(key(id), WAITS, nowMs + 5_000);
    expect(called(order.next(1, nowMs + 5_001))).toEqual(['a']);
  });
});

const SLOT = { usedMs: 0, release: () => undefined };
const budget: Budget = { key: 'b', limit: 1, windowMs: 1, inFlightMs: 1 };
const shareAt = (group: string): Share => ({ group, wallet: 'W' });

/** A request at an address that waits for the key, and takes a slot like this. */
const waiterAt = (group: string, take: Slots['take']): Waiter =>
  new Waiter([{ key: key('a'), refusesCached: false }], { wallet: group, slots: { take } }, shareAt(group));

/** Makes a call for these requests. Answers the requests that were dismissed, and the numbers of calls. */
async function callFor(...waiters: readonly Waiter[]) {
  const [waiting, dismissed] = [new Waiters(order), [] as (string | undefined)[]];
  for (const waiter of waiters) {
    waiting.enter(waiter, 60_000, () => undefined);
    waiter.done.catch(() => dismissed.push(waiter.asker.wallet));
  }
  const dependencies = {
    upstream: { answer: ({ slots }: UpstreamCall) => slots.take(budget).then(() => ({ json: '{}' })) },
    refreshSlots: { take: () => Promise.reject(new Error('a request waits')) },
    now: () => 0,
  };
  const calls = new CallsInFlight(dependencies, { order, kept: new LRUCache({ max: 9 }) }, waiting);
  await calls.make([PLAN], claimAlone());
  return { dismissed, made: calls.made };
}

describe('a call that several wait for', () => {
  it('is charged to all of their shares', async () => {
    const charges: unknown[] = [];
    const take: Slots['take'] = async (_, charge) => {
      charges.push(charge);
      return SLOT;
    };
    const used: Slots['take'] = () => Promise.reject(new Refusal('invalid_siwx_nonce'));
    const [one, two] = [waiterAt('one', used), waiterAt('two', take)];
    expect(await callFor(one, two)).toEqual({ dismissed: ['one'], made: { awaited: 1, refresh: 0 } });
    expect(charges).toEqual([[shareAt('one'), shareAt('two')]]);
    expect([two.given.size, two.isCollapsed]).toEqual([1, false]);
  });

  it('asks for one slot if no share has a slot, and refuses all waiters', async () => {
    let asked = 0;
    const refusal = new Refusal('rate_limited', { scope: 'group', retryAfterSeconds: 60 });
    const take: Slots['take'] = () => {
      asked++;
      return Promise.reject(refusal);
    };
    const { dismissed, made } = await callFor(waiterAt('one', take), waiterAt('two', take));
    expect([asked, dismissed, made.awaited]).toEqual([1, ['one', 'two'], 0]);
  });
});
