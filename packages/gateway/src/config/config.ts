import { isIP } from 'node:net';
import { ListFault, readListFile } from '../blocked/file.ts';
import { trustedProxies } from '../ip-address.ts';
import { databaseUrls } from '../stores/sql/postgres-server.ts';
import { type ApisConfig, readApis, readCache, readTokens } from './apis.ts';
import { readReceipts } from './keypairs.ts';
import { mistyped } from './mistyped.ts';
import { type PaidReading, readCredit, readPaid } from './paid.ts';
import { readProxies } from './proxies.ts';
import { ConfigError, type Environment, parseUrl, Reader } from './settings.ts';
import { readTraces } from './traces.ts';
import { nearlyKnown, removedFaults } from './variables.ts';

export { ConfigError, type Environment };

const MIN_SECRET_LENGTH = 32;
/** Makes a secret that is long enough. */
const MAKE_ONE = '`openssl rand -hex 32` makes one';
const MIN_TOKEN_LENGTH = 16;
const MAX_URL_LENGTH = 2_000;
const DAY_MS = 86_400_000;
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

const WITHOUT_TLS =
  'GATEWAY_BASE_URL is http: anyone on the network path can read and use what clients sign; end TLS in front of the ' +
  'gateway and set the https origin';

const WITHOUT_CLIENTS =
  "FAIR_SHARES=on without TRUST_PROXY: TLS ends in front of the gateway, so all clients have the proxy's address and one share";

const BLOCKED_WITHOUT_CLIENTS =
  "BLOCKED_FILE lists addresses without TRUST_PROXY: TLS ends in front of the gateway, so all clients have the proxy's address";

/** The environment of this process. */
export const processEnvironment = (): Environment => process.env;

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));

function readBaseUrl(read: Reader, host: string): string | undefined {
  const text = read.optional('GATEWAY_BASE_URL');
  if (text === undefined) {
    read.check(
      isLoopback(host),
      'GATEWAY_BASE_URL is required if HOST is not a loopback address: the origin that clients sign, such as https://gateway.example.',
    );
    return undefined;
  }
  const url = parseUrl(text);
  const isOrigin = url?.pathname === '/' && url.search === '';
  read.check(isOrigin, 'GATEWAY_BASE_URL must be a plain origin such as https://gateway.example, without a path.');
  const isPlain = url?.protocol === 'http:' && !isLoopback(url.hostname.replace(/^\[(.*)\]$/, '$1'));
  if (isPlain) read.notices.push(WITHOUT_TLS);
  return url?.origin;
}

function readSecrets(read: Reader): string[] {
  const secrets = read.list('GATEWAY_SECRET');
  const longEnough = secrets.every((secret) => secret.length >= MIN_SECRET_LENGTH);
  read.check(
    longEnough,
    `GATEWAY_SECRET must have at least ${MIN_SECRET_LENGTH} characters, in each entry of a list; ${MAKE_ONE}.`,
  );
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
  const isSigned = !isGood || read.optional('GATEWAY_SECRET') !== undefined;
  read.check(
    isSigned,
    `GATEWAY_SECRET is required with REDIS_URL: all nodes must sign with the same secret; ${MAKE_ONE}.`,
  );
  return url;
}

function readDatabaseUrl(read: Reader): string | undefined {
  const url = read.optional('DATABASE_URL');
  const isGood = url === undefined || (url.length <= MAX_URL_LENGTH && databaseUrls(url).length > 0);
  read.check(isGood, 'DATABASE_URL must be a URL such as postgres://user:password@host:5432/name?sslmode=verify-full.');
  return url;
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

function readBlocked(read: Reader) {
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

/** Shares and the block list use the client's address, which behind a proxy is known only with TRUST_PROXY. */
function readCallers(read: Reader) {
  const fairShares = read.choice('FAIR_SHARES', 'off', ['on', 'off']) === 'on';
  const blocked = readBlocked(read);
  const trustedProxies = readTrusted(read);
  const isBehindProxy = parseUrl(read.text('GATEWAY_BASE_URL', ''))?.protocol === 'https:';
  if (isBehindProxy && trustedProxies.length === 0) {
    if (fairShares) read.notices.push(WITHOUT_CLIENTS);
    if (blocked && blocked.list.counts.ranges > 0) read.notices.push(BLOCKED_WITHOUT_CLIENTS);
  }
  return {
    /** Whether the asset-data budget is divided among clients; else first come, first served. */
    fairShares,
    /** The block list; undefined if there is none. */
    blocked,
    /** CIDR texts. */
    trustedProxies,
  };
}

function readMetrics(read: Reader) {
  const host = read.text('METRICS_HOST', '127.0.0.1');
  const token = read.optional('METRICS_TOKEN');
  const isGood = token === undefined || (token.length >= MIN_TOKEN_LENGTH && /^[\x21-\x7e]+$/.test(token));
  read.check(isGood, `METRICS_TOKEN must have at least ${MIN_TOKEN_LENGTH} characters, without spaces; ${MAKE_ONE}.`);
  if (read.optional('METRICS_PORT') === undefined) return undefined;
  // Without a token only this machine may read sales.
  return { port: read.integer('METRICS_PORT', 0, [0, 65_535]), host, token };
}

/** Reads all variables, and collects their faults. */
function readSettings(read: Reader, file: ApisConfig, paid: PaidReading) {
  const host = read.text('HOST', '127.0.0.1');
  return {
    port: read.integer('PORT', 8402, [0, 65_535]),
    host,
    /** Public origin; undefined for local use. */
    baseUrl: readBaseUrl(read, host),
    serviceName: read.text('SERVICE_NAME', 'asset-gateway'),
    /** The operator's own APIs. */
    apis: file.apis,
    /** Ids of the gateway's routes that the operator disabled. */
    disabled: file.families.disabled,
    /** Undefined if the asset-data routes are off. */
    tokens: readTokens(read, file.families),
    /** Undefined if the paid routes are off. */
    paid: paid === 'unusable' ? undefined : paid,
    singleUse: read.choice('SIWX_NONCE', 'single-use', ['single-use', 'until-expiry']) === 'single-use',
    /** The first signs, all verify. Empty: the data folder's secret. */
    secrets: readSecrets(read),
    dataDir: read.text('DATA_DIR', './data'),
    /** State shared by nodes; undefined for one process with its own folder. */
    redisUrl: readRedisUrl(read),
    /** PostgreSQL for money; undefined for a file in the data folder. */
    databaseUrl: readDatabaseUrl(read),
    upstreamTimeoutMs: read.integer('UPSTREAM_TIMEOUT_MS', 10_000, [1, 600_000]),
    ...readCallers(read),
    logLevel: read.choice('LOG_LEVEL', 'info', LOG_LEVELS),
    /** Undefined: pretty on a terminal, else JSON. */
    logFormat: read.choice('LOG_FORMAT', undefined, ['json', 'pretty']),
    /** Undefined if metrics are off. */
    metrics: readMetrics(read),
    /** Retention of the sales journal. */
    journalKeepMs: read.integer('SALES_KEEP_DAYS', 400, [1, 10_000]) * DAY_MS,
    /** Undefined if the cache is off. */
    cache: readCache(read, file),
    /** Undefined if credit is off. */
    credit: readCredit(read, paid),
    /** Whether the console is served at `/`. */
    console: read.choice('CONSOLE', 'on', ['on', 'off']) === 'on',
    /** Undefined if receipts are off. */
    receipts: readReceipts(read),
    /** Undefined if traces are off. */
    traces: readTraces(read),
    /** Undefined if outgoing requests use none. */
    proxies: readProxies(read),
  };
}

/** The configuration, read and checked once. */
export interface Config extends Readonly<ReturnType<typeof readSettings>> {
  /** Warnings to print at the start. */
  readonly notices: readonly string[];
}

/** Why nothing would be served. */
function nothing(read: Reader, { families }: ApisConfig): string {
  if (families.off.has('tokens')) return NOTHING_LEFT;
  if (read.optional('TOKENS_API_KEY') !== undefined) return NO_BUDGET;
  return read.optional('APIS_FILE') === undefined ? NOTHING : NOTHING_NAMED;
}

/** Reads and checks all variables. Throws a ConfigError with all faults and probably misspelt variables. */
export function readConfig(environment: Environment): Config {
  const read = new Reader(environment);
  const misspelt = nearlyKnown(environment);
  read.faults.push(...removedFaults(environment));
  const file = readApis(read);
  const paid = readPaid(read, file);
  const settings = readSettings(read, file, paid);
  const { tokens, apis, redisUrl, databaseUrl } = settings;
  // Also if a variable of the paid routes is wrong.
  const isSelling = paid !== undefined;
  const isServing = tokens !== undefined || isSelling || apis.some(({ rows }) => rows.length > 0);
  read.check(isServing, nothing(read, file));
  read.check(redisUrl === undefined || databaseUrl !== undefined || !isSelling, NEEDS_DATABASE);
  const wrong = mistyped(environment, apis);
  // One sentence for each variable: the others of it follow from this one.
  const others = read.faults.filter((fault) => !wrong.has(/^\w+/.exec(fault)?.[0] ?? ''));
  const faults = [...wrong.values(), ...others];
  if (faults.length > 0) throw new ConfigError([...faults, ...misspelt]);
  return Object.freeze({ ...settings, notices: [...read.notices, ...misspelt] });
}

const NOTHING =
  'Nothing to serve: set TOKENS_API_KEY for asset data, an RPC URL (such as HELIUS_MAINNET_RPC_URL) or HELIUS_API_KEY to sell Solana ' +
  'data, or APIS_FILE for your own APIs. To try the gateway without keys, run npm start, or npx asset-gateway-sandbox.';
const NO_BUDGET = 'Nothing to serve: TOKENS_RATE_LIMIT_PER_MINUTE=0 removes the asset data; set a higher limit.';
const NOTHING_NAMED = 'Nothing to serve: APIS_FILE serves no operation, and nothing else is configured.';
const NOTHING_LEFT = 'Nothing to serve: APIS_FILE disables tokens, and nothing else is configured.';

const NEEDS_DATABASE =
  'DATABASE_URL is required with REDIS_URL and paid routes: nodes keep money in PostgreSQL because Redis may lose data.';
