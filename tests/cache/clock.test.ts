import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startTestGateway, type TestGateway, WITHOUT_BREAKER } from '../kit/test-gateway.ts';
import { askSigned, signedHeader } from '../kit/wallet.ts';
import { cacheFile } from './file.ts';

const DAY = 86_400;
const LIMIT = { TOKENS_RATE_LIMIT_PER_MINUTE: '30' };
/** Maximum age of one-minute candles while their range is open. */
const BOUND_SECONDS = 900;

/** The maximum age of searches. */
const SEARCH_SECONDS = 60;
const APIS_FILE = cacheFile('search', 1, SEARCH_SECONDS);

let gateway: TestGateway;
/** Starts a gateway under clocks that a test turns: the sockets and the timers of this process go on. */
async function start(shouldAdvanceTime: boolean): Promise<void> {
  vi.useFakeTimers({ toFake: ['Date', 'performance', 'hrtime'], now: Date.now(), shouldAdvanceTime });
  gateway = await startTestGateway({ RESPONSE_CACHE: 'on', APIS_FILE, ...LIMIT }, WITHOUT_BREAKER);
}
afterEach(async () => {
  vi.useRealTimers();
});

/** Advances every clock. */
const elapse = (seconds: number) => vi.advanceTimersByTime(seconds * 1_000);
/** Changes only the time of day. */
const turn = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1_000);
const nowSeconds = () => Math.floor(Date.now() / 1_000);
const calls = () => gateway.upstream.arrivals.length;
const pathOf = (to: number, kind = 'ohlcv') =>
  `${gateway.url}/v1/x402/tokens/assets/solana/${kind}?interval=1m&from=${to - 3_600}&to=${to}`;

async function ask(url: string) {
  const answer = await askSigned(url);
  await answer.arrayBuffer();
  const { status, headers } = answer;
  return { status, age: Number(headers.get('age')), cache: headers.get('cache-status') ?? '' };
}

describe('candles of a range that was open when they were fetched', () => {
  beforeEach(() => start(false));

  it.each(['ohlcv', 'price-chart'])('W6 are not served beyond their age after the range closed (%s)', async (kind) => {
    const url = pathOf(nowSeconds() + 600, kind);
    expect(await ask(url)).toMatchObject({ status: 200, cache: 'asset-gateway; fwd=miss; stored' });
    elapse(600 + BOUND_SECONDS + 40);
    expect(await ask(url)).toMatchObject({ status: 200, age: 0, cache: 'asset-gateway; fwd=miss; stored' });
    expect(calls()).toBe(2);
    // Fetched after the end, they are good for a day, and a week.
    elapse(DAY - 60);
    expect((await ask(url)).cache).toBe('asset-gateway; hit; ttl=60');
    expect(calls()).toBe(2);
  });

  it('W6 are fetched again when the range has closed', async () => {
    const url = pathOf(nowSeconds() - BOUND_SECONDS + 30);
    await ask(url);
    elapse(20);
    expect((await ask(url)).cache).toBe('asset-gateway; hit; ttl=40');
    elapse(20);
    expect((await ask(url)).cache).toBe('asset-gateway; fwd=miss; stored');
    expect(calls()).toBe(2);
  });

  it('W6 stay open candles when the time of day jumps forward and back', async () => {
    const url = pathOf(nowSeconds() + 600);
    await ask(url);
    turn(2 * DAY);
    expect((await ask(url)).cache).toBe('asset-gateway; fwd=miss; stored');
    turn(-2 * DAY);
    // Answers fetched with the wrong clock count as an open range.
    elapse(600 + BOUND_SECONDS + 60);
    expect(await ask(url)).toMatchObject({ age: 0, cache: 'asset-gateway; fwd=stale; stored' });
    expect(calls()).toBe(3);
  });

  it('W6 are not served beyond their maximum age after the time of day jumps back', async () => {
    const url = pathOf(nowSeconds() + 600);
    await ask(url);
    turn(-DAY);
    elapse(BOUND_SECONDS - 10);
    expect(await ask(url)).toMatchObject({ age: BOUND_SECONDS - 10 });
    elapse(20);
    expect((await ask(url)).age).toBe(0);
  });
});

const searchOf = (query: string) => `${gateway.url}/v1/x402/tokens/assets/search?q=${query}`;
const together = <T>(count: number, make: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, make));

describe.each([
  ['stale', SEARCH_SECONDS / 2, 'asset-gateway; hit;'],
  ['expired', SEARCH_SECONDS + 1, 'asset-gateway; fwd=stale; stored'],
])('replayed sign-ins for a %s answer', (query, seconds, cache) => {
  beforeEach(() => start(true));

  it('are refused without a call, and do not block a good one', async () => {
    const url = searchOf(query);
    const init = { headers: { 'SIGN-IN-WITH-X': await signedHeader(url) } };
    expect((await fetch(url, init)).status).toBe(200);
    elapse(seconds);
    const replays = await together(10, () => fetch(url, init));
    expect(new Set(replays.map(({ status }) => status))).toEqual(new Set([402]));
    expect(calls()).toBe(1);
    const good = await ask(url);
    expect([good.status, good.cache]).toEqual([200, expect.stringContaining(cache)]);
    await expect.poll(calls).toBe(2);
  });
});

it('a failure that is repeated without a call names only the rest of its wait', async () => {
  await start(false);
  Object.assign(gateway.upstream.faults, { status: 429, retryAfter: '50' });
  const refusal = async () => {
    const answer = await askSigned(searchOf('failing'));
    const { error, retryAfterSeconds } = (await answer.json()) as Record<string, unknown>;
    return [error, retryAfterSeconds, answer.headers.get('retry-after')];
  };
  expect(await refusal()).toEqual(['upstream_rate_limited', 50, '50']);
  // Its key is not called again for two seconds.
  elapse(1);
  expect(await refusal()).toEqual(['upstream_rate_limited', 49, '49']);
  expect(calls()).toBe(1);
});
