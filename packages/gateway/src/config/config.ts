import { isIP } from 'node:net';
import type { ListFile } from '../blocked/file.ts';
import { trustedProxies } from '../ip-address.ts';
import { databaseUrls } from '../stores/sql/postgres-server.ts';
import { type ApiConfig, readApis } from './apis.ts';
import { WITHOUT_CLIENTS as BLOCKED_WITHOUT_CLIENTS, readBlocked } from './blocked.ts';
import { type ReceiptsConfig, readReceipts } from './keypairs.ts';
import { type CreditConfig, type PaidConfig, readCredit, readPaid } from './paid.ts';
import { ConfigError, type Environment, parseUrl, Reader } from './settings.ts';
import { type CacheConfig, readCache, readTokens, type TokensConfig } from './tokens.ts';
import { readTraces, type TracesConfig } from './traces.ts';
import { nearlyKnown, removedFaults } from './variables.ts';

export { ConfigError, type Environment };

/** The configuration, read and checked once. */
export interface Config {
  readonly port: number;
  readonly host: string;
  /** Public origin; undefined for local use. */
  readonly baseUrl: string | undefined;
  readonly serviceName: string;
  /** The operator's own APIs. */
  readonly apis: readonly ApiConfig[];
  /** Ids of the gateway's routes that the operator disabled. */
  readonly disabled: ReadonlySet<string>;
  /** Undefined if the asset-data routes are off. */
  readonly tokens: TokensConfig | undefined;
  /** Undefined if the paid routes are off. */
  readonly paid: PaidConfig | undefined;
  readonly singleUse: boolean;
  /** The first signs, all verify. Empty: the data folder's secret. */
  readonly secrets: readonly string[];
  readonly dataDir: string;
  /** State shared by nodes; undefined for one process with its own folder. */
  readonly redisUrl: string | undefined;
  /** PostgreSQL for money; undefined for a file in the data folder. */
  readonly databaseUrl: string | undefined;
  readonly upstreamTimeoutMs: number;
  /** Whether the asset-data budget is divided among clients; else first come, first served. */
  readonly fairShares: boolean;
  /** CIDR texts. */
  readonly trustedProxies: readonly string[];
  readonly logLevel: string;
  /** Undefined: pretty on a terminal, else JSON. */
  readonly logFormat: 'json' | 'pretty' | undefined;
  /** Undefined if metrics are off. */
  readonly metrics: MetricsConfig | undefined;
  /** Retention of the sales journal, in milliseconds. */
  readonly journalKeepMs: number;
  /** Undefined if the cache is off. */
  readonly cache: CacheConfig | undefined;
  /** Undefined if credit is off. */
  readonly credit: CreditConfig | undefined;
  /** Whether the console is served at `/`. */
  readonly console: boolean;
  /** The block list; undefined if there is none. */
  readonly blocked: ListFile | undefined;
  /** Undefined if receipts are off. */
  readonly receipts: ReceiptsConfig | undefined;
  /** Undefined if traces are off. */
  readonly traces: TracesConfig | undefined;
  /** Warnings to print at the start. */
  readonly notices: readonly string[];
}

/** Where metrics are served. */
interface MetricsConfig {
  readonly port: number;
  readonly host: string;
  /** Bearer token for sales; undefined: only this machine may read them. */
  readonly token: string | undefined;
}

const MIN_SECRET_LENGTH = 32;
const MIN_TOKEN_LENGTH = 16;
const MAX_URL_LENGTH = 2_000;
const DAY_MS = 86_400_000;
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

const WITHOUT_TLS =
  'GATEWAY_BASE_URL is http: anyone on the network path can read and use what clients sign; end TLS in front of the ' +
  'gateway and set the https origin';

const WITHOUT_CLIENTS =
  "FAIR_SHARES=on without TRUST_PROXY: TLS ends in front of the gateway, so all clients have the proxy's address and one share";

/** The environment of this process. */
export const processEnvironment = (): Environment => process.env;

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));

function areCidrs(texts: readonly string[]): boolean {
  try {
    trustedProxies(texts);
    return true;
  } catch {
    return false;
  }
}

function readBaseUrl(read: Reader, host: string): string | undefined {
  const text = read.optional('GATEWAY_BASE_URL');
  if (text === undefined) {
    read.check(isLoopback(host), 'GATEWAY_BASE_URL is required if HOST is not a loopback address: clients sign it.');
    return undefined;
  }
  const url = parseUrl(text);
  read.check(
    url?.pathname === '/' && url.search === '',
    'GATEWAY_BASE_URL must be a plain origin such as https://gateway.example, without a path.',
  );
  const isPlain = url?.protocol === 'http:' && !isLoopback(url.hostname.replace(/^\[(.*)\]$/, '$1'));
  if (isPlain) read.notices.push(WITHOUT_TLS);
  return url?.origin;
}

function readSecrets(read: Reader): string[] {
  const secrets = read.list('GATEWAY_SECRET');
  const longEnough = secrets.every((secret) => secret.length >= MIN_SECRET_LENGTH);
  read.check(longEnough, `GATEWAY_SECRET must have at least ${MIN_SECRET_LENGTH} characters, in each entry of a list.`);
  return secrets;
}

function isRedisUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, pathname, search, hash, username, password } = new URL(text);
  const isPlain = /^\/?\d*$/.test(pathname) && search === '' && hash === '';
  const isEscaped = !/%(?![0-9a-f]{2})/i.test(username + password);
  return ['redis:', 'rediss:'].includes(protocol) && hostname !== '' && isPlain && isEscaped;
}

function readRedisUrl(read: Reader): string | undefined {
  const url = read.optional('REDIS_URL');
  if (url === undefined) return undefined;
  const isGood = isRedisUrl(url);
  read.check(isGood, 'REDIS_URL must be a URL such as redis://user:password@host:6379/0, or rediss:// for TLS.');
  const hasSecret = read.optional('GATEWAY_SECRET') !== undefined;
  read.check(
    !isGood || hasSecret,
    'GATEWAY_SECRET is required with REDIS_URL: all nodes must sign with the same secret.',
  );
  return url;
}

function readDatabaseUrl(read: Reader): string | undefined {
  const url = read.optional('DATABASE_URL');
  const isGood = url === undefined || (url.length <= MAX_URL_LENGTH && databaseUrls(url).length > 0);
  read.check(isGood, 'DATABASE_URL must be a URL such as postgres://user:password@host:5432/name?sslmode=verify-full.');
  return url;
}

function readProxies(read: Reader): string[] {
  const proxies = read.list('TRUST_PROXY');
  read.check(areCidrs(proxies), 'TRUST_PROXY must be a comma-separated list of CIDRs such as 10.0.0.0/8.');
  return proxies;
}

/** Shares and the block list use the client's address, which behind a proxy is known only with TRUST_PROXY. */
function readCallers(read: Reader): Pick<Config, 'fairShares' | 'blocked' | 'trustedProxies'> {
  const fairShares = read.choice('FAIR_SHARES', 'off', ['on', 'off']) === 'on';
  const blocked = readBlocked(read);
  const trustedProxies = readProxies(read);
  const isBehindProxy = parseUrl(read.text('GATEWAY_BASE_URL', ''))?.protocol === 'https:';
  if (isBehindProxy && trustedProxies.length === 0) {
    if (fairShares) read.notices.push(WITHOUT_CLIENTS);
    if (blocked && blocked.list.counts.ranges > 0) read.notices.push(BLOCKED_WITHOUT_CLIENTS);
  }
  return { fairShares, blocked, trustedProxies };
}

function readLogFormat(read: Reader): Config['logFormat'] {
  if (read.optional('LOG_FORMAT') === undefined) return undefined;
  return read.choice('LOG_FORMAT', 'json', ['json', 'pretty']) === 'pretty' ? 'pretty' : 'json';
}

function readMetrics(read: Reader): Config['metrics'] {
  const host = read.text('METRICS_HOST', '127.0.0.1');
  const token = read.optional('METRICS_TOKEN');
  const isGood = token === undefined || (token.length >= MIN_TOKEN_LENGTH && /^[\x21-\x7e]+$/.test(token));
  read.check(isGood, `METRICS_TOKEN must have at least ${MIN_TOKEN_LENGTH} characters, without spaces.`);
  if (read.optional('METRICS_PORT') === undefined) return undefined;
  return { port: read.integer('METRICS_PORT', 0, [0, 65_535]), host, token };
}

/** Reads and checks all variables. Throws a ConfigError with all faults and probably misspelt variables. */
export function readConfig(environment: Environment): Config {
  const read = new Reader(environment);
  const misspelt = nearlyKnown(environment);
  const host = read.text('HOST', '127.0.0.1');
  read.faults.push(...removedFaults(environment));
  const file = readApis(read);
  const paid = readPaid(read, file);
  const config: Config = {
    port: read.integer('PORT', 8402, [0, 65_535]),
    host,
    baseUrl: readBaseUrl(read, host),
    serviceName: read.text('SERVICE_NAME', 'asset-gateway'),
    apis: file.apis,
    disabled: file.families.disabled,
    tokens: readTokens(read, file.families),
    paid: paid === 'unusable' ? undefined : paid,
    singleUse: read.choice('SIWX_NONCE', 'single-use', ['single-use', 'until-expiry']) === 'single-use',
    secrets: readSecrets(read),
    dataDir: read.text('DATA_DIR', './data'),
    redisUrl: readRedisUrl(read),
    databaseUrl: readDatabaseUrl(read),
    upstreamTimeoutMs: read.integer('UPSTREAM_TIMEOUT_MS', 10_000, [1, 600_000]),
    ...readCallers(read),
    logLevel: read.choice('LOG_LEVEL', 'info', LOG_LEVELS),
    logFormat: readLogFormat(read),
    metrics: readMetrics(read),
    journalKeepMs: read.integer('SALES_KEEP_DAYS', 400, [1, 10_000]) * DAY_MS,
    cache: readCache(read, file),
    credit: readCredit(read, paid),
    console: read.choice('CONSOLE', 'on', ['on', 'off']) === 'on',
    receipts: readReceipts(read),
    traces: readTraces(read),
    notices: [...read.notices, ...misspelt],
  };
  checkTogether(read, config, { isSelling: paid !== undefined, hasTokens: !file.families.off.has('tokens') });
  if (read.faults.length > 0) throw new ConfigError([...read.faults, ...misspelt]);
  return Object.freeze(config);
}

const NOTHING =
  'Nothing to serve: set TOKENS_API_KEY, and TOKENS_RATE_LIMIT_PER_MINUTE above 0; or an RPC URL, HELIUS_API_KEY or APIS_FILE.';
const NOTHING_LEFT = 'Nothing to serve: APIS_FILE disables tokens, and nothing else is configured.';

interface Served {
  /** Also if a variable of the paid routes is wrong. */
  readonly isSelling: boolean;
  /** Whether asset data is not disabled. */
  readonly hasTokens: boolean;
}

/** Checks what no variable shows alone. */
function checkTogether(read: Reader, config: Config, { isSelling, hasTokens }: Served): void {
  read.check(config.tokens !== undefined || isSelling || config.apis.length > 0, hasTokens ? NOTHING : NOTHING_LEFT);
  read.check(
    config.redisUrl === undefined || config.databaseUrl !== undefined || !isSelling,
    'DATABASE_URL is required with REDIS_URL and paid routes: nodes keep money in PostgreSQL because Redis may lose data.',
  );
}
