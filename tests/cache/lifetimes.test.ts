import { type Environment, readConfig } from '@asset-gateway/gateway';
import { routes } from '@asset-gateway/protocol';
import { describe, expect, it } from 'vitest';
import { cacheKeyOf, requestFreshness } from '../../packages/gateway/src/cache/cache-key.ts';
import { BATCH_SIZES, candlesLifetime, LIFETIMES } from '../../packages/gateway/src/cache/lifetimes.ts';
import type { Input } from '../../packages/gateway/src/call.ts';
import { writeDocument } from '../apis/document-files.ts';
import { standIn } from '../kit/stand-in.ts';

const NOW = 1_795_000_000;
const ids = routes.filter(({ surface }) => surface === 'tokens').map(({ id }) => id);

it('every asset-data row except health has lifetimes', () => {
  expect(Object.keys(LIFETIMES).sort()).toEqual(ids.filter((id) => id !== 'tokens.health').sort());
  expect(ids).toEqual(expect.arrayContaining(Object.keys(BATCH_SIZES)));
});

it('nothing is fresh for longer than its maximum age', () => {
  for (const { freshSeconds, maxStaleSeconds } of Object.values(LIFETIMES)) {
    expect(freshSeconds).toBeLessThanOrEqual(maxStaleSeconds);
  }
});

it.each([
  ['1m', false, 60, 900],
  ['1H', false, 60, 3_600],
  [undefined, false, 60, 900],
  ['nothing of the kind', false, 60, 900],
  ['1m', true, 86_400, 604_800],
])('candles of %s, closed %s: fresh for %i s, served for %i s', (interval, isClosed, freshSeconds, maxStaleSeconds) => {
  expect(candlesLifetime(interval, isClosed)).toEqual({ freshSeconds, maxStaleSeconds });
});

it.each([
  ['1m', 900],
  ['1H', 3_600],
  ['1D', 86_400],
])('a range of %s candles stays open for %i s after its end', (interval, seconds) => {
  const route = routes.find(({ method }) => method === 'ohlcv');
  const ohlcv = LIFETIMES['tokens.ohlcv'];
  if (!route || !ohlcv) throw new Error('no candles');
  const input = standIn<Input>({ path: {}, query: { interval, to: NOW }, body: {} });
  const overSince = (at: number) => cacheKeyOf(route, input, ohlcv, at).overSinceSeconds;
  expect([NOW, NOW + seconds, NOW + seconds + 1].map(overSince)).toEqual([undefined, undefined, NOW + seconds]);
});

it("an operator's lifetime of candles holds for open and past ranges, and past ones keep their own key", () => {
  const route = routes.find(({ method }) => method === 'priceChart');
  const own = { freshSeconds: 5, maxStaleSeconds: 30 };
  if (!route) throw new Error('no candles');
  const keyAt = (to: number) =>
    cacheKeyOf(route, standIn<Input>({ path: {}, query: { interval: '1D', to }, body: {} }), own, NOW);
  expect(keyAt(NOW)).toMatchObject({ ...own, id: expect.not.stringContaining('over') });
  expect(keyAt(NOW - 90_000)).toMatchObject({
    ...own,
    overSinceSeconds: NOW - 3_600,
    id: expect.stringContaining('over'),
  });
});

it.each([
  ['no-store', undefined, true],
  ['no-cache', undefined, true],
  ['max-age=60, max-age=30', 30, false],
  ['max-age=30, max-age=60', 30, false],
  ['max-age=30, max-age=0', 0, true],
])('a request with Cache-Control: %s reads as max-age %s, no-cache %s', (header, maxAgeSeconds, refusesCached) => {
  expect(requestFreshness(header)).toEqual({ maxAgeSeconds, refusesCached });
});

const readWith = (file: unknown, variables: Environment = {}) =>
  readConfig({ TOKENS_API_KEY: 'key', RESPONSE_CACHE: 'on', APIS_FILE: writeDocument(file), ...variables });

/** Reads a configuration whose file has these lifetimes, by method. */
function read(lifetimes: Readonly<Record<string, unknown>>, variables: Environment = {}) {
  const operations = Object.entries(lifetimes).map(([name, cache]) => [name, { cache }]);
  return readWith({ tokens: { operations: Object.fromEntries(operations) } }, variables);
}

describe('lifetimes in APIS_FILE', () => {
  it('replace those of the routes that they name, and leave the others', () => {
    const search = { freshSeconds: 1, maxStaleSeconds: 2 };
    expect(read({ search }).cache?.lifetimes).toEqual({ ...LIFETIMES, 'tokens.search': search });
  });

  it('with 0 and 0 a route is never cached', () => {
    const { 'tokens.search': _, ...others } = LIFETIMES;
    expect(read({ search: { freshSeconds: 0, maxStaleSeconds: 0 } }).cache?.lifetimes).toEqual(others);
  });

  it('of `*` are those of every cached route that no name sets', () => {
    const [all, search] = [
      { freshSeconds: 1, maxStaleSeconds: 2 },
      { freshSeconds: 3, maxStaleSeconds: 4 },
    ];
    const expected = Object.fromEntries(
      Object.keys(LIFETIMES).map((id) => [id, id === 'tokens.search' ? search : all]),
    );
    expect(read({ search, '*': all }).cache?.lifetimes).toEqual(expected);
    expect(read({ '*': all, search }).cache?.lifetimes).toEqual(expected);
  });

  it.each([
    ['health', { freshSeconds: 1, maxStaleSeconds: 1 }, 'tokens.operations.health.cache'],
    ['search', { freshSeconds: 1 }, 'tokens.operations.search.cache'],
    ['search', { freshSeconds: 1.5, maxStaleSeconds: 2 }, 'tokens.operations.search.cache.freshSeconds'],
    ['search', { freshSeconds: 2, maxStaleSeconds: 1 }, 'maxStaleSeconds below its freshSeconds'],
  ])('of %s as %j are a fault that names its place', (method, lifetime, sentence) => {
    expect(() => read({ [method]: lifetime })).toThrow(sentence);
  });

  it('of paid routes are a fault', () => {
    const cache = { freshSeconds: 1, maxStaleSeconds: 2 };
    const file = { rpc: { operations: { getBalance: { cache } } } };
    expect(() => readWith(file)).toThrow(
      'rpc.operations.getBalance.cache cannot be set: these answers are never cached.',
    );
  });

  it('while the cache is off, faults are named all the same, and good ones are a notice', () => {
    expect(() => read({ serch: {} }, { RESPONSE_CACHE: 'off' })).toThrow('APIS_FILE');
    const { notices } = read({ search: { freshSeconds: 1, maxStaleSeconds: 2 } }, { RESPONSE_CACHE: 'off' });
    expect(notices).toEqual(['APIS_FILE says how long answers are cached, but RESPONSE_CACHE is off']);
  });
});
