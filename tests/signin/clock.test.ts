import { createClient } from '@asset-gateway/client';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { inEachTest, inSuite } from '../kit/in-suite.ts';
import { redisSuite, startRedis } from '../kit/redis.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { encodeHeader, newSigner } from '../kit/wallet.ts';
import { overHttp, refusedWith, statusOf } from './craft.ts';
import { openDirect } from './direct-gateway.ts';
import { type Changes, SEARCH, signedPayload } from './payload.ts';

const HOUR = 3_600;
/** Less than the hour that a wrong clock is off, and more than a busy machine takes. */
const CLOSE_MS = (HOUR * 1000) / 4;

const direct = inEachTest(openDirect);
const fromNow = (seconds: number): string => direct.fromNow(seconds);
const noDates: Changes = { expirationTime: undefined };

async function refusesFresh(code: string, ...changed: readonly Changes[]): Promise<void> {
  const signer = newSigner();
  const challenge = await direct.challenge();
  await direct.costsNothing(async () => {
    for (const changes of changed)
      await refusedWith(code, direct.askWith(encodeHeader(await signedPayload(challenge, changes, signer))));
  });
  const good = encodeHeader(await signedPayload(challenge, {}, signer));
  expect(await statusOf(direct.askWith(good))).toBe(200);
}

describe('S6 the age of a challenge', () => {
  it.each<[string, () => Changes]>([
    ['unchanged', () => ({})],
    ['with an expiry moved by a year', () => ({ expirationTime: fromNow(31_536_000) })],
    ['without an expiry', () => noDates],
    ['with an issuedAt of now', () => ({ ...noDates, issuedAt: fromNow(301) })],
  ])('301 s is expired: %s', async (_, changes) => {
    const header = await direct.signIn(SEARCH, changes());
    direct.step(301);
    await direct.costsNothing(() => refusedWith('invalid_siwx_expired', direct.askWith(header)));
  });

  it('299 s is accepted, also without an expiry, and with one a year later', async () => {
    const headers = [
      await direct.signIn(),
      await direct.signIn(SEARCH, noDates),
      await direct.signIn(SEARCH, { expirationTime: fromNow(31_536_000) }),
    ];
    direct.step(299);
    for (const header of headers) expect(await statusOf(direct.askWith(header))).toBe(200);
  });

  it('an earlier expirationTime counts', async () => {
    const headers = [await direct.signIn(SEARCH, { expirationTime: fromNow(10) })];
    headers.push(await direct.signIn(SEARCH, { expirationTime: fromNow(10) }));
    direct.step(9);
    expect(await statusOf(direct.askWith(headers[0] ?? ''))).toBe(200);
    direct.step(2);
    await direct.costsNothing(() => refusedWith('invalid_siwx_expired', direct.askWith(headers[1] ?? '')));
  });
});

it('the RateLimit headers tell the slots that are left, and the seconds until the next one frees', async () => {
  expect(await statusOf(direct.askFreshly())).toBe(200);
  direct.step(60);
  const { headers } = await direct.askFreshly();
  expect(headers.get('ratelimit-policy')).toBe('"upstream";q=100000;w=3600');
  expect(headers.get('ratelimit')).toMatch(/^"upstream";r=99998;t=35\d\d$/);
});

describe("S7 the client's clock", () => {
  it.each([-600, 600])('may be %i s off if it echoes our issuedAt', async (seconds) => {
    const { info } = await direct.challenge();
    const ours = { issuedAt: info.issuedAt, expirationTime: info.expirationTime };
    expect(info.issuedAt).not.toBe(fromNow(seconds));
    expect(await statusOf(direct.askFreshly(SEARCH, ours))).toBe(200);
  });

  it.each([
    '1',
    '2026-11-20',
    '2026-11-20T12:00:00',
    '2026-11-20T12:00:00+00:00',
    '2026-02-30T12:00:00Z',
    '2026-11-20T25:00:00Z',
    '2026-11-20t12:00:00z',
    'Fri, 20 Nov 2026 12:00:00 GMT',
    '+002026-11-20T12:00:00Z',
    '2026-11-20T12:00:00.1234567890Z',
  ])('the date %s is refused', async (date) => {
    const fields = ['issuedAt', 'expirationTime', 'notBefore'];
    await refusesFresh('invalid_siwx_header', ...fields.map((field) => ({ [field]: date })));
  });
});

describe.each([0, -HOUR, HOUR])('S7 V12 a time of day that has jumped by %i s', (step) => {
  it.each([-299, -60, 0, 29])('accepts an own issuedAt of a client: %i s', async (seconds) => {
    direct.setRight(step);
    const own = { issuedAt: fromNow(seconds), expirationTime: fromNow(120) };
    expect(await statusOf(direct.askFreshly(SEARCH, own))).toBe(200);
  });

  it.each<[string, number, string]>([
    ['issuedAt', -600, 'invalid_siwx_issued_at_too_old'],
    ['issuedAt', -301, 'invalid_siwx_issued_at_too_old'],
    ['issuedAt', 31, 'invalid_siwx_issued_at_in_future'],
    ['issuedAt', 600, 'invalid_siwx_issued_at_in_future'],
    ['expirationTime', -1, 'invalid_siwx_expired'],
    ['notBefore', 31, 'invalid_siwx_not_yet_valid'],
  ])('refuses %s: %i s is %s', async (field, seconds, code) => {
    direct.setRight(step);
    await refusesFresh(code, { ...(field === 'issuedAt' && noDates), [field]: fromNow(seconds) });
    expect(await statusOf(direct.askFreshly(SEARCH, { notBefore: fromNow(29) }))).toBe(200);
  });
});

describe("S8 the server's clock steps", () => {
  it.each([-3600, 3600])('by %i s: a nonce works once, and fresh challenges work before and after', async (seconds) => {
    const header = await direct.signIn(SEARCH, noDates);
    expect(await statusOf(direct.askWith(header))).toBe(200);
    direct.step(seconds);
    expect((await direct.askWith(header)).status).toBe(402);
    expect(await statusOf(direct.askFreshly())).toBe(200);
    direct.step(-seconds);
    await refusedWith('invalid_siwx_nonce', direct.askWith(header));
    expect(await statusOf(direct.askFreshly())).toBe(200);
    expect(direct.upstream.arrivals).toHaveLength(3);
  });
});

describe.each([-HOUR, HOUR])('a time of day that jumps by %i s', (step) => {
  it('V12 is in the next challenge, and does not invalidate an earlier one', async () => {
    const header = await direct.signIn();
    direct.setRight(step);
    const { info } = await direct.challenge();
    expect([info.issuedAt, info.expirationTime]).toEqual([fromNow(0), fromNow(300)]);
    for (const answer of [direct.askFreshly(), direct.askWith(header)]) expect(await statusOf(answer)).toBe(200);
  });

  it('V12 does not invalidate a challenge that both clocks have dated between two seconds', async () => {
    direct.step(0.6);
    direct.setRight(0.6);
    const header = await direct.signIn();
    direct.setRight(step);
    expect(await statusOf(direct.askWith(header))).toBe(200);
  });

  it('V12 costs at most one more challenge when it jumps back', async () => {
    direct.setRight(step);
    const header = await direct.signIn();
    direct.setRight(-2 * step);
    const code = step > 0 ? 'invalid_siwx_issued_at_in_future' : 'invalid_siwx_issued_at_too_old';
    await direct.costsNothing(() => refusedWith(code, direct.askWith(header)));
    expect(await statusOf(direct.askFreshly())).toBe(200);
  });

  it('V12 allows no replay', async () => {
    const header = await direct.signIn();
    expect(await statusOf(direct.askWith(header))).toBe(200);
    for (const seconds of [step, -step, step, step]) {
      direct.setRight(seconds);
      await refusedWith('invalid_siwx_nonce', direct.askWith(header));
    }
    expect(direct.upstream.arrivals).toHaveLength(1);
  });

  it('V12 does not make a challenge younger', async () => {
    const headers = [await direct.signIn(), await direct.signIn(SEARCH, { expirationTime: undefined })];
    direct.step(301);
    direct.setRight(step);
    for (const header of headers) {
      await direct.costsNothing(() => refusedWith('invalid_siwx_expired', direct.askWith(header)));
    }
  });
});

describe('a gateway started with a wrong time of day', () => {
  afterEach(() => void vi.useRealTimers());

  it.each([-HOUR, HOUR])('V12 off by %i s, works once the time is right', async (seconds) => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1000 });
    const gateway = await startTestGateway();
    const asker = overHttp(gateway);
    const early = await asker.signIn();
    vi.useRealTimers();
    const { info } = await asker.challenge();
    expect(Math.abs(Date.parse(info.issuedAt) - Date.now())).toBeLessThan(CLOSE_MS);
    expect(await statusOf(asker.askFreshly(SEARCH, { issuedAt: new Date().toISOString() }))).toBe(200);
    expect(await statusOf(asker.askWith(early))).toBe(200);
    await refusedWith('invalid_siwx_nonce', asker.askWith(early));
    const client = createClient({ baseUrl: gateway.url, signer: newSigner() });
    expect(await statusOf(client.ask(SEARCH))).toBe(200);
  });
});

redisSuite('a Redis whose clock was set back an hour', () => {
  const redis = inSuite(startRedis);
  beforeAll(() => redis.command('HSET', '{gw:budgets}:state', 'ahead', String(HOUR * 1000)));

  it('V12 accepts clients with the right time, once a nonce', async () => {
    const gateway = await startTestGateway({ REDIS_URL: redis.url });
    const asker = overHttp(gateway);
    const { info } = await asker.challenge();
    expect(Math.abs(Date.parse(info.issuedAt) - Date.now())).toBeLessThan(CLOSE_MS);
    const header = await asker.signIn(SEARCH, { issuedAt: new Date().toISOString() });
    expect(await statusOf(asker.askWith(header))).toBe(200);
    await refusedWith('invalid_siwx_nonce', asker.askWith(header));
  });
});
