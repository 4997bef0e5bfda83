import type { Asset, Variant } from './model.ts';
import { between, seedOf, significant } from './seed.ts';
import { aggregate, type Candle, LENGTHS, MINUTE, split, type Walk, weeks } from './walk.ts';

/** The intervals of the upstream and their lengths in seconds. */
export const INTERVALS = {
  '1m': 60,
  '5m': 300,
  '15m': 900,
  '1H': 3600,
  '4H': 14_400,
  '1D': 86_400,
  '1W': 604_800,
} as const;

/** One of the intervals of the upstream. */
export type Interval = keyof typeof INTERVALS;

/** Candles that start from `from` until before `to`, at most at the minute of `now`; in Unix seconds. */
export interface Span {
  readonly seconds: number;
  readonly from: number;
  readonly to: number;
  readonly now: number;
}

const DIGITS = 9;

/** The price history of a variant: the shape of its asset's history, with its own level and volume. */
export function walkOf({ asset, mint, ratio = 1, liquidity }: Variant): Walk {
  return {
    priceSeed: seedOf(`${asset.follows ?? asset.id}/price`),
    volumeSeed: seedOf(`${mint}/volume`),
    base: asset.price * ratio * between(0.9994, 1.0006, `${mint}/premium`),
    volatility: asset.volatility,
    weeklyVolume: liquidity * between(2.5, 9, `${mint}/turnover`),
    since: Date.parse(asset.since) / 1000,
  };
}

/** The canonical price history of an asset, over all markets. */
export function canonicalWalk(asset: Asset): Walk {
  return {
    priceSeed: seedOf(`${asset.follows ?? asset.id}/price`),
    volumeSeed: seedOf(`${asset.id}/volume`),
    base: asset.price,
    volatility: asset.volatility,
    weeklyVolume: asset.price * asset.supply * between(0.05, 0.22, `${asset.id}/turnover`),
    since: Date.parse(asset.since) / 1000,
  };
}

// A candle in progress covers only the minutes that have begun.
function soFar(walk: Walk, candle: Candle, depth: number, now: number): Candle {
  const length = LENGTHS[depth] ?? 60;
  if (depth === MINUTE || candle.time + length <= now) return candle;
  const begun = split(walk, candle, depth).filter((part) => part.time <= now);
  const [first, ...rest] = begun.map((part) => soFar(walk, part, depth + 1, now));
  return first === undefined ? candle : aggregate(first, rest);
}

function collect(walk: Walk, candle: Candle, depth: number, span: Span): Candle[] {
  const length = LENGTHS[depth] ?? 60;
  if (candle.time >= span.to || candle.time + length <= span.from || candle.time > span.now) return [];
  if (length === span.seconds) return candle.time >= span.from ? [soFar(walk, candle, depth, span.now)] : [];
  return split(walk, candle, depth).flatMap((part) => collect(walk, part, depth + 1, span));
}

const printed = (candle: Candle): Candle => ({
  ...candle,
  open: significant(candle.open, DIGITS),
  high: significant(candle.high, DIGITS),
  low: significant(candle.low, DIGITS),
  close: significant(candle.close, DIGITS),
});

/** The candles of a price history, oldest first. */
export function candlesOf(walk: Walk, span: Span): Candle[] {
  const found: Candle[] = [];
  for (const week of weeks(walk, span.from, Math.min(span.to, span.now + 1))) {
    found.push(...collect(walk, week, 0, span).map(printed));
  }
  return found;
}

/** The last price at a time; undefined before the first trade. */
export function priceAt(walk: Walk, seconds: number): number | undefined {
  const minute = Math.floor(seconds / 60) * 60;
  return candlesOf(walk, { seconds: 60, from: minute, to: minute + 60, now: minute })[0]?.close;
}

/** The volume in US dollars of the last `length` seconds, counted in candles of `seconds`. */
export function volumeOf(walk: Walk, length: number, span: { readonly seconds: number; readonly now: number }): number {
  const to = Math.floor(span.now / span.seconds) * span.seconds;
  return candlesOf(walk, { seconds: span.seconds, from: to - length, to, now: span.now }).reduce(
    (sum, candle) => sum + candle.volume,
    0,
  );
}
