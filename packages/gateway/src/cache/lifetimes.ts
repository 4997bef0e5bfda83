/** How long a cached answer may be served. */
export interface Lifetime {
  /** The age at which a refresh becomes due. */
  readonly freshSeconds: number;
  /** The age after which the answer is never served. */
  readonly maxStaleSeconds: number;
}

const DAY = 86_400;
const lifetime = (freshSeconds: number, maxStaleSeconds: number): Lifetime => ({ freshSeconds, maxStaleSeconds });

/** The lifetimes of the asset-data rows, by id. Our other rows are not cached. */
export const LIFETIMES: Readonly<Record<string, Lifetime>> = {
  'tokens.search': lifetime(120, 600),
  'tokens.resolve': lifetime(120, 600),
  'tokens.curated': lifetime(30, 600),
  'tokens.marketSnapshots': lifetime(60, 300),
  'tokens.variantMarkets': lifetime(60, 300),
  'tokens.variantMarket': lifetime(60, 300),
  'tokens.assetDetail': lifetime(30, 300),
  'tokens.variants': lifetime(30, 600),
  'tokens.variantTopMarkets': lifetime(60, 1_800),
  'tokens.markets': lifetime(60, 1_800),
  'tokens.ohlcv': lifetime(60, 900),
  'tokens.priceChart': lifetime(60, 900),
  'tokens.profile': lifetime(300, 3_600),
  'tokens.tickers': lifetime(300, 3_600),
  'tokens.description': lifetime(300, DAY),
  'tokens.riskSummaryByMint': lifetime(60, 600),
  'tokens.riskSummary': lifetime(60, 600),
  'tokens.riskDetails': lifetime(60, 600),
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

/** Returns the lifetime of candles. Candles of a past range do not change. Others are served for one interval, at least 900 s. */
export function candlesLifetime(interval: string | undefined, isClosed: boolean): Lifetime {
  if (isClosed) return lifetime(DAY, 7 * DAY);
  return lifetime(60, Math.max(900, INTERVAL_SECONDS[interval ?? ''] ?? 0));
}

/** The most mints per upstream call, for rows that are cached per mint. */
export const BATCH_SIZES: Readonly<Record<string, number>> = {
  'tokens.marketSnapshots': 250,
  'tokens.variantMarkets': 50,
};
