import Type from 'typebox';
import { block, marketScore, marketScoreInput, profileBlock } from './blocks.ts';
import {
  answer,
  each,
  integer,
  list,
  milliseconds,
  nullable,
  object,
  optional,
  string,
  usd,
  WRAPPED_SOL,
} from './fields.ts';
import * as market from './market.ts';
import { resolvedBy } from './tokens.ts';
import { canonicalMarket, rankedPrimary, rankedVariant, variant, variantFields } from './variant.ts';

const EXAMPLE_TIME_MS = 1_767_000_000_000;

const assetId = string('Canonical asset id.', 'solana');
const mint = string('The mint of the answer.', WRAPPED_SOL);
const lastUpdatedAt = nullable(milliseconds('When the markets were fetched', EXAMPLE_TIME_MS));
const page = (limit?: number) => ({
  offset: integer('Rows that were skipped.', 0),
  limit: integer('Rows at most.', limit),
});

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
            ...page(),
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
export const assetDetail = answer({
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
});

/** The variants of an asset. */
export const variants = answer({
  assetId,
  sortBy: market.strategy,
  variants: list(variant, 'Variants in this order.'),
});

const protocolToken = market.token('The token of the exchange itself.');

/** The busiest market of each variant. */
export const variantTopMarkets = answer({
  assetId,
  total: integer('Variants in all.', 1),
  ...page(50),
  variants: list(
    object({
      ...variantFields,
      logoURI: optional(string('Picture of the token.')),
      topMarket: market.dexMarket,
      protocolToken: optional(protocolToken),
      topMarkets: optional(
        list(object({ market: market.dexMarket, protocolToken: optional(protocolToken) }), 'The next ones too.'),
      ),
      marketsTotal: nullable(integer('Pools of the variant.', 37)),
      totalLiquidity: nullable(usd('Liquidity of all pools', 41_200_000)),
      lastFetchedAt: nullable(milliseconds('When they were fetched', EXAMPLE_TIME_MS)),
    }),
    'One entry per variant that has a market, the busiest first.',
  ),
  lastUpdatedAt,
});

/** The market of one variant. */
export const variantMarket = answer({ assetId, mint, market: nullable(market.rawMarket), lastUpdatedAt });

/** The pools of one variant. */
export const markets = answer({
  assetId,
  mint,
  markets: list(market.dexMarket, 'Pools, the deepest first; without source.', [
    { address: market.EXAMPLE_POOL, liquidity: 9_100_000, volume24h: 55_000_000 },
  ]),
  protocolTokensByMarket: Type.Object(
    {},
    { additionalProperties: protocolToken, description: 'The token of the exchange itself, by address of the pool.' },
  ),
  total: optional(integer('Pools in all.', 37)),
  ...page(10),
  lastUpdatedAt,
});
