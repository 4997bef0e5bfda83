/** How long a cached answer may be served. */
export interface Lifetime {
  /** Until then no refresh is due. */
  readonly freshSeconds: number;
  /** It is never served after this age. */
  readonly maxStaleSeconds: number;
}

const DAY = 86_400;
const lifetime = (freshSeconds: number, maxStaleSeconds: number): Lifetime => ({ freshSeconds, maxStaleSeconds });

/** The lifetimes of the asset-data rows, by method; other rows are not cached. */
export const LIFETIMES: Readonly<Record<string, Lifetime>> = {
  search: lifetime(120, 600),
  resolve: lifetime(120, 600),
  curated: lifetime(30, 600),
  marketSnapshots: lifetime(60, 300),
  variantMarkets: lifetime(60, 300),
  variantMarket: lifetime(60, 300),
  assetDetail: lifetime(30, 300),
  variants: lifetime(30, 600),
  variantTopMarkets: lifetime(60, 1_800),
  markets: lifetime(60, 1_800),
  ohlcv: lifetime(60, 900),
  priceChart: lifetime(60, 900),
  profile: lifetime(300, 3_600),
  tickers: lifetime(300, 3_600),
  description: lifetime(300, DAY),
  riskSummaryByMint: lifetime(60, 600),
  riskSummary: lifetime(60, 600),
  riskDetails: lifetime(60, 600),
};

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
export const BATCH_SIZES: Readonly<Record<string, number>> = { marketSnapshots: 250, variantMarkets: 50 };
