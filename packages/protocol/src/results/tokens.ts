import Type from 'typebox';
import { ENUMERATIONS } from '../enumerations.ts';
import { oneOf } from '../parameters.ts';
import type { ResultShape } from '../route.ts';
import { EXAMPLE_SCORE, riskVerdict } from './blocks.ts';
import {
  always,
  each,
  flag,
  integer,
  list,
  milliseconds,
  nullable,
  object,
  optional,
  partial,
  percent,
  string,
  usd,
} from './fields.ts';
import { category, rawMarket, stats, strategy } from './market.ts';
import { canonicalMarket, executionQuality, issuance, liquidityTier, tags, variant, variantFields } from './variant.ts';

const WRAPPED_SOL = 'So11111111111111111111111111111111111111112';

const assetRow = object({
  assetId: string('Canonical asset id.'),
  name: optional(string('Its name.')),
  symbol: optional(string('Its symbol.')),
  category,
  imageUrl: nullable(string('Its picture.')),
  stats,
  canonicalMarket: optional(canonicalMarket),
  primaryVariant: nullable(variant),
});

const EXAMPLE_ASSET_ROW = {
  assetId: 'solana',
  name: 'Solana',
  symbol: 'SOL',
  category: 'crypto',
  imageUrl: 'https://img.example/sol.png',
  stats: {
    price: 151.4,
    liquidity: 41_200_000,
    volume24hUSD: 913_000_000,
    volume30dUSD: null,
    marketCap: 81_500_000_000,
    priceChange24hPercent: -1.7,
    priceChange1hPercent: 0.2,
  },
  primaryVariant: null,
};

/** Whether the upstream is up. */
export const health: ResultShape = { schema: object({ ok: always(true) }), example: { ok: true } };

/** Assets that match a text. */
export const search: ResultShape = {
  schema: object({
    query: string('The search text.'),
    category: nullable(category),
    primaryVariantStrategy: strategy,
    results: list(assetRow, 'Assets, the best match first.'),
  }),
  example: { query: 'sol', category: null, primaryVariantStrategy: 'liquidity', results: [EXAMPLE_ASSET_ROW] },
};

/** How a reference led to an asset. */
export const resolvedBy = oneOf(
  ['assetId', 'alias', 'mint', 'singletonMint', 'registry', 'sanctum', 'singleton'],
  'How the asset was found.',
);

/** The asset behind a reference; an unknown mint is an asset of its own. */
export const resolve: ResultShape = {
  schema: object({
    assetId: string('Canonical asset id.'),
    resolvedBy,
    mint: nullable(string('The mint that the reference named.')),
    asset: object(
      {
        assetId: string('Canonical asset id.'),
        name: partial(string('Its name.')),
        symbol: partial(string('Its symbol.')),
        category,
        aliases: list(Type.String(), 'Other names of it.'),
      },
      'The asset.',
    ),
    variant: nullable(
      object(
        {
          ...variantFields,
          liquidityTier: optional(liquidityTier),
          tags,
          chain: optional(string('The chain of the mint.')),
          ...issuance,
        },
        'The variant that the mint named, and of another reference the primary one.',
      ),
    ),
  }),
  example: {
    assetId: 'solana',
    resolvedBy: 'mint',
    mint: WRAPPED_SOL,
    asset: { assetId: 'solana', name: 'Solana', symbol: 'SOL', category: 'crypto', aliases: ['sol'] },
    variant: { mint: WRAPPED_SOL, kind: 'native', liquidityTier: 'tier1', trustTier: 'tier1', tags: [] },
  },
};

/** The assets of a curated list. */
export const curated: ResultShape = {
  schema: object({
    listId: oneOf(ENUMERATIONS.list, 'The list.'),
    primaryVariantStrategy: strategy,
    assets: list(assetRow, 'One row per asset, or per mint.'),
    pagination: optional(
      object(
        {
          offset: integer('Rows that were skipped.'),
          limit: integer('Rows at most.'),
          total: integer('Rows in all.'),
          hasMore: flag('Whether rows follow.'),
          nextOffset: nullable(integer('The offset of the next rows.')),
        },
        'Which part of the list this is; the whole list has none.',
      ),
    ),
    stale: optional(always(true)),
    staleCachedAt: optional(milliseconds('When the list was fetched, for one that could not be fetched anew')),
  }),
  example: { listId: 'majors', primaryVariantStrategy: 'liquidity', assets: [EXAMPLE_ASSET_ROW] },
};

/** Snapshots in the order of the mints asked for, each mint once. */
export const marketSnapshots: ResultShape = {
  schema: list(
    object({
      address: string('The mint.'),
      token: nullable(
        object(
          {
            address: string('The mint.'),
            symbol: string('Symbol of the token.'),
            name: string('Name of the token.'),
            decimals: integer('Decimals of the mint.'),
            logoURI: optional(string('Picture of the token.')),
            ...each(
              {
                liquidity: usd('Liquidity in all pools'),
                volume24hUSD: usd('Traded in 24 hours'),
                price: usd('Price'),
                priceChange24hPercent: percent('Change of the price in 24 hours'),
                marketCap: usd('Market capitalisation'),
              },
              nullable,
            ),
            priceChange1hPercent: optional(percent('Change of the price in 1 hour')),
          },
          'The token and its market.',
        ),
      ),
      hasMarket: flag('Whether a market is known.'),
    }),
    'One entry per mint.',
  ),
  example: [
    {
      address: WRAPPED_SOL,
      token: {
        address: WRAPPED_SOL,
        symbol: 'SOL',
        name: 'Wrapped SOL',
        decimals: 9,
        liquidity: 41_200_000,
        volume24hUSD: 913_000_000,
        price: 151.4,
        priceChange24hPercent: -1.7,
        marketCap: 81_500_000_000,
      },
      hasMarket: true,
    },
  ],
};

/** Markets in the order of the mints asked for, each mint once. */
export const variantMarkets: ResultShape = {
  schema: object({
    variants: list(
      object({
        mint: string('The mint.'),
        assetId: nullable(string('The asset that it stands for.')),
        chain: nullable(string('The chain of the mint.')),
        market: nullable(rawMarket),
        executionQuality,
      }),
      'One entry per mint.',
    ),
  }),
  example: {
    variants: [
      {
        mint: WRAPPED_SOL,
        assetId: 'solana',
        chain: null,
        market: { mint: WRAPPED_SOL, source: 'birdeye', lastFetchedAt: 1_767_000_000_000, price: 151.4 },
        executionQuality: null,
      },
    ],
  },
};

/** The risk of a mint, nothing around it. */
export const riskSummaryByMint: ResultShape = { schema: riskVerdict, example: EXAMPLE_SCORE };
