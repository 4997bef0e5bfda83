import { type Route, routes } from '@asset-gateway/protocol';
import { describe, expect, it } from 'vitest';
import { exampleOf, ofEachMethod, rowOf } from '../http/targets.ts';
import { startSellingGateway, startTestGateway } from '../kit/test-gateway.ts';
import { askSigned } from '../kit/wallet.ts';
import { paidRoutes, ROOMY } from '../payments/calls.ts';
import { openWallet } from '../payments/wallets.ts';
import { faultsOf, fits, type JsonSchema, published } from './json-schema.ts';

const each = <T>(values: Readonly<Record<string, T>> = {}, change: (value: T) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));

/** The schema without additional properties, where properties are named. */
function closed(schema: JsonSchema): JsonSchema {
  const { anyOf, items, properties, additionalProperties } = schema;
  const isNamed = properties !== undefined && Object.keys(properties).length > 0;
  return {
    ...schema,
    ...(anyOf && { anyOf: anyOf.map(closed) }),
    ...(items && { items: closed(items) }),
    ...(properties && { properties: each(properties, closed) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: closed(additionalProperties) }),
    ...(isNamed && additionalProperties === undefined && { additionalProperties: false }),
  };
}

/** Every schema within a schema, itself included, by where it stands. */
function partsOf(schema: JsonSchema, where = ''): [where: string, part: JsonSchema][] {
  const { anyOf = [], items, properties = {}, additionalProperties } = schema;
  const inner = [
    ...anyOf.map((form, index) => [`${where}(${index})`, form] as const),
    ...(items ? [[`${where}[]`, items] as const] : []),
    ...Object.entries(properties).map(([name, property]) => [`${where}.${name}`, property] as const),
    ...(typeof additionalProperties === 'object' ? [[`${where}.*`, additionalProperties] as const] : []),
  ];
  return [[where, schema], ...inner.flatMap(([place, part]) => partsOf(part, place))];
}

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value with one thing wrong in it. */
interface Broken {
  readonly what: string;
  readonly value: unknown;
}

/** A value that the schema refuses. */
function misfit(schema: JsonSchema): unknown {
  const found = [{}, [], 'text', 0.5, -1, true, null].find((value) => !fits(schema, value));
  if (found === undefined) throw new Error(`takes everything: ${JSON.stringify(schema)}`);
  return found;
}

/** The form of a value among those that a schema allows. */
function formOf(schema: JsonSchema, value: unknown): JsonSchema {
  const form = schema.anyOf?.find((branch) => fits(branch, value));
  return form ? formOf(form, value) : schema;
}

function brokenObjects({ properties = {}, required = [], additionalProperties }: JsonSchema, value: Json): Broken[] {
  return Object.entries(value).flatMap(([name, member]) => {
    const schema = properties[name] ?? additionalProperties;
    if (typeof schema !== 'object') return [];
    const { [name]: _, ...rest } = value;
    const inner = [{ what: 'of another type', value: misfit(schema) }, ...brokenWithin(schema, member)];
    return [
      ...(required.includes(name) ? [{ what: `${name} is missing`, value: rest }] : []),
      ...inner.map((broken) => ({ what: `${name} ${broken.what}`, value: { ...value, [name]: broken.value } })),
    ];
  });
}

/** The value with each described field missing or of another type. */
function brokenWithin(schema: JsonSchema, value: unknown): Broken[] {
  const form = formOf(schema, value);
  if (isObject(value)) return brokenObjects(form, value);
  if (!Array.isArray(value) || !form.items || value.length === 0) return [];
  const [first, ...rest] = value as unknown[];
  return brokenWithin(form.items, first).map(({ what, value: item }) => ({ what, value: [item, ...rest] }));
}

/** Expects that a value fits, and that the schema refuses it with a field missing or of another type. */
function expectToDescribe(schema: JsonSchema, value: unknown): void {
  expect(faultsOf(schema, value)).toEqual([]);
  const taken = brokenWithin(schema, value).filter((broken) => fits(schema, broken.value));
  expect(taken.map(({ what }) => what)).toEqual([]);
}

const gateway = await startSellingGateway(ROOMY);
const wallet = await openWallet(gateway.solana);

const SOL = 'So11111111111111111111111111111111111111112';
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const KNOWN = '5tzFkiKscXHK5ZXCGbXZxdw7gTjjD1mBwuoFbhUvuAi9';
const BUYER = wallet.address;
const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const NEWEST = { maxSupportedTransactionVersion: 0 };

type Variants = readonly Route['example'][];
const params = (...lists: readonly unknown[]): Variants => lists.map((each) => ({ body: { params: each } }));
const query = (...queries: Record<string, unknown>[]): Variants => queries.map((each) => ({ query: each }));

/** Requests for each paid method beside its row's example, whose addresses are not on the sandbox's chains. */
const PAID_REQUESTS: Readonly<Record<string, Variants>> = {
  identity: [{ path: { wallet: KNOWN } }],
  batchIdentity: [{ body: { wallets: [KNOWN, BUYER] } }],
  balances: [{ path: { wallet: BUYER } }],
  getBalance: params([BUYER]),
  getAccountInfo: params([BUYER], [USDC, { encoding: 'jsonParsed' }]),
  getSignaturesForAddress: params([BUYER, { limit: 100 }]),
  getTokenAccountsByOwner: params([BUYER, { mint: USDC }], [BUYER, { programId: TOKEN_PROGRAM }]),
};

const free = await startTestGateway();

const UNKNOWN = '86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY';
const SINGLETON = { path: { assetId: `solana-${UNKNOWN}` } };

const about = (...ids: string[]): Variants => ids.map((assetId) => ({ path: { assetId } }));

const ofMint: Variants = [...about('solana', 'tesla', 'usd', 'anthropic'), ...query({ mint: SOL })];
const candles: Variants = [
  ...about('tesla', 'bonk', 'openai'),
  ...query({ interval: '1W', from: 1_600_000_000 }, { interval: '1m', from: 1_767_000_000, to: 1_767_000_600 }),
];

/** Requests for each free method beside its row's example. */
const FREE_REQUESTS: Readonly<Record<string, Variants>> = {
  health: [],
  search: query(
    { q: 'usd', limit: 50 },
    { q: 'tesla', category: 'equity' },
    { q: 'nothing at all' },
    { q: 'pre', limit: 50 },
  ),
  resolve: [
    ...query({ mint: SOL }, { mint: UNKNOWN }, { ref: 'solana' }, { ref: `solana-${SOL}` }),
    ...query({ ref: 'anthropic' }, { ref: 'cardano' }, { ref: 'stock-b5kufqhk' }),
  ],
  curated: query({ list: 'all' }, { list: 'lsts', groupBy: 'mint' }, { list: 'stocks', groupBy: 'asset' }),
  marketSnapshots: [{ body: { mints: [SOL, UNKNOWN], addresses: [USDC] } }],
  variantMarkets: query({ mints: [SOL, UNKNOWN], addresses: [USDC] }, { addresses: [UNKNOWN] }),
  riskSummaryByMint: query({ mint: USDC }, { mint: UNKNOWN }),
  assetDetail: [
    ...about('tesla', 'gold', 'usd', 'cardano', 'spacex', 'openai', 'anthropic', 'stock-b5kufqhk', SOL),
    { ...SINGLETON, query: { include: ['profile', 'risk', 'ohlcv', 'markets'] } },
    { query: { include: ['profile', 'risk', 'ohlcv', 'markets'], variantsMode: 'all', marketsLimit: 2 } },
    { path: { assetId: 'cardano' }, query: { include: ['risk', 'ohlcv', 'markets'] } },
  ],
  variants: [...about('tesla', 'usd', 'openai'), SINGLETON, ...query({ variantsMode: 'all' }, { kind: 'yield' })],
  variantTopMarkets: [...about('tesla', 'cardano'), { ...SINGLETON, query: {} }, ...query({ offset: 3, limit: 2 })],
  variantMarket: ofMint,
  markets: [...ofMint, ...query({ offset: 20, limit: 50 })],
  ohlcv: candles,
  priceChart: candles,
  profile: about('tesla', 'usd', 'sp500'),
  tickers: [...about('usd'), { path: { assetId: 'tesla' }, query: {} }, ...query({ offset: 50, order: 'volume_desc' })],
  riskSummary: ofMint,
  riskDetails: ofMint,
  description: ofMint,
};

/** One row a method: rows of the same method share their schemas. */
const paidRows = paidRoutes.filter(({ cluster, provider }) => cluster === 'mainnet' && provider === 'helius');
const freeRows = routes.filter(({ surface }) => surface === 'tokens');

async function answerOf(route: Route, values: Route['example']): Promise<unknown> {
  const { target, init } = exampleOf(route, values);
  const isPaid = route.access === 'exact';
  const response = await (isPaid ? wallet.buy(gateway.url + target, init) : askSigned(free.url + target, init));
  const body = (await response.json()) as { ok: boolean; result: unknown };
  expect([response.status, body.ok], `${target} ${init.body}`).toEqual([200, true]);
  return body.result;
}

it('asks for every method', () => {
  expect(freeRows.map(({ method }) => method)).toEqual(Object.keys(FREE_REQUESTS));
  expect(paidRows.map(({ method }) => method)).toEqual(expect.arrayContaining(Object.keys(PAID_REQUESTS)));
});

it.each([...freeRows, ...paidRows].map((route) => [route.method, route] as const))(
  '%s answers as its row describes',
  async (method, route) => {
    const schema = published(route.result.schema);
    const requests = (route.access === 'exact' ? PAID_REQUESTS : FREE_REQUESTS)[method] ?? [];
    const expected = ['tokens', 'wallet'].includes(route.surface) ? closed(schema) : schema;
    const answer = await answerOf(route, {});
    expect(faultsOf(expected, answer)).toEqual([]);
    expectToDescribe(schema, answer);
    for (const values of requests) expect(faultsOf(expected, await answerOf(route, values))).toEqual([]);
  },
);

it.each(['json', 'jsonParsed', 'base64', 'base58'])(
  'getTransaction answers as its row describes in %s',
  async (encoding) => {
    const [history, transaction] = [
      rowOf('rpc.mainnet.helius.getSignaturesForAddress'),
      rowOf('rpc.mainnet.helius.getTransaction'),
    ];
    const listed = await answerOf(history, { body: { params: [BUYER, { limit: 3, commitment: 'confirmed' }] } });
    for (const { signature } of listed as { signature: string }[]) {
      const answer = await answerOf(transaction, {
        body: { params: [signature, { encoding, commitment: 'confirmed', ...NEWEST }] },
      });
      expect(answer).not.toBeNull();
      expectToDescribe(published(transaction.result.schema), answer);
    }
  },
);

/** Largest example in a challenge. */
const MAX_EXAMPLE_BYTES = 900;

const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];

/** Whether a part has a description, a const, or an explained form. */
const isExplained = ({ description, const: only, type, anyOf = [] }: JsonSchema): boolean =>
  description !== undefined || only !== undefined || type === 'null' || anyOf.some(isExplained);

// The gateway's own documents are judged where they are served.
const described = ofEachMethod.filter(({ surface }) => surface !== 'system');

describe.each(described.map((route) => [route.id, published(route.result.schema), route.result.example] as const))(
  '%s',
  (_, schema, example) => {
    it('has a valid example with all required fields, small and in plain JSON', () => {
      expectToDescribe(schema, example);
      expect(brokenWithin(schema, example).length).toBeGreaterThan(0);
      const json = JSON.stringify(example);
      expect(JSON.parse(json)).toEqual(example);
      expect(json.length).toBeLessThan(MAX_EXAMPLE_BYTES);
    });

    it('describes each field, types each value, and allows more properties', () => {
      for (const [where, part] of partsOf(schema)) {
        const { type, anyOf, additionalProperties } = part;
        if (/\.\w+$/.test(where)) expect(isExplained(part), where).toBe(true);
        expect(anyOf === undefined ? TYPES : [undefined], where).toContain(type);
        expect(additionalProperties === false, where).toBe(false);
      }
    });
  },
);

it('every row describes its answer', () => {
  const open = routes.filter(({ result }) => Object.keys(published(result.schema)).length === 0);
  expect(open.map(({ id }) => id)).toEqual([]);
});
