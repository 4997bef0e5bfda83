import { consoleRoutes, everyRoute, type Route } from '@asset-gateway/protocol';
import { LIFETIMES, type Lifetime } from '../cache/lifetimes.ts';
import { TIMES } from '../times.ts';
import { type ApiPlan, readApisFile } from './apis-file/file.ts';
import { variablesOf } from './apis-file/keys.ts';
import { type OwnSurface, SurfaceSettings } from './apis-file/surface-settings.ts';
import { MAX_LIMIT, parseUrl, type Reader } from './settings.ts';
import { VARIABLES } from './variables.ts';

const NAME = 'APIS_FILE';
/** The most keys of an API. Each has a budget and metrics of its own. */
const MAX_KEYS = 16;
/** The shortest key. Shorter ones would match ordinary text. */
const MIN_KEY_LENGTH = 8;

/** One URL of an API. `keys` is empty if the upstream needs none. */
export type ApiUrlConfig = ApiPlan['urls'][number] & {
  readonly keys: readonly string[];
  /** The texts that must not leave the gateway, if these are not just the keys. */
  readonly secrets?: readonly string[];
};

/** An operator's API, with the keys of its upstreams. */
export interface ApiConfig extends ApiPlan {
  readonly urls: ApiUrlConfig[];
}

/** The operator's file: APIs of their own, and settings of the gateway's routes. */
export interface ApisConfig {
  readonly apis: readonly ApiConfig[];
  readonly surfaces: SurfaceSettings;
}

/** Settings of the asset-data upstream. */
export interface TokensConfig {
  readonly baseUrl: string;
  readonly keys: readonly string[];
  /** The calls per minute of each key. */
  readonly limitPerMinute: number;
}

/** Settings of the response cache. */
export interface CacheConfig {
  /** The lifetime of each cached row, by row id. */
  readonly lifetimes: Readonly<Record<string, Lifetime>>;
  readonly maxBytes: number;
}

/** Returns the value of a variable that an API's entry names. */
function readOwn(read: Reader, { name }: ApiPlan, env: string): string {
  const setting = `${NAME}: apis.${name}.key`;
  read.check(!VARIABLES.includes(env), `${setting}: ${env} configures the gateway; choose another name.`);
  read.check(read.optional(env) !== undefined, `${setting}: ${env} is not set.`);
  return read.text(env, '');
}

/** Reads user and password of basic authentication (RFC 7617) as one key. */
function readBasic(read: Reader, api: ApiPlan, { user, password }: { user: string; password: string }) {
  const name = readOwn(read, api, user);
  const secret = readOwn(read, api, password);
  read.check(!name.includes(':'), `${user} must not have a colon.`);
  read.check(
    secret === '' || secret.length >= MIN_KEY_LENGTH,
    `${password} must have at least ${MIN_KEY_LENGTH} characters.`,
  );
  const key = Buffer.from(`${name}:${secret}`).toString('base64');
  return { keys: [key], secrets: [key, secret] };
}

function readKeys(read: Reader, api: ApiPlan, env: string): string[] {
  readOwn(read, api, env);
  const keys = read.list(env);
  const areFew = keys.length <= MAX_KEYS && new Set(keys).size === keys.length;
  read.check(areFew, `${env} must hold up to ${MAX_KEYS} different keys.`);
  const areLong = keys.every((each) => /^[\x21-\x7e]{8,}$/.test(each));
  read.check(areLong, `${env} must be printable ASCII without spaces, at least 8 characters for each key.`);
  return keys;
}

/** Reads the file of APIs. Without one, there are no own APIs and the gateway's routes have their usual settings. */
export function readApis(read: Reader): ApisConfig {
  const path = read.optional(NAME);
  if (path === undefined) return { apis: [], surfaces: new SurfaceSettings() };
  const { apis, families: surfaces, faults } = readApisFile(path);
  for (const fault of faults) read.faults.push(`${NAME}: ${fault}.`);
  const withKeys = (api: ApiPlan): ApiConfig => {
    const known = new Map<string, Pick<ApiUrlConfig, 'keys' | 'secrets'>>();
    const configuredKeys = (key: ApiUrlConfig['key']) => {
      const name = variablesOf(key).join();
      if (!key || known.has(name)) return known.get(name) ?? { keys: [] };
      const { basic, env = '' } = key;
      const found = basic ? readBasic(read, api, basic) : { keys: readKeys(read, api, env) };
      known.set(name, found);
      return found;
    };
    return { ...api, urls: api.urls.map((url) => ({ ...url, ...configuredKeys(url.key) })) };
  };
  return { apis: apis.map(withKeys), surfaces };
}

interface Timeouts {
  readonly upstreamTimeoutMs: number;
  readonly apis: readonly ApiPlan[];
  readonly paid?: { readonly upstreamTimeoutMs: number } | undefined;
}

/** Returns the longest time-outs, in milliseconds, of free and of paid rows. */
export function longestMs({ upstreamTimeoutMs, apis, paid }: Timeouts) {
  const ownOf = (isPaid: boolean) =>
    apis
      .filter(({ rows }) => rows.some(({ access }) => (access === 'exact') === isPaid))
      .map(({ timeoutMs }) => timeoutMs);
  return {
    free: Math.max(upstreamTimeoutMs, ...ownOf(false)),
    paid: Math.max(paid?.upstreamTimeoutMs ?? TIMES.usualUpstreamMs, ...ownOf(true)),
  };
}

/** Returns the limit of a surface, from the file or the variable. 0 removes the routes. */
export function readLimit(
  read: Reader,
  surface: OwnSurface,
  variable: readonly [string, number],
  own: SurfaceSettings,
): number {
  const [name, fallback] = variable;
  const limit = own.limits.get(surface);
  const ofVariable = read.integer(name, fallback, [0, MAX_LIMIT]);
  const isOnlyOne = limit === undefined || read.optional(name) === undefined;
  read.check(isOnlyOne, `${NAME}: the limit of ${surface} is set here and in ${name}; unset ${name}.`);
  return own.off.has(surface) ? 0 : (limit ?? ofVariable);
}

function readTokensKeys(read: Reader) {
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
export function readTokens(read: Reader, surfaces: SurfaceSettings): TokensConfig | undefined {
  const baseUrl = read.text('TOKENS_API_BASE_URL', 'https://api.tokens.xyz');
  const limitPerMinute = readLimit(read, 'tokens', ['TOKENS_RATE_LIMIT_PER_MINUTE', 30], surfaces);
  const keys = readTokensKeys(read);
  read.check(parseUrl(baseUrl)?.search === '', 'TOKENS_API_BASE_URL must be an http or https URL without a query.');
  return keys && limitPerMinute > 0 ? { baseUrl, keys, limitPerMinute } : undefined;
}

const MIB = 1024 * 1024;

/** Returns the lifetimes of cached rows. A `maxStaleSeconds` of 0 excludes a row from the cache. */
function lifetimesWith(own: readonly (readonly [string, Lifetime])[]): Record<string, Lifetime> {
  const all = Object.entries({ ...LIFETIMES, ...Object.fromEntries(own) });
  return Object.fromEntries(all.filter(([, { maxStaleSeconds }]) => maxStaleSeconds > 0));
}

/** Reads the cache settings. Reports their faults even if the cache is off. */
export function readCache(read: Reader, { apis, surfaces }: ApisConfig): CacheConfig | undefined {
  const own = [...surfaces.lifetimes, ...apis.flatMap((api) => [...api.lifetimes])];
  const maxBytes = read.integer('CACHE_MAX_MIB', 256, [1, 65_536]) * MIB;
  if (read.choice('RESPONSE_CACHE', 'off', ['off', 'on']) === 'on') return { lifetimes: lifetimesWith(own), maxBytes };
  if (own.length > 0) read.notices.push('APIS_FILE says how long answers are cached, but RESPONSE_CACHE is off');
  return undefined;
}

/** Returns the rows that log lines may name: ours, and those of the operator's APIs. */
export const rowsOf = (apis: readonly ApiConfig[]): readonly Route[] => [
  ...everyRoute,
  ...consoleRoutes,
  ...apis.flatMap(({ rows }) => rows),
];
