import { createHash } from 'node:crypto';
import { losslessJson, type Route, type Values } from '@asset-gateway/protocol';
import type { Input } from '../call.ts';
import { candlesLifetime, LIFETIMES, type Lifetime } from './lifetimes.ts';

/** A cache key with its lifetime. `batch`: the keys that one upstream call can fetch together. */
export interface CacheKey extends Lifetime {
  readonly id: string;
  /** The Unix seconds at which the range of the candles ended, if it lies in the past. */
  readonly overSinceSeconds?: number;
  readonly batch?: { readonly name: string; readonly size: number };
}

/** The most characters of a request's values in a key. Longer values are replaced by their digest, so that thousands of keys stay small. */
const MAX_PLAIN = 128;

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url');

const CANDLES = new Set(['tokens.ohlcv', 'tokens.priceChart']);

type KeyLifetime = Omit<CacheKey, 'id' | 'batch'>;

/**
 * Returns the lifetime of an answer that is fetched now. The lifetime of candles depends on their interval and range, unless the operator
 * has set one lifetime for all ranges. For a past range, also returns when the range ended.
 */
function lifetimeOf({ id }: Route, { query }: Input, kept: Lifetime, nowSeconds: number): KeyLifetime {
  if (!CANDLES.has(id)) return kept;
  const interval = typeof query.interval === 'string' ? query.interval : undefined;
  const open = candlesLifetime(interval, false);
  const overSinceSeconds = typeof query.to === 'number' ? query.to + open.maxStaleSeconds : Number.POSITIVE_INFINITY;
  const isOver = overSinceSeconds < nowSeconds;
  const lifetime = kept === LIFETIMES[id] ? candlesLifetime(interval, isOver) : kept;
  return isOver ? { ...lifetime, overSinceSeconds } : lifetime;
}

/** Returns how old an answer to this key may be, in seconds. It must not have been fetched before the end of a past range. */
export const oldestSeconds = ({ maxStaleSeconds, overSinceSeconds }: CacheKey, nowSeconds: () => number): number =>
  overSinceSeconds === undefined ? maxStaleSeconds : Math.min(maxStaleSeconds, nowSeconds() - overSinceSeconds);

/** Returns the members of an object that its schema does not name. */
const othersIn = (given: Values, properties: object): readonly unknown[] =>
  Object.keys(given)
    .filter((name) => !Object.hasOwn(properties, name))
    .sort()
    .map((name) => [name, given[name]]);

/** Whether a value is a JSON object: not a list, and not a number that keeps its digits. */
const hasMembers = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/**
 * Returns the cache key of a request: the row and its validated values in schema order. Defaults are not filled in, because only the
 * upstream knows them.
 */
export function cacheKeyOf(route: Route, input: Input, kept: Lifetime, nowSeconds: number): CacheKey {
  const inOrder: unknown[] = [];
  for (const place of ['path', 'query', 'body'] as const) {
    const given = input[place];
    const schema = route.input[place];
    if (!schema) continue;
    const { properties } = schema;
    if (!properties || !hasMembers(given)) {
      // No other value in the key is an object, so this wrapping tells a list from an object with the list's members.
      inOrder.push({ given });
      continue;
    }
    // Each value is in its own list, so that null differs from an absent value.
    for (const name of Object.keys(properties)) inOrder.push(Object.hasOwn(given, name) ? [given[name]] : null);
    if (Reflect.get(schema, 'additionalProperties') !== false) inOrder.push(othersIn(given, properties));
  }
  const values = losslessJson(inOrder);
  const lifetime = lifetimeOf(route, input, kept, nowSeconds);
  // An answer fetched while its range was open must not be found once the range is past.
  const kind = lifetime.overSinceSeconds === undefined ? route.id : `${route.id} over`;
  return { id: `${kind} ${values.length > MAX_PLAIN ? digestOf(values) : values}`, ...lifetime };
}

/** The most characters of a Cache-Control header that are read. */
const MAX_LENGTH = 256;
const MAX_AGE = /^max-age=([0-9]{1,9})$/;

/** How old an answer may be that a request accepts. */
export interface RequestFreshness {
  /** The request's own limit; undefined if it has none. */
  readonly maxAgeSeconds: number | undefined;
  /** Whether the request refuses every stored answer. */
  readonly refusesCached: boolean;
}

/** Reads `no-cache`, `no-store` and `max-age` of a request's `Cache-Control` (RFC 9111, 5.2.1). Ignores other and malformed directives. */
export function requestFreshness(header: string | readonly string[] | undefined): RequestFreshness {
  if (header === undefined) return { maxAgeSeconds: undefined, refusesCached: false };
  const directives = String(header)
    .slice(0, MAX_LENGTH)
    .split(',')
    .map((each) => each.trim().toLowerCase());
  const ages = directives.flatMap((each) => MAX_AGE.exec(each)?.[1] ?? []).map(Number);
  const refusesCached = directives.includes('no-cache') || directives.includes('no-store') || ages.includes(0);
  return { maxAgeSeconds: ages.length > 0 ? Math.min(...ages) : undefined, refusesCached };
}
