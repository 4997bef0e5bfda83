import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import {
  type Budget,
  REFRESH_SHARE,
  type Share,
  type SlotAttempt,
  type SlotVerdict,
  type Store,
  shareOf,
} from '../../packages/gateway/src/budget/store.ts';
import { makeFolder } from '../kit/folder.ts';
import { inSuite } from '../kit/in-suite.ts';
import { openLocalStore } from '../kit/local-store.ts';
import { redisSuite, startRedis } from '../kit/redis.ts';
import { samples } from '../kit/rounds.ts';
import {
  admitUntilAnswered,
  closingRoom,
  nonceOf,
  openRedisStore,
  openTurnedStore,
  ROOM,
  type Subject,
  testsWith,
} from './contract.ts';

const WINDOW_MS = 600;

const budgetOf = (limit = 30): Budget => ({ key: randomUUID(), limit, windowMs: WINDOW_MS, inFlightMs: 10_000 });

/** The share of a wallet at the nth address, or of the wallet if it has paid. */
const at = (place: number, wallet = 'W', hasPaid = false): Share => shareOf(`10.0.${place}.1`, wallet, hasPaid);

/** Takes a slot, or says why not. */
const take = (
  store: Store,
  attempt: Pick<SlotAttempt, 'budget' | 'share'> & Partial<SlotAttempt>,
): Promise<SlotVerdict> => admitUntilAnswered(store, { owner: randomUUID(), inFlightLimit: ROOM, ...attempt });

async function fill(store: Store, budget: Budget, share: Share): Promise<number> {
  for (let slots = 0; ; slots++) {
    if ((await take(store, { budget, share })).kind !== 'admitted') return slots;
  }
}

/** The contract of shares for every store. */
function sharesContract(name: string, open: () => Promise<Subject>): void {
  const withStore = testsWith(open);

  describe(`${name}: shares`, () => {
    withStore('a group that is alone gets 24 of 30, and a newcomer is let in beside it', async ({ store }) => {
      const budget = budgetOf();
      expect(await fill(store, budget, at(1))).toBe(24);
      const refused = await take(store, { budget, share: at(1, 'another wallet') });
      expect(refused).toEqual({ kind: 'limited', scope: 'group', retryAfterMs: expect.any(Number) });
      expect(refused.retryAfterMs).toBeGreaterThan(0);
      expect(refused.retryAfterMs).toBeLessThanOrEqual(WINDOW_MS + budget.inFlightMs);
      expect(await take(store, { budget, share: at(2) })).toEqual({ kind: 'admitted', charged: at(2) });
    });

    withStore('a group that is alone gets four fifths of any limit, up to one slot', async ({ store }) => {
      const most = [];
      for (const limit of [1, 2, 3, 4, 5, 11]) most.push(await fill(store, budgetOf(limit), at(1)));
      expect(most).toEqual([1, 2, 3, 4, 4, 9]);
    });

    withStore('13 groups that ask in turn leave a slot to a newcomer', async ({ store }) => {
      const budget = budgetOf();
      for (let turn = 0; turn < 3 * 13; turn++) await take(store, { budget, share: at(1 + (turn % 13)) });
      expect(store.view(budget).left).toBe(4);
      expect((await take(store, { budget, share: at(14) })).kind).toBe('admitted');
    });

    withStore('W3 a share is judged as a slot would be, and nothing is taken', async ({ store }) => {
      const budget = budgetOf();
      expect(await store.judge(budget, at(1))).toBeUndefined();
      await fill(store, budget, at(1));
      const { left } = store.view(budget);
      const judged = await store.judge(budget, at(1));
      expect(judged).toEqual({ kind: 'limited', scope: 'group', retryAfterMs: expect.any(Number) });
      expect(judged?.retryAfterMs).toBeGreaterThan(0);
      for (let turn = 0; turn < 10; turn++) expect(await store.judge(budget, at(2))).toBeUndefined();
      expect(store.view(budget).left).toBe(left);
      for (let place = 2; place < 6; place++) await take(store, { budget, share: at(place) });
      for (let payer = 0; payer < 2; payer++) await take(store, { budget, share: at(1, `P${payer}`, true) });
      expect(await store.judge(budget, at(9))).toEqual({ kind: 'limited', retryAfterMs: expect.any(Number) });
    });

    withStore('a request that a share refuses takes no slot and uses up no nonce', async ({ store }) => {
      const budget = budgetOf();
      await fill(store, budget, at(1));
      const { left } = store.view(budget);
      const nonce = nonceOf(store);
      expect((await take(store, { budget, share: at(1), nonce })).scope).toBe('group');
      expect(store.view(budget).left).toBe(left);
      expect((await take(store, { budget, share: at(2), nonce })).kind).toBe('admitted');
      expect((await take(store, { budget, share: at(3), nonce })).kind).toBe('nonce_used');
    });

    withStore('inside a group a wallet leaves room for the others that hold a slot', async ({ store }) => {
      const budget = budgetOf();
      for (let slots = 0; slots < 4; slots++) await take(store, { budget, share: at(1, 'few') });
      expect(await fill(store, budget, at(1, 'many'))).toBe(16);
      expect((await take(store, { budget, share: at(1, 'many') })).scope).toBe('wallet');
      expect((await take(store, { budget, share: at(1, 'few') })).kind).toBe('admitted');
    });

    withStore('a slot that frees is no longer charged to its wallet', async ({ store, elapse }) => {
      const budget = budgetOf();
      for (let round = 0; round < 2; round++) {
        const owners = Array.from({ length: 20 }, () => randomUUID());
        for (const [index, owner] of owners.entries()) {
          const share = at(1, index === 0 ? 'few' : 'many');
          expect((await take(store, { budget, share, owner })).kind).toBe('admitted');
        }
        expect((await take(store, { budget, share: at(1, 'many') })).scope).toBe('wallet');
        for (const owner of owners) store.complete(budget, owner);
        await elapse(WINDOW_MS + 50);
      }
    });

    withStore('the last slots are left to wallets that have paid, wherever they are', async ({ store }) => {
      const budget = budgetOf();
      for (let place = 1; place <= 50; place++) await take(store, { budget, share: at(place) });
      expect(store.view(budget).left).toBe(2);
      expect((await take(store, { budget, share: at(51) })).scope).toBe('group');
      expect((await take(store, { budget, share: at(1, 'payer', true) })).kind).toBe('admitted');
    });

    withStore('a call that several wait for is charged to the group with the least', async ({ store }) => {
      const budget = budgetOf();
      await fill(store, budget, at(1));
      const share = [at(1), REFRESH_SHARE, at(2)];
      expect((await take(store, { budget, share })).charged).toEqual(REFRESH_SHARE);
      expect((await take(store, { budget, share })).charged).toEqual(at(2));
    });

    withStore('the same owner asking again is charged once', async ({ store }) => {
      const [budget, owner] = [budgetOf(5), randomUUID()];
      for (let again = 0; again < 5; again++) {
        expect(await take(store, { budget, share: at(1), owner })).toEqual({ kind: 'admitted', charged: at(1) });
      }
      expect(await fill(store, budget, at(1))).toBe(3);
    });

    withStore('groups whose slots have freed leave the others a larger part', async ({ store, elapse }) => {
      const budget = budgetOf();
      for (let place = 3; place <= 22; place++) {
        const owner = randomUUID();
        await take(store, { budget, share: at(place), owner });
        store.complete(budget, owner);
      }
      await elapse(WINDOW_MS + 50);
      expect([await fill(store, budget, at(1)), await fill(store, budget, at(2))]).toEqual([24, 4]);
    });

    withStore('slots that are charged to no group count as taken', async ({ store }) => {
      const budget = budgetOf();
      for (let slots = 0; slots < 10; slots++) {
        expect((await take(store, { budget, owner: randomUUID() } as SlotAttempt)).kind).toBe('admitted');
      }
      expect(await fill(store, budget, at(1))).toBe(16);
    });
  });
}

const START_MS = 1_790_000_000_000;

sharesContract('of one process', openTurnedStore);

it('slots from before a restart count as taken, but to no share', async () => {
  const [budget, folder] = [budgetOf(), makeFolder()];
  const before = await openLocalStore(() => START_MS, { folder });
  for (let slots = 0; slots < 10; slots++) await take(before.store, { budget, share: at(1) });
  await before.close();
  const { store, close } = await openLocalStore(() => START_MS, { folder });
  expect(await fill(store, budget, at(1))).toBe(16);
  await close();
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
  const redis = inSuite(startRedis);
  const opened: Subject[] = [];
  afterAll(async () => {
    for (const { stop } of opened) await stop();
  });

  async function node(open = () => openRedisStore(redis.url)): Promise<Store> {
    const subject = await open();
    opened.push(subject);
    return subject.store;
  }

  sharesContract('redis', () => openRedisStore(redis.url));

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
    const [shared, own] = [await node(), await node(openTurnedStore)];
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
      { numRuns: samples(50) },
    );
  });

  it('are given back with a slot that the node could not use', async () => {
    const [store, budget] = [await node(), budgetOf()];
    expect((await take(store, { budget, share: at(1), inFlightLimit: closingRoom() })).kind).toBe('crowded');
    expect(await countsOf(budget.key)).toEqual({});
  });

  it('are not left charged by a node that lets slots expire without sharing them out', async () => {
    const [store, budget] = [await node(), budgetOf(5)];
    const owner = randomUUID();
    await take(store, { budget, share: at(1), owner });
    await redis.command('ZREM', `{gw:budgets}:slots:${budget.key}`, owner);
    expect((await take(store, { budget, share: at(2) })).kind).toBe('admitted');
    const group = 'address:10.0.2.0/24';
    expect(await countsOf(budget.key)).toEqual({ groups: '1', [group]: '1', [`${group} W`]: '1' });
  });
});
