import { type Route, routes } from '@asset-gateway/protocol';
import { describe, expect, it } from 'vitest';
import { TOKEN_ASSETS } from '../../packages/sandbox/src/tokens/catalogue.ts';
import { addressOf } from '../../packages/sandbox/src/tokens/seed.ts';
import { stopAfterTests } from '../kit/stop-after-tests.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { askSigned } from '../kit/wallet.ts';
import { exampleOf } from '../signin/examples.ts';
import { faultsOf, published } from './json-schema.ts';
import { closed, expectToDescribe } from './shapes.ts';

const gateway = await stopAfterTests(startTestGateway());

const SOL = 'So11111111111111111111111111111111111111112';
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const UNKNOWN = '86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY';
const SINGLETON = { path: { assetId: `solana-${UNKNOWN}` } };
const [TOKEN_ASSET] = TOKEN_ASSETS;
const TOKEN = { path: { assetId: TOKEN_ASSET?.id ?? '' } };
const STAKED = addressOf('solana/laineSOL');

type Variants = readonly Route['example'][];
const query = (...queries: Record<string, unknown>[]): Variants => queries.map((each) => ({ query: each }));
const about = (...ids: string[]): Variants => ids.map((assetId) => ({ path: { assetId } }));

const ofMint: Variants = [...about('solana', 'tesla', 'usd', 'anthropic'), ...query({ mint: SOL }, { mint: STAKED })];
const candles: Variants = [
  ...about('tesla', 'bonk', 'openai'),
  { ...TOKEN, query: {} },
  ...query({ interval: '1W', from: 1_600_000_000 }, { interval: '1m', from: 1_767_000_000, to: 1_767_000_600 }),
];

/** What each method is asked beside its row's example; the answers differ in what is known. */
const ASKED: Readonly<Record<string, Variants>> = {
  health: [],
  search: query(
    { q: 'usd', limit: 50 },
    { q: 'tesla', category: 'equity' },
    { q: 'moss' },
    { q: 'nothing at all' },
    { q: 'pre', limit: 50 },
  ),
  resolve: query(
    { mint: SOL },
    { mint: UNKNOWN },
    { ref: 'solana' },
    { ref: `solana-${SOL}` },
    { ref: 'anthropic' },
    { ref: 'cardano' },
    { ref: 'stock-b5kufqhk' },
  ),
  curated: query({ list: 'all' }, { list: 'lsts', groupBy: 'mint' }, { list: 'stocks', groupBy: 'asset' }),
  marketSnapshots: [{ body: { mints: [SOL, UNKNOWN], addresses: [USDC] } }],
  variantMarkets: query({ mints: [SOL, UNKNOWN], addresses: [USDC] }, { addresses: [UNKNOWN] }),
  riskSummaryByMint: query({ mint: USDC }, { mint: UNKNOWN }),
  assetDetail: [
    ...about('tesla', 'gold', 'usd', 'cardano', 'spacex', 'openai', 'anthropic', 'stock-b5kufqhk', SOL),
    { ...SINGLETON, query: { include: ['profile', 'risk', 'ohlcv', 'markets'] } },
    { ...TOKEN, query: { include: ['profile', 'risk', 'ohlcv', 'markets'] } },
    { query: { include: ['profile', 'risk', 'ohlcv', 'markets'], variantsMode: 'all', marketsLimit: 2 } },
    { path: { assetId: 'cardano' }, query: { include: ['risk', 'ohlcv', 'markets'] } },
  ],
  variants: [
    ...about('tesla', 'usd', 'openai'),
    SINGLETON,
    TOKEN,
    ...query({ variantsMode: 'all' }, { kind: 'yield' }),
  ],
  variantTopMarkets: [
    ...about('tesla', 'cardano'),
    { ...SINGLETON, query: {} },
    { ...TOKEN, query: {} },
    ...query({ offset: 3, limit: 2 }),
  ],
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

const rows = routes.filter(({ surface }) => surface === 'tokens').map((route) => [route.method, route] as const);

async function answersOf(route: Route): Promise<unknown[]> {
  const answers = [];
  for (const values of [{}, ...(ASKED[route.method] ?? [])]) {
    const { target, init } = exampleOf(route, values);
    const response = await askSigned(`${gateway.url}${target}`, init);
    const body = (await response.json()) as { ok: boolean; result: unknown };
    expect([response.status, body.ok], target).toEqual([200, true]);
    answers.push(body.result);
  }
  return answers;
}

it('asks every asset-data route', () => expect(rows.map(([method]) => method)).toEqual(Object.keys(ASKED)));

describe.each(rows)('%s', (_, route) => {
  it('answers what its row describes, and nothing that it does not', async () => {
    const schema = published(route.result.schema);
    const whole = closed(schema);
    const answers = await answersOf(route);
    for (const answer of answers) {
      expect(faultsOf(schema, answer)).toEqual([]);
      expect(faultsOf(whole, answer)).toEqual([]);
    }
    expectToDescribe(schema, answers[0]);
  });
});
