import Type from 'typebox';
import { ENUMERATIONS } from '../enumerations.ts';
import { riskVerdict } from './blocks.ts';
import {
  always,
  answer,
  answerOf,
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
  WRAPPED_SOL,
  word,
} from './fields.ts';
import { category, rawMarket, stats, strategy } from './market.ts';
import { canonicalMarket, executionQuality, issuance, liquidityTier, tags, variant, variantFields } from './variant.ts';

const assetId = string('Canonical asset id.', 'solana');

const assetRow = object({
  assetId,
  name: optional(string('Its name.', 'Solana')),
  symbol: optional(string('Its symbol.', 'SOL')),
  category,
  imageUrl: nullable(string('Its picture.', 'https://img.example/sol.png')),
  stats,
  canonicalMarket: optional(canonicalMarket),
  primaryVariant: nullable(variant, null),
});

/** Whether the upstream is up. */
export const health = answer({ ok: always(true) });

/** Assets that match a text. */
export const search = answer({
  query: string('The search text.', 'sol'),
  category: nullable(category, null),
  primaryVariantStrategy: strategy,
  results: list(assetRow, 'Assets, the best match first.'),
});

/** How a reference led to an asset. */
export const resolvedBy = word(
  ['assetId', 'alias', 'mint', 'singletonMint', 'registry', 'sanctum', 'singleton'],
  'How the asset was found.',
  'mint',
);

/** The asset behind a reference; an unknown mint is an asset of its own. */
export const resolve = answer({
  assetId,
  resolvedBy,
  mint: nullable(string('The mint that the reference named.', WRAPPED_SOL)),
  asset: object(
    {
      assetId,
      name: partial(string('Its name.', 'Solana')),
      symbol: partial(string('Its symbol.', 'SOL')),
      category,
      aliases: list(Type.String(), 'Other names of it.', ['sol']),
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
});

/** The assets of a curated list. */
export const curated = answer({
  listId: word(ENUMERATIONS.list, 'The list.', 'majors'),
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
});

const mint = string('The mint.', WRAPPED_SOL);

/** Snapshots in the order of the mints asked for, each mint once. */
export const marketSnapshots = answerOf(
  list(
    object({
      address: mint,
      token: nullable(
        object(
          {
            address: mint,
            symbol: string('Symbol of the token.', 'SOL'),
            name: string('Name of the token.', 'Wrapped SOL'),
            decimals: integer('Decimals of the mint.', 9),
            logoURI: optional(string('Picture of the token.')),
            ...each(
              {
                liquidity: usd('Liquidity in all pools', 41_200_000),
                volume24hUSD: usd('Traded in 24 hours', 913_000_000),
                price: usd('Price', 151.4),
                priceChange24hPercent: percent('Change of the price in 24 hours', -1.7),
                marketCap: usd('Market capitalisation', 81_500_000_000),
              },
              nullable,
            ),
            priceChange1hPercent: optional(percent('Change of the price in 1 hour')),
          },
          'The token and its market.',
        ),
      ),
      hasMarket: flag('Whether a market is known.', true),
    }),
    'One entry per mint.',
  ),
);

/** Markets in the order of the mints asked for, each mint once. */
export const variantMarkets = answer({
  variants: list(
    object({
      mint,
      assetId: nullable(string('The asset that it stands for.', 'solana')),
      chain: nullable(string('The chain of the mint.')),
      market: nullable(rawMarket),
      executionQuality,
    }),
    'One entry per mint.',
  ),
});

/** The risk of a mint, nothing around it. */
export const riskSummaryByMint = answerOf(riskVerdict);
