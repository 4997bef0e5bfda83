import { closest } from 'fastest-levenshtein';
import { LIFETIMES, type Lifetime } from '../cache/lifetimes.ts';
import type { ApiConfig } from './apis.ts';
import { MAX_LIMIT, parseUrl, type Reader, readObject } from './settings.ts';

/** The asset-data API, its keys and the limit of each key. */
export interface TokensConfig {
  readonly baseUrl: string;
  readonly keys: readonly [string, ...string[]];
  readonly limitPerMinute: number;
}

/** Each key has its own budget and metrics. */
const MAX_KEYS = 16;

function readKeys(read: Reader): TokensConfig['keys'] | undefined {
  const text = read.optional('TOKENS_API_KEY');
  if (text === undefined) return undefined;
  const [first = '', ...others] = text.split(',').map((key) => key.trim());
  const keys = [first, ...others] as const;
  read.check(keys.length <= MAX_KEYS, `TOKENS_API_KEY must hold at most ${MAX_KEYS} keys.`);
  const given = keys.filter((key) => key !== '');
  read.check(given.length === keys.length, 'TOKENS_API_KEY must have a key on both sides of each comma.');
  read.check(new Set(given).size === given.length, 'TOKENS_API_KEY must not hold the same key twice.');
  const arePrintable = given.every((key) => /^[\x21-\x7e]+$/.test(key));
  read.check(arePrintable, 'TOKENS_API_KEY must be printable ASCII without spaces.');
  return keys;
}

/** Reads the asset-data settings; undefined if its routes are off. */
export function readTokens(read: Reader): TokensConfig | undefined {
  const baseUrl = read.text('TOKENS_API_BASE_URL', 'https://api.tokens.xyz');
  const limitPerMinute = read.integer('TOKENS_RATE_LIMIT_PER_MINUTE', 30, [0, MAX_LIMIT]);
  const keys = readKeys(read);
  read.check(parseUrl(baseUrl)?.search === '', 'TOKENS_API_BASE_URL must be an http or https URL without a query.');
  return keys && limitPerMinute > 0 ? { baseUrl, keys, limitPerMinute } : undefined;
}

/** Settings of the asset-data cache. */
export interface CacheConfig {
  /** By the row's id; other rows are not cached. */
  readonly lifetimes: Readonly<Record<string, Lifetime>>;
  /** Memory limit of all entries. */
  readonly maxBytes: number;
}

const NAME = 'CACHE_FILE';
const EXAMPLE = '{"tokens.search": {"freshSeconds": 60, "maxStaleSeconds": 300}}';
const MEMBERS = ['freshSeconds', 'maxStaleSeconds'];
const MAX_SECONDS = 604_800;
const MIB = 1024 * 1024;

const isSeconds = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_SECONDS;

function lifetimeIn(value: unknown): Lifetime | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { freshSeconds, maxStaleSeconds } = value as Partial<Lifetime>;
  const isWhole = isSeconds(freshSeconds) && isSeconds(maxStaleSeconds) && maxStaleSeconds >= freshSeconds;
  return isWhole && Object.keys(value).every((name) => MEMBERS.includes(name))
    ? { freshSeconds, maxStaleSeconds }
    : undefined;
}

function faultOf(id: string, value: unknown): string | undefined {
  const ids = Object.keys(LIFETIMES);
  const shown = JSON.stringify(id);
  if (!ids.includes(id)) return `${shown} is not a cached route; the nearest is ${closest(id, ids)}`;
  if (lifetimeIn(value)) return undefined;
  return `${shown} must be ${MEMBERS.join(' and ')}, whole seconds up to ${MAX_SECONDS}, the second no less than the first`;
}

/** The default lifetimes, overridden by the operator's. A `maxStaleSeconds` of 0 turns a row's cache off. */
function readLifetimes(read: Reader): Record<string, Lifetime> {
  const lifetimes: Record<string, Lifetime> = { ...LIFETIMES };
  for (const [id, value] of Object.entries(readObject(read, NAME, EXAMPLE))) {
    const fault = faultOf(id, value);
    if (fault !== undefined) read.faults.push(`${NAME}: ${fault}.`);
    const lifetime = lifetimeIn(value);
    if (lifetime?.maxStaleSeconds === 0) delete lifetimes[id];
    else if (lifetime) lifetimes[id] = lifetime;
  }
  return lifetimes;
}

/** Reads the cache settings, even if the cache is off, to report their faults. */
export function readCache(read: Reader, apis: readonly ApiConfig[]): CacheConfig | undefined {
  const ofApis = apis.flatMap((api) => [...api.lifetimes]);
  const lifetimes = { ...readLifetimes(read), ...Object.fromEntries(ofApis) };
  const maxBytes = read.integer('CACHE_MAX_MIB', 256, [1, 65_536]) * MIB;
  if (read.choice('RESPONSE_CACHE', 'off', ['off', 'on']) === 'on') return { lifetimes, maxBytes };
  if (ofApis.length > 0) read.notices.push('APIS_FILE says how long answers are cached, but RESPONSE_CACHE is off');
  return undefined;
}
