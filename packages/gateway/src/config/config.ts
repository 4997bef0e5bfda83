import { DAY_MS } from '@asset-gateway/protocol';
import { ListFault, type ListFile, readListFile } from '../blocked/file.ts';
import { isLoopbackHost, trustedProxies } from '../ip-address.ts';
import type { Proxies } from '../proxies.ts';
import {
  type ApiConfig,
  type ApisConfig,
  type CacheConfig,
  readApis,
  readCache,
  readTokens,
  type TokensConfig,
} from './apis.ts';
import { type ReceiptsConfig, readReceipts } from './keypairs.ts';
import { mistyped } from './mistyped.ts';
import { type CreditConfig, type PaidConfig, type PaidReading, readCredit, readPaid } from './paid.ts';
import { readProxies } from './proxies.ts';
import { ConfigError, type Environment, MAKE_ONE, parseUrl, Reader } from './settings.ts';
import { readDatabaseUrl, readRedisUrl, readSecrets } from './state.ts';
import { readTraces, type TracesConfig } from './traces.ts';
import { nearlyKnown, removedFaults } from './variables.ts';

export { ConfigError, type Environment };

const MIN_TOKEN_LENGTH = 16;
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

const WITHOUT_TLS =
  'GATEWAY_BASE_URL is http, so anyone on the network path can read and use signatures; end TLS in front of the ' +
  'gateway and set the https origin';

const WITHOUT_CLIENTS =
  "FAIR_SHARES=on without TRUST_PROXY: TLS ends in front of the gateway, so all clients have the proxy's address and one share";

const BLOCKED_WITHOUT_CLIENTS =
  "BLOCKED_FILE lists addresses without TRUST_PROXY: TLS ends in front of the gateway, so all clients have the proxy's address";

/** Settings of the port that serves metrics, sales and the operator's page. */
interface MetricsConfig {
  readonly port: number;
  readonly host: string;
  /** The token that clients need to read sales; undefined if only this machine may read them. */
  readonly token: string | undefined;
}

/** The configuration, read and checked once. Undefined members are off. */
export interface Config {
  readonly port: number;
  readonly host: string;
  /** The public origin; undefined for local use. */
  readonly baseUrl: string | undefined;
  readonly serviceName: string;
  /** The operator's own APIs. */
  readonly apis: readonly ApiConfig[];
  /** Row ids of our routes that the operator disabled. */
  readonly disabled: ReadonlySet<string>;
  /** Settings of the asset-data routes. */
  readonly tokens: TokensConfig | undefined;
  readonly paid: PaidConfig | undefined;
  /** Whether a sign-in admits one request. Otherwise it admits requests until it expires. */
  readonly singleUse: boolean;
  /** The first secret signs, and all verify. If empty, the secret in the data folder is used. */
  readonly secrets: readonly string[];
  readonly dataDir: string;
  /** The Redis that nodes share; undefined for one process with a folder of its own. */
  readonly redisUrl: string | undefined;
  /** The PostgreSQL that holds money; undefined for a file in the data folder. */
  readonly databaseUrl: string | undefined;
  /** The deadline of a free route's call, in milliseconds. */
  readonly upstreamTimeoutMs: number;
  /** Whether clients share the asset-data budget fairly. Otherwise the first request gets the slot. */
  readonly fairShares: boolean;
  /** The block list. */
  readonly blocked: ListFile | undefined;
  /** The trusted proxies, as CIDR ranges. */
  readonly trustedProxies: readonly string[];
  readonly logLevel: string;
  /** The format of the log; undefined: pretty on a terminal, JSON otherwise. */
  readonly logFormat: 'json' | 'pretty' | undefined;
  readonly metrics: MetricsConfig | undefined;
  /** How long the sales journal keeps entries, in milliseconds. */
  readonly journalKeepMs: number;
  readonly cache: CacheConfig | undefined;
  readonly credit: CreditConfig | undefined;
  /** Whether the console is served at `/`. */
  readonly console: boolean;
  readonly receipts: ReceiptsConfig | undefined;
  readonly traces: TracesConfig | undefined;
  /** The proxies of outgoing requests; undefined if there are none. */
  readonly proxies: Proxies | undefined;
  /** Warnings to print at the start. */
  readonly notices: readonly string[];
}

/** Returns the environment of this process. */
export const processEnvironment = (): Environment => process.env;

function readBaseUrl(read: Reader, host: string): string | undefined {
  const text = read.optional('GATEWAY_BASE_URL');
  if (text === undefined) {
    read.check(
      isLoopbackHost(host),
      'GATEWAY_BASE_URL is required if HOST is not a loopback address; set the origin that clients sign, such as https://gateway.example.',
    );
    return undefined;
  }
  const url = parseUrl(text);
  const isOrigin = url?.pathname === '/' && url.search === '';
  read.check(isOrigin, 'GATEWAY_BASE_URL must be a plain origin such as https://gateway.example, without a path.');
  const isPlain = url?.protocol === 'http:' && !isLoopbackHost(url.hostname);
  if (isPlain) read.notices.push(WITHOUT_TLS);
  return url?.origin;
}

function readTrusted(read: Reader): string[] {
  const proxies = read.list('TRUST_PROXY');
  try {
    trustedProxies(proxies);
  } catch {
    read.faults.push('TRUST_PROXY must be a comma-separated list of CIDRs such as 10.0.0.0/8.');
  }
  return proxies;
}

function readBlocked(read: Reader): ListFile | undefined {
  const path = read.optional('BLOCKED_FILE');
  if (path === undefined) return undefined;
  try {
    return readListFile(path);
  } catch (error) {
    if (!(error instanceof ListFault)) throw error;
    read.faults.push(`BLOCKED_FILE: ${error.message}.`);
    return undefined;
  }
}

/** Reads the settings that need the client's address. Behind a proxy only TRUST_PROXY makes that address known. */
function readCallers(read: Reader): Pick<Config, 'fairShares' | 'blocked' | 'trustedProxies'> {
  const fairShares = read.choice('FAIR_SHARES', 'off', ['on', 'off']) === 'on';
  const blocked = readBlocked(read);
  const trustedProxies = readTrusted(read);
  const isBehindProxy = parseUrl(read.text('GATEWAY_BASE_URL', ''))?.protocol === 'https:';
  if (isBehindProxy && trustedProxies.length === 0) {
    if (fairShares) read.notices.push(WITHOUT_CLIENTS);
    if (blocked && blocked.list.counts.ranges > 0) read.notices.push(BLOCKED_WITHOUT_CLIENTS);
  }
  return { fairShares, blocked, trustedProxies };
}

function readMetrics(read: Reader): MetricsConfig | undefined {
  const host = read.text('METRICS_HOST', '127.0.0.1');
  const token = read.optional('METRICS_TOKEN');
  const isGood = token === undefined || (token.length >= MIN_TOKEN_LENGTH && /^[\x21-\x7e]+$/.test(token));
  read.check(isGood, `METRICS_TOKEN must have at least ${MIN_TOKEN_LENGTH} characters, without spaces; ${MAKE_ONE}.`);
  if (read.optional('METRICS_PORT') === undefined) return undefined;
  // Without a token, only this machine may read sales.
  return { port: read.integer('METRICS_PORT', 0, [0, 65_535]), host, token };
}

function readHost(read: Reader): string {
  const host = read.text('HOST', '127.0.0.1');
  read.check(!host.startsWith('['), 'HOST takes an IPv6 address without brackets, such as ::1.');
  return host;
}

/** Reads all variables and collects their faults. */
function readSettings(read: Reader, file: ApisConfig, paid: PaidReading): Omit<Config, 'notices'> {
  const host = readHost(read);
  return {
    port: read.integer('PORT', 8402, [0, 65_535]),
    host,
    baseUrl: readBaseUrl(read, host),
    serviceName: read.text('SERVICE_NAME', 'asset-gateway'),
    apis: file.apis,
    disabled: file.surfaces.disabled,
    tokens: readTokens(read, file.surfaces),
    paid: paid === 'unusable' ? undefined : paid,
    singleUse: read.choice('SIWX_NONCE', 'single-use', ['single-use', 'until-expiry']) === 'single-use',
    secrets: readSecrets(read),
    dataDir: read.text('DATA_DIR', './data'),
    redisUrl: readRedisUrl(read),
    databaseUrl: readDatabaseUrl(read),
    upstreamTimeoutMs: read.integer('UPSTREAM_TIMEOUT_MS', 10_000, [1, 600_000]),
    ...readCallers(read),
    logLevel: read.choice('LOG_LEVEL', 'info', LOG_LEVELS),
    logFormat: read.choice<'json' | 'pretty', undefined>('LOG_FORMAT', undefined, ['json', 'pretty']),
    metrics: readMetrics(read),
    journalKeepMs: read.integer('SALES_KEEP_DAYS', 400, [1, 10_000]) * DAY_MS,
    cache: readCache(read, file),
    credit: readCredit(read, paid),
    console: read.choice('CONSOLE', 'on', ['on', 'off']) === 'on',
    receipts: readReceipts(read),
    traces: readTraces(read),
    proxies: readProxies(read),
  };
}

/** Returns the fault of a configuration that serves no route. */
function nothingServedFault(read: Reader, { surfaces }: ApisConfig): string {
  if (surfaces.off.has('tokens')) return NOTHING_LEFT;
  if (read.optional('TOKENS_API_KEY') !== undefined) return NO_BUDGET;
  return read.optional('APIS_FILE') === undefined ? NOTHING : NOTHING_NAMED;
}

/** Reads and checks all variables. Throws a ConfigError that names all faults and probable misspellings. */
export function readConfig(environment: Environment): Config {
  const read = new Reader(environment);
  const misspelt = nearlyKnown(environment);
  read.faults.push(...removedFaults(environment));
  const file = readApis(read);
  const paid = readPaid(read, file);
  const settings = readSettings(read, file, paid);
  const { tokens, apis, redisUrl, databaseUrl, metrics, host, port } = settings;
  // This is true even if a variable of the paid routes is wrong.
  const isSelling = paid !== undefined;
  const isServing = tokens !== undefined || isSelling || apis.some(({ rows }) => rows.length > 0);
  read.check(isServing, nothingServedFault(read, file));
  read.check(redisUrl === undefined || databaseUrl !== undefined || !isSelling, NEEDS_DATABASE);
  const isFree = port === 0 || metrics?.port !== port || metrics.host !== host;
  read.check(isFree, 'METRICS_PORT must differ from PORT.');
  const wrong = mistyped(environment, apis);
  // Report one fault per variable, because its other faults follow from the first.
  const others = read.faults.filter((fault) => !wrong.has(/^\w+/.exec(fault)?.[0] ?? ''));
  const faults = [...wrong.values(), ...others];
  if (faults.length > 0) throw new ConfigError([...faults, ...misspelt]);
  return Object.freeze({ ...settings, notices: [...read.notices, ...misspelt] });
}

const NOTHING =
  'Nothing to serve: set TOKENS_API_KEY for asset data, an RPC URL (such as HELIUS_MAINNET_RPC_URL) or HELIUS_API_KEY to sell Solana ' +
  'data, or APIS_FILE for your own APIs. To try the gateway without keys, run npm start, or npx asset-gateway-sandbox. ' +
  'The command sales needs the same variables as the gateway.';
const NO_BUDGET = 'Nothing to serve: TOKENS_RATE_LIMIT_PER_MINUTE=0 removes the asset data; set a higher limit.';
const NOTHING_NAMED = 'Nothing to serve: APIS_FILE serves no operation, and nothing else is configured.';
const NOTHING_LEFT = 'Nothing to serve: APIS_FILE disables tokens, and nothing else is configured.';

const NEEDS_DATABASE =
  'DATABASE_URL is required with REDIS_URL and paid routes, because nodes keep money in PostgreSQL; Redis may lose data.';
