import { candlesOf, walkOf } from '../candles.ts';
import { canonicalHistory } from '../canonical.ts';
import type { Variant } from '../model.ts';
import { type Range, rangeOf } from '../parameters.ts';
import type { Walk } from '../walk.ts';
import { type Asked, chosen, namedVariant, resolutionOf } from './asked.ts';

/** The candles of a price history in a range; none when there is no history. */
export function candlesIn(walk: Walk | null, range: Range, now: number) {
  return walk === null ? [] : candlesOf(walk, { ...range, now: Math.floor(now / 1000) });
}

/** The price history of a variant; nothing for a token that no pool trades. */
export const historyOf = (variant: Variant): Walk | null => (variant.pools === 0 ? null : walkOf(variant));

/** Candles of one variant. */
export function ohlcv(asked: Asked) {
  const { asset, variant } = chosen(asked);
  const range = rangeOf(asked.query, asked.now);
  const { interval, from, to } = range;
  return {
    assetId: asset.id,
    mint: variant.mint,
    interval,
    from,
    to,
    candles: candlesIn(historyOf(variant), range, asked.now),
  };
}

/** Candles of the canonical price: the stock's, else coingecko's, else the variant's. */
export function priceChart(asked: Asked) {
  const { asset } = resolutionOf(asked);
  namedVariant(asked, asset);
  const walk = canonicalHistory(asset) ?? historyOf(chosen(asked).variant);
  const range = rangeOf(asked.query, asked.now);
  const { interval, from, to } = range;
  return { assetId: asset.id, interval, from, to, candles: candlesIn(walk, range, asked.now) };
}
