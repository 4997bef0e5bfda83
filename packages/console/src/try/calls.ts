import type {
  Call,
  FreeClient,
  TokensAssetDetailInput,
  TokensAssetDetailResult,
  TokensProfileResult,
  TokensSearchResult,
  TokensTickersResult,
} from '@asset-gateway/client';
import { ENUMERATIONS } from '@asset-gateway/protocol';

/** A call of a client method, with its arguments for code samples. */
export interface TokensCall<T = unknown> {
  readonly method: string;
  /** The arguments of the method. */
  readonly values: readonly unknown[];
  /** The arguments by name, as tools take them. */
  readonly named: object;
  ask(client: FreeClient): Call<T>;
}

export type Interval = (typeof ENUMERATIONS.interval)[number];

export const INTERVALS = ENUMERATIONS.interval;
export const FIRST_INTERVAL: Interval = '1H';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const SECONDS: Readonly<Record<Interval, number>> = {
  '1m': MINUTE,
  '5m': 5 * MINUTE,
  '15m': 15 * MINUTE,
  '1H': HOUR,
  '4H': 4 * HOUR,
  '1D': DAY,
  '1W': 7 * DAY,
};
/** How many candles to load. */
const CANDLES = 120;
const SEARCH_LIMIT = 20;

export const search = (q: string): TokensCall<TokensSearchResult> => {
  const input = { q, limit: SEARCH_LIMIT };
  return { method: 'search', values: [input], named: input, ask: ({ tokens }) => tokens.search(input) };
};

/** The range of an interval. The default range, a week, suits only hours. Starts at a candle, so that users share cached answers. */
function rangeOf(interval: Interval, nowSeconds: number): Pick<TokensAssetDetailInput, 'ohlcvFrom'> {
  if (interval === FIRST_INTERVAL) return {};
  const length = SECONDS[interval];
  return { ohlcvFrom: (Math.floor(nowSeconds / length) - CANDLES) * length };
}

/** Everything on the card of an asset, in one call of the shared budget. */
export function asset(assetId: string, interval: Interval, nowSeconds: number): TokensCall<TokensAssetDetailResult> {
  const input: TokensAssetDetailInput = {
    include: ['risk', 'ohlcv', 'markets'],
    ohlcvInterval: interval,
    ...rangeOf(interval, nowSeconds),
  };
  return {
    method: 'assetDetail',
    values: [assetId, input],
    named: { assetId, ...input },
    ask: ({ tokens }) => tokens.assetDetail(assetId, input),
  };
}

export const tickers = (assetId: string): TokensCall<TokensTickersResult> => ({
  method: 'tickers',
  values: [assetId],
  named: { assetId },
  ask: (client) => client.tokens.tickers(assetId),
});

export const profile = (assetId: string): TokensCall<TokensProfileResult> => ({
  method: 'profile',
  values: [assetId],
  named: { assetId },
  ask: (client) => client.tokens.profile(assetId),
});
