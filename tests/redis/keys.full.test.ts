import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, it } from 'vitest';
import { RedisStore } from '../../packages/gateway/src/budget/redis-store.ts';
import * as budgetScripts from '../../packages/gateway/src/budget/slot-scripts.ts';
import type { Budget, NonceUse, SlotAttempt } from '../../packages/gateway/src/budget/store.ts';
import { RedisEntries } from '../../packages/gateway/src/cache/redis-entries.ts';
import { RedisConnection, type Script } from '../../packages/gateway/src/stores/redis/connection.ts';
import { freePort } from '../http/ports.ts';
import { inSuite } from '../kit/in-suite.ts';
import { redisSuite, startRedis } from '../kit/redis.ts';
import { closingRoom, NO_ROOM, ROOM } from '../stores/contract.ts';

/** A clock that stands still. */
const NOW_SECONDS = 1_790_000_000;
const NO_END = -1;
const UNITS: Readonly<Record<string, number>> = { s: 1_000, min: 60_000 };

/** The milliseconds that docs/redis.md names for each kind of key; NaN if the caller chooses them. */
function documentedLives(): Readonly<Record<string, number>> {
  const [, section = ''] = readFileSync('docs/redis.md', 'utf8').split(/^## (?:What is kept|What it needs)$/m);
  const lives = [...section.matchAll(/^- ([^(]+) \((.+?)\)(?::|$)/gm)].flatMap(([, keys = '', life = '']) => {
    const [amount, unit = ''] = life.split(' ');
    const milliseconds = life === 'no end' ? NO_END : Number(amount) * (UNITS[unit] ?? Number.NaN);
    return [...keys.matchAll(/`([\w-]+)`/g)].map(([, key = '']) => [key, milliseconds] as const);
  });
  return Object.fromEntries(lives);
}

const budget: Budget = { key: 'k', limit: 2, windowMs: 60_000, inFlightMs: 10_000, lateMs: 5_000 };
const charged: Budget = { ...budget, key: 'c', limit: 1 };
const brief: Budget = { key: 'brief', limit: 1, windowMs: 20_000, inFlightMs: 0 };
const second: Budget = { ...brief, key: 'second', fromDispatch: true };
const share = { group: 'address:192.0.2.0/24', wallet: 'W' };

/** What a step does, the keys whose lives it sets, and the keys that it deletes. */
type Step = readonly [
  does: string,
  run: () => Promise<unknown>,
  sets?: Readonly<Record<string, number>>,
  ends?: readonly string[],
];

redisSuite('every key in a Redis in cluster mode', () => {
  // The bus port that Redis chooses, 10,000 above the other one, may be taken.
  const redis = inSuite(async () => startRedis({ 'cluster-enabled': 'yes', 'cluster-port': String(await freePort()) }));
  let connection: RedisConnection;
  beforeAll(async () => {
    await redis.command('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
    while (!String(await redis.command('CLUSTER', 'INFO')).includes('cluster_state:ok')) await sleep(20);
    connection = await RedisConnection.load(redis.url);
    await connection.connect(() => undefined);
    return () => connection.close();
  });

  const allKeys = async () => (await redis.command('KEYS', '*')) as string[];
  const { slots: held = 0, nonce: used = 0 } = documentedLives();

  /** Runs the steps, and checks the lives of all keys of budgets after each. */
  async function expectLives(steps: readonly Step[]): Promise<void> {
    const lives = new Map<string, { readonly life: number; readonly sinceMs: number }>();
    for (const [does, run, sets = {}, ends = []] of steps) {
      // Separates new lives from old ones.
      await sleep(30);
      const sinceMs = performance.now();
      await run();
      for (const [key, life] of Object.entries(sets)) lives.set(key, { life, sinceMs });
      for (const key of ends) expect(lives.delete(key)).toBe(true);
      const names = (await allKeys()).map((key) => key.replace('{gw:budgets}:', ''));
      expect({ does, leaves: names.sort() }).toEqual({ does, leaves: [...lives.keys()].sort() });
      for (const [key, { life, sinceMs }] of lives) {
        const left = Number(await redis.command('PTTL', `{gw:budgets}:${key}`));
        const least = life === NO_END ? NO_END : life - Math.ceil(performance.now() - sinceMs) - 1;
        const isRight = left >= least && left <= life;
        expect({ does, key, left: isRight || left }).toEqual({ does, key, left: true });
      }
    }
  }

  it('R11 R6 of budgets lives as long as docs/redis.md says after each step', async () => {
    const store = new RedisStore(connection, () => NOW_SECONDS * 1_000);
    await store.readEpoch();
    const nonceOf = (nonce: string, ageSeconds: number): NonceUse => {
      return { nonce, issuedAtSeconds: NOW_SECONDS - ageSeconds, epoch: store.epoch() ?? '' };
    };
    const [old, early] = [nonceOf('old', 299), nonceOf('early', -30)];
    const answers =
      (kind: string, of: Budget, owner: string, more: Partial<SlotAttempt> = {}) =>
      async () =>
        expect((await store.admit({ budget: of, owner, inFlightLimit: ROOM, ...more })).kind).toBe(kind);
    const slotOf = (of: Budget, owner: string) => redis.command('ZSCORE', `{gw:budgets}:slots:${of.key}`, owner);
    const complete = (of: Budget, owner: string) => async () => {
      await redis.command('ZADD', `{gw:budgets}:slots:${of.key}`, '9e15', owner);
      store.complete(of, owner);
      await expect.poll(() => slotOf(of, owner)).not.toBe('9000000000000000');
    };
    const expireCharged = async () => {
      await redis.command('ZADD', '{gw:budgets}:slots:c', '1', 'one');
      await answers('crowded', charged, 'three', { inFlightLimit: NO_ROOM })();
    };
    const useEarly = async () => expect(await store.useNonce(early, 'me')).toBe('accepted');
    const young = { nonce: nonceOf('young', 0) };
    const returned = { nonce: nonceOf('returned', 0), inFlightLimit: closingRoom() };
    const limited = { 'limits:c': held };
    const shared = { 'slots:c': held, 'limits:c': held, 'holders:c': held, 'counts:c': held };
    const slots = { 'slots:k': held, 'limits:k': held };
    await expectLives([
      ['read the epoch', () => store.readEpoch(), { state: NO_END }],
      ['ask for the policy', () => store.mayEvict()],
      ['admit', answers('admitted', budget, 'one', young), { ...slots, 'nonce:young': used }],
      [
        'admit an old one',
        answers('admitted', budget, 'two', { nonce: old }),
        { ...slots, 'nonce:old': used - 299_000 },
      ],
      ['refuse for want of a slot', answers('limited', budget, 'three', { nonce: early }), { 'limits:k': held }],
      ['refuse a replay', answers('nonce_used', budget, 'four', { nonce: old })],
      ['use up without a slot a nonce of a clock that is ahead', useEarly, { 'nonce:early': used + 30_000 }],
      ['complete', complete(budget, 'one')],
      ['charge a slot to a share', answers('admitted', charged, 'one', { share }), shared],
      ['refuse another slot of that share', answers('limited', charged, 'two', { share }), limited],
      ['let the charged slot expire', expireCharged, limited, ['slots:c', 'holders:c', 'counts:c']],
      ['admit to a brief budget', answers('admitted', brief, 'one'), { 'slots:brief': 20_000, 'limits:brief': 20_000 }],
      ['complete there', complete(brief, 'one'), { 'slots:brief': 20_000 }],
      ['count from dispatch', answers('admitted', second, 'one'), { 'slots:second': 20_000, 'limits:second': 20_000 }],
      ['give back', answers('crowded', { ...budget, key: 'wide' }, 'one', returned), { 'limits:wide': held }],
      ['pause', () => store.pause(budget, 60_000), { 'pause:k': 60_000 }],
      ['refuse for the pause', answers('paused', budget, 'five')],
    ]);
    await answers('admitted', { ...charged, key: 'last' }, 'one', { share })();
    store.close();
    for (const [name, script] of Object.entries(budgetScripts)) {
      if (!Object.hasOwn(Object(script), 'sha1')) continue;
      expect([name, await redis.command('SCRIPT', 'EXISTS', (script as Script).sha1)]).toEqual([name, [1]]);
    }
  });

  it('R10 R11 has the slot of its step, is named in docs/redis.md, and expires, but for the two clocks', async () => {
    const now = () => performance.now();
    const entries = new RedisEntries(connection, { secrets: ['s'.repeat(32)], scope: 'tokens', leaseMs: 13_000, now });
    const plans = ['one', 'two', 'three'].map((id) => ({ key: { id, freshSeconds: 60, maxStaleSeconds: 300 } }));
    expect((await entries.claim(plans, 'me')).leased.size).toBe(3);
    const written = plans.slice(0, 2).map((plan) => ({ ...plan, fetchedAtMs: now(), json: '1' }));
    await entries.write(written, 'me');
    expect((await entries.claim(plans)).entries.size).toBe(2);
    await entries.endLeases(plans, 'you');

    const [slots, kinds, lasting] = [new Set<string>(), new Set<string>(), new Set<string>()];
    for (const key of await allKeys()) {
      const [, tag, kind = ''] = /^\{gw:(\w+)\}:([\w-]+)/.exec(key) ?? [];
      kinds.add(kind);
      slots.add(`${tag} ${await redis.command('CLUSTER', 'KEYSLOT', key)}`);
      if ((await redis.command('PTTL', key)) === NO_END) lasting.add(`${tag} ${kind}`);
    }
    expect([...slots].map((slot) => slot.split(' ')[0]).sort()).toEqual(['budgets', 'cache']);
    expect([...kinds].sort()).toEqual(Object.keys(documentedLives()).sort());
    expect([...lasting].sort()).toEqual(['budgets state', 'cache state']);
  });
});
