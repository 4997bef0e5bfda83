import { createHash } from 'node:crypto';
import type { Route, Values } from '@asset-gateway/protocol';
import type { TObject } from 'typebox';
import type { Input } from '../call.ts';
import type { CacheKey } from './key-demand.ts';
import { candlesLifetime, type Lifetime } from './lifetimes.ts';

/** Longer values are replaced by their digest, so that thousands of keys stay small. */
const MAX_PLAIN = 128;

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url');

const CANDLES = new Set(['tokens.ohlcv', 'tokens.priceChart']);

/** The lifetime of an answer fetched now; for a past range of candles also since when it is past. */
function lifetimeOf(
  { id }: Route,
  { query }: Input,
  kept: Lifetime,
  nowSeconds: number,
): Omit<CacheKey, 'id' | 'batch'> {
  if (!CANDLES.has(id)) return kept;
  const interval = typeof query.interval === 'string' ? query.interval : undefined;
  const open = candlesLifetime(interval, false);
  const overSinceSeconds = typeof query.to === 'number' ? query.to + open.maxStaleSeconds : Number.POSITIVE_INFINITY;
  if (overSinceSeconds < nowSeconds) return { ...candlesLifetime(interval, true), overSinceSeconds };
  return { ...kept, maxStaleSeconds: open.maxStaleSeconds };
}

/** The maximal age in seconds of an answer for this key: it must not predate the end of a past range. */
export const oldestSeconds = ({ maxStaleSeconds, overSinceSeconds }: CacheKey, nowSeconds: () => number): number =>
  overSinceSeconds === undefined ? maxStaleSeconds : Math.min(maxStaleSeconds, nowSeconds() - overSinceSeconds);

/** The members of an open object that its schema does not name. */
const othersIn = (given: Values, { properties }: TObject): readonly unknown[] =>
  Object.keys(given)
    .filter((name) => !Object.hasOwn(properties, name))
    .sort()
    .map((name) => [name, given[name]]);

/** The cache key of a request: the row and its validated values in the schemas' order. Defaults are not filled in: only the upstream knows them. */
export function cacheKeyOf(route: Route, input: Input, kept: Lifetime, nowSeconds: number): CacheKey {
  const inOrder: unknown[] = [];
  for (const place of ['path', 'query', 'body'] as const) {
    const [given, schema] = [input[place], route.input[place]];
    if (!schema) continue;
    // In a list of its own, so that null differs from an absent value.
    for (const name of Object.keys(schema.properties)) inOrder.push(Object.hasOwn(given, name) ? [given[name]] : null);
    if (Reflect.get(schema, 'additionalProperties') !== false) inOrder.push(othersIn(given, schema));
  }
  const values = JSON.stringify(inOrder);
  const lifetime = lifetimeOf(route, input, kept, nowSeconds);
  // An answer fetched while its range was open must not be found once the range is past.
  const kind = lifetime.overSinceSeconds === undefined ? route.id : `${route.id} over`;
  return { id: `${kind} ${values.length > MAX_PLAIN ? digestOf(values) : values}`, ...lifetime };
}

/** A request's freshness requirements. */
export interface RequestFreshness {
  /** Undefined: the gateway decides. */
  readonly maxAgeSeconds: number | undefined;
  /** A stored answer will not do. */
  readonly noCache: boolean;
}

/** Longer headers are cut. */
const MAX_LENGTH = 256;
const SECONDS = /^[0-9]{1,9}$/;

const ANY_AGE: RequestFreshness = { maxAgeSeconds: undefined, noCache: false };

/** Reads `no-cache` and `max-age` of a request's `Cache-Control` (RFC 9111, 5.2.1); ignores other and malformed directives. */
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
