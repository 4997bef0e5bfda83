import { draw, significant } from './seed.ts';

/** The intervals of the upstream and their lengths in seconds. */
export const INTERVALS: Readonly<Record<string, number>> = {
  '1m': 60,
  '5m': 300,
  '15m': 900,
  '1H': 3600,
  '4H': 14_400,
  '1D': 86_400,
  '1W': 604_800,
};

/** The parameters of a price history. */
export interface History {
  readonly seed: number;
  /** The mean price in US dollars, and the volatility around it. */
  readonly base: number;
  readonly volatility: number;
  /** US dollars traded in 24 hours. */
  readonly volume: number;
  /** Unix seconds of the first trade. */
  readonly since: number;
}

/** Candles that start from `from` until before `to`, and not after the minute `now`. Unix seconds. */
export interface Span {
  readonly seconds: number;
  readonly from: number;
  readonly to: number;
  readonly now: number;
}

const DAY = 86_400;
// The Unix epoch was a Thursday, but weekly candles start on Mondays.
const MONDAY = 4 * DAY;
/** A price's waves: length in seconds, and height relative to the volatility. */
const WAVES = [
  [89 * 7 * DAY, 1],
  [23 * 7 * DAY, 0.5],
  [7 * 7 * DAY, 0.25],
  [7 * DAY, 0.12],
  [DAY, 0.05],
  [14_400, 0.02],
  [3600, 0.012],
  [900, 0.006],
  [300, 0.003],
  [60, 0.0015],
] as const;
/** The prices that a candle is made from. */
const STEPS = 8;

function wave(seed: number, position: number): number {
  const cell = Math.floor(position);
  const part = position - cell;
  const [left, right] = [draw(seed, cell), draw(seed, cell + 1)];
  return (left + (right - left) * part * part * (3 - 2 * part)) * 2 - 1;
}

function price({ seed, base, volatility }: History, seconds: number): number {
  const height = WAVES.reduce((sum, [length, own], index) => sum + own * wave(seed + index, seconds / length), 0);
  return significant(base * Math.exp(volatility * height), 9);
}

/** Returns the price at a time; undefined before the first trade. */
export const priceAt = (history: History, seconds: number): number | undefined =>
  seconds < history.since ? undefined : price(history, seconds);

function candle(history: History, time: number, { seconds, now }: Span) {
  const length = Math.min(seconds, now - time);
  const prices = Array.from({ length: STEPS + 1 }, (_, step) => price(history, time + (length * step) / STEPS));
  const turnover = (history.volume * length) / DAY;
  return {
    time,
    open: prices[0] ?? 0,
    high: Math.max(...prices),
    low: Math.min(...prices),
    close: prices[STEPS] ?? 0,
    volume: Math.round(turnover * (0.6 + 0.8 * draw(history.seed + 1, time / 60))),
  };
}

/** Returns a price history's candles, oldest first. Each starts at the price at which the one before ended. */
export function candlesOf(history: History, span: Span) {
  const { seconds, from, to, now } = span;
  const phase = seconds === INTERVALS['1W'] ? MONDAY : 0;
  const first = Math.ceil((Math.max(from, history.since) - phase) / seconds) * seconds + phase;
  const count = Math.max(0, Math.ceil((Math.min(to, now + 1) - first) / seconds));
  return Array.from({ length: count }, (_, index) => candle(history, first + index * seconds, span));
}
