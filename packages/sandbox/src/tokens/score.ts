/** The input of a market score; money in US dollars. */
export interface ScoreInput {
  readonly liquidityUsd: number | null;
  readonly marketCapUsd: number | null;
  readonly holderCount: number | null;
  readonly top10HoldersPercent: null;
  readonly volume24hUsd: number | null;
  readonly volume7dUsd: number | null;
  readonly tokenMintTime: null;
  readonly tokenAddress: string;
}

/** A component of a market score. */
export interface Component {
  readonly score: number;
  readonly status: 'safe' | 'warning' | 'risk' | 'info';
  readonly hasData: boolean;
}

/** The weights of the components. */
export const WEIGHTS = { liquidityHealth: 30, holderDistribution: 20, tradingActivity: 20, holderCount: 15 } as const;

/** A component without data. */
export const EMPTY: Component = { score: 0, status: 'info', hasData: false };

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
export function liquidityScore({ liquidityUsd, marketCapUsd }: ScoreInput): Component {
  if (liquidityUsd === null || liquidityUsd <= 0) {
    return EMPTY;
  }
  const share =
    marketCapUsd === null || marketCapUsd <= 0 ? 0 : on(LIQUIDITY_PER_MARKET_CAP, liquidityUsd / marketCapUsd);
  return component(Math.max(on(LIQUIDITY, liquidityUsd), liquidityUsd < 1e5 ? Math.min(share, 20) : share));
}

/** Scores the holder distribution. The upstream does not know the largest holders. */
export const holderDistributionScore = (isConcentrated: boolean): Component =>
  isConcentrated ? component(100) : { score: 50, status: 'info', hasData: false };

/** Scores trading, absolute or relative to the liquidity. */
export function tradingScore({ volume7dUsd, volume24hUsd, liquidityUsd }: ScoreInput): Component {
  if (volume7dUsd === null || volume7dUsd <= 0) {
    return EMPTY;
  }
  const turnover = liquidityUsd === null || liquidityUsd <= 0 ? undefined : (volume24hUsd ?? 0) / liquidityUsd;
  const known = turnover === undefined || turnover > MOST_TURNOVER ? 0 : on(TURNOVER, turnover);
  return component(Math.max(on(WEEKLY_VOLUME, volume7dUsd), known));
}

/** Scores the number of holders. */
export const holderCountScore = ({ holderCount }: ScoreInput): Component =>
  holderCount === null || holderCount <= 0 ? EMPTY : component(on(HOLDERS, holderCount));
