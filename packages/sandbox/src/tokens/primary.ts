import { metricsOf, tierOf } from './market.ts';
import { type Asset, type Kind, type StockVariantTier, TIERS, type Variant } from './model.ts';

const LEAST_SAMPLES = 3;
const MOST_DEVIATIONS = 2.5;
/** Scales a median absolute deviation to a standard deviation. */
const PER_DEVIATION = 0.6745;
/** Avoids a division by zero. */
const EPSILON = 1e-9;

/** The metrics that show whether trading is sound. */
type Metric = 'volume24hUSD' | 'trade24h';

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
  if (known.length < LEAST_SAMPLES) return [];
  const middle = median(known.map(({ log }) => log));
  const deviation = Math.max(median(known.map(({ log }) => Math.abs(log - middle))), EPSILON);
  return known
    .filter(({ log }) => (PER_DEVIATION * Math.abs(log - middle)) / deviation > MOST_DEVIATIONS)
    .map(({ variant }) => variant);
}

/** The variants with sound trading, or all if there are none. */
function soundlyTraded(variants: readonly Variant[], metrics: readonly Metric[], now: number): readonly Variant[] {
  const isBusy = (variant: Variant): boolean =>
    metrics.every((metric) => (measured(variant, metric, now) ?? LEAST[metric]) >= LEAST[metric]);
  const busy = variants.filter(isBusy);
  const counted = busy.length > 0 ? busy : variants;
  const odd = new Set(metrics.flatMap((metric) => outliers(counted, metric, now)));
  const sound = counted.filter((variant) => !odd.has(variant));
  return variants.length <= 1 || sound.length === 0 ? variants : sound;
}

/** How the primary variant of an asset is chosen. */
export type Strategy = 'liquidity' | 'stock_redeemability';

/** The default strategy. */
export const STRATEGY: Strategy = 'liquidity';

/** The strategy of routes about the asset itself. */
export const strategyOf = (asset: Asset): Strategy => (asset.category === 'equity' ? 'stock_redeemability' : STRATEGY);

const SPOT_LIKE: ReadonlySet<Kind> = new Set([
  'native',
  'wrapped',
  'bridged',
  'spot',
  'stablecoin',
  'lst',
  'tokenized_equity',
  'basket',
]);

const REDEEMABLE: Readonly<Record<StockVariantTier, number>> = {
  share_redeemable: 2,
  cash_redeemable: 1,
  not_redeemable: 0,
};
const DEEPER_AT_MOST = 5;

const redeemable = ({ stockVariantTier }: Variant): number => REDEEMABLE[stockVariantTier ?? 'not_redeemable'];

/** The variants that represent the asset itself, or all if there are none. */
export function spotLike(asset: Asset): readonly Variant[] {
  const own = asset.variants.filter(({ kind }) => SPOT_LIKE.has(kind));
  return own.length > 0 ? own : asset.variants;
}

const liquidityOf = (variant: Variant, now: number): number => metricsOf(variant, now)?.liquidity ?? 0;
const volumeOf = (variant: Variant, now: number): number => metricsOf(variant, now)?.volume24hUSD ?? 0;

/** The upstream's order of variants: by liquidity, tier, volume and mint. */
export const byLiquidity =
  (now: number) =>
  (a: Variant, b: Variant): number =>
    liquidityOf(b, now) - liquidityOf(a, now) ||
    TIERS.indexOf(tierOf(a)) - TIERS.indexOf(tierOf(b)) ||
    volumeOf(b, now) - volumeOf(a, now) ||
    a.mint.localeCompare(b.mint);

// Redeemability counts unless the other variant is much deeper.
function betterRedeemed(next: Variant, best: Variant, now: number): boolean | undefined {
  const [deeper, thinner] = [liquidityOf(next, now), liquidityOf(best, now)].toSorted((a, b) => b - a);
  const difference = redeemable(next) - redeemable(best);
  const comparable = deeper === 0 || (deeper ?? 0) / Math.max(thinner ?? 0, 1) <= DEEPER_AT_MOST;
  return difference === 0 || !comparable ? undefined : difference > 0;
}

/** The strategy, and the metrics that show sound trading. */
export interface Choice {
  readonly strategy?: Strategy;
  readonly metrics?: readonly Metric[];
  /** Whether it is for a curated list, which excludes some variants. */
  readonly isListed?: boolean;
}

const EVERYTHING: readonly Metric[] = ['volume24hUSD', 'trade24h'];

function candidates(asset: Asset, isListed: boolean): readonly Variant[] {
  const some = spotLike(asset).filter((variant) => redeemable(variant) > 0);
  return isListed && asset.listsRedeemable === true && some.length > 0 ? some : spotLike(asset);
}

/** The primary variant of an asset; null without variants. */
export function primaryVariant(asset: Asset, now: number, choice: Choice = {}): Variant | null {
  const { strategy = STRATEGY, metrics = EVERYTHING, isListed = false } = choice;
  const [first, ...others] = soundlyTraded(candidates(asset, isListed), metrics, now);
  if (first === undefined) return null;
  const deeper = byLiquidity(now);
  return others.reduce((best, next) => {
    const redeemed = strategy === 'stock_redeemability' ? betterRedeemed(next, best, now) : undefined;
    return (redeemed ?? deeper(next, best) < 0) ? next : best;
  }, first);
}
