import type { Route } from '@asset-gateway/protocol';
import { describe, expect, it } from 'vitest';
import { stopAfterTests } from '../kit/stop-after-tests.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { Caller, refusedForFree, TOKENS } from '../upstream/caller.ts';
import { send } from '../upstream/exchange.ts';
import { signedRoutes } from './requests.ts';
import type { ParameterSchema } from './values.ts';

const gateway = await stopAfterTests(startTestGateway({}, { windowMs: 3_600_000 }));

const MINT = 'So11111111111111111111111111111111111111112';

/** Where each asset-data route of specification 4.2 ends, and the envelope's `method` of it. */
const ENDS: readonly (readonly [string, string, string])[] = [
  ['health', '/health', '/v1/health'],
  ['search', '/assets/search?q=sol', '/v1/assets/search?q=sol'],
  ['resolve', '/assets/resolve?ref=sol', '/v1/assets/resolve?ref=sol'],
  ['curated', '/assets/curated?list=majors', '/v1/assets/curated?list=majors'],
  ['variantMarkets', `/assets/variant-markets?mints=${MINT}`, `/v1/assets/variant-markets?mints=${MINT}`],
  ['riskSummaryByMint', `/assets/risk-summary?mint=${MINT}`, `/v1/assets/risk-summary?mint=${MINT}`],
  ['assetDetail', '/assets/solana', '/v1/assets/solana'],
  ['variants', '/assets/solana/variants', '/v1/assets/solana/variants'],
  ['variantTopMarkets', '/assets/solana/variant-top-markets', '/v1/assets/solana/variant-top-markets'],
  ['variantMarket', '/assets/solana/variant-market', '/v1/assets/solana/variant-market'],
  ['markets', '/assets/solana/markets', '/v1/assets/solana/markets'],
  ['ohlcv', '/assets/solana/ohlcv', '/v1/assets/solana/ohlcv'],
  ['priceChart', '/assets/solana/price-chart', '/v1/assets/solana/price-chart'],
  ['profile', '/assets/solana/profile', '/v1/assets/solana/profile'],
  ['tickers', '/assets/solana/tickers', '/v1/assets/solana/tickers'],
  ['riskSummary', '/assets/solana/risk-summary', '/v1/assets/solana/risk-summary'],
  ['riskDetails', '/assets/solana/risk-details', '/v1/assets/solana/risk-details'],
  ['description', '/assets/solana/description', '/v1/assets/solana/description'],
];

const lastTarget = (): string | undefined => gateway.upstream.arrivals.at(-1)?.target;

describe('every route reaches its upstream path', () => {
  it.each(ENDS)('%s', async (method, path, target) => {
    const answer = await new Caller(gateway).ask({ target: TOKENS + path });
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.json)).toEqual(['ok', 'provider', 'surface', 'method', 'result']);
    expect(answer.json).toMatchObject({ ok: true, provider: 'tokens', surface: 'tokens', method });
    expect(lastTarget()).toBe(target);
    expect(gateway.upstream.arrivals.at(-1)).toMatchObject({ method: 'GET', body: '' });
  });

  it('and these with market-snapshots are all free routes', () => {
    expect(signedRoutes.map(({ method }) => method).sort()).toEqual(
      [...ENDS.map(([method]) => method), 'marketSnapshots'].sort(),
    );
  });

  it('takes every form of asset id', async () => {
    for (const id of ['solana', `solana-${MINT}`, 'A', '0', 'a.b_c-D9', '7.-_', 'a..b', 'x'.repeat(128), '%73olana']) {
      await new Caller(gateway).ask({ target: `${TOKENS}/assets/${id}/profile` });
      expect(lastTarget()).toBe(`/v1/assets/${decodeURIComponent(id)}/profile`);
    }
  });
});

describe('fixed segments win over :assetId', () => {
  const FIXED = ['search', 'resolve', 'curated', 'variant-markets', 'risk-summary'];

  it('for their verb', async () => {
    const asks = FIXED.map((segment) => ({ target: `${TOKENS}/assets/${segment}` }));
    await refusedForFree(gateway, asks, ({ status, json }, { target }) => {
      expect(status, target).toBe(400);
      expect(json.error).toBe('invalid_request');
    });
  });

  it('in another spelling of the same path', async () => {
    const spelled = ['%73earch', 's%65arch', '%63urated', 'risk%2Dsummary'].map((name) => `${TOKENS}/assets/${name}`);
    await refusedForFree(
      gateway,
      spelled.map((target) => ({ target })),
      ({ status }, { target }) => expect(status, target).toBe(400),
    );
  });

  const WRONG_VERBS: readonly (readonly [string, string, string])[] = [
    ['GET', 'market-snapshots', 'POST, OPTIONS'],
    ['HEAD', 'market-snapshots', 'POST, OPTIONS'],
    ['GET', 'market%2Dsnapshots', 'POST, OPTIONS'],
    ...[...FIXED, 'solana', 'solana/profile'].map((segment): [string, string, string] => [
      'POST',
      segment,
      'GET, HEAD, OPTIONS',
    ]),
    ...['PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND'].map((verb): [string, string, string] => [
      verb,
      'solana',
      'GET, HEAD, OPTIONS',
    ]),
  ];
  it.each(WRONG_VERBS)('%s assets/%s is a 405 without an upstream call', async (method, segment, allow) => {
    const ask = { method, target: `${TOKENS}/assets/${segment}` };
    const check = (answer: Awaited<ReturnType<typeof send>>) => {
      expect(answer.status).toBe(405);
      expect(answer.headers.get('allow')).toBe(allow);
    };
    check(await send(gateway, ask));
    await refusedForFree(gateway, [ask], check);
  });
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
function inWords(schema: ParameterSchema): string {
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
      return [name + mark, inWords(schema as ParameterSchema) + (isRequired ? '!' : '')] as const;
    }),
  );
  const rules = route.rules.map((rule) => `${rule.name} in ${rule.in}: ${rule.parameters.join(' ')}`);
  return { ...Object.fromEntries(entries), ...(rules.length > 0 && { rules }) };
}

const nameOf = ({ httpMethod, path }: Route): string => `${httpMethod} ${path.replace('/v1/x402/tokens', '')}`;

describe('the route table is the specification', () => {
  it('has exactly these 19 asset-data routes', () => {
    expect(signedRoutes.map(nameOf)).toEqual(Object.keys(SPECIFICATION));
    expect(signedRoutes).toHaveLength(19);
    for (const { provider, surface } of signedRoutes) expect([provider, surface]).toEqual(['tokens', 'tokens']);
  });

  it.each(signedRoutes.map((route) => [nameOf(route), route] as const))('%s takes what it says', (name, route) => {
    expect(describeRow(route)).toEqual(SPECIFICATION[name]);
  });

  it.each(signedRoutes.map((route) => [nameOf(route), route] as const))('%s takes nothing else', (_, route) => {
    for (const object of Object.values(route.input)) {
      expect(Reflect.get(object, 'type')).toBe('object');
      expect(Reflect.get(object, 'additionalProperties')).toBe(false);
    }
  });

  it('has one schema of assetId for all paths', () => {
    const withId = signedRoutes.filter(({ path }) => path.includes(':assetId'));
    expect(withId).toHaveLength(12);
    for (const { input } of withId) {
      expect(Object.keys(input.path?.properties ?? {})).toEqual(['assetId']);
      expect(input.path?.required).toEqual(['assetId']);
      expect(Reflect.get(input.path?.properties.assetId ?? {}, 'pattern')).toBe('^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$');
    }
  });

  it('has no other path parameter', () => {
    for (const { path, input } of signedRoutes) expect(input.path !== undefined).toBe(path.includes(':'));
  });
});
