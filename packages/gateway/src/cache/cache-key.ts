import { createHash } from 'node:crypto';
import type { Route, Values } from '@asset-gateway/protocol';
import type { TObject } from 'typebox';
import type { Input } from '../call.ts';
import type { CacheKey } from './known-key.ts';
import { candlesLifetime, type Lifetime } from './lifetimes.ts';

/** A list of a place's values in the table's order, whatever order they were sent in. */
const inOrder = (schema: TObject | undefined, values: Values): unknown[] =>
  Object.keys(schema?.properties ?? {}).map((name) => (Object.hasOwn(values, name) ? values[name] : null));

/** Longer ones are told apart by their digest, so that what is remembered of thousands of keys stays small. */
const MAX_PLAIN = 128;

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url');

const CANDLES = new Set(['ohlcv', 'priceChart']);

function lifetimeOf({ method }: Route, { query }: Input, kept: Lifetime, nowSeconds: number): Lifetime {
  if (!CANDLES.has(method)) return kept;
  const interval = typeof query.interval === 'string' ? query.interval : undefined;
  const open = candlesLifetime(interval, false);
  const isClosed = typeof query.to === 'number' && query.to + open.maxStaleSeconds < nowSeconds;
  return isClosed ? candlesLifetime(interval, true) : { ...kept, maxStaleSeconds: open.maxStaleSeconds };
}

/**
 * What an answer is kept under: the row, and the validated values in the table's order. A value that is left out stays left out,
 * for only the upstream knows what it does then.
 */
export function cacheKeyOf(route: Route, input: Input, kept: Lifetime, nowSeconds: number): CacheKey {
  const { path, query, body } = route.input;
  const values = JSON.stringify([
    ...inOrder(path, input.path),
    ...inOrder(query, input.query),
    ...inOrder(body, input.body),
  ]);
  const id = `${route.method} ${values.length > MAX_PLAIN ? digestOf(values) : values}`;
  return { id, ...lifetimeOf(route, input, kept, nowSeconds) };
}
