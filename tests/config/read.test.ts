import { readConfig } from '@asset-gateway/gateway';
import { describe, expect, it } from 'vitest';
import { LIFETIMES } from '../../packages/gateway/src/cache/lifetimes.ts';
import { passwordsIn } from '../../packages/gateway/src/secrets.ts';
import { databaseUrls } from '../../packages/gateway/src/stores/sql/postgres-server.ts';
import table from './bad-values.json' with { type: 'json' };
import { faultsOf, WITH_FACILITATOR } from './faults.ts';

const KINDS: Readonly<Record<string, readonly string[]>> = table.kinds;

const KEY = { TOKENS_API_KEY: 'k' };
const SECRET = 's'.repeat(32);
const { HELIUS_API_KEY: _, ...PAYEE } = WITH_FACILITATOR;

it('the metrics cannot have the port of the gateway, unless each takes a free one', () => {
  expect(faultsOf({ ...KEY, PORT: '9000', METRICS_PORT: '9000' })).toEqual(['METRICS_PORT must differ from PORT.']);
  expect(readConfig({ ...KEY, PORT: '0', METRICS_PORT: '0' })).toMatchObject({ port: 0, metrics: { port: 0 } });
});

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
  ['TOKENS_API_BASE_URL', 'http://localhost:1/x', { tokens: { baseUrl: 'http://localhost:1/x' } }],
  ['TOKENS_API_KEY', ' one, two ,three', { tokens: { keys: ['one', 'two', 'three'] } }],
  ['TOKENS_RATE_LIMIT_PER_MINUTE', '1000000', { tokens: { limitPerMinute: 1_000_000 } }],
  ['GATEWAY_SECRET', SECRET, { secrets: [SECRET] }],
  ['GATEWAY_SECRET', `${SECRET}1, ${SECRET}2`, { secrets: [`${SECRET}1`, `${SECRET}2`] }],
  ['TRUST_PROXY', '10.0.0.0/8, 2001:db8::/32', { trustedProxies: ['10.0.0.0/8', '2001:db8::/32'] }],
  ['RESPONSE_CACHE', 'on', { cache: { lifetimes: LIFETIMES, maxBytes: 268_435_456 } }],
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
    'postgres://user:100%real@db.example/gateway',
    'postgres://user@/gateway?host=/var/run/postgresql',
    'postgres:///gateway?host=/var/run/postgresql&user=gateway',
  ])('%s is taken', (url) => expect(readConfig({ ...KEY, DATABASE_URL: url })).toMatchObject({ databaseUrl: url }));

  it.each([
    ['u:100%real@h/db', ['u:100%25real@h/db'], '100%real'],
    ['u:50%%20@h/db', ['u:50%25%20@h/db'], '50% '],
    ['u:p@ss%zz@h/db', ['u:p%40ss%25zz@h/db'], 'p@ss%zz'],
    ['u:p%40s%ff@h/db', ['u:p%40s%ff@h/db'], 'p%40s%ff'],
    ['u@/db?host=/run/pg', ['u@localhost/db?host=%2Frun%2Fpg'], undefined],
    ['/db?host=a,b&port=1,2', ['localhost/db?host=a&port=1', 'localhost/db?host=b&port=2'], undefined],
    ['u@a:1,b/db?password=word+two', ['u@a:1/db?password=word+two', 'u@b/db?password=word+two'], 'word two'],
    ['u@h/db?sslmode=require', ['u@h/db?sslmode=verify-full'], undefined],
    ['u@h/db?sslmode=no-verify', ['u@h/db?sslmode=no-verify'], undefined],
  ])('postgres://%s is split and escaped for the driver, its password is not logged', (given, urls, password) => {
    expect(databaseUrls(`postgres://${given}`)).toEqual(urls.map((url) => `postgres://${url}`));
    expect(passwordsIn(`postgres://${given}`)).toEqual(password === undefined ? [] : [password]);
  });

  const shared = { ...KEY, REDIS_URL: 'redis://localhost', GATEWAY_SECRET: SECRET };

  it('is required with REDIS_URL and paid routes, which one sentence says', () => {
    expect(faultsOf({ ...shared, ...WITH_FACILITATOR })).toEqual([
      expect.stringMatching(/^DATABASE_URL is required with REDIS_URL and paid routes, because [^.]*\.$/),
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

/** The values that each variable refuses. */
const BAD = Object.entries(table.variables).map(
  ([name, values]) => [name, values.flatMap((value) => KINDS[value] ?? [value])] as const,
);
const TOO_LONG = `postgres://localhost/${'x'.repeat(2_000)}`;

describe('a bad value', () => {
  const cases = BAD.flatMap(([name, values]) => values.map((value) => [name, value] as const));
  it.each([...cases, ['DATABASE_URL', TOO_LONG] as const])('%s=%j is one fault, of that variable', (name, value) => {
    const base = /^(?:ALCHEMY|HELIUS)_/.test(name) ? { ...KEY, ...PAYEE } : KEY;
    const faults = faultsOf({ ...base, [name]: value });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(name);
    expect(faults[0]).toMatch(/^[A-Z].*\.$/);
  });

  it('is found in every variable at once', () => {
    const environment = Object.fromEntries(BAD.map(([name, [value]]) => [name, value]));
    const faults = faultsOf({ ...environment, HOST: '127.0.0.1' });
    for (const [name] of BAD.filter(([known]) => known !== 'HOST'))
      expect(faults.filter((fault) => fault.startsWith(`${name} `) || fault.startsWith(`${name}:`))).toHaveLength(1);
  });
});

describe('nothing to serve', () => {
  it.each([
    [{}, /TOKENS_API_KEY.* HELIUS_API_KEY .* APIS_FILE .* asset-gateway-sandbox/],
    [{ TOKENS_API_KEY: ' ' }, /TOKENS_API_KEY.* asset-gateway-sandbox/],
    [{ ...KEY, TOKENS_RATE_LIMIT_PER_MINUTE: '0' }, /TOKENS_RATE_LIMIT_PER_MINUTE=0/],
  ])('%j is a fault that says what to set', (environment, sentence) => {
    expect(faultsOf(environment)).toEqual([expect.stringMatching(sentence)]);
  });
});
