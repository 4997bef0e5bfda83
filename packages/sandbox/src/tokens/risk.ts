import { stakePoolRank } from './catalogue.ts';
import { fetchedAt, metricsOf } from './market.ts';
import type { Variant } from './model.ts';
import {
  type Component,
  EMPTY,
  holderCountScore,
  holderDistributionScore,
  liquidityScore,
  type ScoreInput,
  tradingScore,
  WEIGHTS,
} from './score.ts';

export type { ScoreInput } from './score.ts';

/** The mint with a constant score. */
const WRAPPED_SOL = 'So11111111111111111111111111111111111111112';
const TOO_LITTLE_USD = 1000;

/** The reliability of a market; `score` is 0 to 100. */
export interface MarketScore {
  readonly score: number;
  readonly grade: 'A' | 'B' | 'C';
  readonly label: 'Established' | 'Speculative' | 'Weak Metrics' | 'Insufficient Data';
  readonly tone: 'safe' | 'warning' | 'risk';
  readonly isTrustedLaunch: boolean;
  readonly caps: readonly string[];
  readonly borderlineSignals: readonly string[];
  readonly hasInsufficientData: boolean;
  readonly insufficientDataReason: string | null;
  readonly components: Readonly<Record<keyof typeof WEIGHTS, Component>>;
  readonly tokenAgeDays: number | null;
}

/** The upstream's reason for a mint without a market. */
export const NOT_CACHED = 'Market snapshot not available in cache';

/** The input of a market score. The upstream knows neither the largest holders nor the age of a token. */
export function scoreInput(variant: Variant, now: number): ScoreInput {
  const metrics = metricsOf(variant, now);
  const volume24hUsd = metrics?.volume24hUSD ?? null;
  return {
    liquidityUsd: metrics?.liquidity ?? null,
    marketCapUsd: metrics?.marketCap ?? null,
    holderCount: metrics?.holder ?? null,
    top10HoldersPercent: null,
    volume24hUsd,
    volume7dUsd: volume24hUsd === null || volume24hUsd <= 0 ? null : volume24hUsd * 7,
    tokenMintTime: null,
    tokenAddress: variant.mint,
  };
}

function verdictOf(score: number): Pick<MarketScore, 'score' | 'grade' | 'label' | 'tone'> {
  if (score >= 85) {
    return { score, grade: 'A', label: 'Established', tone: 'safe' };
  }
  return score >= 70
    ? { score, grade: 'B', label: 'Speculative', tone: 'warning' }
    : { score, grade: 'C', label: 'Weak Metrics', tone: 'risk' };
}

const CLEAR = {
  isTrustedLaunch: false,
  caps: [],
  borderlineSignals: [],
  hasInsufficientData: false,
  insufficientDataReason: null,
  tokenAgeDays: null,
} as const;

const alike = (component: Component) => ({
  liquidityHealth: component,
  holderDistribution: component,
  tradingActivity: component,
  holderCount: component,
});

/** The constant score of wrapped SOL. */
export const FIXED_SCORE: MarketScore = {
  ...verdictOf(100),
  ...CLEAR,
  components: alike({ score: 100, status: 'safe', hasData: true }),
};

const INSUFFICIENT: MarketScore = {
  ...verdictOf(0),
  ...CLEAR,
  label: 'Insufficient Data',
  hasInsufficientData: true,
  insufficientDataReason: 'Liquidity and market cap are below $1K or unknown',
  components: alike(EMPTY),
};

/** Caps on a score with their reasons. */
function capsOf({ holderCount, liquidityUsd, volume24hUsd, volume7dUsd, marketCapUsd }: ScoreInput) {
  const turnover = liquidityUsd && volume24hUsd ? volume24hUsd / liquidityUsd : 0;
  return [
    { holds: (holderCount ?? 20) < 20, most: 69, reason: 'Ghost Token (<20 holders)' },
    { holds: (liquidityUsd ?? 1000) < 1000, most: 69, reason: 'No Liquidity (<$1K)' },
    { holds: (volume7dUsd ?? 100) < 100, most: 69, reason: 'Dead Token (<$100 volume)' },
    { holds: (marketCapUsd ?? 100_000) < 100_000, most: 69, reason: 'Low Market Cap (<$100K)' },
    { holds: turnover > 7, most: 84, reason: 'Unusual Volume (>7x vol/liq)' },
  ].filter(({ holds }) => holds);
}

const within = (value: number | null, low: number, high: number): boolean =>
  value !== null && value >= low && value <= high;

function borderlineOf({ holderCount, liquidityUsd, marketCapUsd, volume7dUsd }: ScoreInput): string[] {
  return [
    within(holderCount, 20, 500) && 'Borderline Holder Count (20-500)',
    within(liquidityUsd, 100_000, 200_000) && 'Borderline Liquidity ($100K-$200K)',
    within(marketCapUsd, 100_000, 500_000) && 'Borderline Market Cap ($100K-$500K)',
    within(volume7dUsd, 100, 10_000) && 'Borderline Volume ($100-$10K)',
  ].filter((signal) => signal !== false);
}

const manySignals = (count: number) => [
  { holds: count >= 4, most: 69, reason: 'Multiple Risk Signals (4+ borderline metrics)' },
  { holds: count === 3, most: 84, reason: 'Elevated Risk (3 borderline metrics)' },
];

// Currencies, shares and staked coins have few holders.
const isConcentrated = ({ asset, mint }: Variant): boolean =>
  asset.lists.includes('currencies') || asset.lists.includes('stocks') || stakePoolRank(mint) !== undefined;

/** The market score of a variant. */
export function marketScore(variant: Variant, input: ScoreInput): MarketScore {
  if (variant.mint === WRAPPED_SOL) {
    return FIXED_SCORE;
  }
  if ((input.liquidityUsd ?? 0) < TOO_LITTLE_USD && (input.marketCapUsd ?? 0) < TOO_LITTLE_USD) {
    return INSUFFICIENT;
  }
  const components = {
    liquidityHealth: liquidityScore(input),
    holderDistribution: holderDistributionScore(isConcentrated(variant)),
    tradingActivity: tradingScore(input),
    holderCount: holderCountScore(input),
  };
  const parts = Object.entries(WEIGHTS) as [keyof typeof WEIGHTS, number][];
  const weight = parts.reduce((sum, [, own]) => sum + own, 0);
  const measured = Math.round(parts.reduce((sum, [name, own]) => sum + components[name].score * own, 0) / weight);
  const borderlineSignals = borderlineOf(input);
  const caps: string[] = [];
  let score = measured;
  for (const { holds, most, reason } of [...capsOf(input), ...manySignals(borderlineSignals.length)]) {
    if (holds && score > most) {
      score = most;
      caps.push(reason);
    }
  }
  return { ...verdictOf(score), ...CLEAR, caps, borderlineSignals, components };
}

/** The input and the score of a variant; null without a market, unless its score is constant. */
export function riskOf(variant: Variant, now: number) {
  const metrics = metricsOf(variant, now);
  if (metrics === null && variant.mint !== WRAPPED_SOL) {
    return null;
  }
  const marketScoreInput = scoreInput(variant, now);
  const lastUpdatedAt = metrics === null ? null : fetchedAt(now);
  return { marketScore: marketScore(variant, marketScoreInput), marketScoreInput, lastUpdatedAt };
}
