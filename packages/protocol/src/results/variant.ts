import Type from 'typebox';
import { ENUMERATIONS } from '../enumerations.ts';
import {
  always,
  each,
  flag,
  integer,
  list,
  milliseconds,
  nullable,
  number,
  object,
  optional,
  partial,
  percent,
  seconds,
  string,
  union,
  usd,
  WRAPPED_SOL,
  word,
} from './fields.ts';
import { changes, furtherMetrics, lastFetchedAt, metrics } from './market.ts';

const listed = each(
  {
    price: usd('Price'),
    marketCap: usd('Market capitalisation, and of a company that is not listed its implied valuation'),
    volume24hUSD: usd('Traded in 24 hours'),
    priceChange24hPercent: changes().priceChange24hPercent,
    lastFetchedAt,
  },
  nullable,
);

const valuation = each(
  {
    markPriceUsd: usd('Price of one token at which its issuer values the company'),
    markValuationUsd: usd('Valuation of the company at that price'),
    impliedValuationUsd: usd('Valuation of the company at the price of the token'),
    premiumToMarkPercent: percent('Price of the token above that of its issuer'),
  },
  nullable,
);

/** A token's data about an unlisted company. */
export const preStocks = object(
  { symbol: string('The symbol at its issuer.'), ...valuation, lastFetchedAt },
  "The token's data about an unlisted company.",
);

/** The market of the asset itself, beside its variants; its fields depend on the source. */
export const canonicalMarket = union(
  [
    object({
      source: always('coingecko'),
      coinId: string('Its id at CoinGecko.'),
      ...listed,
      providerLastUpdatedAt: nullable(seconds('When CoinGecko updated it')),
    }),
    object({
      source: always('clickhouse_stock'),
      symbol: string('The ticker symbol.'),
      ...listed,
      providerLastUpdatedAt: nullable(seconds('When the exchange updated it')),
      asOf: nullable(seconds('When it was computed')),
    }),
    object({
      source: always('prestocks'),
      symbol: string('The symbol at its issuer.'),
      mint: string('The mint.'),
      ...listed,
      ...valuation,
      providerLastUpdatedAt: nullable(milliseconds('As lastFetchedAt')),
      asOf: nullable(milliseconds('As lastFetchedAt')),
    }),
  ],
  'The market of the asset itself.',
);

const snapshot = object(
  {
    source: optional(string('Where the market comes from: birdeye, rwa_xyz or clickhouse_trades.')),
    metricsSource: optional(string('Where the metrics come from.')),
    ...each(metrics, nullable),
    ...each(furtherMetrics, partial),
    lastFetchedAt: nullable(lastFetchedAt),
  },
  'The market of the variant.',
);

/** How well orders of a variant are filled. */
export const executionQuality = nullable(
  object(
    {
      source: always('clickhouse_fill_quality'),
      range: always('24h'),
      horizon: always('5s'),
      quoteMint: string('The mint that fills are counted in.'),
      volume24hUSD: usd('Traded in 24 hours'),
      trade24h: integer('Trades in 24 hours.'),
      botVolume24hUSD: usd('Traded by bots in 24 hours'),
      botTrade24h: integer('Trades by bots in 24 hours.'),
      botVolumeRatio: number('Share of bots in the volume, 0 to 1.'),
      fee24hUSD: usd('Fees paid in 24 hours'),
      feeBps: number('Fees, in basis points of the volume.'),
      flowSourceCount: integer('Sources that orders came from.'),
      ...each(
        {
          markoutPnl24hUSD: usd('What fills were worth after the horizon'),
          markoutCount: integer('Fills that this is known of.'),
          markoutBps: number('The same, in basis points of the volume.'),
        },
        nullable,
      ),
      executionScore: number('The verdict, 0 to 100.'),
      isEligibleForPrimary: flag('Whether it can be the primary variant.'),
      asOf: nullable(seconds('When fills were measured')),
      lastComputedAt: milliseconds('When the score was computed'),
    },
    'How well orders are filled.',
  ),
);

/** By how much liquidity a variant has. */
export const liquidityTier = word(ENUMERATIONS.liquidityTier, 'By liquidity: above $10M, from $2.5M, below.', 'tier1');

/** A variant without its market. */
export const variantFields = {
  mint: string('The mint.', WRAPPED_SOL),
  kind: word([...ENUMERATIONS.kind, 'spot'], 'Kind of variant.', 'native'),
  liquidityTier,
  trustTier: word(ENUMERATIONS.liquidityTier, 'As liquidityTier.', 'tier1'),
  label: optional(string('A label that distinguishes it from other variants.')),
  symbol: optional(string('Symbol of the token.')),
  name: optional(string('Name of the token.')),
  stockVariantTier: optional(
    word(['share_redeemable', 'cash_redeemable', 'not_redeemable'], 'How a tokenised share can be redeemed.'),
  ),
};

/** The issuer of a variant. */
export const issuance = {
  issuer: optional(string('Its issuer.')),
  issuerUrl: optional(string("The issuer's website.")),
};

/** Marks that the upstream puts on a variant. */
export const tags = list(Type.String(), 'Marks of the variant.');

const variantProperties = {
  variantId: string('Its id.', 'solana:native'),
  ...variantFields,
  tags,
  ...issuance,
  market: nullable(snapshot, null),
  executionQuality,
};

/** A variant with its market. */
export const variant = object(variantProperties, 'A token on Solana that stands for the asset.');

const rank = integer('Its place among all variants of the asset, from 0.');

/** A variant in its asset's detail. */
export const rankedVariant = object({ ...variantProperties, rank, preStocks: optional(preStocks) });

/** An asset's primary variant in the asset's detail. */
export const rankedPrimary = object(
  { ...variantProperties, rank: optional(rank), preStocks: optional(preStocks) },
  'The primary variant of the asset.',
);
