import type { Families } from '../apis/families.ts';
import { LIFETIMES, type Lifetime } from '../cache/lifetimes.ts';
import { type ApisConfig, readLimit } from './apis.ts';
import { parseUrl, type Reader } from './settings.ts';

/** Each key has its own budget and metrics. */
const MAX_KEYS = 16;

function readKeys(read: Reader) {
  const text = read.optional('TOKENS_API_KEY');
  if (text === undefined) return undefined;
  const keys = text.split(',').map((key) => key.trim());
  read.check(keys.length <= MAX_KEYS, `TOKENS_API_KEY must hold at most ${MAX_KEYS} keys.`);
  const given = keys.filter((key) => key !== '');
  read.check(given.length === keys.length, 'TOKENS_API_KEY must have a key on both sides of each comma.');
  read.check(new Set(given).size === given.length, 'TOKENS_API_KEY must not hold the same key twice.');
  const arePrintable = given.every((key) => /^[\x21-\x7e]+$/.test(key));
  read.check(arePrintable, 'TOKENS_API_KEY must be printable ASCII without spaces.');
  return keys;
}

/** Reads the asset-data settings; undefined if its routes are off. */
export function readTokens(read: Reader, families: Families) {
  const baseUrl = read.text('TOKENS_API_BASE_URL', 'https://api.tokens.xyz');
  const limitPerMinute = readLimit(read, 'tokens', ['TOKENS_RATE_LIMIT_PER_MINUTE', 30], families);
  const keys = readKeys(read);
  read.check(parseUrl(baseUrl)?.search === '', 'TOKENS_API_BASE_URL must be an http or https URL without a query.');
  return keys && limitPerMinute > 0 ? { baseUrl, keys, limitPerMinute } : undefined;
}

const MIB = 1024 * 1024;

/** The lifetimes of cached rows. A `maxStaleSeconds` of 0 turns a row's cache off. */
function lifetimesWith(own: readonly (readonly [string, Lifetime])[]): Record<string, Lifetime> {
  const all = Object.entries({ ...LIFETIMES, ...Object.fromEntries(own) });
  return Object.fromEntries(all.filter(([, { maxStaleSeconds }]) => maxStaleSeconds > 0));
}

/** Reads the cache settings, even if the cache is off, to report their faults. */
export function readCache(read: Reader, { apis, families }: ApisConfig) {
  const own = [...families.lifetimes, ...apis.flatMap((api) => [...api.lifetimes])];
  const maxBytes = read.integer('CACHE_MAX_MIB', 256, [1, 65_536]) * MIB;
  if (read.choice('RESPONSE_CACHE', 'off', ['off', 'on']) === 'on') return { lifetimes: lifetimesWith(own), maxBytes };
  if (own.length > 0) read.notices.push('APIS_FILE says how long answers are cached, but RESPONSE_CACHE is off');
  return undefined;
}
