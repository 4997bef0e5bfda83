import Type from 'typebox';
import { block, marketScore, marketScoreInput, profileBlock } from './blocks.ts';
import * as field from './fields.ts';
import * as market from './market.ts';
import { assetId, EXAMPLE_TIME_MS, mint, page } from './market.ts';
import { canonicalMarket, rankedPrimary, rankedVariant, variant, variantFields } from './variant.ts';

const lastUpdatedAt = field.nullable(field.milliseconds('When the markets were fetched', EXAMPLE_TIME_MS));

const includes = field.part(
  'The blocks that were asked for.',
  field.each(field.optional, {
    profile: profileBlock,
    risk: block(
      field.part('The risk of the variant.', {
        tokenData: Type.Null(),
        tradingData: Type.Null(),
        marketScoreInput,
        marketScore,
      }),
      'The risk of the variant, or why that is missing.',
    ),
    ohlcv: block(market.candles, 'Candles of the variant, or why they are missing.'),
    markets: block(
      field.part('Pools of the variant.', {
        markets: field.list(market.dexMarket, 'Pools, the deepest first.'),
        total: field.optional(field.integer('Pools in all.')),
        ...page(),
      }),
      'Pools of the variant, or why they are missing.',
    ),
  }),
);

const GROUPS = ['spot', 'etf', 'yield', 'leveraged', 'basket', 'lst', 'tokenizedEquity'];

const variantGroups = Type.Object(
  {},
  {
    additionalProperties: field.list(rankedVariant, 'Variants, the most liquid first.'),
    description: `The variants by kind; ${GROUPS.join(', ')} are always there.`,
  },
);

/** Everything about an asset. */
export const assetDetail = field.answer({
  asset: field.part(
    'The asset.',
    {
      assetId,
      name: field.optional(field.string('Its name.')),
      symbol: field.optional(field.string('Its symbol.')),
      description: field.optional(field.string('What it is.')),
      category: market.category,
      aliases: field.list(Type.String(), 'Other names of it.'),
      symbols: field.list(Type.String(), 'Its symbol, and the symbols and labels of its variants.'),
      imageUrl: field.nullable(field.string('Its picture.')),
      stats: market.stats,
      primaryVariantStrategy: market.strategy,
      canonicalMarket: field.optional(canonicalMarket),
      variantGroups,
      primaryVariant: field.nullable(rankedPrimary),
    },
    {
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
  ),
  includes: field.optional(includes),
  resolution: field.optional(
    field.part('How the reference in the path was resolved, if it was not the asset id.', {
      assetId,
      ref: field.string('The reference in the path.'),
      resolvedBy: market.resolvedBy,
      mint: field.nullable(field.string('The mint that it named.')),
    }),
  ),
});

/** The variants of an asset. */
export const variants = field.answer({
  assetId,
  sortBy: market.strategy,
  variants: field.list(variant, 'Variants in this order.'),
});

const protocolToken = market.token('The token of the exchange itself.');

/** The busiest market of each variant. */
export const variantTopMarkets = field.answer({
  assetId,
  total: field.integer('Variants in all.', 1),
  ...page(50),
  variants: field.rows('One entry per variant that has a market, the busiest first.', {
    ...variantFields,
    logoURI: field.optional(field.string('Picture of the token.')),
    topMarket: market.dexMarket,
    protocolToken: field.optional(protocolToken),
    topMarkets: field.optional(
      field.rows('The next ones too.', { market: market.dexMarket, protocolToken: field.optional(protocolToken) }),
    ),
    marketsTotal: field.nullable(field.integer('Pools of the variant.', 37)),
    totalLiquidity: field.nullable(field.usd('Liquidity of all pools', 41_200_000)),
    lastFetchedAt: field.nullable(field.milliseconds('When they were fetched', EXAMPLE_TIME_MS)),
  }),
  lastUpdatedAt,
});

/** The market of one variant. */
export const variantMarket = field.answer({ assetId, mint, market: field.nullable(market.rawMarket), lastUpdatedAt });

/** The pools of one variant. */
export const markets = field.answer({
  assetId,
  mint,
  markets: field.list(market.dexMarket, 'Pools, the deepest first; without source.', [
    { address: market.EXAMPLE_POOL, liquidity: 9_100_000, volume24h: 55_000_000 },
  ]),
  protocolTokensByMarket: Type.Object(
    {},
    { additionalProperties: protocolToken, description: 'The token of the exchange itself, by address of the pool.' },
  ),
  total: field.optional(field.integer('Pools in all.', 37)),
  ...page(10),
  lastUpdatedAt,
});
