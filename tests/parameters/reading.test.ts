import { brotliCompressSync, gzipSync } from 'node:zlib';
import { createMatcher, type Route, routes } from '@asset-gateway/protocol';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type JsonSchema, published } from '../describe/json-schema.ts';
import { refusalOf } from '../describe/requests.ts';
import { exampleOf, rowOf } from '../http/targets.ts';
import { everyThird } from '../kit/rounds.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { jsonTestSuite } from '../signin/vectors.ts';
import {
  type Answered,
  type Ask,
  Caller,
  HEALTH,
  JSON_BODY,
  refusedForFree,
  SNAPSHOTS,
  TOKENS,
} from '../upstream/caller.ts';

/** Part of sent values; no answer may quote it. */
const MARKER = 'zqmarker';
const BODY_BYTES = 64 * 1024;
const MAX_VALUES = 1_024;

const gateway = await startTestGateway({}, { windowMs: 3_600_000 });
afterEach(() => gateway.upstream.faults.reset());

const posted = (body: string | Buffer, headers: Readonly<Record<string, string>> = JSON_BODY): Ask => ({
  method: 'POST',
  target: SNAPSHOTS,
  headers,
  body,
});

/** Expects one of these statuses and codes, such as `400 invalid_json`, of each request. */
const refusedWith = (asks: readonly Ask[], ...expected: readonly string[]): Promise<void> =>
  refusedForFree(gateway, asks, ({ status, json }, { target }) =>
    expect(expected, target).toContain(`${status} ${json.error}`),
  );

/** The bodies that reach the upstream for this one. */
async function forwarded(body: string): Promise<string[]> {
  const before = gateway.upstream.arrivals.length;
  await new Caller(gateway).ask(posted(body));
  return gateway.upstream.arrivals.slice(before).map((arrival) => arrival.body);
}

const filled = (piece: string): string => piece.repeat((BODY_BYTES - 100) / piece.length);

describe('V18 a reader stops after twenty violations', () => {
  const unknown = Array.from({ length: 6_000 }, (_, index) => `"u${index}":1`).join();
  it.each([
    ['unknown names', `{${unknown}}`],
    ['numbers', `{"mints":[${filled('1,')}1]}`],
    ['wrong texts', `{"mints":[${filled('"",')}""]}`],
    ['lists in lists', `{"mints":[${filled('[[]],')}1]}`],
    ['objects', `[${filled('{},')}{}]`],
  ])('in a body of 64 KiB full of %s, after the most values that a row allows', async (_, body) => {
    await refusedForFree(gateway, [posted(body)], ({ status, json }) => {
      expect([status, json.error]).toEqual([400, 'invalid_request']);
      const message = `Must hold at most ${MAX_VALUES} values.`;
      expect(json.issues?.[0]).toEqual({ in: 'body', name: 'body', rule: 'maxValues', message });
      expect(json.issues?.length).toBeLessThanOrEqual(20);
    });
  });

  it('in a list of invalid items, naming the first', async () => {
    const mints = JSON.stringify({ mints: Array.from({ length: 250 }, () => 7) });
    await refusedForFree(gateway, [posted(mints)], ({ json }) => {
      expect(json.issues?.map(({ name }) => name)).toEqual(Array.from({ length: 20 }, (_, index) => `mints[${index}]`));
    });
  });

  it('in a query of thousands of pairs', async () => {
    const pairs = ['u&', 'limit=1&', '&', 'limit=x&q=&'].map((pair) => pair.repeat(7_000 / pair.length));
    const asks = pairs.map((query) => ({ target: `${TOKENS}/assets/search?${query}` }));
    await refusedForFree(gateway, asks, ({ status, json }) => {
      expect([status, json.error, json.issues?.length]).toEqual([400, 'invalid_request', 20]);
    });
  });

  it('but not before it finds invalid JSON', async () => {
    const bodies = [`{"mints":nothing,${unknown}}`, `{"mints":[1,,${filled('1,')}1]}`];
    await refusedWith(
      bodies.map((body) => posted(body)),
      '400 invalid_json',
    );
  });

  it('and reads every value that a row allows', () => {
    expect(routes.filter(({ input }) => input.body && mostValues(published(input.body)) > MAX_VALUES)).toEqual([]);
    expect(
      Math.max(...routes.map(({ input }) => (input.body ? mostValues(published(input.body)) : 0))),
    ).toBeGreaterThan(500);
  });
});

/** The most values that a schema allows, nested ones included. */
function mostValues({ anyOf, properties, items, prefixItems, maxItems }: JsonSchema): number {
  const sum = (schemas: readonly JsonSchema[]): number =>
    schemas.map(mostValues).reduce((total, next) => total + next, 1);
  if (anyOf) return Math.max(...anyOf.map(mostValues));
  if (properties) return sum(Object.values(properties));
  if (prefixItems) return sum(prefixItems);
  return items ? 1 + (maxItems ?? Number.POSITIVE_INFINITY) * mostValues(items) : 1;
}

/** What a request is refused for, and the rules that ran. */
function judged(row: Route, target: string, body = '') {
  const spies = row.rules.map((rule) => [rule.name, vi.spyOn(rule, 'holds')] as const);
  const refusal = refusalOf(row, { target, body });
  const asked = spies.flatMap(([name, { mock }]) => mock.calls.map(() => name));
  vi.restoreAllMocks();
  return { refusal, asked };
}

const ruled = routes.filter(({ rules }) => rules.length > 0);

describe('V1 a rule', () => {
  it.each(ruled.map((row) => [row.id, row] as const))('of %s runs for valid values', (_, row) => {
    const { target, init } = exampleOf(row);
    expect(judged(row, target, init.body)).toEqual({ asked: row.rules.map(({ name }) => name) });
  });

  const long = 'z'.repeat(60_000);
  const wallet = '/v1/x402/helius/wallet';
  const address = 'So11111111111111111111111111111111111111112';
  it.each([
    ['a text that is too long', 'wallet.mainnet.helius.batchIdentity', '', { wallets: [long] }],
    ['one such text among good ones', 'wallet.mainnet.helius.batchIdentity', '', { wallets: [address, long] }],
    ['too many items', 'wallet.mainnet.helius.batchIdentity', '', { wallets: Array(101).fill(address) }],
    ['another type', 'wallet.mainnet.helius.batchIdentity', '', { wallets: { length: 1 } }],
    ['no list', 'tokens.marketSnapshots', '', { mints: long }],
    ['a long path', 'wallet.mainnet.helius.balances', `${wallet}/balances/${long.slice(0, 8_000)}`, {}],
    ['wrong numbers', 'tokens.ohlcv', `${TOKENS}/assets/solana/ohlcv?from=1&to=${'9'.repeat(8_000)}`, {}],
    ['unknown members', 'rpc.mainnet.helius.getTokenAccountsByOwner', '', { params: [address, { x: 1 }] }],
  ])('does not run for %s, which the schema refuses', (_, id, target, body) => {
    const row = rowOf(id);
    const { refusal, asked } = judged(row, target || exampleOf(row).target, JSON.stringify(body));
    expect([refusal?.length, asked]).toEqual([expect.any(Number), []]);
  });

  it('runs for valid parameters next to invalid ones', () => {
    const target = `${TOKENS}/assets/solana/ohlcv?from=9&to=8&interval=2h`;
    expect(judged(rowOf('tokens.ohlcv'), target)).toEqual({ refusal: ['enum', 'notBefore'], asked: ['notBefore'] });
  });

  it('decodes no text that is longer than an address', () => {
    const before = process.cpuUsage();
    const holds = ['wallet.mainnet.helius.balances', 'wallet.mainnet.helius.batchIdentity'].flatMap((id) =>
      rowOf(id).rules.map((rule) => rule.holds({ wallet: long, wallets: [long] })),
    );
    expect(holds).toEqual([false, false]);
    const { user } = process.cpuUsage(before);
    // Decoding it takes several seconds.
    expect(user).toBeLessThan(500_000);
  });
});

it('a matcher finds no row for too many segments, and reports a malformed path', () => {
  const find = createMatcher(routes);
  expect(find('/a'.repeat(4_000))).toBeUndefined();
  expect(find(`/healthz${'/'.padEnd(8_000, 'a')}`)).toBeUndefined();
  for (const broken of ['/%', '//', '/.', '/%2e%2E', '/%C3'])
    expect(find(`${'/a'.repeat(3_000)}${broken}`)).toBe('malformed');
  expect(find(`${'/a'.repeat(50)}/.a/..a/...`)).toBeUndefined();
});

const EVERYTHING_WRONG = [
  `include=profile,${MARKER}`,
  `mint=${MARKER}%0a`,
  `variantsMode=${MARKER}`,
  `ohlcvInterval=${MARKER}`,
  'ohlcvFrom=-7391',
  `ohlcvTo=${MARKER}`,
  'marketsOffset=73910',
  'marketsLimit=73910',
  `unknown=${MARKER}`,
].join('&');

const issuesOf = ({ json }: Answered) =>
  Object.fromEntries((json.issues ?? []).map(({ name, rule, message }) => [name, `${rule}: ${message}`]));

it.each<[string, Ask, object]>([
  [
    'a query',
    { target: `${TOKENS}/assets/solana?${EVERYTHING_WRONG}` },
    {
      'include[1]': 'enum: Must be one of profile, risk, ohlcv, markets.',
      mint: expect.stringMatching(/^pattern: Must match /),
      variantsMode: 'enum: Must be one of all.',
      ohlcvInterval: 'enum: Must be one of 1m, 5m, 15m, 1H, 4H, 1D, 1W.',
      ohlcvFrom: 'minimum: Must be at least 0.',
      ohlcvTo: 'type: Must be an integer in decimal digits.',
      marketsOffset: 'maximum: Must be at most 10000.',
      marketsLimit: 'maximum: Must be at most 50.',
      unknown: 'additionalProperties: There is no such parameter.',
    },
  ],
  [
    'texts',
    { target: `${TOKENS}/assets/search?category=${'x'.repeat(65)}&limit=1&limit=1` },
    {
      q: 'required: This parameter is required.',
      category: 'maxLength: Must have at most 64 characters.',
      limit: 'repeated: Give this parameter once.',
    },
  ],
  [
    'path, query and rules',
    { target: `${TOKENS}/assets/a%20b/ohlcv?from=9&to=8&interval=2h` },
    {
      assetId: expect.stringMatching(/^pattern: /),
      interval: expect.stringMatching(/^enum: /),
      'from,to': 'notBefore: to must not be before from.',
    },
  ],
  ['an empty text', { target: `${TOKENS}/assets/search?q=` }, { q: 'minLength: Must not be empty.' }],
  [
    'a long list',
    { target: `${TOKENS}/assets/variant-markets?mints=${'m,'.repeat(50)}m` },
    { mints: 'maxItems: Must have at most 50 items.' },
  ],
  ['a body', posted('{"mints":7}'), { mints: 'type: Must be of type array.' }],
  ['a body that is no object', posted('[]'), { body: 'type: Must be of type object.' }],
])('every violation in %s is listed, with its rule and what is allowed', async (_, ask, issues) => {
  await refusedForFree(gateway, [ask], (answer) => expect(issuesOf(answer)).toEqual(issues));
});

it.each([1, 9, 1000])('%i unknown parameters are refused, alone or with other violations', async (count) => {
  const names = Array.from({ length: count }, (_, index) => `u${index}`);
  const unknown = names.map((name) => `${name}=1`).join('&');
  const members = names.map((name) => `"${name}":1`).join();
  const queries = [unknown, `marketsLimit=51&include=evil&mint=%0a&${unknown}`];
  const bodies = [`{"mints":["a"],${members}}`, `{${members},"mints":[7]}`];
  const asks = [
    ...queries.map((query) => ({ target: `${TOKENS}/assets/solana?${query}` })),
    ...bodies.map((body) => posted(body)),
  ];
  await refusedForFree(gateway, asks, ({ status, json }) => {
    expect([status, json.error]).toEqual([400, 'invalid_request']);
    expect(json.issues?.length).toBeGreaterThan(0);
    expect(json.issues?.length).toBeLessThanOrEqual(20);
  });
});

it('quotes no value in the answer or in the log', async () => {
  const from = gateway.logLines.length;
  const asks = [
    { target: `${TOKENS}/assets/solana?${EVERYTHING_WRONG}` },
    { target: `${TOKENS}/assets/search?q=a&limit=${MARKER}&category=${MARKER.repeat(20)}` },
    { target: `${TOKENS}/assets/search?q=a&${encodeURIComponent(`<${MARKER}>`)}=1` },
    { target: `${TOKENS}/assets/search?q=a&${MARKER.repeat(20)}=1` },
    posted(JSON.stringify({ mints: [`${MARKER},`, 7391, [MARKER]] })),
    posted(JSON.stringify({ mints: { [`${MARKER} x`]: MARKER } })),
    posted(JSON.stringify({ [`<${MARKER}>`]: 1 })),
    posted(JSON.stringify(MARKER)),
  ];
  await refusedForFree(gateway, asks, ({ status, text, json }, { target }) => {
    expect(status, target).toBe(400);
    expect(text, target).not.toContain(MARKER);
    expect(text.replace(json.requestId ?? '', ''), target).not.toContain('7391');
  });
  const lines = gateway.logLines.slice(from);
  expect(lines.length).toBeGreaterThan(asks.length);
  expect(lines.join()).not.toContain(MARKER);
});

const GOOD = '{"mints":["So11111111111111111111111111111111111111112"]}';

const vectors = (prefix: string): Ask[] =>
  jsonTestSuite().flatMap(({ name, bytes }) => (name.startsWith(prefix) ? [posted(bytes)] : []));

it.each<[string, string, number, readonly string[]]>([
  ['invalid', 'n_', 188, ['400 invalid_json']],
  ['valid', 'y_', 95, ['400 invalid_request']],
  ['undefined', 'i_', 35, ['400 invalid_json', '400 invalid_request']],
])('H6 the %s files of JSONTestSuite are refused as bodies', { timeout: 90_000 }, async (_, prefix, count, answers) => {
  const asks = vectors(prefix);
  expect(asks).toHaveLength(count);
  await refusedForFree(gateway, everyThird(asks, 2), ({ status, json }, { body = '' }) => {
    const isTooLarge = Buffer.from(body).length > BODY_BYTES;
    expect(isTooLarge ? ['413 body_too_large'] : answers).toContain(`${status} ${json.error}`);
  });
});

describe('a body', () => {
  const nested = (depth: number): string => `{"mints":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;

  it.each([
    ['32 deep', nested(32), 'invalid_request'],
    ['33 deep', nested(33), 'invalid_json'],
    ['10,000 deep', nested(10_000), 'invalid_json'],
    ['of objects 33 deep', `${'{"a":'.repeat(33)}1${'}'.repeat(33)}`, 'invalid_json'],
    ['with a very long number', `{"mints":${'9'.repeat(60_000)}}`, 'invalid_request'],
    ['that is a list', '[]', 'invalid_request'],
    ['with __proto__', '{"__proto__":{"mints":["x"]}}', 'invalid_request'],
    ['that is empty', '', 'invalid_json'],
    ['with a byte order mark', `\ufeff${GOOD}`, 'invalid_json'],
    ['that is no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 'invalid_json'],
    ['in UTF-16', Buffer.from(GOOD, 'utf16le'), 'invalid_json'],
    ['in JSON with comments', `/* */${GOOD}`, 'invalid_json'],
    ['after another', `${GOOD}${GOOD}`, 'invalid_json'],
  ])('%s is refused', (_, body, code) => refusedWith([posted(body)], `400 ${code}`));

  it('with a duplicate key reaches the upstream with the value that was validated', async () => {
    expect(await forwarded('{"mints":["a"],"mints":["b"]}')).toEqual(['{"mints":["b"]}']);
  });

  it('may hold brackets in its strings', async () => {
    const body = JSON.stringify({ mints: ['[{'.repeat(40), '\\"[[['.repeat(12)] });
    expect(await forwarded(body)).toEqual([body]);
  });

  it.each([
    ['text', { 'Content-Type': 'text/plain' }],
    ['a form', { 'Content-Type': 'application/x-www-form-urlencoded' }],
    ['JSON of a kind', { 'Content-Type': 'application/problem+json' }],
    ['two types', { 'Content-Type': 'application/json, text/plain' }],
    ['an empty type', { 'Content-Type': '' }],
    ['JSON in a parameter', { 'Content-Type': 'text/plain; application/json' }],
    ['no type', {}],
    ['gzip', { ...JSON_BODY, 'Content-Encoding': 'gzip' }],
    ['brotli', { ...JSON_BODY, 'Content-Encoding': 'br' }],
    ['two encodings', { ...JSON_BODY, 'Content-Encoding': 'identity, gzip' }],
    ['an unknown encoding', { ...JSON_BODY, 'Content-Encoding': 'aes128gcm' }],
  ])('is not taken as %s', (_, headers) => {
    const asks = [GOOD, gzipSync(GOOD), brotliCompressSync(GOOD)].map((body) => posted(body, headers));
    return refusedWith(asks, '415 unsupported_media_type');
  });

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'Application/JSON ; charset="utf-8"',
  ])('is taken as %s', async (type) => {
    const headers = { 'Content-Type': type, 'Content-Encoding': 'identity' };
    expect((await new Caller(gateway).ask(posted(GOOD, headers))).status).toBe(200);
  });
});

/**
 * What follows the name of an integer parameter in a query that is refused.
 * `1` is a valid value; `@` stands for the name.
 */
const NO_INTEGERS: readonly string[] = [
  ...(String.raw`
    =+1 =%2B1 =1.0 =1. =.1 =1e0 =1E0 =1e1 =0x1 =0X1 =0b1 =0o1 =01 =001 =00 =%201 =1%20 =+1+ =1%09 =1%0a =1%0D%0A
    =1%00 =%001 =%D9%A1 =%EF%BC%91 =%C2%B9 =1%E2%80%8B =-0 =-1 =--1 =1- =1_0 =1,0 =1n =1f =NaN =Infinity
    =-Infinity =null =true =[] =[1] =%5B1%5D ={} = =1=1 ==1 =1; =1;@=1 =1%3B@=1 =1%26@=1 =1%23 =1%3Fx =1/2 ='1'
    =1&@=1 =1&@= =1&@ =1&%40=1 =1&& =1& =1&= =1&=1 =1&&x=1 []=1 %5B%5D=1 [0]=1 .x=1 %00=1 %20=1 =1&x=1
    =1&__proto__=1 =1&constructor=1 =1&toString=1 =1&hasOwnProperty=1 =1&@[]=1 =1&%20@=1 =1?@=1 =1% =1%2 =1%zz
    =%ff =%C0%B1 =%ED%A0%80 =%u0031 =1# =1#@=1 =1#/../ =١ =１ =1\
  `.match(/\S+/g) ?? []),
  ...['', '= 1', '=\t1', '=1\u00a0'],
];

/** Targets that lack one parameter, its name and a valid value; all parameters of a kind are read by the same code. */
const PARAMETERS = {
  integer: [`${TOKENS}/assets/search?q=a`, 'limit', '1'],
  text: [`${TOKENS}/assets/search?q=a`, 'category', 'a'],
  word: [`${TOKENS}/assets/solana/ohlcv?from=1`, 'interval', '1H'],
  list: [`${TOKENS}/assets/solana?mint=a`, 'include', 'risk'],
} as const;

const MALFORMED = ['400 bad_request', '400 invalid_request'];

it('U16 an integer takes only decimal digits, once', async () => {
  const [target, name] = PARAMETERS.integer;
  const asks = NO_INTEGERS.map((piece) => ({ target: `${target}&${name}${piece.replaceAll('@', name)}` }));
  await refusedWith(asks, ...MALFORMED);
});

it.each(['limit=1', 'limit=%31', '%6cimit=1'])('U16 %s is written canonically for the upstream', async (piece) => {
  gateway.upstream.faults.body = '1';
  expect((await new Caller(gateway).ask({ target: `${PARAMETERS.integer[0]}&${piece}` })).status).toBe(200);
  expect(gateway.upstream.arrivals.at(-1)?.target).toBe('/v1/assets/search?q=a&limit=1');
});

it.each(Object.values(PARAMETERS))('U16 in %s, %s is taken once, by its name, and not empty', async (...parameter) => {
  const [target, name, value] = parameter;
  const pieces = '@=*&@=* @=*&@= @= @ @[]=* @[0]=* @.x=* @=*&& @=*&x=1 @=*%00 @=*# @=*%ff @=%0d%0a*'.split(' ');
  const asks = pieces.map((piece) => ({ target: `${target}&${piece.replaceAll('@', name).replaceAll('*', value)}` }));
  await refusedWith(asks, ...MALFORMED);
});

it('U16 unknown parameters are refused, also names of Object.prototype', async () => {
  const names = ['zz', 'apiKey', 'x-api-key', '__proto__', 'constructor', 'valueOf', 'sortBy', '%00', '%20'];
  const pieces = [...names.map((name) => `${name}=1`), '&', '=', '=1', '&&', 'zz'];
  const members = ['"zz":1', '"__proto__":{"addresses":["a"]}', '"constructor":1', '"toString":[]', '"":1'];
  const asks = [
    ...pieces.map((piece) => ({ target: `${PARAMETERS.integer[0]}&${piece}` })),
    ...pieces.map((piece) => ({ ...posted(GOOD), target: `${SNAPSHOTS}?${piece}` })),
    ...members.map((member) => posted(`{"mints":["a"],${member}}`)),
  ];
  await refusedForFree(gateway, asks, ({ json }, { target }) => {
    expect(json.error).toBe('invalid_request');
    expect(
      json.issues?.map(({ rule }) => rule),
      target,
    ).toContain('additionalProperties');
  });
  expect(Object.keys(Object.prototype)).toEqual([]);
});

it('U16 an empty query is no query', async () => {
  const answer = await new Caller(gateway).ask({ target: `${HEALTH}?` });
  expect(answer.status).toBe(200);
  expect(gateway.upstream.arrivals.at(-1)?.target).toBe('/v1/health');
});
