import Type from 'typebox';
import { ENUMERATIONS } from '../enumerations.ts';
import * as field from './fields.ts';
import { assetId, category, page, rawMarket, resolvedBy, stats, strategy } from './market.ts';
import { canonicalMarket, executionQuality, issuance, liquidityTier, tags, variant, variantFields } from './variant.ts';

const assetRow = field.object({
  assetId,
  name: field.optional(field.string('Its name.', 'Solana')),
  symbol: field.optional(field.string('Its symbol.', 'SOL')),
  category,
  imageUrl: field.nullable(field.string('Its picture.', 'https://img.example/sol.png')),
  stats,
  canonicalMarket: field.optional(canonicalMarket),
  primaryVariant: field.nullable(variant, null),
});

/** Whether the upstream is up. */
export const health = field.answer({ ok: field.always(true) });

/** Assets that match a text. */
export const search = field.answer({
  query: field.string('The search text.', 'sol'),
  category: field.nullable(category, null),
  primaryVariantStrategy: strategy,
  results: field.list(assetRow, 'Assets, the best match first.'),
});

/** The asset that a reference means. An unknown mint is an asset of its own. */
export const resolve = field.answer({
  assetId,
  resolvedBy,
  mint: field.nullable(field.string('The mint that the reference named.', field.WRAPPED_SOL)),
  asset: field.part('The asset.', {
    assetId,
    name: field.partial(field.string('Its name.', 'Solana')),
    symbol: field.partial(field.string('Its symbol.', 'SOL')),
    category,
    aliases: field.list(Type.String(), 'Other names of it.', ['sol']),
  }),
  variant: field.nullable(
    field.part('The variant that the mint named, and of another reference the primary one.', {
      ...variantFields,
      liquidityTier: field.optional(liquidityTier),
      tags,
      chain: field.optional(field.string('The chain of the mint.')),
      ...issuance,
    }),
  ),
});

/** The assets of a curated list. */
export const curated = field.answer({
  listId: field.word(ENUMERATIONS.list, 'The list.', 'majors'),
  primaryVariantStrategy: strategy,
  assets: field.list(assetRow, 'One row per asset, or per mint.'),
  pagination: field.optional(
    field.part('Which part of the list this is; the whole list has none.', {
      ...page(),
      total: field.integer('Rows in all.'),
      hasMore: field.flag('Whether rows follow.'),
      nextOffset: field.nullable(field.integer('The offset of the next rows.')),
    }),
  ),
  stale: field.optional(field.always(true)),
  staleCachedAt: field.optional(
    field.milliseconds('When the list was fetched, for one that could not be fetched anew'),
  ),
});

const mint = field.string('The mint.', field.WRAPPED_SOL);

/** Snapshots in the order of the requested mints, each mint once. */
export const marketSnapshots = field.resultShape(
  field.rows('One entry per mint.', {
    address: mint,
    token: field.nullable(
      field.part('The token and its market.', {
        address: mint,
        symbol: field.string('Symbol of the token.', 'SOL'),
        name: field.string('Name of the token.', 'Wrapped SOL'),
        decimals: field.integer('Decimals of the mint.', 9),
        logoURI: field.optional(field.string('Picture of the token.')),
        ...field.each(field.nullable, {
          liquidity: field.usd('Liquidity in all pools', 41_200_000),
          volume24hUSD: field.usd('Traded in 24 hours', 913_000_000),
          price: field.usd('Price', 151.4),
          priceChange24hPercent: field.percent('Change of the price in 24 hours', -1.7),
          marketCap: field.usd('Market capitalisation', 81_500_000_000),
        }),
        priceChange1hPercent: field.optional(field.percent('Change of the price in 1 hour')),
      }),
    ),
    hasMarket: field.flag('Whether a market is known.', true),
  }),
);

/** Markets in the order of the requested mints, each mint once. */
export const variantMarkets = field.answer({
  variants: field.rows('One entry per mint.', {
    mint,
    assetId: field.nullable(field.string('The asset that it stands for.', 'solana')),
    chain: field.nullable(field.string('The chain of the mint.')),
    market: field.nullable(rawMarket),
    executionQuality,
  }),
});
