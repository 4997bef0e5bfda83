import { draw } from './seed.ts';

/** One candle: `time` in Unix seconds, prices in US dollars, volume in whole US dollars. */
export interface Candle {
  readonly time: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
}

/** The parameters of a price history. */
export interface Walk {
  readonly priceSeed: number;
  readonly volumeSeed: number;
  readonly base: number;
  readonly volatility: number;
  readonly weeklyVolume: number;
  /** Unix seconds of the first trade. */
  readonly since: number;
}

/** The lengths of candles; each is a multiple of the next. */
export const LENGTHS = [604_800, 86_400, 14_400, 3600, 900, 300, 60] as const;

/** The depth in `LENGTHS` of the shortest candle. */
export const MINUTE = LENGTHS.length - 1;

// The Unix epoch was a Thursday; candles of one week start on Mondays.
const MONDAY = 4 * 86_400;
const WEEK = LENGTHS[0];
const OCTAVES = [
  { weeks: 89, height: 1 },
  { weeks: 23, height: 0.5 },
  { weeks: 7, height: 0.25 },
  { weeks: 1, height: 0.12 },
] as const;

const weekNumber = (seconds: number): number => Math.floor((seconds - MONDAY) / WEEK);

function noise(seed: number, position: number): number {
  const cell = Math.floor(position);
  const part = position - cell;
  const [left, right] = [draw(seed, cell), draw(seed, cell + 1)];
  return (left + (right - left) * part * part * (3 - 2 * part)) * 2 - 1;
}

function priceAtWeek(walk: Walk, week: number): number {
  const height = OCTAVES.reduce(
    (sum, octave) => sum + octave.height * noise(walk.priceSeed + octave.weeks, week / octave.weeks),
    0,
  );
  return walk.base * Math.exp(walk.volatility * height);
}

function weekCandle(walk: Walk, week: number): Candle {
  const at = (slot: number) => draw(walk.priceSeed, week, 0x10000 + slot);
  const [open, close] = [priceAtWeek(walk, week), priceAtWeek(walk, week + 1)];
  const spread = walk.volatility * 0.18;
  return {
    time: week * WEEK + MONDAY,
    open,
    high: Math.max(open, close) * (1 + spread * (0.15 + at(0))),
    low: Math.min(open, close) / (1 + spread * (0.15 + at(1))),
    close,
    volume: Math.round(walk.weeklyVolume * (0.6 + 0.8 * draw(walk.volumeSeed, week, 0x20000))),
  };
}

/** The weekly candles that overlap a span, from the first full week of trading. */
export function* weeks(walk: Walk, from: number, to: number): Generator<Candle> {
  const first = Math.max(weekNumber(from), weekNumber(walk.since + WEEK - 1));
  for (let week = first; week * WEEK + MONDAY < to; week += 1) yield weekCandle(walk, week);
}

function boundaries(walk: Walk, whole: Candle, depth: number): number[] {
  const parts = (LENGTHS[depth] ?? 60) / (LENGTHS[depth + 1] ?? 60);
  const range = whole.high - whole.low;
  const prices = [whole.open];
  for (let part = 1; part < parts; part += 1) {
    const line = whole.open + ((whole.close - whole.open) * part) / parts;
    const moved = line + (draw(walk.priceSeed, whole.time / 60, depth * 32 + part) - 0.5) * range * 0.8;
    prices.push(Math.min(whole.high - range * 0.04, Math.max(whole.low + range * 0.04, moved)));
  }
  return [...prices, whole.close];
}

function volumes(walk: Walk, whole: Candle, depth: number, parts: number): number[] {
  const weights = Array.from(
    { length: parts },
    (_, part) => 0.3 + draw(walk.volumeSeed, whole.time / 60, depth * 32 + part),
  );
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let [weight, given] = [0, 0];
  return weights.map((own, part) => {
    weight += own;
    const upTo = part === parts - 1 ? whole.volume : Math.floor((whole.volume * weight) / total);
    const share = upTo - given;
    given = upTo;
    return share;
  });
}

/**
 * Splits a candle into the next shorter length. The parts add up to exactly that candle: they have its open, high, low and close,
 * and their volumes add up to its volume.
 */
export function split(walk: Walk, whole: Candle, depth: number): Candle[] {
  const prices = boundaries(walk, whole, depth);
  const parts = prices.length - 1;
  const shares = volumes(walk, whole, depth, parts);
  const at = (slot: number) => draw(walk.priceSeed, whole.time / 60, depth * 32 + slot);
  const [highest, lowest] = [Math.floor(at(8) * parts), Math.floor(at(9) * parts)];
  return shares.map((volume, part) => {
    const [open, close] = [prices[part] ?? whole.open, prices[part + 1] ?? whole.close];
    const [top, bottom] = [Math.max(open, close), Math.min(open, close)];
    return {
      time: whole.time + part * (LENGTHS[depth + 1] ?? 60),
      open,
      high: part === highest ? whole.high : top + (whole.high - top) * 0.3 * at(10 + part),
      low: part === lowest ? whole.low : bottom - (bottom - whole.low) * 0.3 * at(20 + part),
      close,
      volume,
    };
  });
}

/** Combines consecutive candles into one. */
export function aggregate(first: Candle, rest: readonly Candle[]): Candle {
  return rest.reduce(
    (sum, next) => ({
      time: sum.time,
      open: sum.open,
      high: Math.max(sum.high, next.high),
      low: Math.min(sum.low, next.low),
      close: next.close,
      volume: sum.volume + next.volume,
    }),
    first,
  );
}
