import { routes } from '@asset-gateway/protocol';
import { expect, it } from 'vitest';
import { BATCH_SIZES, candlesLifetime, LIFETIMES } from '../../packages/gateway/src/cache/lifetimes.ts';

const methods = routes.filter(({ surface }) => surface === 'tokens').map(({ method }) => method);

it('every asset-data row but the health probe has its lifetimes, and nothing else has', () => {
  expect(Object.keys(LIFETIMES).sort()).toEqual(methods.filter((method) => method !== 'health').sort());
  expect(methods).toEqual(expect.arrayContaining(Object.keys(BATCH_SIZES)));
});

it('nothing is fresh for longer than it may be served', () => {
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
