import type { FreeClient, TokensCuratedInput } from '@asset-gateway/client';
import type { TokensCall } from '../parts/use-call.ts';
import { type ChartSettings, startOf } from './candles.ts';

type Tokens = FreeClient['tokens'];

/** Returns a call of a method. An argument that is not an object is an asset's id. */
const callOf = <Method extends keyof Tokens>(method: Method, ...values: Parameters<Tokens[Method]>): TokensCall => ({
  method,
  values,
  named: Object.assign({}, ...values.map((value) => (typeof value === 'string' ? { assetId: value } : value))),
});

const SEARCH_LIMIT = 20;

export const search = (q: string): TokensCall => callOf('search', { q, limit: SEARCH_LIMIT });

/** Returns all data for an asset's page, in one call of the shared budget. */
export function asset(assetId: string, settings: ChartSettings, nowSeconds: number): TokensCall {
  const ohlcvFrom = startOf(settings, nowSeconds);
  return callOf('assetDetail', assetId, {
    include: ['risk', 'ohlcv', 'markets'],
    ohlcvInterval: settings.interval,
    ...(ohlcvFrom !== undefined && { ohlcvFrom }),
  });
}

/** A curated list. */
export type List = TokensCuratedInput['list'];

export const curated = (list: List): TokensCall => callOf('curated', { list });

/** Returns the closing prices of the last seven days. */
export const courseOf = (assetId: string): TokensCall => callOf('priceChart', assetId, { interval: '4H' });

export const tickers = (assetId: string): TokensCall => callOf('tickers', assetId);

export const profile = (assetId: string): TokensCall => callOf('profile', assetId);
