import lifetimes from './lifetimes.json' with { type: 'json' };

/** How long a cached answer may be served. */
export interface Lifetime {
  /** Until then no refresh is due. */
  readonly freshSeconds: number;
  /** It is never served after this age. */
  readonly maxStaleSeconds: number;
}

const DAY = 86_400;
const lifetime = (freshSeconds: number, maxStaleSeconds: number): Lifetime => ({ freshSeconds, maxStaleSeconds });

/** The lifetimes of the asset-data rows, by id; other rows of ours are not cached. */
export const LIFETIMES: Readonly<Record<string, Lifetime>> = lifetimes;

/** Candle intervals in seconds. */
const INTERVAL_SECONDS: Readonly<Record<string, number>> = {
  '1m': 60,
  '5m': 300,
  '15m': 900,
  '1H': 3_600,
  '4H': 14_400,
  '1D': DAY,
  '1W': 7 * DAY,
};

/** Candles of a past range are final; others may be served for one interval, at least 900 s. */
export function candlesLifetime(interval: string | undefined, isClosed: boolean): Lifetime {
  if (isClosed) return lifetime(DAY, 7 * DAY);
  return lifetime(60, Math.max(900, INTERVAL_SECONDS[interval ?? ''] ?? 0));
}

/** Mints per upstream call of rows that are cached per mint. */
export const BATCH_SIZES: Readonly<Record<string, number>> = {
  'tokens.marketSnapshots': 250,
  'tokens.variantMarkets': 50,
};
