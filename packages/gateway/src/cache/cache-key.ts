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

/** The lifetime of an answer that is fetched now; of a range that is over, since when. */
function lifetimeOf(
  { method }: Route,
  { query }: Input,
  kept: Lifetime,
  nowSeconds: number,
): Omit<CacheKey, 'id' | 'batch'> {
  if (!CANDLES.has(method)) return kept;
  const interval = typeof query.interval === 'string' ? query.interval : undefined;
  const open = candlesLifetime(interval, false);
  const overSinceSeconds = typeof query.to === 'number' ? query.to + open.maxStaleSeconds : Number.POSITIVE_INFINITY;
  if (overSinceSeconds < nowSeconds) return { ...candlesLifetime(interval, true), overSinceSeconds };
  return { ...kept, maxStaleSeconds: open.maxStaleSeconds };
}

/** How old an answer for this key may be, in seconds: an answer from before the range was over never counts. */
export const oldestSeconds = ({ maxStaleSeconds, overSinceSeconds }: CacheKey, nowSeconds: () => number): number =>
  overSinceSeconds === undefined ? maxStaleSeconds : Math.min(maxStaleSeconds, nowSeconds() - overSinceSeconds);

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
  const lifetime = lifetimeOf(route, input, kept, nowSeconds);
  // An answer that was fetched while its range was open is not found once the range is over, on this node or another.
  const kind = lifetime.overSinceSeconds === undefined ? route.method : `${route.method} over`;
  return { id: `${kind} ${values.length > MAX_PLAIN ? digestOf(values) : values}`, ...lifetime };
}

/** How new an answer a request asks for. */
export interface RequestFreshness {
  /** No older than that; nothing when the request leaves it to the gateway. */
  readonly maxAgeSeconds: number | undefined;
  /** Whatever is kept will not do. */
  readonly noCache: boolean;
}

/** Longer ones are read as far as this; nobody needs as much. */
const MAX_LENGTH = 256;
const SECONDS = /^[0-9]{1,9}$/;

const ANY_AGE: RequestFreshness = { maxAgeSeconds: undefined, noCache: false };

/** Reads a request's `Cache-Control` (RFC 9111, 5.2.1): `no-cache` and `max-age`. Others, and what is malformed, change nothing. */
export function requestFreshness(header: string | readonly string[] | undefined): RequestFreshness {
  if (header === undefined) return ANY_AGE;
  const directives = String(header)
    .slice(0, MAX_LENGTH)
    .split(',')
    .map((each) => each.trim().toLowerCase());
  const ages = directives
    .filter((each) => each.startsWith('max-age='))
    .map((each) => each.slice('max-age='.length))
    .filter((text) => SECONDS.test(text))
    .map(Number);
  const noCache = directives.includes('no-cache') || directives.includes('no-store') || ages.includes(0);
  return { maxAgeSeconds: ages.length > 0 ? Math.min(...ages) : undefined, noCache };
}
