import { ENUMERATIONS } from '../enumerations.ts';
import { assetId, integer, list, mint, oneOf, optional, text, unixSeconds } from '../parameters.ts';
import * as asset from '../results/asset.ts';
import * as facts from '../results/facts.ts';
import * as tokens from '../results/tokens.ts';
import type { RequestValues, Route } from '../route.ts';
import { combinedCount, exactlyOne, notBefore } from '../rules.ts';
import { defineRow, type RowOptions } from './row.ts';

const PREFIX = '/v1/x402/tokens';
const WRAPPED_SOL = 'So11111111111111111111111111111111111111112';
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';

const results = { ...tokens, ...asset, ...facts };

type TokensMethod = keyof typeof results;

function row(method: TokensMethod, endpoint: string, description: string, options: RowOptions = {}): Route {
  const [verb, path] = endpoint.split(' ');
  const identity = { id: `tokens.${method}`, provider: 'tokens', surface: 'tokens', access: 'siwx', method } as const;
  const paths = { endpoint: `${verb} ${PREFIX}${path}`, upstreamPath: `/v1${path}` };
  return defineRow({ ...identity, ...paths, description, result: results[method], ...options });
}

function assetRow(method: TokensMethod, endpoint: string, description: string, options: RowOptions = {}): Route {
  return row(method, endpoint, description, {
    path: { assetId: assetId() },
    ...options,
    example: { path: { assetId: 'solana' }, ...options.example },
  });
}

/** The names after `/assets/` that fixed routes use. */
const FIXED = ['search', 'resolve', 'curated', 'market-snapshots', 'variant-markets', 'risk-summary'];

const ids = (values: RequestValues['query'], name: string): readonly unknown[] => {
  const value = values[name];
  return Array.isArray(value) ? value : [];
};

/** Returns one list made of both, because the upstream reads only one. */
const oneList = (values: RequestValues['query']) => ({ mints: [...ids(values, 'mints'), ...ids(values, 'addresses')] });

const variantMint = optional(mint('Mint of one variant of the asset.'));
const offset = optional(integer(0, 10_000, 'How many rows to skip.'));
const limitTo = (maximum: number) => optional(integer(1, maximum, 'How many rows to return.'));
const variantsMode = optional(oneOf(ENUMERATIONS.variantsMode, 'Include every variant.'));
const mintList = (minItems: number, maxItems: number) =>
  optional(list(mint('A Solana mint address.'), 'Solana mint addresses.', { minItems, maxItems }));

const candles: RowOptions = {
  query: {
    mint: variantMint,
    interval: optional(oneOf(ENUMERATIONS.interval, 'Length of one candle.')),
    from: optional(unixSeconds('Start of the range,')),
    to: optional(unixSeconds('End of the range, not before from,')),
  },
  rules: [notBefore('to', 'from')],
  example: { query: { interval: '1H' } },
};
const ofVariant: RowOptions = { query: { mint: variantMint } };

/** The asset-data routes of the specification (docs/conformance.md 4.2), with their parameters (4.3). */
export const tokensRoutes: readonly Route[] = [
  row('health', 'GET /health', 'Upstream health probe.'),
  row('search', 'GET /assets/search', 'Search canonical assets.', {
    query: {
      q: text('What to search for.'),
      limit: limitTo(50),
      category: optional(text('Asset category.', 64)),
    },
    example: { query: { q: 'sol' } },
  }),
  row('resolve', 'GET /assets/resolve', 'Resolve an alias or a mint to a canonical asset id.', {
    query: {
      ref: optional(text('Canonical asset id or alias.')),
      mint: optional(mint('A Solana mint address.')),
    },
    rules: [exactlyOne('ref', 'mint')],
    example: { query: { ref: 'sol' } },
  }),
  row('curated', 'GET /assets/curated', 'Curated asset lists.', {
    query: {
      list: oneOf(ENUMERATIONS.list, 'Which list.'),
      groupBy: optional(oneOf(ENUMERATIONS.groupBy, 'One row per asset or per mint.')),
    },
    example: { query: { list: 'majors' } },
  }),
  row('marketSnapshots', 'POST /assets/market-snapshots', 'Cached market snapshots of up to 250 mints.', {
    body: { mints: mintList(0, 250), addresses: mintList(0, 250) },
    rules: [combinedCount('body', 250, 'mints', 'addresses')],
    forward: (values) => ({ ...values, body: oneList(values.body) }),
    example: { body: { mints: [WRAPPED_SOL, USDC] } },
  }),
  row('variantMarkets', 'GET /assets/variant-markets', 'Cached markets of up to 50 variant mints.', {
    query: { mints: mintList(1, 50), addresses: mintList(1, 50) },
    rules: [combinedCount('query', 50, 'mints', 'addresses')],
    forward: (values) => ({ ...values, query: oneList(values.query) }),
    example: { query: { mints: [WRAPPED_SOL, USDC] } },
  }),
  row('riskSummaryByMint', 'GET /assets/risk-summary', 'Market-based risk summary of a mint.', {
    query: { mint: mint('A Solana mint address.') },
    example: { query: { mint: WRAPPED_SOL } },
  }),
  assetRow('assetDetail', 'GET /assets/:assetId', 'Asset detail with optional include blocks.', {
    path: { assetId: assetId(FIXED) },
    query: {
      include: optional(
        list(oneOf(ENUMERATIONS.include, 'A block.'), 'Blocks to include.', { minItems: 1, maxItems: 4 }),
      ),
      mint: optional(mint('Mint of the variant that the include blocks are computed for.')),
      variantsMode,
      ohlcvInterval: optional(oneOf(ENUMERATIONS.interval, 'Length of one candle of the ohlcv block.')),
      ohlcvFrom: optional(unixSeconds('Start of the ohlcv block,')),
      ohlcvTo: optional(unixSeconds('End of the ohlcv block, not before ohlcvFrom,')),
      marketsOffset: optional(integer(0, 10_000, 'How many rows of the markets block to skip.')),
      marketsLimit: optional(integer(1, 50, 'How many rows of the markets block to return.')),
    },
    rules: [notBefore('ohlcvTo', 'ohlcvFrom')],
    example: { query: { include: ['profile', 'risk'] } },
  }),
  assetRow('variants', 'GET /assets/:assetId/variants', 'The variants of an asset.', {
    query: {
      kind: optional(oneOf(ENUMERATIONS.kind, 'Kind of variant.')),
      liquidityTier: optional(oneOf(ENUMERATIONS.liquidityTier, 'Liquidity tier.')),
      trustTier: optional(oneOf(ENUMERATIONS.trustTier, 'Trust tier.')),
      mint: variantMint,
      variantsMode,
    },
  }),
  assetRow('variantTopMarkets', 'GET /assets/:assetId/variant-top-markets', 'The top market of each variant.', {
    query: { offset, limit: limitTo(100), variantsMode },
    example: { query: { limit: 10 } },
  }),
  assetRow('variantMarket', 'GET /assets/:assetId/variant-market', 'Cached market snapshot of one variant.', ofVariant),
  assetRow('markets', 'GET /assets/:assetId/markets', 'Cached DEX markets of one mint.', {
    query: { mint: variantMint, offset, limit: limitTo(50) },
    example: { query: { limit: 10 } },
  }),
  assetRow('ohlcv', 'GET /assets/:assetId/ohlcv', 'Candles of one mint.', candles),
  assetRow('priceChart', 'GET /assets/:assetId/price-chart', 'Canonical price candles.', candles),
  assetRow('profile', 'GET /assets/:assetId/profile', 'Cached external profile and market stats.'),
  assetRow('tickers', 'GET /assets/:assetId/tickers', 'Cached exchange tickers.', {
    query: { offset, limit: limitTo(50), order: optional(text('Order hint.', 64)) },
    example: { query: { limit: 10 } },
  }),
  assetRow('riskSummary', 'GET /assets/:assetId/risk-summary', 'Simple risk summary.', ofVariant),
  assetRow('riskDetails', 'GET /assets/:assetId/risk-details', 'Detailed risk summary.', ofVariant),
  assetRow('description', 'GET /assets/:assetId/description', 'Cached description of one mint.', ofVariant),
];
