import Type from 'typebox';
import { ENUMERATIONS } from '../enumerations.ts';
import * as field from './fields.ts';
import { changes, furtherMetrics, lastFetchedAt, metrics } from './market.ts';

const listed = field.each(field.nullable, {
  price: field.usd('Price'),
  marketCap: field.usd('Market capitalisation, and of a company that is not listed its implied valuation'),
  volume24hUSD: field.usd('Traded in 24 hours'),
  priceChange24hPercent: changes().priceChange24hPercent,
  lastFetchedAt,
});

const valuation = field.each(field.nullable, {
  markPriceUsd: field.usd('Price of one token at which its issuer values the company'),
  markValuationUsd: field.usd('Valuation of the company at that price'),
  impliedValuationUsd: field.usd('Valuation of the company at the price of the token'),
  premiumToMarkPercent: field.percent('Price of the token above that of its issuer'),
});

/** A token's data about an unlisted company. */
const preStocks = field.part("The token's data about an unlisted company.", {
  symbol: field.string('The symbol at its issuer.'),
  ...valuation,
  lastFetchedAt,
});

/** The asset's own market, beside its variants. Its fields depend on the source. */
export const canonicalMarket = field.union('The market of the asset itself.', [
  field.object({
    source: field.always('coingecko'),
    coinId: field.string('Its id at CoinGecko.'),
    ...listed,
    providerLastUpdatedAt: field.nullable(field.seconds('When CoinGecko updated it')),
  }),
  field.object({
    source: field.always('clickhouse_stock'),
    symbol: field.string('The ticker symbol.'),
    ...listed,
    providerLastUpdatedAt: field.nullable(field.seconds('When the exchange updated it')),
    asOf: field.nullable(field.seconds('When it was computed')),
  }),
  field.object({
    source: field.always('prestocks'),
    symbol: field.string('The symbol at its issuer.'),
    mint: field.string('The mint.'),
    ...listed,
    ...valuation,
    providerLastUpdatedAt: field.nullable(field.milliseconds('As lastFetchedAt')),
    asOf: field.nullable(field.milliseconds('As lastFetchedAt')),
  }),
]);

const snapshot = field.part('The market of the variant.', {
  source: field.optional(field.string('Where the market comes from: birdeye, rwa_xyz or clickhouse_trades.')),
  metricsSource: field.optional(field.string('Where the metrics come from.')),
  ...field.each(field.nullable, metrics),
  ...field.each(field.partial, furtherMetrics),
  lastFetchedAt: field.nullable(lastFetchedAt),
});

/** How well a variant's orders are filled. */
export const executionQuality = field.nullable(
  field.part('How well orders are filled.', {
    source: field.always('clickhouse_fill_quality'),
    range: field.always('24h'),
    horizon: field.always('5s'),
    quoteMint: field.string('The mint that fills are counted in.'),
    volume24hUSD: field.usd('Traded in 24 hours'),
    trade24h: field.integer('Trades in 24 hours.'),
    botVolume24hUSD: field.usd('Traded by bots in 24 hours'),
    botTrade24h: field.integer('Trades by bots in 24 hours.'),
    botVolumeRatio: field.number('Share of bots in the volume, 0 to 1.'),
    fee24hUSD: field.usd('Fees paid in 24 hours'),
    feeBps: field.number('Fees, in basis points of the volume.'),
    flowSourceCount: field.integer('Sources that orders came from.'),
    ...field.each(field.nullable, {
      markoutPnl24hUSD: field.usd('What fills were worth after the horizon'),
      markoutCount: field.integer('Fills that this is known of.'),
      markoutBps: field.number('The same, in basis points of the volume.'),
    }),
    executionScore: field.number('The verdict, 0 to 100.'),
    isEligibleForPrimary: field.flag('Whether it can be the primary variant.'),
    asOf: field.nullable(field.seconds('When fills were measured')),
    lastComputedAt: field.milliseconds('When the score was computed'),
  }),
);

/** A variant's class by liquidity. */
export const liquidityTier = field.word(
  ENUMERATIONS.liquidityTier,
  'By liquidity: above $10M, from $2.5M, below.',
  'tier1',
);

/** A variant without its market. */
export const variantFields = {
  mint: field.string('The mint.', field.WRAPPED_SOL),
  kind: field.word([...ENUMERATIONS.kind, 'spot'], 'Kind of variant.', 'native'),
  liquidityTier,
  trustTier: field.word(ENUMERATIONS.liquidityTier, 'As liquidityTier.', 'tier1'),
  label: field.optional(field.string('A label that distinguishes it from other variants.')),
  symbol: field.optional(field.string('Symbol of the token.')),
  name: field.optional(field.string('Name of the token.')),
  stockVariantTier: field.optional(
    field.word(['share_redeemable', 'cash_redeemable', 'not_redeemable'], 'How a tokenised share can be redeemed.'),
  ),
};

/** The issuer of a variant. */
export const issuance = {
  issuer: field.optional(field.string('Its issuer.')),
  issuerUrl: field.optional(field.string("The issuer's website.")),
};

/** Marks that the upstream puts on a variant. */
export const tags = field.list(Type.String(), 'Marks of the variant.');

const variantProperties = {
  variantId: field.string('Its id.', 'solana:native'),
  ...variantFields,
  tags,
  ...issuance,
  market: field.nullable(snapshot, null),
  executionQuality,
};

/** A variant with its market. */
export const variant = field.part('A token on Solana that stands for the asset.', variantProperties);

const rank = field.integer('Its place among all variants of the asset, from 0.');

/** A variant in its asset's detail. */
export const rankedVariant = field.object({ ...variantProperties, rank, preStocks: field.optional(preStocks) });

/** An asset's primary variant in the asset's detail. */
export const rankedPrimary = field.part('The primary variant of the asset.', {
  ...variantProperties,
  rank: field.optional(rank),
  preStocks: field.optional(preStocks),
});
