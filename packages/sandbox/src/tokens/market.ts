import { type History, priceAt } from './candles.ts';
import type { Asset, Variant } from './catalogue.ts';
import { between, seedOf, significant } from './seed.ts';

const HOUR = 3600;
const DAY = 86_400;
const FIVE_MINUTES = 300_000;
const TIER1_ABOVE = 10_000_000;
const TIER2_FROM = 2_500_000;

/** Returns when the upstream last filled its cache: the last full five minutes, in milliseconds. */
export const fetchedAt = (now: number): number => Math.floor(now / FIVE_MINUTES) * FIVE_MINUTES;

/** Returns the minute of a time in milliseconds, in Unix seconds. */
export const minuteOf = (now: number): number => Math.floor(now / 60_000) * 60;

/** Returns the image of a token or asset; null without a symbol. */
export const imageOf = (symbol: string | undefined): string | null =>
  symbol === undefined ? null : `https://images.sandbox.example/${encodeURIComponent(symbol)}.png`;

/** Returns the liquidity tier of a variant. */
export function tierOf({ liquidity }: Variant): string {
  if (liquidity > TIER1_ABOVE) return 'tier1';
  return liquidity >= TIER2_FROM ? 'tier2' : 'tier3';
}

/** Returns the price history of an asset over all markets. */
export const historyOf = ({ id, price, supply, volatility, since }: Asset): History => ({
  seed: seedOf(id),
  base: price,
  volatility,
  volume: price * supply * between(0.01, 0.03, `${id}/turnover`),
  since: Date.parse(since) / 1000,
});

/**
 * Returns a variant's price history, which follows its asset's; undefined for a token without pools. A native token is the asset itself.
 */
export function historyOfVariant({ asset, mint, kind, ratio = 1, liquidity, pools }: Variant): History | undefined {
  if (pools === 0) return undefined;
  const premium = kind === 'native' ? 1 : between(0.9994, 1.0006, `${mint}/premium`);
  const base = asset.price * ratio * premium;
  return { ...historyOf(asset), base, volume: liquidity * between(0.4, 1.3, `${mint}/turnover`) };
}

/** Returns the price in the minute of `now` (milliseconds) with its changes in percent; undefined before the first trade. */
export function pricesOf(history: History | undefined, now: number) {
  const seconds = minuteOf(now);
  const price = history && priceAt(history, seconds);
  if (history === undefined || price === undefined) return undefined;
  const changeSince = (age: number): number =>
    significant((price / (priceAt(history, seconds - age) ?? price) - 1) * 100, 6);
  return { price, priceChange24hPercent: changeSince(DAY), priceChange1hPercent: changeSince(HOUR) };
}

/** The metrics of a traded variant; money in US dollars, changes in percent. */
export type Metrics = NonNullable<ReturnType<typeof metricsOf>>;

/** Returns the metrics of a variant in the minute of `now` (milliseconds); null for a token without a market. */
export function metricsOf(variant: Variant, now: number) {
  const { asset, mint, liquidity, decimals = 6, symbol, kind } = variant;
  const history = historyOfVariant(variant);
  const prices = pricesOf(history, now);
  if (history === undefined || prices === undefined) return null;
  const isAll = kind === 'native' || asset.variants.length === 1;
  const supply = isAll ? asset.supply : (liquidity * between(4, 40, `${mint}/float`)) / prices.price;
  const marketCap = significant(supply * prices.price, 10);
  return {
    ...prices,
    liquidity,
    volume24hUSD: Math.round(history.volume),
    marketCap,
    fdv: marketCap,
    holder: Math.round(liquidity ** 0.72 * between(0.7, 2.4, `${mint}/holders`)),
    decimals,
    logoURI: imageOf(symbol) ?? '',
  };
}

/** Returns the market of a variant on the variant-market routes. */
export function rawMarket(variant: Variant, now: number) {
  const metrics = metricsOf(variant, now);
  const { mint, symbol, name, asset } = variant;
  const extensions = { website: asset.website, twitter: asset.twitter, description: asset.about || undefined };
  return metrics && { mint, source: 'birdeye', lastFetchedAt: fetchedAt(now), symbol, name, ...metrics, extensions };
}

/** Returns a variant without its market and names. */
export function variantBrief(variant: Variant) {
  const tier = tierOf(variant);
  const { mint, kind, tags = [], issuer, issuerUrl, label, stockVariantTier } = variant;
  return { mint, kind, tags, issuer, issuerUrl, label, stockVariantTier, liquidityTier: tier, trustTier: tier };
}

/** Returns a variant with its market, as most routes return it. */
export function variantWithMarket(variant: Variant, now: number) {
  const { asset, mint, symbol, name } = variant;
  const metrics = metricsOf(variant, now);
  return {
    variantId: `${asset.id}:${symbol ?? mint.slice(0, 8)}`,
    ...variantBrief(variant),
    symbol,
    name,
    market: metrics && { source: 'birdeye', ...metrics, lastFetchedAt: fetchedAt(now) },
    executionQuality: null,
  };
}

/** Returns an asset's figures over all variants; null without a market. */
export function statsOf(asset: Asset, now: number) {
  const prices = asset.price === 0 ? undefined : pricesOf(historyOf(asset), now);
  if (prices === undefined) return null;
  const markets = asset.variants.flatMap((variant) => metricsOf(variant, now) ?? []);
  const volume24hUSD = markets.reduce((total, market) => total + market.volume24hUSD, 0);
  return {
    ...prices,
    liquidity: markets.reduce((total, { liquidity }) => total + liquidity, 0),
    volume24hUSD,
    volume30dUSD: volume24hUSD * 30,
    marketCap: significant(prices.price * asset.supply, 12),
    totalSupply: asset.supply,
    circulatingSupply: asset.supply,
  };
}

/** Returns the primary variant of an asset: the deepest one. */
export const primaryOf = ({ variants }: Asset): Variant | undefined => variants[0];

/** Returns an asset in search and curated lists. */
export function assetRow(asset: Asset, now: number, variant = primaryOf(asset)) {
  const { id, name, symbol, category, coingeckoId: coinId } = asset;
  const stats = statsOf(asset, now);
  const { price = null, marketCap = null, volume24hUSD = null, priceChange24hPercent = null } = stats ?? {};
  const at = { lastFetchedAt: fetchedAt(now), providerLastUpdatedAt: fetchedAt(now) / 1000 };
  return {
    assetId: id,
    name,
    symbol,
    category,
    imageUrl: imageOf(symbol),
    stats,
    canonicalMarket: coinId && {
      source: 'coingecko',
      coinId,
      price,
      marketCap,
      volume24hUSD,
      priceChange24hPercent,
      ...at,
    },
    primaryVariant: variant ? variantWithMarket(variant, now) : null,
  };
}
