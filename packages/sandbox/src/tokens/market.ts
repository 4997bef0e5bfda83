import { priceAt, volumeOf, walkOf } from './candles.ts';
import type { Tier, Variant } from './model.ts';
import { between, oncePerMinute, significant } from './seed.ts';

/** The metrics of a traded variant; money in US dollars, changes in percent. */
export type Metrics = NonNullable<ReturnType<typeof measure>>;

const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const HOUR = 3600;
const DAY = 86_400;
const FIVE_MINUTES = 300_000;
const TIER1_ABOVE = 10_000_000;
const TIER2_FROM = 2_500_000;

/** When the upstream last filled its cache: the last full five minutes, in milliseconds. */
export const fetchedAt = (now: number): number => Math.floor(now / FIVE_MINUTES) * FIVE_MINUTES;

/** The image of a token or asset; null without a symbol. */
export const imageOf = (symbol: string | undefined): string | null =>
  symbol === undefined ? null : `https://images.sandbox.example/${encodeURIComponent(symbol)}.png`;

/** The liquidity of a variant in US dollars, over all pools. */
export const liquidityOf = (variant: Variant): number =>
  significant(variant.liquidity * between(0.98, 1.02, `${variant.mint}/depth`), 8);

/** The liquidity tier of a variant. */
export function tierOf(variant: Variant): Tier {
  const liquidity = liquidityOf(variant);
  if (liquidity > TIER1_ABOVE) return 'tier1';
  return liquidity >= TIER2_FROM ? 'tier2' : 'tier3';
}

/** The change between two prices in percent; null without an earlier price. */
export function changePercent(before: number | undefined, after: number): number | null {
  return before === undefined ? null : significant((after / before - 1) * 100, 6);
}

function suppliesOf(variant: Variant): { totalSupply: number; circulatingSupply: number } {
  const { asset, mint, kind, ratio = 1 } = variant;
  const onChain = (variant.liquidity * between(4, 40, `${mint}/float`)) / (asset.price * ratio);
  const whole = kind === 'native' || asset.variants.length === 1 ? asset.supply : Math.min(asset.supply, onChain);
  const circulatingSupply = significant(whole, 9);
  return { totalSupply: significant(circulatingSupply * between(1, 1.25, `${mint}/locked`), 9), circulatingSupply };
}

function measure(variant: Variant, seconds: number) {
  const walk = walkOf(variant);
  const price = variant.pools === 0 ? undefined : priceAt(walk, seconds);
  if (price === undefined) return null;
  const { mint } = variant;
  const volume1hUSD = volumeOf(walk, HOUR, { seconds: 300, now: seconds });
  const volume24hUSD = volumeOf(walk, DAY, { seconds: HOUR, now: seconds });
  const ticket = between(60, 900, `${mint}/ticket`);
  const crowd = between(0.11, 0.34, `${mint}/crowd`);
  const [trade1h, trade24h] = [Math.round(volume1hUSD / ticket), Math.round(volume24hUSD / ticket)];
  const supplies = suppliesOf(variant);
  return {
    price,
    liquidity: liquidityOf(variant),
    volume1hUSD,
    volume24hUSD,
    trade1h,
    trade24h,
    uniqueWallet1h: Math.ceil(trade1h * crowd),
    uniqueWallet24h: Math.ceil(trade24h * crowd * 0.6),
    marketCap: significant(supplies.circulatingSupply * price, 10),
    fdv: significant(supplies.totalSupply * price, 10),
    priceChange24hPercent: changePercent(priceAt(walk, seconds - DAY), price),
    priceChange1hPercent: changePercent(priceAt(walk, seconds - HOUR), price),
    holder: Math.round(variant.liquidity ** 0.72 * between(0.7, 2.4, `${mint}/holders`)),
    ...supplies,
  };
}

/** The metrics of a variant in the minute of `now` (milliseconds); null for a token without pools. */
export const metricsOf = oncePerMinute(measure);

// Whether ClickHouse counts the trades of a token; Birdeye has all other data.
const hasCountedTrades = ({ kind }: Variant): boolean => kind === 'tokenized_equity' || kind === 'etf';

/** The sources of a variant's metrics, and its last trade (seconds). */
export function sourceOf(variant: Variant, now: number) {
  const lastTradeAt = Math.floor(now / 60_000) * 60 - Math.floor(between(0, 50, `${variant.mint}/quiet`));
  return { source: 'birdeye', metricsSource: hasCountedTrades(variant) ? 'clickhouse_trades' : 'birdeye', lastTradeAt };
}

/** The market of a variant inside a variant (nullable fields). */
export function marketSnapshot(variant: Variant, now: number) {
  const metrics = metricsOf(variant, now);
  return (
    metrics && {
      ...sourceOf(variant, now),
      ...metrics,
      decimals: variant.decimals ?? null,
      logoURI: imageOf(variant.symbol),
      asOf: null,
      lastFetchedAt: fetchedAt(now),
    }
  );
}

/** The snapshot of a narrower upstream view, without supplies and holders. */
export function narrowSnapshot(variant: Variant, now: number) {
  const snapshot = marketSnapshot(variant, now);
  if (snapshot === null) return null;
  const {
    fdv: _fdv,
    holder: _holder,
    totalSupply: _total,
    circulatingSupply: _circulating,
    asOf: _asOf,
    ...rest
  } = snapshot;
  return rest;
}

/** The market of a variant on the variant-market routes (without unknown fields). */
export function rawMarket(variant: Variant, now: number) {
  const metrics = metricsOf(variant, now);
  if (metrics === null) return null;
  const { lastTradeAt, source, metricsSource } = sourceOf(variant, now);
  const known = Object.fromEntries(Object.entries(metrics).filter(([, value]) => value !== null));
  const { coingeckoId, website, twitter, about } = variant.asset;
  return {
    mint: variant.mint,
    source,
    lastFetchedAt: fetchedAt(now),
    metricsSource,
    symbol: variant.symbol,
    name: variant.name,
    decimals: variant.decimals,
    logoURI: imageOf(variant.symbol) ?? undefined,
    ...known,
    lastTradeHumanTime: new Date(lastTradeAt * 1000).toISOString(),
    lastTradeAt,
    extensions: { coingeckoId, website, twitter, description: about || undefined },
  };
}

// Staked coins trade too rarely for markouts.
const hasMarkout = (variant: Variant): boolean => variant.kind !== 'yield';

/** The execution quality of a variant; null for shallow markets. */
export function executionQuality(variant: Variant, now: number) {
  const metrics = metricsOf(variant, now);
  if (metrics === null || tierOf(variant) === 'tier3') return null;
  const at = (low: number, high: number, what: string) => significant(between(low, high, `${variant.mint}/${what}`), 6);
  const [botVolumeRatio, feeBps, markoutBps] = [at(0.21, 0.74, 'bots'), at(1, 28, 'fee'), at(-6, 5, 'markout')];
  const { volume24hUSD, trade24h } = metrics;
  return {
    source: 'clickhouse_fill_quality',
    range: '24h',
    horizon: '5s',
    quoteMint: USDC,
    volume24hUSD,
    trade24h,
    botVolume24hUSD: significant(volume24hUSD * botVolumeRatio, 9),
    botTrade24h: Math.round(trade24h * botVolumeRatio),
    botVolumeRatio,
    fee24hUSD: significant((volume24hUSD * feeBps) / 10_000, 8),
    feeBps,
    flowSourceCount: Math.round(at(2, 19, 'flows')),
    markoutPnl24hUSD: hasMarkout(variant) ? significant((volume24hUSD * markoutBps) / 10_000, 8) : null,
    markoutCount: hasMarkout(variant) ? Math.round(trade24h * at(0.4, 0.9, 'marked')) : null,
    markoutBps: hasMarkout(variant) ? markoutBps : null,
    executionScore: Math.round(at(41, 98, 'execution')),
    isEligibleForPrimary: true,
    asOf: fetchedAt(now) / 1000,
    lastComputedAt: fetchedAt(now),
  };
}
