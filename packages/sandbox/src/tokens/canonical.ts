import { canonicalWalk, priceAt, volumeOf } from './candles.ts';
import { changePercent, fetchedAt, metricsOf } from './market.ts';
import type { Asset, Variant } from './model.ts';
import { between, oncePerMinute, significant } from './seed.ts';
import type { Walk } from './walk.ts';

/** The valuation of an unlisted company by the price of its token. */
type PreMarketBlock = NonNullable<ReturnType<typeof preMarketOf>>;

/** The block of a variant; undefined for other tokens. */
export function preMarketOf(variant: Variant, now: number) {
  if (variant.mark === undefined) return undefined;
  const { symbol, price: markPriceUsd, valuation: markValuationUsd } = variant.mark;
  const price = metricsOf(variant, now)?.price ?? markPriceUsd;
  const ratio = price / markPriceUsd;
  return {
    symbol,
    price,
    markPriceUsd,
    markValuationUsd,
    impliedValuationUsd: significant(markValuationUsd * ratio, 10),
    premiumToMarkPercent: significant((ratio - 1) * 100, 6),
    lastFetchedAt: fetchedAt(now),
  };
}

const DAY = 86_400;

/** The price history of an asset's benchmark share or fund. */
export function benchmarkHistory(asset: Asset): Walk | null {
  if (asset.benchmark === undefined) return null;
  const walk = canonicalWalk(asset);
  return { ...walk, base: walk.base * (asset.benchmark.ratio ?? 1) };
}

/** The price history of an asset at CoinGecko. */
export const coinHistory = (asset: Asset): Walk | null =>
  asset.coingeckoId === undefined ? null : canonicalWalk(asset);

/** The canonical price history of an asset: of its benchmark, or from CoinGecko. */
export const canonicalHistory = (asset: Asset): Walk | null => benchmarkHistory(asset) ?? coinHistory(asset);

/** The symbol of an asset: its benchmark's or its own. */
export const symbolOf = (asset: Asset): string | undefined => asset.benchmark?.symbol ?? asset.symbol;

interface MarketFigures {
  readonly price: number | null;
  readonly marketCap: number | null;
  readonly volume24hUSD: number | null;
  readonly priceChange24hPercent: number | null;
}

function figuresOf(asset: Asset, seconds: number): MarketFigures {
  const walk = canonicalHistory(asset);
  const price = walk === null ? undefined : priceAt(walk, seconds);
  if (walk === null || price === undefined) {
    return { price: null, marketCap: null, volume24hUSD: null, priceChange24hPercent: null };
  }
  // A fund's market cap is not that of its holdings.
  const hasMarketCap = asset.benchmark === undefined || asset.category === 'equity';
  return {
    price,
    marketCap: hasMarketCap ? significant(price * asset.supply, 12) : null,
    volume24hUSD: volumeOf(walk, DAY, { seconds: 3600, now: seconds }),
    priceChange24hPercent: changePercent(priceAt(walk, seconds - DAY), price),
  };
}

function marketAt(asset: Asset, seconds: number) {
  const lastFetchedAt = fetchedAt(seconds * 1000);
  if (asset.benchmark !== undefined) {
    const { symbol } = asset.benchmark;
    const figures = figuresOf(asset, seconds);
    return {
      source: 'clickhouse_stock',
      symbol,
      ...figures,
      lastFetchedAt,
      providerLastUpdatedAt: seconds,
      asOf: seconds,
    } as const;
  }
  if (asset.coingeckoId === undefined) return undefined;
  return {
    source: 'coingecko',
    coinId: asset.coingeckoId,
    ...figuresOf(asset, seconds),
    lastFetchedAt,
    providerLastUpdatedAt: seconds - Math.floor(between(0, 60, `${asset.id}/provider`)),
  } as const;
}

/** The market of an asset in search and lists; undefined if only its variants are traded. */
export const listedMarket = oncePerMinute(marketAt);

function preMarket({ price, ...block }: PreMarketBlock, mint: string) {
  return {
    source: 'prestocks',
    mint,
    ...block,
    price,
    marketCap: block.impliedValuationUsd,
    volume24hUSD: null,
    priceChange24hPercent: null,
    providerLastUpdatedAt: block.lastFetchedAt,
    asOf: block.lastFetchedAt,
  } as const;
}

/** The market of an asset on its own page. For an unlisted company it comes from its token. */
export function canonicalMarket(asset: Asset, now: number) {
  const marked = asset.variants.find(({ mark }) => mark !== undefined);
  const block = marked && asset.benchmark === undefined ? preMarketOf(marked, now) : undefined;
  return marked !== undefined && block !== undefined ? preMarket(block, marked.mint) : listedMarket(asset, now);
}
