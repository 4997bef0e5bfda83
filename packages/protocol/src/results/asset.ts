import Type from 'typebox';
import type { ResultShape } from '../route.ts';
import { block, marketScore, marketScoreInput, profileBlock } from './blocks.ts';
import { each, integer, list, milliseconds, nullable, object, optional, string, usd } from './fields.ts';
import * as market from './market.ts';
import { resolvedBy } from './tokens.ts';
import { canonicalMarket, rankedPrimary, rankedVariant, variant, variantFields } from './variant.ts';

const WRAPPED_SOL = 'So11111111111111111111111111111111111111112';
const EXAMPLE_TIME_MS = 1_767_000_000_000;

const assetId = string('Canonical asset id.');
const mint = string('The mint of the answer.');
const lastUpdatedAt = nullable(milliseconds('When the markets were fetched'));
const page = { offset: integer('Rows that were skipped.'), limit: integer('Rows at most.') };

const includes = object(
  each(
    {
      profile: profileBlock,
      risk: block(
        object(
          { tokenData: Type.Null(), tradingData: Type.Null(), marketScoreInput, marketScore },
          'The risk of the variant.',
        ),
        'The risk of the variant, or why that is missing.',
      ),
      ohlcv: block(market.candles, 'Candles of the variant, or why they are missing.'),
      markets: block(
        object(
          {
            markets: list(market.dexMarket, 'Pools, the deepest first.'),
            total: optional(integer('Pools in all.')),
            ...page,
          },
          'Pools of the variant.',
        ),
        'Pools of the variant, or why they are missing.',
      ),
    },
    optional,
  ),
  'The blocks that were asked for.',
);

const GROUPS = ['spot', 'etf', 'yield', 'leveraged', 'basket', 'lst', 'tokenizedEquity'];

const variantGroups = Type.Object(
  {},
  {
    additionalProperties: list(rankedVariant, 'Variants, the most liquid first.'),
    description: `The variants by kind; ${GROUPS.join(', ')} are always there.`,
  },
);

/** Everything about an asset. */
export const assetDetail: ResultShape = {
  schema: object({
    asset: object(
      {
        assetId,
        name: optional(string('Its name.')),
        symbol: optional(string('Its symbol.')),
        description: optional(string('What it is.')),
        category: market.category,
        aliases: list(Type.String(), 'Other names of it.'),
        symbols: list(Type.String(), 'Its symbol, and the symbols and labels of its variants.'),
        imageUrl: nullable(string('Its picture.')),
        stats: market.stats,
        primaryVariantStrategy: market.strategy,
        canonicalMarket: optional(canonicalMarket),
        variantGroups,
        primaryVariant: nullable(rankedPrimary),
      },
      'The asset.',
    ),
    includes: optional(includes),
    resolution: optional(
      object(
        {
          assetId,
          ref: string('The reference in the path.'),
          resolvedBy,
          mint: nullable(string('The mint that it named.')),
        },
        'How the reference in the path was resolved, if it was not the asset id.',
      ),
    ),
  }),
  example: {
    asset: {
      assetId: 'gold',
      name: 'Gold',
      symbol: 'XAU',
      category: 'commodity',
      aliases: [],
      symbols: ['XAU'],
      imageUrl: null,
      stats: null,
      primaryVariantStrategy: 'liquidity',
      variantGroups: Object.fromEntries(GROUPS.map((group) => [group, []])),
      primaryVariant: null,
    },
  },
};

/** The variants of an asset. */
export const variants: ResultShape = {
  schema: object({
    assetId,
    sortBy: market.strategy,
    variants: list(variant, 'Variants in this order.'),
  }),
  example: {
    assetId: 'solana',
    sortBy: 'liquidity',
    variants: [
      {
        variantId: 'solana:native',
        mint: WRAPPED_SOL,
        kind: 'native',
        liquidityTier: 'tier1',
        trustTier: 'tier1',
        tags: [],
        market: null,
        executionQuality: null,
      },
    ],
  },
};

const protocolToken = market.token('The token of the exchange itself.');

/** The busiest market of each variant. */
export const variantTopMarkets: ResultShape = {
  schema: object({
    assetId,
    total: integer('Variants in all.'),
    ...page,
    variants: list(
      object({
        ...variantFields,
        logoURI: optional(string('Picture of the token.')),
        topMarket: market.dexMarket,
        protocolToken: optional(protocolToken),
        topMarkets: optional(
          list(object({ market: market.dexMarket, protocolToken: optional(protocolToken) }), 'The next ones too.'),
        ),
        marketsTotal: nullable(integer('Pools of the variant.')),
        totalLiquidity: nullable(usd('Liquidity of all pools')),
        lastFetchedAt: nullable(milliseconds('When they were fetched')),
      }),
      'One entry per variant that has a market, the busiest first.',
    ),
    lastUpdatedAt,
  }),
  example: {
    assetId: 'solana',
    total: 1,
    offset: 0,
    limit: 50,
    variants: [
      {
        mint: WRAPPED_SOL,
        kind: 'native',
        liquidityTier: 'tier1',
        trustTier: 'tier1',
        topMarket: { address: '58oQChx4yWmvKdwLLZzBi4ChoCc2fqCUWBkwMihLYQo2', liquidity: 9_100_000 },
        marketsTotal: 37,
        totalLiquidity: 41_200_000,
        lastFetchedAt: EXAMPLE_TIME_MS,
      },
    ],
    lastUpdatedAt: EXAMPLE_TIME_MS,
  },
};

/** The market of one variant. */
export const variantMarket: ResultShape = {
  schema: object({ assetId, mint, market: nullable(market.rawMarket), lastUpdatedAt }),
  example: {
    assetId: 'solana',
    mint: WRAPPED_SOL,
    market: { mint: WRAPPED_SOL, source: 'birdeye', lastFetchedAt: EXAMPLE_TIME_MS, price: 151.4 },
    lastUpdatedAt: EXAMPLE_TIME_MS,
  },
};

/** The pools of one variant. */
export const markets: ResultShape = {
  schema: object({
    assetId,
    mint,
    markets: list(market.dexMarket, 'Pools, the deepest first; without source.'),
    protocolTokensByMarket: Type.Object(
      {},
      { additionalProperties: protocolToken, description: 'The token of the exchange itself, by address of the pool.' },
    ),
    total: optional(integer('Pools in all.')),
    ...page,
    lastUpdatedAt,
  }),
  example: {
    assetId: 'solana',
    mint: WRAPPED_SOL,
    markets: [{ address: '58oQChx4yWmvKdwLLZzBi4ChoCc2fqCUWBkwMihLYQo2', liquidity: 9_100_000, volume24h: 55_000_000 }],
    protocolTokensByMarket: {},
    total: 37,
    offset: 0,
    limit: 10,
    lastUpdatedAt: EXAMPLE_TIME_MS,
  },
};
