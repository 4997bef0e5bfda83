import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Environment, readConfig } from '@asset-gateway/gateway';
import { routes } from '@asset-gateway/protocol';
import { afterAll, describe, expect, it } from 'vitest';
import { cacheKeyOf, requestFreshness } from '../../packages/gateway/src/cache/cache-key.ts';
import { BATCH_SIZES, candlesLifetime, LIFETIMES } from '../../packages/gateway/src/cache/lifetimes.ts';
import type { Input } from '../../packages/gateway/src/call.ts';
import { makeFolder } from '../kit/folder.ts';

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
  const input = { path: {}, query: { interval, to: NOW }, body: {} } as unknown as Input;
  const overSince = (at: number) => cacheKeyOf(route, input, ohlcv, at).overSinceSeconds;
  expect([NOW, NOW + seconds, NOW + seconds + 1].map(overSince)).toEqual([undefined, undefined, NOW + seconds]);
});

it.each([
  ['no-store', undefined, true],
  ['no-cache', undefined, true],
  ['max-age=60, max-age=30', 30, false],
  ['max-age=30, max-age=60', 30, false],
  ['max-age=30, max-age=0', 0, true],
])('a request with Cache-Control: %s reads as max-age %s, no-cache %s', (header, maxAgeSeconds, noCache) => {
  expect(requestFreshness(header)).toEqual({ maxAgeSeconds, noCache });
});

const folder = makeFolder();
const path = join(folder, 'cache.json');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Reads a configuration whose file holds this. */
function read(content: unknown, variables: Environment = {}) {
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return readConfig({ TOKENS_API_KEY: 'key', RESPONSE_CACHE: 'on', CACHE_FILE: path, ...variables });
}

describe('CACHE_FILE', () => {
  it('replaces the lifetimes of the routes that it names, and leaves the others', () => {
    const search = { freshSeconds: 1, maxStaleSeconds: 2 };
    expect(read({ 'tokens.search': search }).cache?.lifetimes).toEqual({ ...LIFETIMES, 'tokens.search': search });
  });

  it('with 0 and 0 has a route never kept', () => {
    const { 'tokens.search': _, ...others } = LIFETIMES;
    expect(read({ 'tokens.search': { freshSeconds: 0, maxStaleSeconds: 0 } }).cache?.lifetimes).toEqual(others);
  });

  it.each([
    ['a list', [], 'must be a JSON object'],
    ['no JSON', '{', 'must be a JSON object'],
    [
      'a route that is not kept',
      { 'tokens.health': { freshSeconds: 1, maxStaleSeconds: 1 } },
      '"tokens.health" is not a cached route',
    ],
    [
      'a route that is none',
      { 'tokens.serch': { freshSeconds: 1, maxStaleSeconds: 1 } },
      'the nearest is tokens.search',
    ],
    [
      'one member',
      { 'tokens.search': { freshSeconds: 1 } },
      '"tokens.search" must be freshSeconds and maxStaleSeconds',
    ],
    ['a bound below fresh', { 'tokens.search': { freshSeconds: 2, maxStaleSeconds: 1 } }, 'must be'],
    ['a fraction', { 'tokens.search': { freshSeconds: 1.5, maxStaleSeconds: 2 } }, 'must be'],
    ['another member', { 'tokens.search': { freshSeconds: 1, maxStaleSeconds: 2, x: 1 } }, 'must be'],
  ])('with %s is named at the start', (_, content, sentence) => {
    expect(() => read(content)).toThrow(sentence);
  });

  it('has its faults named while nothing is kept', () => {
    expect(() => read('{', { RESPONSE_CACHE: 'off' })).toThrow('CACHE_FILE');
    expect(() => read({}, { CACHE_FILE: join(folder, 'nowhere') })).toThrow('CACHE_FILE: there is no file');
  });
});
