import { metricsOf } from './market.ts';
import type { Variant } from './model.ts';

const LEAST_SAMPLES = 3;
const MOST_DEVIATIONS = 2.5;
/** Scales a median absolute deviation to a standard deviation. */
const PER_DEVIATION = 0.6745;
/** Avoids a division by zero. */
const EPSILON = 1e-9;

/** The metrics that show whether trading is sound. */
export type Metric = 'volume24hUSD' | 'trade24h';

const LEAST: Readonly<Record<Metric, number>> = { volume24hUSD: 100, trade24h: 5 };

const measured = (variant: Variant, metric: Metric, now: number): number | null =>
  metricsOf(variant, now)?.[metric] ?? null;

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const [low = 0, high = low] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]];
  return (low + high) / 2;
}

/** The variants that are traded far more or far less than the others, on a logarithmic scale. */
function outliers(variants: readonly Variant[], metric: Metric, now: number): Variant[] {
  const known = variants.flatMap((variant) => {
    const value = measured(variant, metric, now);
    return value === null || value <= 0 ? [] : [{ variant, log: Math.log1p(value) }];
  });
  if (known.length < LEAST_SAMPLES) {
    return [];
  }
  const middle = median(known.map(({ log }) => log));
  const deviation = Math.max(median(known.map(({ log }) => Math.abs(log - middle))), EPSILON);
  return known
    .filter(({ log }) => (PER_DEVIATION * Math.abs(log - middle)) / deviation > MOST_DEVIATIONS)
    .map(({ variant }) => variant);
}

/** The variants with sound trading, or all if there are none. */
export function soundlyTraded(
  variants: readonly Variant[],
  metrics: readonly Metric[],
  now: number,
): readonly Variant[] {
  const isBusy = (variant: Variant): boolean =>
    metrics.every((metric) => (measured(variant, metric, now) ?? LEAST[metric]) >= LEAST[metric]);
  const busy = variants.filter(isBusy);
  const counted = busy.length > 0 ? busy : variants;
  const odd = new Set(metrics.flatMap((metric) => outliers(counted, metric, now)));
  const sound = counted.filter((variant) => !odd.has(variant));
  return variants.length <= 1 || sound.length === 0 ? variants : sound;
}
