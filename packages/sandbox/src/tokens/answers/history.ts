import { candlesOf, walkOf } from '../candles.ts';
import { canonicalHistory } from '../canonical.ts';
import type { Variant } from '../model.ts';
import { type Range, rangeOf } from '../parameters.ts';
import { primaryVariant, strategyOf } from '../primary.ts';
import type { Walk } from '../walk.ts';
import { type Asked, chosenOf, resolutionWithin } from './asked.ts';

/** The candles of a price history in a range; none when there is no history. */
export function candlesIn(walk: Walk | null, { seconds, from, to }: Range, now: number) {
  return walk === null ? [] : candlesOf(walk, { seconds, from, to: to + 1, now: Math.floor(now / 1000) });
}

/** The price history of a variant; nothing for a token that no pool trades. */
export const historyOf = (variant: Variant): Walk | null => (variant.pools === 0 ? null : walkOf(variant));

/** Candles of one variant: the one that `mint` names, else the primary one, whatever the path names. */
export function ohlcv(asked: Asked) {
  const { asset } = resolutionWithin(asked, ['curated', 'token']);
  const variant = chosenOf(asked, asset);
  const range = rangeOf(asked.query, asked.now);
  const { interval, from, to } = range;
  const candles = candlesIn(historyOf(variant), range, asked.now);
  return { assetId: asset.id, mint: variant.mint, interval, from, to, candles };
}

/** Candles of the canonical price: the stock's, else coingecko's. Only where there are none is `mint` looked at. */
export function priceChart(asked: Asked) {
  const range = rangeOf(asked.query, asked.now);
  const { interval, from, to } = range;
  const { asset } = resolutionWithin(asked, ['curated', 'token']);
  const canonical = candlesIn(canonicalHistory(asset), range, asked.now);
  if (canonical.length > 0) {
    return { assetId: asset.id, interval, from, to, candles: canonical };
  }
  const primary = primaryVariant(asset, asked.now, { strategy: strategyOf(asset), isListed: true }) ?? undefined;
  const candles = candlesIn(historyOf(chosenOf(asked, asset, primary)), range, asked.now);
  return { assetId: asset.id, interval, from, to, candles };
}
