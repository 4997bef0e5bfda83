import { createHash } from 'node:crypto';
import { losslessJson, type Route, type Values } from '@asset-gateway/protocol';
import type { Input } from '../call.ts';
import { candlesLifetime, LIFETIMES, type Lifetime } from './lifetimes.ts';

/** A cache key with its lifetime, and the batch whose keys one upstream call can fetch together. */
export interface CacheKey extends Lifetime {
  readonly id: string;
  /** For candles of a past range: the Unix seconds since which it is past. */
  readonly overSinceSeconds?: number;
  readonly batch?: { readonly name: string; readonly size: number };
}

/** Longer values are replaced by their digest, so that thousands of keys stay small. */
const MAX_PLAIN = 128;

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url');

const CANDLES = new Set(['tokens.ohlcv', 'tokens.priceChart']);

type KeyLifetime = Omit<CacheKey, 'id' | 'batch'>;

/**
 * The lifetime of an answer fetched now. Candles have lifetimes by interval and range, unless the operator has set one for every range.
 * For a past range, also the time since which it is past.
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

/** The maximal age in seconds of an answer to this key. An answer must not predate the end of a past range. */
export const oldestSeconds = ({ maxStaleSeconds, overSinceSeconds }: CacheKey, nowSeconds: () => number): number =>
  overSinceSeconds === undefined ? maxStaleSeconds : Math.min(maxStaleSeconds, nowSeconds() - overSinceSeconds);

/** The members that an open object has beyond its schema. */
const othersIn = (given: Values, properties: object): readonly unknown[] =>
  Object.keys(given)
    .filter((name) => !Object.hasOwn(properties, name))
    .sort()
    .map((name) => [name, given[name]]);

/** Whether a value is a JSON object: not a list, and not a number that keeps its digits. */
const hasMembers = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/**
 * The cache key of a request: the row and its validated values in schema order. Defaults are not filled in, because only the upstream
 * knows them.
 */
export function cacheKeyOf(route: Route, input: Input, kept: Lifetime, nowSeconds: number): CacheKey {
  const inOrder: unknown[] = [];
  for (const place of ['path', 'query', 'body'] as const) {
    const given = input[place];
    const schema = route.input[place];
    if (!schema) continue;
    const { properties } = schema;
    if (!properties || !hasMembers(given)) {
      // Wrapped in an object, which no other value in the key is, so that a list differs from an object with its
      // members.
      inOrder.push({ given });
      continue;
    }
    // Each value is in a list of its own, so that null differs from an absent value.
    for (const name of Object.keys(properties)) inOrder.push(Object.hasOwn(given, name) ? [given[name]] : null);
    if (Reflect.get(schema, 'additionalProperties') !== false) inOrder.push(othersIn(given, properties));
  }
  const values = losslessJson(inOrder);
  const lifetime = lifetimeOf(route, input, kept, nowSeconds);
  // An answer fetched while its range was open must not be found once the range is past.
  const kind = lifetime.overSinceSeconds === undefined ? route.id : `${route.id} over`;
  return { id: `${kind} ${values.length > MAX_PLAIN ? digestOf(values) : values}`, ...lifetime };
}

/** Longer headers are cut. */
const MAX_LENGTH = 256;
const MAX_AGE = /^max-age=([0-9]{1,9})$/;

/** How old an answer a request accepts. */
export interface RequestFreshness {
  /** Undefined if the gateway decides. */
  readonly maxAgeSeconds: number | undefined;
  /** Whether the request refuses a stored answer. */
  readonly refusesCached: boolean;
}

/** Reads `no-cache` and `max-age` of a request's `Cache-Control` (RFC 9111, 5.2.1); ignores other and malformed directives. */
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
