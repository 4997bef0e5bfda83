import { volumeOf, walkOf } from './candles.ts';
import { listedMarket } from './canonical.ts';
import { type Metrics, metricsOf } from './market.ts';
import type { Asset } from './model.ts';
import { spotLike } from './primary.ts';
import { oncePerMinute, significant } from './seed.ts';

const DAY = 86_400;

const FIGURES = [
  'price',
  'liquidity',
  'volume24hUSD',
  'volume30dUSD',
  'marketCap',
  'fdv',
  'priceChange24hPercent',
  'priceChange1hPercent',
  'totalSupply',
  'circulatingSupply',
] as const;

/** The figures of an asset; money in US dollars, changes in percent. */
export type Stats = Readonly<Record<(typeof FIGURES)[number], number | null>>;

const UNTRADED = Object.fromEntries(FIGURES.map((name) => [name, null])) as Stats;

function together(markets: readonly Metrics[]) {
  const sum = (field: 'liquidity' | 'volume24hUSD' | 'marketCap' | 'fdv' | 'totalSupply' | 'circulatingSupply') =>
    significant(
      markets.reduce((total, market) => total + market[field], 0),
      12,
    );
  const weighted = (field: 'price' | 'priceChange24hPercent' | 'priceChange1hPercent') => {
    const known = markets.flatMap(({ [field]: value, liquidity }) => (value === null ? [] : [{ value, liquidity }]));
    const weight = known.reduce((total, { liquidity }) => total + liquidity, 0);
    const total = known.reduce((part, { value, liquidity }) => part + value * liquidity, 0);
    return weight === 0 ? null : significant(total / weight, 9);
  };
  return {
    price: weighted('price'),
    liquidity: sum('liquidity'),
    volume24hUSD: sum('volume24hUSD'),
    marketCap: sum('marketCap'),
    fdv: sum('fdv'),
    priceChange24hPercent: weighted('priceChange24hPercent'),
    priceChange1hPercent: weighted('priceChange1hPercent'),
    totalSupply: sum('totalSupply'),
    circulatingSupply: sum('circulatingSupply'),
  };
}

function measure(asset: Asset, seconds: number): Stats {
  const traded = spotLike(asset).flatMap((variant) => {
    const metrics = metricsOf(variant, seconds * 1000);
    return metrics === null ? [] : [{ variant, metrics }];
  });
  if (traded.length === 0) return UNTRADED;
  const monthly = traded.map(({ variant }) => volumeOf(walkOf(variant), 30 * DAY, { seconds: DAY, now: seconds }));
  const isCurated = asset.origin === 'curated';
  return {
    ...together(traded.map(({ metrics }) => metrics)),
    volume30dUSD: isCurated ? monthly.reduce((total, volume) => total + volume, 0) : null,
  };
}

const onChain = oncePerMinute(measure);

/**
 * The figures of an asset: the sum of its spot variants, with CoinGecko's price. A stock keeps the price of its tokens and has the
 * market cap of the company.
 */
export function assetStats(asset: Asset, now: number): Stats | null {
  const traded = onChain(asset, now);
  const market = listedMarket(asset, now);
  const stats =
    market?.source === 'coingecko'
      ? {
          ...traded,
          price: market.price ?? traded.price,
          volume24hUSD: traded.volume24hUSD ?? market.volume24hUSD,
          marketCap: market.marketCap ?? traded.marketCap,
          priceChange24hPercent: market.priceChange24hPercent ?? traded.priceChange24hPercent,
        }
      : { ...traded, marketCap: market?.marketCap ?? traded.marketCap };
  return Object.values(stats).every((figure) => figure === null) ? null : stats;
}
