import { candlesOf, canonicalWalk } from './candles.ts';
import { listedMarket } from './canonical.ts';
import type { Asset } from './model.ts';
import { between, significant } from './seed.ts';
import type { Walk } from './walk.ts';

const WEEK = 604_800;

function allTimeHigh(walk: Walk, seconds: number): { allTimeHigh: number; allTimeHighDate: string } {
  const weeks = candlesOf(walk, { seconds: WEEK, from: walk.since, to: seconds + 1, now: seconds });
  const [highest] = weeks.toSorted((a, b) => b.high - a.high);
  return {
    allTimeHigh: highest?.high ?? 0,
    allTimeHighDate: highest === undefined ? '' : new Date(highest.time * 1000).toISOString(),
  };
}

/** The external profile of an asset; null if CoinGecko has no price. */
export function profileOf(asset: Asset, now: number) {
  const market = listedMarket(asset, now);
  if (asset.coingeckoId === undefined || market === undefined || market.price === null) {
    return null;
  }
  const { price, marketCap, priceChange24hPercent, volume24hUSD } = market;
  const totalSupply = significant(asset.supply * between(1, 1.3, `${asset.id}/total`), 9);
  return {
    marketCap: marketCap ?? 0,
    fdv: significant(totalSupply * price, 12),
    circulatingSupply: asset.supply,
    totalSupply,
    price,
    priceChange24h: priceChange24hPercent ?? 0,
    volume24h: volume24hUSD ?? 0,
    ...allTimeHigh(canonicalWalk(asset), Math.floor(now / 1000)),
    description: asset.about || undefined,
    links: { website: asset.website, twitter: asset.twitter },
  };
}
