import { candlesOf, walkOf } from '../candles.ts';
import { canonicalHistory } from '../canonical.ts';
import type { Variant } from '../model.ts';
import { type Range, rangeOf } from '../parameters.ts';
import { primaryVariant, strategyOf } from '../primary.ts';
import type { Walk } from '../walk.ts';
import { chosenOf, type RouteRequest, resolutionWithin } from './request.ts';

/** The candles of a price history in a range; empty without a history. */
export function candlesIn(walk: Walk | null, { seconds, from, to }: Range, now: number) {
  return walk === null ? [] : candlesOf(walk, { seconds, from, to: to + 1, now: Math.floor(now / 1000) });
}

/** The price history of a variant; null for a token without pools. */
export const historyOf = (variant: Variant): Walk | null => (variant.pools === 0 ? null : walkOf(variant));

/** Candles of the variant named by `mint`, or of the primary one. */
export function ohlcv(request: RouteRequest) {
  const { asset } = resolutionWithin(request, ['curated', 'token']);
  const variant = chosenOf(request, asset);
  const range = rangeOf(request.query, request.now);
  const { interval, from, to } = range;
  const candles = candlesIn(historyOf(variant), range, request.now);
  return { assetId: asset.id, mint: variant.mint, interval, from, to, candles };
}

/** Candles of the canonical price: the stock's or CoinGecko's. Reads `mint` only if there are none. */
export function priceChart(request: RouteRequest) {
  const range = rangeOf(request.query, request.now);
  const { interval, from, to } = range;
  const { asset } = resolutionWithin(request, ['curated', 'token']);
  const canonical = candlesIn(canonicalHistory(asset), range, request.now);
  if (canonical.length > 0) {
    return { assetId: asset.id, interval, from, to, candles: canonical };
  }
  const primary = primaryVariant(asset, request.now, { strategy: strategyOf(asset), isListed: true }) ?? undefined;
  const candles = candlesIn(historyOf(chosenOf(request, asset, primary)), range, request.now);
  return { assetId: asset.id, interval, from, to, candles };
}
