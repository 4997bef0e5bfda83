import { createClient } from '@asset-gateway/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RedisStore } from '../../packages/gateway/src/budget/redis-store.ts';
import { RedisConnection } from '../../packages/gateway/src/stores/redis/connection.ts';
import { redisSuite, startRedis } from '../kit/redis.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { newSigner } from '../kit/wallet.ts';
import {
  askFreshly,
  askWith,
  challengeOf,
  costsNothing,
  overHttp,
  refusedWith,
  SEARCH,
  signInFor,
  statusOf,
} from './craft.ts';
import { type DirectGateway, openDirect } from './direct-gateway.ts';

const HOUR = 3_600;

let direct: DirectGateway;
/** Seconds that the time of day was moved. */
let ahead: number;
beforeEach(async () => {
  direct = await openDirect();
  ahead = 0;
});
afterEach(() => direct.close());

function setRight(seconds: number): void {
  direct.setRight(seconds);
  ahead += seconds;
}

/** The time of day plus these seconds. */
const fromToday = (seconds: number): string => new Date((direct.nowSeconds() + ahead + seconds) * 1000).toISOString();

describe.each([-HOUR, HOUR])('a time of day that jumps by %i s', (step) => {
  it('V12 is in the next challenge', async () => {
    setRight(step);
    const { info } = await challengeOf(direct);
    expect([info.issuedAt, info.expirationTime]).toEqual([fromToday(0), fromToday(300)]);
    expect(await statusOf(askFreshly(direct))).toBe(200);
  });

  it.each([-299, -60, 0, 29])('V12 is compared with an own issuedAt of a client: %i s is accepted', async (seconds) => {
    setRight(step);
    const own = { issuedAt: fromToday(seconds), expirationTime: fromToday(120) };
    expect(await statusOf(askFreshly(direct, SEARCH, own))).toBe(200);
  });

  it.each<[string, number, string]>([
    ['issuedAt', -301, 'invalid_siwx_issued_at_too_old'],
    ['issuedAt', 31, 'invalid_siwx_issued_at_in_future'],
    ['expirationTime', -1, 'invalid_siwx_expired'],
    ['notBefore', 31, 'invalid_siwx_not_yet_valid'],
  ])('V12 is compared with %s: %i s is refused', async (field, seconds, code) => {
    setRight(step);
    await costsNothing(direct, direct, () =>
      refusedWith(code, askFreshly(direct, SEARCH, { [field]: fromToday(seconds) })),
    );
  });

  it('V12 does not invalidate an earlier challenge', async () => {
    const header = await signInFor(direct);
    setRight(step);
    expect(await statusOf(askWith(direct, header))).toBe(200);
  });

  it('V12 costs at most one more challenge when it jumps back', async () => {
    setRight(step);
    const header = await signInFor(direct);
    setRight(-2 * step);
    const code = step > 0 ? 'invalid_siwx_issued_at_in_future' : 'invalid_siwx_issued_at_too_old';
    await costsNothing(direct, direct, () => refusedWith(code, askWith(direct, header)));
    expect(await statusOf(askFreshly(direct))).toBe(200);
  });

  it('V12 allows no replay', async () => {
    const header = await signInFor(direct);
    expect(await statusOf(askWith(direct, header))).toBe(200);
    for (const seconds of [step, -step, step, step]) {
      setRight(seconds);
      await refusedWith('invalid_siwx_nonce', askWith(direct, header));
    }
    expect(direct.upstream.arrivals).toHaveLength(1);
  });

  it('V12 does not make a challenge younger', async () => {
    const headers = [await signInFor(direct), await signInFor(direct, SEARCH, { expirationTime: undefined })];
    direct.step(301);
    setRight(step);
    for (const header of headers) {
      await costsNothing(direct, direct, () => refusedWith('invalid_siwx_expired', askWith(direct, header)));
    }
  });
});

describe('a gateway started with a wrong time of day', () => {
  afterEach(() => void vi.useRealTimers());

  it.each([-HOUR, HOUR])('V12 off by %i s, works once the time is right', async (seconds) => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1000 });
    const gateway = await startTestGateway();
    const asker = overHttp(gateway);
    const early = await signInFor(asker);
    vi.useRealTimers();
    const { info } = await challengeOf(asker);
    expect(Math.abs(Date.parse(info.issuedAt) - Date.now())).toBeLessThan(10_000);
    expect(await statusOf(askFreshly(asker, SEARCH, { issuedAt: new Date().toISOString() }))).toBe(200);
    expect(await statusOf(askWith(asker, early))).toBe(200);
    await refusedWith('invalid_siwx_nonce', askWith(asker, early));
    const client = createClient({ baseUrl: gateway.url, signer: newSigner() });
    expect(await statusOf(client.ask(SEARCH))).toBe(200);
    await gateway.stop();
  });
});

redisSuite('a Redis whose clock was set back an hour', () => {
  it('V12 gives nodes its time of day, and keeps the monotonic clock of ages', async () => {
    const redis = await startRedis();
    await redis.command('HSET', '{gw:budgets}:state', 'ahead', String(HOUR * 1000));
    const connection = await RedisConnection.load(redis.url);
    const store = new RedisStore(connection);
    await connection.connect(() => undefined);
    await store.readEpoch();
    expect(Math.abs(store.wallNow() - Date.now())).toBeLessThan(10_000);
    expect(Math.abs(store.now() - Date.now() - HOUR * 1000)).toBeLessThan(10_000);
    store.close();
    connection.close();
    await redis.stop();
  });

  it('V12 accepts clients with the right time, once a nonce', async () => {
    const redis = await startRedis();
    await redis.command('HSET', '{gw:budgets}:state', 'ahead', String(HOUR * 1000));
    const gateway = await startTestGateway({ REDIS_URL: redis.url });
    const asker = overHttp(gateway);
    const { info } = await challengeOf(asker);
    expect(Math.abs(Date.parse(info.issuedAt) - Date.now())).toBeLessThan(10_000);
    const header = await signInFor(asker, SEARCH, { issuedAt: new Date().toISOString() });
    expect(await statusOf(askWith(asker, header))).toBe(200);
    await refusedWith('invalid_siwx_nonce', askWith(asker, header));
    await gateway.stop();
    await redis.stop();
  });
});
