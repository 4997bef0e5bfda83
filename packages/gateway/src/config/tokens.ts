import { MAX_LIMIT, parseUrl, type Reader } from './settings.ts';

/** The asset-data API, its keys and what each of them may spend. */
export interface TokensConfig {
  readonly baseUrl: string;
  readonly keys: readonly [string, ...string[]];
  readonly limitPerMinute: number;
}

/** Each key is asked for, counted and told of by itself. */
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

/** Nothing where the routes are left out. */
export function readTokens(read: Reader): TokensConfig | undefined {
  const baseUrl = read.text('TOKENS_API_BASE_URL', 'https://api.tokens.xyz');
  const limitPerMinute = read.integer('TOKENS_RATE_LIMIT_PER_MINUTE', 30, [0, MAX_LIMIT]);
  const keys = readKeys(read);
  read.check(parseUrl(baseUrl)?.search === '', 'TOKENS_API_BASE_URL must be an http or https URL without a query.');
  return keys && limitPerMinute > 0 ? { baseUrl, keys, limitPerMinute } : undefined;
}
