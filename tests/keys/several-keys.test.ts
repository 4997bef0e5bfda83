import { Refusal, type RefusalCode } from '@asset-gateway/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Budget } from '../../packages/gateway/src/budget/store.ts';
import type { Answer, Input, KeyedCall } from '../../packages/gateway/src/call.ts';
import {
  fullestFirst,
  type KeyStatus,
  SeveralKeys,
  usableKeys,
} from '../../packages/gateway/src/upstreams/several-keys.ts';
import { UpstreamRefusal } from '../../packages/gateway/src/upstreams/upstream.ts';
import { rowOf } from '../http/targets.ts';

const ROUTE = rowOf('tokens.health');
const INPUT = { path: {}, query: {}, body: {} } as Input;
const ASKED = { route: ROUTE, input: INPUT, wallet: undefined, arrival: { hosts: [], port: 0 } };
const ANSWER: Answer = { json: '{}' };
const SLOT = { usedMs: 0, release: () => undefined };
const KEYS = ['a', 'b', 'c'] as const;
const REFUSED = new UpstreamRefusal('upstream_auth_failed', 'answered', { reason: 'told to' });

const told = (code: RefusalCode, retryAfterSeconds?: number): Refusal =>
  new Refusal(code, retryAfterSeconds === undefined ? {} : { retryAfterSeconds });

/** Three keys, of which `a` is the fullest and `c` the emptiest. */
class Bench {
  nowMs = 0;
  /** What a slot of a budget is refused with. */
  readonly spends: Partial<Record<string, Error>> = {};
  /** The upstream's answer by key. */
  readonly does: Partial<Record<string, () => Promise<Answer>>> = {};
  /** How long each key is paused. */
  readonly pauses: Partial<Record<string, number>> = {};
  readonly spentFrom: string[] = [];
  readonly askedWith: string[] = [];
  readonly refused: (readonly [number, boolean])[] = [];
  readonly keys: SeveralKeys;

  constructor() {
    const keys = KEYS.map((key) => ({
      budget: { key, limit: 9, windowMs: 60_000, inFlightMs: 0 },
      upstream: {
        answer: async ({ takeSlot }: KeyedCall) => {
          await takeSlot();
          this.askedWith.push(key);
          return this.does[key]?.() ?? ANSWER;
        },
      },
    }));
    this.keys = new SeveralKeys(keys, {
      setAsideMs: 1_000,
      now: () => this.nowMs,
      store: {
        view: ({ key }) => ({ left: 'cba'.indexOf(key), resetMs: 0, pauseMs: this.pauses[key] ?? 0 }),
        judge: async () => undefined,
        pause: async () => undefined,
      },
      onFailure: () => undefined,
      onRefused: (...refusal) => void this.refused.push(refusal),
    });
  }

  ask(): Promise<Answer> {
    const take = async ({ key }: Budget) => {
      this.spentFrom.push(key);
      const refusal = this.spends[key];
      if (refusal) throw refusal;
      return SLOT;
    };
    return this.keys.answer({ ...ASKED, slots: { take } });
  }

  failure(): Promise<unknown> {
    return this.ask().catch((error: unknown) => error);
  }
}

let bench: Bench;
beforeEach(() => {
  bench = new Bench();
});

describe('a call that finds no slot', () => {
  it('of the fullest key is made with the next, and no key is asked with that had none', async () => {
    bench.spends.a = told('rate_limited', 9);
    expect(await bench.ask()).toBe(ANSWER);
    expect([bench.spentFrom, bench.askedWith]).toEqual([['a', 'b'], ['b']]);
  });

  it.each([
    [[9, 4, 7], 4],
    [[4, 9, 7], 4],
    [[9, 7, 4], 4],
  ])('of any key, which free in %j s, is refused with the shortest Retry-After', async ([a, b, c], least) => {
    const [spent, paused] = ['rate_limited', 'upstream_rate_limited'] as const;
    Object.assign(bench.spends, { a: told(spent, a), b: told(paused, b), c: told(spent, c) });
    expect(await bench.failure()).toMatchObject({ retryAfterSeconds: least });
    expect([bench.spentFrom, bench.askedWith]).toEqual([['a', 'b', 'c'], []]);
  });

  it('of a paused key asks for another key first, until the pause ends', async () => {
    bench.pauses.a = 2_000;
    await bench.ask();
    bench.pauses.a = 0;
    await bench.ask();
    expect(bench.spentFrom).toEqual(['b', 'a']);
  });
});

describe('a failure unrelated to a key', () => {
  it.each<RefusalCode>(['invalid_siwx_nonce', 'invalid_siwx_expired', 'overloaded', 'state_unavailable'])(
    '%s of spending ends the search: no other budget is asked',
    async (code) => {
      const refusal = told(code);
      bench.spends.a = refusal;
      expect(await bench.failure()).toBe(refusal);
      expect([bench.spentFrom, bench.askedWith, bench.refused]).toEqual([['a'], [], []]);
    },
  );

  it('an error of ours passes', async () => {
    const error = new TypeError('ours');
    bench.spends.a = error;
    expect(await bench.failure()).toBe(error);
    expect(bench.spentFrom).toEqual(['a']);
  });
});

describe('a key that is refused', () => {
  it('passes the call to the next key, and reports each rejection', async () => {
    for (const key of KEYS) bench.does[key] = () => Promise.reject(REFUSED);
    expect(await bench.failure()).toBe(REFUSED);
    expect(bench.askedWith).toEqual(['a', 'b', 'c']);
    expect(bench.refused).toEqual([
      [0, true],
      [1, true],
      [2, true],
    ]);
    await bench.failure();
    expect(bench.refused.slice(3)).toEqual([
      [0, false],
      [1, false],
      [2, false],
    ]);
  });

  it('stays set aside though a call that was made before is answered later', async () => {
    let end = (_: Answer): void => undefined;
    bench.does.a = () =>
      new Promise((resolve) => {
        end = resolve;
      });
    const earlier = bench.ask();
    await Promise.resolve();
    bench.does.a = () => Promise.reject(REFUSED);
    await bench.ask();
    end(ANSWER);
    expect(await earlier).toBe(ANSWER);
    expect(bench.keys.setAside()).toEqual([true, false, false]);
    // The slots of b and c.
    expect(bench.keys.view().left).toBe(1 + 0);
  });

  it('is no longer set aside when it answers, as it may when all were', async () => {
    for (const key of KEYS) bench.does[key] = () => Promise.reject(REFUSED);
    await bench.failure();
    delete bench.does.b;
    expect(await bench.ask()).toBe(ANSWER);
    expect(bench.keys.setAside()).toEqual([true, false, true]);
  });
});

const keyWith = (left: number, more: object = {}): KeyStatus => ({ left, pauseMs: 0, isSetAside: false, ...more });
const PAUSED = { pauseMs: 1 };
const ASIDE = { isSetAside: true };

/** Positions in the list, from 0. */
const placesOf = (chosen: readonly KeyStatus[], views: readonly KeyStatus[]): number[] =>
  chosen.map((view) => views.indexOf(view));

describe('the keys are tried', () => {
  it.each<[string, readonly KeyStatus[], readonly number[]]>([
    ['one alone', [keyWith(3)], [0]],
    ['one alone that is set aside', [keyWith(0, ASIDE)], [0]],
    ['the one with most slots left first', [keyWith(1), keyWith(3), keyWith(2)], [1, 2, 0]],
    ['as they are listed where they have as much', [keyWith(2), keyWith(2), keyWith(2)], [0, 1, 2]],
    ['also those with nothing left: the store has the last word', [keyWith(0), keyWith(0)], [0, 1]],
    ['the paused ones last', [keyWith(9, PAUSED), keyWith(0), keyWith(8, PAUSED)], [1, 0, 2]],
    ['not while they are set aside', [keyWith(9, ASIDE), keyWith(1)], [1]],
    ['not while they are set aside, though all others are paused', [keyWith(9, ASIDE), keyWith(1, PAUSED)], [1]],
    ['all of them when all are set aside', [keyWith(1, ASIDE), keyWith(2, ASIDE)], [1, 0]],
  ])('%s', (_, views, places) => expect(placesOf(fullestFirst(views), views)).toEqual(places));

  it('without changing the views', () => {
    const views = Object.freeze([keyWith(1), keyWith(2)]);
    expect(placesOf(fullestFirst(views), views)).toEqual([1, 0]);
  });
});

describe('the slots count', () => {
  it.each<[string, readonly KeyStatus[], readonly number[]]>([
    ['of all keys', [keyWith(2), keyWith(1)], [0, 1]],
    ['not of those that are paused or set aside', [keyWith(1, PAUSED), keyWith(2, ASIDE), keyWith(0)], [2]],
    ['of the paused ones when the others are set aside', [keyWith(1, PAUSED), keyWith(2, ASIDE)], [0]],
    ['of all when all are paused', [keyWith(2, PAUSED), keyWith(1, PAUSED)], [0, 1]],
    ['of all when all are set aside', [keyWith(2, ASIDE), keyWith(1, ASIDE)], [0, 1]],
    ['of one alone in any case', [keyWith(3, { ...PAUSED, ...ASIDE })], [0]],
  ])('%s', (_, views, places) => expect(placesOf(usableKeys(views), views)).toEqual(places));
});
