import { stakePoolRank } from './catalogue.ts';
import { fetchedAt, metricsOf } from './market.ts';
import type { Variant } from './model.ts';

/** The input of a market score; money in US dollars. */
export type ScoreInput = ReturnType<typeof scoreInput>;

/** A component of a market score. */
export interface Component {
  readonly score: number;
  readonly status: 'safe' | 'warning' | 'risk' | 'info';
  readonly hasData: boolean;
}

/** The weights of the components. */
const WEIGHTS = { liquidityHealth: 30, holderDistribution: 20, tradingActivity: 20, holderCount: 15 } as const;

/** A component without data. */
const EMPTY: Component = { score: 0, status: 'info', hasData: false };

/** Points of a piecewise linear function from value to score, constant outside of them. */
type Line = readonly (readonly [value: number, score: number])[];

const rising = (...values: readonly number[]): Line => values.map((value, step) => [value, step * 20]);

const LIQUIDITY = rising(0, 1e5, 5e5, 1e6, 5e6, 1e7);
const LIQUIDITY_PER_MARKET_CAP = rising(0, 0.001, 0.005, 0.01, 0.03, 0.05);
const WEEKLY_VOLUME = rising(0, 5e4, 1e5, 5e5, 1e6, 5e6);
const HOLDERS = rising(0, 200, 500, 1000, 2000, 5000);
const TURNOVER: Line = [
  [0.1, 40],
  [0.3, 70],
  [0.5, 100],
  [4, 100],
  [5, 70],
  [7, 40],
];
const MOST_TURNOVER = 7;

function on(line: Line, value: number): number {
  const after = line.findIndex(([point]) => value <= point);
  const [point, score] = line.at(after) ?? [0, 0];
  const [before, low] = line[after - 1] ?? [point, score];
  return after <= 0 || point === before ? score : low + ((value - before) / (point - before)) * (score - low);
}

function component(score: number): Component {
  return { score, status: score >= 60 ? 'safe' : score >= 40 ? 'warning' : 'risk', hasData: true };
}

/** Scores liquidity, absolute or relative to the market cap. */
function liquidityScore({ liquidityUsd, marketCapUsd }: ScoreInput): Component {
  if (liquidityUsd === null || liquidityUsd <= 0) return EMPTY;
  const share =
    marketCapUsd === null || marketCapUsd <= 0 ? 0 : on(LIQUIDITY_PER_MARKET_CAP, liquidityUsd / marketCapUsd);
  return component(Math.max(on(LIQUIDITY, liquidityUsd), liquidityUsd < 1e5 ? Math.min(share, 20) : share));
}

/** Scores the holder distribution. The upstream does not know the largest holders. */
const holderDistributionScore = (isConcentrated: boolean): Component =>
  isConcentrated ? component(100) : { score: 50, status: 'info', hasData: false };

/** Scores trading, absolute or relative to the liquidity. */
function tradingScore({ volume7dUsd, volume24hUsd, liquidityUsd }: ScoreInput): Component {
  if (volume7dUsd === null || volume7dUsd <= 0) return EMPTY;
  const turnover = liquidityUsd === null || liquidityUsd <= 0 ? undefined : (volume24hUsd ?? 0) / liquidityUsd;
  const known = turnover === undefined || turnover > MOST_TURNOVER ? 0 : on(TURNOVER, turnover);
  return component(Math.max(on(WEEKLY_VOLUME, volume7dUsd), known));
}

/** Scores the number of holders. */
const holderCountScore = ({ holderCount }: ScoreInput): Component =>
  holderCount === null || holderCount <= 0 ? EMPTY : component(on(HOLDERS, holderCount));

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
export function scoreInput(variant: Variant, now: number) {
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
  if (score >= 85) return { score, grade: 'A', label: 'Established', tone: 'safe' };
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
  if (variant.mint === WRAPPED_SOL) return FIXED_SCORE;
  if ((input.liquidityUsd ?? 0) < TOO_LITTLE_USD && (input.marketCapUsd ?? 0) < TOO_LITTLE_USD) return INSUFFICIENT;
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
  if (metrics === null && variant.mint !== WRAPPED_SOL) return null;
  const marketScoreInput = scoreInput(variant, now);
  const lastUpdatedAt = metrics === null ? null : fetchedAt(now);
  return { marketScore: marketScore(variant, marketScoreInput), marketScoreInput, lastUpdatedAt };
}
