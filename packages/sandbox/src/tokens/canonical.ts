import { candlesOf, canonicalWalk, priceAt, volumeOf } from './candles.ts';
import { changePercent, fetchedAt, metricsOf } from './market.ts';
import { oncePerMinute } from './minute.ts';
import type { Asset, Variant } from './model.ts';
import { between, significant } from './seed.ts';
import type { Walk } from './walk.ts';

const DAY = 86_400;
const WEEK = 604_800;

const isStock = (asset: Asset): boolean => ['equity', 'etf', 'index'].includes(asset.category);

/** The canonical price history of an asset that has one: a stock's own, or the one that coingecko keeps. */
export function canonicalHistory(asset: Asset): Walk | null {
  return isStock(asset) || asset.coingeckoId !== undefined ? canonicalWalk(asset) : null;
}

/** The most liquid variant that is traded; for a token of its own the token itself. */
export function primaryVariant(asset: Asset): Variant | null {
  const [deepest] = asset.variants.filter((variant) => variant.pools > 0).toSorted((a, b) => b.liquidity - a.liquidity);
  return deepest ?? (asset.origin === 'singleton' ? asset.variants[0] : undefined) ?? null;
}

function numbers(asset: Asset, walk: Walk, seconds: number) {
  const price = priceAt(walk, seconds);
  return price === undefined
    ? null
    : {
        price,
        marketCap: significant(price * asset.supply, 12),
        volume24hUSD: volumeOf(walk, DAY, { seconds: 3600, now: seconds }),
        priceChange24hPercent: changePercent(priceAt(walk, seconds - DAY), price),
      };
}

function marketAt(asset: Asset, seconds: number) {
  const walk = canonicalHistory(asset);
  const known = walk && numbers(asset, walk, seconds);
  if (known === null) {
    return undefined;
  }
  if (asset.coingeckoId === undefined) {
    return { source: 'clickhouse_stock', symbol: asset.symbol, ...known, asOf: seconds };
  }
  return {
    source: 'coingecko',
    coinId: asset.coingeckoId,
    ...known,
    lastFetchedAt: fetchedAt(seconds * 1000),
    providerLastUpdatedAt: seconds - Math.floor(between(0, 60, `${asset.id}/provider`)),
  };
}

/** The market of the asset itself, beside its variants; nothing when only variants are traded. */
export const canonicalMarket = oncePerMinute(marketAt);

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** The figures of one variant. */
export function variantStats(variant: Variant, now: number) {
  const metrics = metricsOf(variant, now);
  return (
    metrics && {
      price: metrics.price,
      liquidity: metrics.liquidity,
      volume24hUSD: metrics.volume24hUSD,
      volume30dUSD: null,
      marketCap: metrics.marketCap,
      priceChange24hPercent: metrics.priceChange24hPercent,
      priceChange1hPercent: metrics.priceChange1hPercent,
    }
  );
}

/** The figures of an asset: what its variants trade together, at the asset's own price where there is one. */
export function assetStats(asset: Asset, now: number) {
  const primary = primaryVariant(asset);
  const deepest = primary && variantStats(primary, now);
  const canonical = canonicalMarket(asset, now);
  const base = canonical ?? deepest;
  if (base === null) {
    return null;
  }
  const markets = asset.variants.flatMap((variant) => metricsOf(variant, now) ?? []);
  return {
    price: base.price,
    liquidity: markets.length === 0 ? null : significant(sum(markets.map((market) => market.liquidity)), 10),
    volume24hUSD: markets.length === 0 ? base.volume24hUSD : sum(markets.map((market) => market.volume24hUSD)),
    volume30dUSD: null,
    marketCap: base.marketCap,
    priceChange24hPercent: base.priceChange24hPercent,
    priceChange1hPercent: deepest?.priceChange1hPercent ?? null,
  };
}

function allTimeHigh(walk: Walk, seconds: number): { allTimeHigh: number; allTimeHighDate: string } {
  const weeks = candlesOf(walk, { seconds: WEEK, from: walk.since, to: seconds + 1, now: seconds });
  const [highest] = weeks.toSorted((a, b) => b.high - a.high);
  return {
    allTimeHigh: highest?.high ?? 0,
    allTimeHighDate: highest === undefined ? '' : new Date(highest.time * 1000).toISOString(),
  };
}

/** The external profile of an asset; nothing when coingecko does not know it. */
export function profileOf(asset: Asset, now: number) {
  const market = canonicalMarket(asset, now);
  if (asset.coingeckoId === undefined || market === undefined) {
    return null;
  }
  const { price, marketCap, priceChange24hPercent, volume24hUSD } = market;
  const totalSupply = significant(asset.supply * between(1, 1.3, `${asset.id}/total`), 9);
  return {
    marketCap,
    fdv: significant(totalSupply * price, 12),
    circulatingSupply: asset.supply,
    totalSupply,
    price,
    priceChange24h: priceChange24hPercent,
    volume24h: volume24hUSD,
    ...allTimeHigh(canonicalWalk(asset), Math.floor(now / 1000)),
    description: asset.about,
    links: { website: asset.website, twitter: asset.twitter },
  };
}
