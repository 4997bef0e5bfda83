import { readConfig } from '@asset-gateway/gateway';
import { describe, expect, it } from 'vitest';
import { LIFETIMES } from '../../packages/gateway/src/cache/lifetimes.ts';
import { faultsOf, WITH_FACILITATOR } from './faults.ts';

const KEY = { TOKENS_API_KEY: 'k' };
const SECRET = 's'.repeat(32);
const { HELIUS_API_KEY: _, ...PAYEE } = WITH_FACILITATOR;

describe('without variables but a key', () => {
  it('an empty or blank variable counts as unset', () => {
    const blank = ['PORT', 'HOST', 'GATEWAY_BASE_URL', 'SIWX_NONCE', 'TRUST_PROXY', 'LOG_LEVEL', 'RESPONSE_CACHE'];
    for (const value of ['', '  ', '\t']) {
      const environment = Object.fromEntries(blank.map((name) => [name, value]));
      expect(readConfig({ ...KEY, ...environment })).toEqual(readConfig(KEY));
    }
  });

  it('it cannot be changed afterwards', () => expect(Object.isFrozen(readConfig(KEY))).toBe(true));
});

const GOOD: readonly (readonly [string, string, object])[] = [
  ['PORT', '0', { port: 0 }],
  ['PORT', '65535', { port: 65_535 }],
  ['HOST', 'localhost', { host: 'localhost' }],
  ['HOST', '::1', { host: '::1' }],
  ['GATEWAY_BASE_URL', ' https://gateway.example/ ', { baseUrl: 'https://gateway.example' }],
  ['GATEWAY_BASE_URL', 'HTTPS://Gateway.Example:443', { baseUrl: 'https://gateway.example' }],
  ['GATEWAY_BASE_URL', 'http://gateway.example:8080', { baseUrl: 'http://gateway.example:8080' }],
  ['SERVICE_NAME', 'mine', { serviceName: 'mine' }],
  ['TOKENS_API_BASE_URL', 'http://localhost:1/x', { tokens: { baseUrl: 'http://localhost:1/x' } }],
  ['TOKENS_API_KEY', ' one, two ,three', { tokens: { keys: ['one', 'two', 'three'] } }],
  ['TOKENS_RATE_LIMIT_PER_MINUTE', '1000000', { tokens: { limitPerMinute: 1_000_000 } }],
  ['SIWX_NONCE', 'until-expiry', { singleUse: false }],
  ['GATEWAY_SECRET', SECRET, { secrets: [SECRET] }],
  ['GATEWAY_SECRET', `${SECRET}1, ${SECRET}2`, { secrets: [`${SECRET}1`, `${SECRET}2`] }],
  ['METRICS_PORT', '0', { metrics: { port: 0, host: '127.0.0.1' } }],
  ['SALES_KEEP_DAYS', '30', { journalKeepMs: 30 * 86_400_000 }],
  ['DATA_DIR', '/somewhere', { dataDir: '/somewhere' }],
  ['UPSTREAM_TIMEOUT_MS', '1', { upstreamTimeoutMs: 1 }],
  ['TRUST_PROXY', '10.0.0.0/8, 2001:db8::/32', { trustedProxies: ['10.0.0.0/8', '2001:db8::/32'] }],
  ['LOG_LEVEL', 'silent', { logLevel: 'silent' }],
  ['LOG_FORMAT', 'pretty', { logFormat: 'pretty' }],
  ['RESPONSE_CACHE', 'on', { cache: { lifetimes: LIFETIMES, maxBytes: 268_435_456 } }],
  ['CONSOLE', 'off', { console: false }],
  ['FAIR_SHARES', 'on', { fairShares: true }],
  ['RECEIPTS', 'on', { receipts: { keypairs: [] } }],
];

describe('REDIS_URL', () => {
  it.each(['redis://localhost', 'redis://user:p%40ss@redis.example:6380/3', 'rediss://:password@[2001:db8::1]:6379/'])(
    '%s is taken, with a secret that all nodes share',
    (url) => {
      expect(readConfig({ ...KEY, REDIS_URL: url, GATEWAY_SECRET: SECRET })).toMatchObject({ redisUrl: url });
      expect(faultsOf({ ...KEY, REDIS_URL: url })).toEqual([
        expect.stringMatching(/^GATEWAY_SECRET is required with REDIS_URL/),
      ]);
    },
  );
});

describe('DATABASE_URL', () => {
  it.each([
    'postgres://localhost/gateway',
    'postgresql://user:p%40ss@db.example:5433/gateway?sslmode=verify-full',
    'postgres://user@[2001:db8::1]:5432,standby.example/gateway',
  ])('%s is taken', (url) => expect(readConfig({ ...KEY, DATABASE_URL: url })).toMatchObject({ databaseUrl: url }));

  const shared = { ...KEY, REDIS_URL: 'redis://localhost', GATEWAY_SECRET: SECRET };

  it('is required with REDIS_URL and paid routes, which one sentence says', () => {
    expect(faultsOf({ ...shared, ...WITH_FACILITATOR })).toEqual([
      expect.stringMatching(/^DATABASE_URL is required with REDIS_URL and paid routes: [^.]*\.$/),
    ]);
    expect(faultsOf({ ...shared, ...WITH_FACILITATOR, DATABASE_URL: 'postgres://localhost/gateway' })).toEqual([]);
    expect(faultsOf(shared)).toEqual([]);
    expect(faultsOf({ ...KEY, ...WITH_FACILITATOR, DATABASE_URL: 'postgres://localhost/gateway' })).toEqual([]);
  });
});

describe('FAIR_SHARES', () => {
  it('warns if all clients come from one address', () => {
    const noticesOf = (environment: object) => readConfig({ ...KEY, FAIR_SHARES: 'on', ...environment }).notices;
    const [notice] = [expect.stringMatching(/^FAIR_SHARES=on without TRUST_PROXY/)];
    expect(noticesOf({ GATEWAY_BASE_URL: 'https://gateway.example' })).toEqual([notice]);
    expect(noticesOf({ GATEWAY_BASE_URL: 'https://gateway.example', TRUST_PROXY: '10.0.0.0/8' })).toEqual([]);
    expect(noticesOf({})).toEqual([]);
  });
});

describe('a good value', () => {
  it.each(GOOD)('%s=%s is taken', (name, value, expected) => {
    expect(readConfig({ ...KEY, [name]: value })).toMatchObject(expected);
  });
});

const NO_URL = ['x', 'ftp://x', 'http://u:p@x', 'http://'];

const NO_INTEGER = ['-1', '1.5', 'x', '0x50', '1e3', '01', '+1', '1 0', '99999999999', 'NaN', 'Infinity', '１'];
const URLS = ['ALCHEMY_MAINNET_RPC', 'ALCHEMY_DEVNET_RPC', 'HELIUS_MAINNET_RPC', 'HELIUS_DEVNET_RPC', 'FACILITATOR'];
const LIMITS = ['RPC_RATE_LIMIT', 'DAS_RATE_LIMIT', 'WALLET_RATE_LIMIT'].map((name) => `${name}_PER_SECOND`);
const BAD: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries([...URLS, 'SOLANA_MAINNET_RPC', 'SOLANA_DEVNET_RPC'].map((name) => [`${name}_URL`, NO_URL])),
  ...Object.fromEntries(LIMITS.map((name) => [name, NO_INTEGER])),
  PRICE_SURCHARGE_USD_MICROS: NO_INTEGER,
  FEE_BUDGET_LAMPORTS_PER_HOUR: NO_INTEGER,
  HELIUS_WALLET_API_BASE_URL: NO_URL,
  PORT: [...NO_INTEGER, '65536'],
  HOST: ['0.0.0.0', '::', '192.0.2.1', 'gateway.example', '127.evil.example', '127.0.0.1.evil.example', '[::1]'],
  GATEWAY_BASE_URL: [
    ...['gateway.example', '//gateway.example', 'ftp://gateway.example', 'https://', 'https://a b'],
    ...['https://gateway.example/path', 'https://gateway.example/?x=1', 'https://gateway.example/#x'],
    'https://user:word@gateway.example',
  ],
  TOKENS_API_BASE_URL: [...NO_URL, 'http://x/?key=1', 'http://x/#y', '/v1'],
  TOKENS_API_KEY: [
    Array.from({ length: 17 }, (_, index) => `key-${index}`).join(),
    ...['two words', 'line\nbreak', 'ключ', 'zero\0', 'one,', ',one', 'one,,two', ',', 'one,two,one'],
  ],
  TOKENS_RATE_LIMIT_PER_MINUTE: [...NO_INTEGER, '1000001'],
  SIWX_NONCE: ['multi', 'Single-Use', 'off', 'single-use,until-expiry'],
  GATEWAY_SECRET: ['short', 's'.repeat(31), `${SECRET},short`, `short,${SECRET}`],
  UPSTREAM_TIMEOUT_MS: [...NO_INTEGER, '0', '600001'],
  TRUST_PROXY: [
    ...['10.0.0.0', '10.0.0.0/33', '10.0.0.0/x', '10.0.0/8', 'proxy/8', '::/129', '10.0.0.0/8;::/0', 'true'],
    ...['10.0.0.0/', '/8', '10.0.0.0/8/9', '10.0.0.0/0008'],
  ],
  METRICS_PORT: [...NO_INTEGER, '65536'],
  METRICS_TOKEN: ['too-short', 'sixteen characters', 'a-token-é-beyond-ascii'],
  SALES_KEEP_DAYS: [...NO_INTEGER, '0', '10001'],
  LOG_LEVEL: ['verbose', 'INFO', '30', 'info,debug'],
  LOG_FORMAT: ['text', 'JSON', 'pretty,json'],
  RESPONSE_CACHE: ['ON', '60', 'OFF'],
  CACHE_MAX_MIB: [...NO_INTEGER, '0', '65537'],
  CONSOLE: ['yes', 'ON', '1'],
  FAIR_SHARES: ['yes', 'ON', '1'],
  BLOCKED_FILE: ['/no/such/file', '.', 'package.json'],
  RECEIPTS: ['yes', 'ON', '1'],
  RECEIPT_KEYPAIR: ['x', '[1,2,3]', '/no/such/file'],
  FEE_PAYER_KEYPAIR: ['x', '[1,2,3]', '/no/such/file'],
  PAY_TO_WALLET: ['x', '0'.repeat(44), '1'.repeat(31)],
  PAYMENT_MEMO: ['yes', 'ON'],
  SOL_PRICE_USD: ['x', '0', '0.00', '-1', '1e3', '1,5', '.5', '5.', '1000000', '0.0000001'],
  APIS_FILE: ['/no/such/file', '.', 'package.json/apis.yaml'],
  PAID_UPSTREAM_TIMEOUT_MS: [...NO_INTEGER, '0', '60001'],
  DATABASE_URL: [
    ...['localhost:5432/gateway', 'mysql://localhost/gateway', 'postgres://localhost', 'postgres:///gateway'],
    ...['postgres://localhost:port/gateway', 'postgres://localhost,/gateway'],
    `postgres://localhost/${'x'.repeat(2_000)}`,
  ],
  REDIS_URL: ['localhost:6379', 'http://x', 'redis://', 'redis://x/name', 'redis://x/0?db=1', 'redis://u:%zz@x'],
};

/** A fault for HOST names GATEWAY_BASE_URL. */
const NAMED: Readonly<Record<string, string>> = { HOST: 'GATEWAY_BASE_URL is required if HOST' };

describe('a bad value', () => {
  const cases = Object.entries(BAD).flatMap(([name, values]) => values.map((value) => [name, value] as const));
  it.each(cases)('%s=%j is one fault, which names the variable', (name, value) => {
    const base = /^(?:ALCHEMY|HELIUS)_/.test(name) ? { ...KEY, ...PAYEE } : KEY;
    const faults = faultsOf({ ...base, [name]: value });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(NAMED[name] ?? name);
    expect(faults[0]).toMatch(/^[A-Z].*\.$/);
  });

  it('is found in every variable at once', () => {
    const environment = Object.fromEntries(Object.entries(BAD).map(([name, [value]]) => [name, value]));
    const faults = faultsOf({ ...environment, HOST: '127.0.0.1' });
    for (const name of Object.keys(BAD).filter((known) => known !== 'HOST')) {
      expect(faults.filter((fault) => fault.startsWith(`${name} `) || fault.startsWith(`${name}:`))).toHaveLength(1);
    }
  });
});

describe('nothing to serve', () => {
  it.each([{}, { TOKENS_API_KEY: ' ' }, { ...KEY, TOKENS_RATE_LIMIT_PER_MINUTE: '0' }])(
    '%j is a fault',
    (environment) => {
      expect(faultsOf(environment)).toEqual([expect.stringMatching(/TOKENS_API_KEY.*TOKENS_RATE_LIMIT_PER_MINUTE/)]);
    },
  );
});
