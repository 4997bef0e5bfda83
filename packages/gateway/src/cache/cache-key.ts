import { createHash } from 'node:crypto';
import { exactJson, type Route, type Values } from '@asset-gateway/protocol';
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

/** Whether a value is an object of JSON. Lists are none, and neither is a number whose digits are kept. */
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
      // In an object of its own, which no other value of a row is, so that a list differs from an object with its members.
      inOrder.push({ given });
      continue;
    }
    // Each value is in a list of its own, so that null differs from an absent value.
    for (const name of Object.keys(properties)) inOrder.push(Object.hasOwn(given, name) ? [given[name]] : null);
    if (Reflect.get(schema, 'additionalProperties') !== false) inOrder.push(othersIn(given, properties));
  }
  const values = exactJson(inOrder);
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

/** One request for a key. `weight`: this key's fraction of a request for several keys. */
export interface KeyRequest {
  /** Age of the stored answer; undefined if none can be served. */
  readonly ageSeconds?: number | undefined;
  /** Whether the request waits for a call, until `completed` or `dequeue`. */
  readonly isWaiting: boolean;
  readonly weight: number;
  /** Whether the request refuses a stored answer (`no-cache`). It is not stored as demand, because no cache can serve it. */
  readonly refusesCached: boolean;
}

/** A waiting request that gives up. `isVoid`: its sign-in was invalid, so it never counted as demand. */
export interface Withdrawal extends Pick<KeyRequest, 'weight' | 'refusesCached'> {
  readonly isVoid?: boolean;
}

/** Demand decays over half an hour, or over twice the time that an answer may be served. */
const MEMORY_SECONDS = 1_800;
/** Demand seen for a shorter time is rated as if seen over this time. */
const LEAST_SEEN_MS = 60_000;

/** The demand for a key, its stored answer and its calls. */
export class KeyDemand {
  readonly key: CacheKey;
  readonly #memorySeconds: number;
  /** Decayed number of requests at `#countedAtMs`. */
  #count = 0;
  #countedAtMs: number;
  fetchedAtMs = Number.NEGATIVE_INFINITY;
  calledAtMs = Number.NEGATIVE_INFINITY;
  notBeforeMs = Number.NEGATIVE_INFINITY;
  /** The total weight of the waiting requests, and how many of them refuse a stored answer. */
  waiting = 0;
  noCacheWaiting = 0;
  isInFlight = false;
  failures = 0;
  /** Whether the upstream's last response about the key was an answer. */
  hasAnswered = false;

  constructor(key: CacheKey, nowMs: number) {
    this.key = key;
    this.#memorySeconds = Math.max(MEMORY_SECONDS, 2 * key.maxStaleSeconds);
    this.#countedAtMs = nowMs;
  }

  /** The fraction of the stored demand that one answer serves. */
  get servedFraction(): number {
    return this.key.maxStaleSeconds / this.#memorySeconds;
  }

  get isAwaited(): boolean {
    return this.waiting > 1e-9 || this.noCacheWaiting > 0;
  }

  enqueue({ ageSeconds, isWaiting, weight, refusesCached }: KeyRequest, nowMs: number): void {
    this.fetchedAtMs = ageSeconds === undefined ? Number.NEGATIVE_INFINITY : nowMs - ageSeconds * 1_000;
    this.hasAnswered ||= ageSeconds !== undefined;
    if (!refusesCached) [this.#count, this.#countedAtMs] = [this.demandAt(nowMs) + weight, nowMs];
    if (isWaiting && refusesCached) this.noCacheWaiting++;
    else if (isWaiting) this.waiting += weight;
  }

  dequeue({ weight, refusesCached, isVoid = false }: Withdrawal): void {
    if (refusesCached) this.noCacheWaiting = Math.max(0, this.noCacheWaiting - 1);
    else this.waiting = Math.max(0, this.waiting - weight);
    if (isVoid && !refusesCached) this.#count = Math.max(0, this.#count - weight);
  }

  isHeldBack(nowMs: number): boolean {
    return this.isInFlight || this.notBeforeMs > nowMs;
  }

  /** Whether a call may include this key. A key that could get a shared call rejected joins only if a request waits for it. */
  mayJoin(nowMs: number): boolean {
    if (this.isAwaited) return true;
    return (this.hasAnswered || !this.key.batch) && this.ageAt(nowMs) >= this.key.freshSeconds;
  }

  /** The number of requests, each weighted less as time passes. */
  demandAt(nowMs: number): number {
    return this.#count * Math.exp((this.#countedAtMs - nowMs) / 1_000 / this.#memorySeconds);
  }

  /** The seconds of cached service that a call now would add. */
  ageAt(nowMs: number): number {
    return Math.min(this.key.maxStaleSeconds, (nowMs - this.fetchedAtMs) / 1_000);
  }

  /** The expected requests per second, without the waiting ones. */
  rateAt(nowMs: number, startedAtMs: number): number {
    const memory = this.#memorySeconds;
    const seconds = memory * (1 - Math.exp((startedAtMs - nowMs - LEAST_SEEN_MS) / 1_000 / memory));
    return Math.max(0, this.demandAt(nowMs) - this.waiting) / seconds;
  }
}

/** Keys by worth, highest first. */
export const byWorth = (keys: Iterable<KeyDemand>, worth: (known: KeyDemand) => number): KeyDemand[] => {
  const ranked = Array.from(keys, (known) => ({ known, worth: worth(known) })).sort((a, b) => b.worth - a.worth);
  return ranked.map(({ known }) => known);
};
