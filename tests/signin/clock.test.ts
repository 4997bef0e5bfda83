import { createClient } from '@asset-gateway/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startTestGateway } from '../kit/test-gateway.ts';
import { encodeHeader, newSigner } from '../kit/wallet.ts';
import {
  askFreshly,
  askWith,
  type Changes,
  challengeOf,
  costsNothing,
  refusedWith,
  SEARCH,
  signedPayload,
  signInFor,
  statusOf,
} from './craft.ts';
import { type DirectGateway, openDirect } from './direct-gateway.ts';

let direct: DirectGateway;
beforeEach(async () => {
  direct = await openDirect();
});
afterEach(() => direct.close());

/** The gateway's time plus these seconds. */
const fromNow = (seconds: number): string => new Date((direct.nowSeconds() + seconds) * 1000).toISOString();

const noDates: Changes = { expirationTime: undefined };

async function refusesFresh(code: string, changes: Changes): Promise<void> {
  const signer = newSigner();
  const challenge = await challengeOf(direct);
  const header = encodeHeader(await signedPayload(challenge, changes, signer));
  await costsNothing(direct, direct, () => refusedWith(code, askWith(direct, header)));
  const good = encodeHeader(await signedPayload(challenge, {}, signer));
  expect(await statusOf(askWith(direct, good))).toBe(200);
}

describe('S6 the age of a challenge', () => {
  it('299 s is accepted', async () => {
    const header = await signInFor(direct);
    direct.step(299);
    expect(await statusOf(askWith(direct, header))).toBe(200);
  });

  it.each<[string, () => Changes]>([
    ['unchanged', () => ({})],
    ['with an expiry moved by a year', () => ({ expirationTime: fromNow(31_536_000) })],
    ['without an expiry', () => noDates],
    ['with an issuedAt of now', () => ({ ...noDates, issuedAt: fromNow(301) })],
  ])('301 s is expired: %s', async (_, changes) => {
    const header = await signInFor(direct, SEARCH, changes());
    direct.step(301);
    await costsNothing(direct, direct, () => refusedWith('invalid_siwx_expired', askWith(direct, header)));
  });

  it.each([301, 315, 330])('%i s without an expiry is expired', async (age) => {
    const header = await signInFor(direct, SEARCH, noDates);
    direct.step(age);
    await costsNothing(direct, direct, () => refusedWith('invalid_siwx_expired', askWith(direct, header)));
  });

  it('299 s is accepted without an expiry, and with one a year later', async () => {
    const headers = [
      await signInFor(direct, SEARCH, noDates),
      await signInFor(direct, SEARCH, { expirationTime: fromNow(31_536_000) }),
    ];
    direct.step(299);
    for (const header of headers) expect(await statusOf(askWith(direct, header))).toBe(200);
  });

  it('an earlier expirationTime counts', async () => {
    const headers = [await signInFor(direct, SEARCH, { expirationTime: fromNow(10) })];
    headers.push(await signInFor(direct, SEARCH, { expirationTime: fromNow(10) }));
    direct.step(9);
    expect(await statusOf(askWith(direct, headers[0] ?? ''))).toBe(200);
    direct.step(2);
    await costsNothing(direct, direct, () => refusedWith('invalid_siwx_expired', askWith(direct, headers[1] ?? '')));
  });
});

describe("S7 the client's clock", () => {
  it.each([-600, 600])('may be %i s off if it echoes our issuedAt', async (seconds) => {
    const { info } = await challengeOf(direct);
    const ours = { issuedAt: info.issuedAt, expirationTime: info.expirationTime };
    expect(info.issuedAt).not.toBe(fromNow(seconds));
    expect(await statusOf(askFreshly(direct, SEARCH, ours))).toBe(200);
  });

  it.each([-299, -60, 0, 29])('its own issuedAt of %i s is accepted', async (seconds) => {
    expect(await statusOf(askFreshly(direct, SEARCH, { ...noDates, issuedAt: fromNow(seconds) }))).toBe(200);
  });

  it.each<[number, string]>([
    [-600, 'invalid_siwx_issued_at_too_old'],
    [-301, 'invalid_siwx_issued_at_too_old'],
    [31, 'invalid_siwx_issued_at_in_future'],
    [600, 'invalid_siwx_issued_at_in_future'],
  ])('its own issuedAt of %i s is refused: %s', async (seconds, code) => {
    await refusesFresh(code, { ...noDates, issuedAt: fromNow(seconds) });
  });

  it('a notBefore beyond the allowed skew is refused', async () => {
    await refusesFresh('invalid_siwx_not_yet_valid', { notBefore: fromNow(31) });
    expect(await statusOf(askFreshly(direct, SEARCH, { notBefore: fromNow(29) }))).toBe(200);
  });

  it('an expiry in the past is refused', async () => {
    await refusesFresh('invalid_siwx_expired', { expirationTime: fromNow(-1) });
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
    for (const field of ['issuedAt', 'expirationTime', 'notBefore'])
      await refusesFresh('invalid_siwx_header', { [field]: date });
  });
});

describe("S8 the server's clock steps", () => {
  it.each([-3600, 3600])('by %i s between two uses: the nonce works once', async (seconds) => {
    const header = await signInFor(direct, SEARCH, noDates);
    expect(await statusOf(askWith(direct, header))).toBe(200);
    direct.step(seconds);
    expect((await askWith(direct, header)).status).toBe(402);
    direct.step(-seconds);
    await refusedWith('invalid_siwx_nonce', askWith(direct, header));
    expect(direct.upstream.arrivals).toHaveLength(1);
  });

  it('forward: a sign-in older than 300 s is refused', async () => {
    const header = await signInFor(direct, SEARCH, noDates);
    direct.step(3600);
    await refusedWith('invalid_siwx_expired', askWith(direct, header));
    expect(direct.upstream.arrivals).toHaveLength(0);
  });

  it.each([-3600, 3600])('by %i s: fresh challenges work before and after', async (seconds) => {
    expect(await statusOf(askFreshly(direct))).toBe(200);
    direct.step(seconds);
    expect(await statusOf(askFreshly(direct))).toBe(200);
    direct.step(-seconds);
    expect(await statusOf(askFreshly(direct))).toBe(200);
  });
});

describe("S7 the clock of our own client's machine", () => {
  afterEach(() => void vi.useRealTimers());

  it.each([-600_000, 600_000])('may be %i ms off', async (milliseconds) => {
    const gateway = await startTestGateway();
    const client = createClient({ baseUrl: gateway.url, signer: newSigner() });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + milliseconds });
    for (let round = 0; round < 3; round++) expect(await statusOf(client.ask(SEARCH))).toBe(200);
    await gateway.stop();
  });
});
