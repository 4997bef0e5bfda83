import { volumeOf, walkOf } from './candles.ts';
import { metricsOf } from './market.ts';
import type { Variant } from './model.ts';
import { mintedAt } from './pools.ts';
import { between, significant } from './seed.ts';

const DAY = 86_400;
const WRAPPED_SOL = 'So11111111111111111111111111111111111111112';
const LOW_LIQUIDITY = 250_000;
const LOW_LIQUIDITY_CAP = 60;

/** What a market score is computed from. */
export function scoreInput(variant: Variant, now: number) {
  const metrics = metricsOf(variant, now);
  if (metrics === null) {
    return null;
  }
  return {
    liquidityUsd: metrics.liquidity,
    marketCapUsd: metrics.marketCap,
    holderCount: metrics.holder,
    top10HoldersPercent: significant(between(9, 71, `${variant.mint}/top10`), 5),
    volume24hUsd: metrics.volume24hUSD,
    volume7dUsd: volumeOf(walkOf(variant), 7 * DAY, { seconds: 3600, now: Math.floor(now / 1000) }),
    tokenMintTime: mintedAt(variant),
    tokenAddress: variant.mint,
  };
}

type ScoreInput = NonNullable<ReturnType<typeof scoreInput>>;

// 0 at `low`, 100 at `high`, even steps per factor of ten between them.
function onScale(value: number, low: number, high: number): number {
  const part = Math.log(Math.max(value, 1) / low) / Math.log(high / low);
  return Math.round(100 * Math.min(1, Math.max(0, part)));
}

function component(score: number): ScoreComponent {
  const status = score >= 70 ? 'good' : score >= 40 ? 'fair' : 'poor';
  return { score, status, hasData: true };
}

function componentsOf(input: ScoreInput) {
  return {
    liquidityHealth: component(onScale(input.liquidityUsd, 2e4, 2e7)),
    holderDistribution: component(Math.round(100 - input.top10HoldersPercent)),
    tradingActivity: component(onScale(input.volume24hUsd, 1e4, 2e7)),
    holderCount: component(onScale(input.holderCount, 200, 3e5)),
  };
}

/** One part of a market score. */
export interface ScoreComponent {
  readonly score: number;
  readonly status: 'good' | 'fair' | 'poor' | 'unknown';
  readonly hasData: boolean;
}

/** How much a variant's market can be relied upon; `score` is 0 to 100. */
export interface MarketScore {
  readonly score: number;
  readonly grade: 'A' | 'B' | 'C';
  readonly label: 'Established' | 'Speculative' | 'Weak Metrics' | 'Trusted Launch' | 'Insufficient Data';
  readonly tone: 'safe' | 'warning' | 'risk';
  readonly isTrustedLaunch: boolean;
  readonly caps: readonly string[];
  readonly borderlineSignals: readonly string[];
  readonly hasInsufficientData: boolean;
  readonly insufficientDataReason: string | null;
  readonly components: Readonly<
    Record<'liquidityHealth' | 'holderDistribution' | 'tradingActivity' | 'holderCount', ScoreComponent>
  >;
  readonly tokenAgeDays: number | null;
}

const MISSING: ScoreComponent = { score: 0, status: 'unknown', hasData: false };

/** The score of a token that nothing is known about. */
export const INSUFFICIENT: MarketScore = {
  score: 0,
  grade: 'C',
  label: 'Insufficient Data',
  tone: 'warning',
  isTrustedLaunch: false,
  caps: [],
  borderlineSignals: [],
  hasInsufficientData: true,
  insufficientDataReason: 'No cached market data for this mint',
  components: {
    liquidityHealth: MISSING,
    holderDistribution: MISSING,
    tradingActivity: MISSING,
    holderCount: MISSING,
  },
  tokenAgeDays: null,
};

function verdict(score: number, isTrustedLaunch: boolean): Pick<MarketScore, 'grade' | 'label' | 'tone'> {
  const grade = score >= 85 ? 'A' : score >= 70 ? 'B' : 'C';
  if (isTrustedLaunch) {
    return { grade, label: 'Trusted Launch', tone: 'safe' };
  }
  if (score >= 70) {
    return { grade, label: 'Established', tone: 'safe' };
  }
  return score >= 45
    ? { grade, label: 'Speculative', tone: 'warning' }
    : { grade, label: 'Weak Metrics', tone: 'risk' };
}

/** The market score of a variant, from what is measured about it. */
export function marketScore(variant: Variant, input: ScoreInput, now: number): MarketScore {
  const components = componentsOf(input);
  const { liquidityHealth, holderDistribution, tradingActivity, holderCount } = components;
  const weighted =
    liquidityHealth.score * 0.35 +
    holderDistribution.score * 0.15 +
    tradingActivity.score * 0.3 +
    holderCount.score * 0.2;
  const thin = input.liquidityUsd < LOW_LIQUIDITY;
  const measured = Math.round(thin ? Math.min(weighted, LOW_LIQUIDITY_CAP) : weighted);
  const score = variant.mint === WRAPPED_SOL ? 100 : measured;
  const isTrustedLaunch = variant.tags?.includes('xstocks') === true && !thin;
  return {
    score,
    ...verdict(score, isTrustedLaunch),
    isTrustedLaunch,
    caps: thin ? ['low_liquidity'] : [],
    borderlineSignals: Object.entries(components).flatMap(([name, { score: own }]) =>
      Math.abs(own - 50) <= 5 ? [name] : [],
    ),
    hasInsufficientData: false,
    insufficientDataReason: null,
    components,
    tokenAgeDays: Math.floor((now / 1000 - input.tokenMintTime) / DAY),
  };
}

/** The input and the score of a variant; nothing when nothing is cached. */
export function riskOf(variant: Variant, now: number) {
  const marketScoreInput = scoreInput(variant, now);
  return marketScoreInput && { marketScoreInput, marketScore: marketScore(variant, marketScoreInput, now) };
}
