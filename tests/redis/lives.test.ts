import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as budgetScripts from '../../packages/gateway/src/budget/redis-scripts.ts';
import { RedisStore } from '../../packages/gateway/src/budget/redis-store.ts';
import type { Admit, Budget, NonceUse, Room } from '../../packages/gateway/src/budget/store.ts';
import { RedisConnection } from '../../packages/gateway/src/stores/redis/connection.ts';
import { type RedisServer, redisSuite, startRedis } from '../kit/redis.ts';
import { NO_ROOM, ROOM } from '../stores/room.ts';
import { expectAllRun, expectLives, LIVES, readLives, type Step } from './lives.ts';

/** A clock that stands still. */
const nowSeconds = 1_790_000_000;
const clock = () => nowSeconds * 1000;

const budget: Budget = { key: 'k', limit: 2, windowMs: 60_000, inFlightMs: 10_000, lateMs: 5_000 };
const charged: Budget = { ...budget, key: 'c', limit: 1 };
const share = { group: 'address:192.0.2.0/24', wallet: 'W' };
const brief: Budget = { key: 'brief', limit: 1, windowMs: 2_000, inFlightMs: 0 };

describe('the lives of keys in docs/redis.md', () => {
  it('are those that are tested here', () => {
    const tested = Object.entries(LIVES).map(([key, lives]) => [key, Object.values(lives)]);
    expect(readLives()).toEqual(Object.fromEntries(tested));
  });
});

redisSuite('on Redis every key that a step leaves lives as long as it should', () => {
  let redis: RedisServer;
  let connection: RedisConnection;
  beforeEach(async () => {
    redis = await startRedis();
    connection = await RedisConnection.load(redis.url);
    await connection.connect(() => undefined);
  });
  afterEach(async () => {
    connection.close();
    await redis.stop();
  });

  it('R11 R6 in budgets, used nonces too', async () => {
    const store = new RedisStore(connection, clock);
    await store.readEpoch();
    const nonceOf = (nonce: string, ageSeconds: number): NonceUse => {
      return { nonce, issuedAtSeconds: nowSeconds - ageSeconds, epoch: store.epoch() ?? '' };
    };
    const [young, old, early] = [nonceOf('young', 0), nonceOf('old', 299), nonceOf('early', -30)];
    const answered = async (of: Budget, owner: string, more: Partial<Admit> = {}) =>
      (await store.admit({ budget: of, owner, room: ROOM, ...more })).kind;
    const slotOf = (of: Budget, owner: string) => redis.command('ZSCORE', `{gw:budgets}:slots:${of.key}`, owner);
    const complete = async (of: Budget, owner: string) => {
      const before = await slotOf(of, owner);
      await redis.command('ZADD', `{gw:budgets}:slots:${of.key}`, '9e15', owner);
      store.complete(of, owner);
      await expect.poll(() => slotOf(of, owner)).not.toBe('9000000000000000');
      return before;
    };
    const { held } = LIVES.slots;
    const { used } = LIVES.nonce;
    const asked: boolean[] = [];
    const closing: Room = {
      /** Free when it is asked about, and not any more when Redis has answered. */
      isFreeFor: () => asked.push(true) === 1,
      take: () => undefined,
    };
    const steps: readonly Step[] = [
      { does: 'read the epoch', run: () => store.readEpoch(), sets: { state: LIVES.state.always } },
      { does: 'ask for the policy', run: () => store.mayEvict() },
      {
        does: 'admit',
        run: async () => expect(await answered(budget, 'one', { nonce: young })).toBe('admitted'),
        sets: { 'slots:k': held, 'limits:k': held, 'nonce:young': used },
      },
      {
        does: 'admit with a nonce that is nearly too old',
        run: async () => expect(await answered(budget, 'two', { nonce: old })).toBe('admitted'),
        sets: { 'slots:k': held, 'limits:k': held, 'nonce:old': used - 299_000 },
      },
      {
        does: 'refuse for want of a slot',
        run: async () => expect(await answered(budget, 'three', { nonce: early })).toBe('limited'),
        sets: { 'limits:k': held },
      },
      {
        does: 'refuse a replay',
        run: async () => expect(await answered(budget, 'four', { nonce: old })).toBe('nonce_used'),
      },
      {
        does: 'burn without a slot a nonce of a clock that is ahead',
        run: async () => expect(await store.burn(early, 'me')).toBe('burnt'),
        sets: { 'nonce:early': used + 30_000 },
      },
      { does: 'complete', run: () => complete(budget, 'one') },
      {
        does: 'charge a slot to a share',
        run: async () => expect(await answered(charged, 'one', { share })).toBe('admitted'),
        sets: Object.fromEntries(['slots:c', 'limits:c', 'holders:c', 'counts:c'].map((key) => [key, held])),
      },
      {
        does: 'refuse another slot of that share',
        run: async () => expect(await answered(charged, 'two', { share })).toBe('limited'),
        sets: { 'limits:c': held },
      },
      {
        does: 'let the charged slot expire',
        run: async () => {
          await redis.command('ZADD', '{gw:budgets}:slots:c', '1', 'one');
          expect(await answered(charged, 'three', { room: NO_ROOM })).toBe('crowded');
        },
        sets: { 'limits:c': held },
        ends: ['slots:c', 'holders:c', 'counts:c'],
      },
      {
        does: 'admit to a brief budget',
        run: async () => expect(await answered(brief, 'one')).toBe('admitted'),
        sets: { 'slots:brief': 2_000, 'limits:brief': 2_000 },
      },
      { does: 'complete there', run: () => complete(brief, 'one'), sets: { 'slots:brief': 2_000 } },
      {
        does: 'give back',
        run: async () => {
          const nonce = nonceOf('returned', 0);
          expect(await answered({ ...budget, key: 'wide' }, 'one', { nonce, room: closing })).toBe('crowded');
        },
        sets: { 'limits:wide': held },
      },
      { does: 'pause', run: () => store.pause(budget, 60_000), sets: { 'pause:k': 60_000 } },
    ];
    await expectLives(redis, 'budgets', steps);
    store.close();
    await expectAllRun(redis, budgetScripts);
  });
});
