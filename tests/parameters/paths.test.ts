import type { Route, Values } from '@asset-gateway/protocol';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonSchema } from '../describe/json-schema.ts';
import { publishedOf, refusalOf, requestsOf, send } from '../describe/requests.ts';
import { gated, pathOf } from '../http/targets.ts';
import { isFull } from '../kit/rounds.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { callOf, rowOf } from '../payments/calls.ts';
import { Caller, JSON_BODY, refusedForFree, TOKENS } from '../upstream/caller.ts';

const gateway = await startTestGateway({}, { windowMs: 3_600_000 });

const MINT = 'So11111111111111111111111111111111111111112';

it.each(['solana', `solana-${MINT}`, 'A', '0', 'a.b_c-D9', '7.-_', 'a..b', 'x'.repeat(128), '%73olana'])(
  'the asset id %s reaches the upstream',
  async (id) => {
    await new Caller(gateway).ask({ target: `${TOKENS}/assets/${id}/profile` });
    expect(gateway.upstream.arrivals.at(-1)?.target).toBe(`/v1/assets/${decodeURIComponent(id)}/profile`);
  },
);

it('fixed segments win over :assetId, in every spelling of the same path', async () => {
  const fixed = ['search', 'resolve', 'curated', 'variant-markets', 'risk-summary'];
  const spelled = ['%73earch', 's%65arch', '%63urated', 'risk%2Dsummary'];
  const asks = [...fixed, ...spelled].map((segment) => ({ target: `${TOKENS}/assets/${segment}` }));
  await refusedForFree(gateway, asks, ({ status, json }, { target }) =>
    expect([status, json.error], target).toEqual([400, 'invalid_request']),
  );
});

const INTERVAL = '1m 5m 15m 1H 4H 1D 1W';
const TIER = 'tier1 tier2 tier3';
const KIND = 'native wrapped bridged etf yield leveraged basket lst stablecoin tokenized_equity';
const LIST = 'all majors lsts currencies rwas etfs metals stocks';
const OFFSET = 'integer 0..10000';
const ID = 'text 1..200, no comma';
const IDS = `list of (${ID})`;

const PAGE = { offset: OFFSET, limit: 'integer 1..50' };
const VARIANT = { mint: ID };
const CANDLES = {
  ...VARIANT,
  interval: INTERVAL,
  from: 'integer 0..',
  to: 'integer 0..',
  rules: ['notBefore in query: from to'],
};

type Expected = Readonly<Record<string, string | readonly string[]>>;

/** Sections 2.2, 4.2, 4.3 and 8 of the specification, written down by hand; `!` is required, `{}` is in the body. */
const SPECIFICATION: Readonly<Record<string, Expected>> = {
  'GET /health': {},
  'GET /assets/search': { q: 'text 1..200!', limit: 'integer 1..50', category: 'text 1..64' },
  'GET /assets/resolve': { ref: 'text 1..200', mint: ID, rules: ['exactlyOne in query: ref mint'] },
  'GET /assets/curated': { list: `${LIST}!`, groupBy: 'asset mint' },
  'POST /assets/market-snapshots': {
    'mints{}': `0..250 ${IDS}`,
    'addresses{}': `0..250 ${IDS}`,
    rules: ['combinedCount in body: mints addresses'],
  },
  'GET /assets/variant-markets': {
    mints: `1..50 ${IDS}`,
    addresses: `1..50 ${IDS}`,
    rules: ['combinedCount in query: mints addresses'],
  },
  'GET /assets/risk-summary': { mint: `${ID}!` },
  'GET /assets/:assetId': {
    include: '1..4 list of (profile risk ohlcv markets)',
    mint: ID,
    variantsMode: 'all',
    ohlcvInterval: INTERVAL,
    ohlcvFrom: 'integer 0..',
    ohlcvTo: 'integer 0..',
    marketsOffset: OFFSET,
    marketsLimit: 'integer 1..50',
    rules: ['notBefore in query: ohlcvFrom ohlcvTo'],
  },
  'GET /assets/:assetId/variants': {
    kind: KIND,
    liquidityTier: TIER,
    trustTier: `${TIER} experimental`,
    mint: ID,
    variantsMode: 'all',
  },
  'GET /assets/:assetId/variant-top-markets': { offset: OFFSET, limit: 'integer 1..100', variantsMode: 'all' },
  'GET /assets/:assetId/variant-market': VARIANT,
  'GET /assets/:assetId/markets': { ...VARIANT, ...PAGE },
  'GET /assets/:assetId/ohlcv': CANDLES,
  'GET /assets/:assetId/price-chart': CANDLES,
  'GET /assets/:assetId/profile': {},
  'GET /assets/:assetId/tickers': { ...PAGE, order: 'text 1..64' },
  'GET /assets/:assetId/risk-summary': VARIANT,
  'GET /assets/:assetId/risk-details': VARIANT,
  'GET /assets/:assetId/description': VARIANT,
};

const span = (minimum: number | undefined, maximum: number | undefined): string =>
  `${minimum ?? ''}..${maximum === Number.MAX_SAFE_INTEGER ? '' : (maximum ?? '')}`;

/** A schema in the words of the table above. */
function inWords(schema: JsonSchema): string {
  if (schema.items) return `${span(schema.minItems, schema.maxItems)} list of (${inWords(schema.items)})`;
  if (schema.enum) return schema.enum.join(' ');
  if (schema.type === 'integer') return `integer ${span(schema.minimum, schema.maximum)}`;
  const takesComma = new RegExp(schema.pattern ?? '', 'u').test('a,b');
  return `text ${span(schema.minLength, schema.maxLength)}${takesComma ? '' : ', no comma'}`;
}

function describeRow(route: Route): Expected {
  const places = [
    [route.input.query, ''],
    [route.input.body, '{}'],
  ] as const;
  const entries = places.flatMap(([object, mark]) =>
    Object.entries(object?.properties ?? {}).map(([name, schema]) => {
      const isRequired = (object?.required as readonly string[] | undefined)?.includes(name);
      return [name + mark, inWords(schema as JsonSchema) + (isRequired ? '!' : '')] as const;
    }),
  );
  const rules = route.rules.map((rule) => `${rule.name} in ${rule.in}: ${rule.parameters.join(' ')}`);
  return { ...Object.fromEntries(entries), ...(rules.length > 0 && { rules }) };
}

const nameOf = ({ httpMethod, path }: Route): string => `${httpMethod} ${path.replace('/v1/x402/tokens', '')}`;

describe('the route table is the specification', () => {
  it('has exactly these asset-data routes', () => {
    expect(gated.map(nameOf)).toEqual(Object.keys(SPECIFICATION));
    for (const { provider, surface } of gated) expect([provider, surface]).toEqual(['tokens', 'tokens']);
  });

  it.each(gated.map((route) => [nameOf(route), route] as const))('%s accepts no other parameters', (name, route) => {
    expect(describeRow(route)).toEqual(SPECIFICATION[name]);
    for (const object of Object.values(route.input))
      expect(object).toMatchObject({ type: 'object', additionalProperties: false });
  });

  it('has one schema of assetId for all paths, and no other path parameter', () => {
    const withId = gated.filter(({ path }) => path.includes(':assetId'));
    expect(withId).toEqual(gated.filter(({ input }) => input.path !== undefined));
    expect(withId).toHaveLength(12);
    for (const { input } of withId) {
      expect(Object.keys(input.path?.properties ?? {})).toEqual(['assetId']);
      expect(input.path?.required).toEqual(['assetId']);
      expect(Reflect.get(input.path?.properties.assetId ?? {}, 'pattern')).toBe('^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$');
    }
  });
});

const WALLET = '86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY';
const LABEL = 'a'.repeat(63);
const NO_WALLETS = [
  ...[WALLET.slice(0, 31), `${WALLET}1`, '1'.repeat(31), '1'.repeat(33), 'z'.repeat(44)],
  ...['toly', 'TOLY.sol', 'a..sol', '.sol', 'toly.sol.', 'to_ly.sol', `${LABEL}a.sol`, `${LABEL}.${'b'.repeat(37)}`],
];

/** Whether a wallet route takes these values. */
function takes(method: string, values: Route['example']): boolean {
  const id = `wallet.mainnet.helius.${method}`;
  const { target, init } = callOf(id, values);
  return refusalOf(rowOf(id), { target, body: init.body ?? '' }) === undefined;
}

describe('a wallet', () => {
  it.each([WALLET, 'toly.sol', ...NO_WALLETS])('%s is known to both or to neither', (wallet) => {
    const isKnown = !NO_WALLETS.includes(wallet);
    expect(takes('identity', { path: { wallet } })).toBe(isKnown);
    expect(takes('batchIdentity', { body: { wallets: [WALLET, wallet] } })).toBe(isKnown);
  });

  it.each(['balances', 'history', 'transfers', 'fundedBy'])('is not known by its name in %s', (method) => {
    expect(takes(method, { path: { wallet: WALLET } })).toBe(true);
    expect(takes(method, { path: { wallet: 'toly.sol' } })).toBe(false);
  });

  it('list has from one to a hundred wallets', () => {
    expect(describeRow(rowOf('wallet.mainnet.helius.batchIdentity'))).toEqual({
      'wallets{}': '1..100 list of (text ..100, no comma)!',
      rules: ['wallet in body: wallets'],
    });
  });
});

/** Parameters as the upstream gets them: lists that count together are one. */
function forwarded({ rules }: Route, values: Values): Values {
  if (!rules.some(({ name }) => name === 'combinedCount')) return values;
  return { mints: [values.mints, values.addresses].flatMap((ids) => ids ?? []) };
}

const asTexts = (values: Values): object =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));

it.each(gated.map((route) => [route.id, route] as const))(
  '%s forwards values within its bounds once, in canonical form',
  async (_, route) => {
    // No limit of the length refuses these.
    const good = requestsOf(publishedOf(route)).filter((carried) => {
      const { target, body } = send(route, carried);
      const holds = route.rules.every((rule) => rule.holds(carried[rule.in] as Values));
      return holds && target.length + body.length < 8_000;
    });
    const caller = new Caller(gateway);
    const isPost = route.httpMethod === 'POST';
    onTestFinished(() => gateway.upstream.faults.reset());
    gateway.upstream.faults.body = '{"fine":true}';
    for (const carried of fc.sample(good, isFull ? 400 : 4)) {
      const before = gateway.upstream.arrivals.length;
      const { target, body } = send(route, carried);
      const { json } = await caller.ask({ target, ...(isPost && { method: 'POST', headers: JSON_BODY, body }) });
      expect(json).toMatchObject({ ok: true, method: route.method, result: { fine: true } });
      const [arrival, ...more] = gateway.upstream.arrivals.slice(before);
      const { pathname, searchParams } = new URL(arrival?.target ?? '', 'http://upstream');
      const path = pathOf({ ...route, example: { path: carried.path } }).replace(TOKENS, '/v1');
      expect([arrival?.method, pathname, more]).toEqual([route.httpMethod, path, []]);
      expect(Object.fromEntries(searchParams)).toEqual(isPost ? {} : asTexts(forwarded(route, carried.query)));
      expect(arrival?.body).toBe(isPost ? JSON.stringify(forwarded(route, carried.body as Values)) : '');
    }
  },
);
