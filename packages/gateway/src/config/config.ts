import { BlockList, isIP } from 'node:net';
import type { ListFile } from '../blocked/file.ts';
import { databaseUrls } from '../stores/sql/database-url.ts';
import { WITHOUT_CLIENTS as BLOCKED_WITHOUT_CLIENTS, readBlocked } from './blocked.ts';
import { type CreditConfig, readCredit } from './credit.ts';
import { type ReceiptsConfig, readReceipts } from './keypairs.ts';
import { type PaidConfig, readPaid } from './paid.ts';
import { ConfigError, type Environment, parseUrl, Reader } from './settings.ts';
import { type CacheConfig, readCache, readTokens, type TokensConfig } from './tokens.ts';
import { nearlyKnown } from './variables.ts';

export { ConfigError, type Environment };

/** Everything an operator can set, read and checked once. */
export interface Config {
  readonly port: number;
  readonly host: string;
  /** Public origin; nothing for local use. */
  readonly baseUrl: string | undefined;
  readonly serviceName: string;
  /** The asset-data API; nothing when its routes are left out. */
  readonly tokens: TokensConfig | undefined;
  /** What is sold; nothing when the paid routes are left out. */
  readonly paid: PaidConfig | undefined;
  readonly singleUse: boolean;
  /** The first signs, all verify. Empty: the one that the data folder keeps. */
  readonly secrets: readonly string[];
  readonly dataDir: string;
  /** Where nodes share their state; nothing for one process with a folder of its own. */
  readonly redisUrl: string | undefined;
  /** PostgreSQL for money; undefined for a file in the data folder. */
  readonly databaseUrl: string | undefined;
  readonly upstreamTimeoutMs: number;
  /** Whether the asset-data budget is shared out among callers; else it goes to whoever comes first. */
  readonly fairShares: boolean;
  /** CIDR texts. */
  readonly trustedProxies: readonly string[];
  readonly logLevel: string;
  /** Nothing: for a person where the log goes to a terminal, else for programs. */
  readonly logFormat: 'json' | 'pretty' | undefined;
  /** Where metrics are given out; nothing when they are not kept. */
  readonly metrics: MetricsConfig | undefined;
  /** How long entries of the sales journal are kept, in milliseconds. */
  readonly journalKeepMs: number;
  /** What of the asset data is kept, and for how long; nothing when every answer is asked for. */
  readonly cache: CacheConfig | undefined;
  /** What wallets may pay ahead; nothing where credit is off. */
  readonly credit: CreditConfig | undefined;
  /** Whether there is a page at `/`. */
  readonly console: boolean;
  /** Who is not served; nothing where everybody is. */
  readonly blocked: ListFile | undefined;
  /** What receipts are signed with; nothing where none are issued. */
  readonly receipts: ReceiptsConfig | undefined;
  /** What the start should say: nothing is wrong, but it may not be meant. */
  readonly notices: readonly string[];
}

/** Where metrics are given out. */
export interface MetricsConfig {
  readonly port: number;
  readonly host: string;
  /** What whoever asks for sales must know; nothing where only this machine may ask. */
  readonly token: string | undefined;
}

const MIN_SECRET_LENGTH = 32;
const MIN_TOKEN_LENGTH = 16;
const MAX_URL_LENGTH = 2_000;
const DAY_MS = 86_400_000;
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

const WITHOUT_TLS =
  'GATEWAY_BASE_URL is http: whoever is on the way can read and use what clients sign; end TLS in front of the gateway ' +
  'and set the https origin';

const WITHOUT_CLIENTS =
  'FAIR_SHARES=on without TRUST_PROXY: TLS ends in front of the gateway, so all callers come from one address and have one share';

/** The environment of this process. */
export const processEnvironment = (): Environment => process.env;

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));

function isCidr(text: string): boolean {
  const [address = '', prefix = '', ...rest] = text.split('/');
  if (rest.length > 0) return false;
  try {
    new BlockList().addSubnet(
      address,
      /^(?:0|[1-9]\d{0,2})$/.test(prefix) ? Number(prefix) : -1,
      isIP(address) === 6 ? 'ipv6' : 'ipv4',
    );
    return true;
  } catch {
    return false;
  }
}

function readBaseUrl(read: Reader, host: string): string | undefined {
  const text = read.optional('GATEWAY_BASE_URL');
  if (text === undefined) {
    read.check(
      isLoopback(host),
      'GATEWAY_BASE_URL is required when HOST is not a loopback address: clients sign for it.',
    );
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
  read.check(longEnough, `GATEWAY_SECRET must have at least ${MIN_SECRET_LENGTH} characters, each one of a list.`);
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
  read.check(!isGood || hasSecret, 'GATEWAY_SECRET is required with REDIS_URL: all nodes sign with the same one.');
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
  read.check(proxies.every(isCidr), 'TRUST_PROXY must be a comma-separated list of CIDRs such as 10.0.0.0/8.');
  return proxies;
}

/** Shares and blocked addresses go by the client's address, which behind a proxy is known only from one that is trusted. */
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
  read.check(isGood, `METRICS_TOKEN must have at least ${MIN_TOKEN_LENGTH} characters, none of them a space.`);
  if (read.optional('METRICS_PORT') === undefined) return undefined;
  return { port: read.integer('METRICS_PORT', 0, [0, 65_535]), host, token };
}

/** Reads and checks all variables. Throws a ConfigError that names every fault, and every variable that may be misspelt, at once. */
export function readConfig(environment: Environment): Config {
  const read = new Reader(environment);
  const misspelt = nearlyKnown(environment);
  const host = read.text('HOST', '127.0.0.1');
  const paid = readPaid(read);
  const config: Config = {
    port: read.integer('PORT', 8402, [0, 65_535]),
    host,
    baseUrl: readBaseUrl(read, host),
    serviceName: read.text('SERVICE_NAME', 'asset-gateway'),
    tokens: readTokens(read),
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
    cache: readCache(read),
    credit: readCredit(read, paid),
    console: read.choice('CONSOLE', 'on', ['on', 'off']) === 'on',
    receipts: readReceipts(read),
    notices: [...read.notices, ...misspelt],
  };
  read.check(
    config.tokens !== undefined || paid !== undefined,
    'Nothing to serve: set TOKENS_API_KEY, and TOKENS_RATE_LIMIT_PER_MINUTE above 0; or an RPC URL or HELIUS_API_KEY.',
  );
  read.check(
    config.redisUrl === undefined || config.databaseUrl !== undefined || paid === undefined,
    'DATABASE_URL is required with REDIS_URL and paid routes: nodes keep money in PostgreSQL, and Redis may lose what it holds.',
  );
  if (read.faults.length > 0) throw new ConfigError([...read.faults, ...misspelt]);
  return Object.freeze(config);
}
