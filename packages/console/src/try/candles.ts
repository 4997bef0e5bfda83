import { members } from './calls.ts';

/** A candle: Unix seconds, and prices in US dollars. */
export interface Candle {
  readonly time: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
}

/** The candles of an answer. */
export interface Candles {
  /** Sorted by time, which is unique. */
  readonly rows: readonly Candle[];
  /** The rows within the bounds of a chart. */
  readonly drawn: readonly Candle[];
  /** The number of items that are not candles. */
  readonly invalid: number;
}

const PRICES = ['open', 'high', 'low', 'close'] as const;
/** A chart cannot show larger values. */
const [MAX_PRICE, MAX_TIME] = [1e15, 4e9];
const MAX_CANDLES = 1000;

function candleOf(value: unknown): Candle | undefined {
  const { time, volume, ...prices } = members(value);
  const isWhole = [time, ...PRICES.map((name) => prices[name])].every((each) => Number.isFinite(each));
  if (!isWhole) return undefined;
  return { time, volume: Number.isFinite(volume) ? volume : 0, ...prices } as Candle;
}

const canBeDrawn = (candle: Candle): boolean =>
  Math.abs(candle.time) < MAX_TIME && PRICES.every((name) => Math.abs(candle[name]) < MAX_PRICE);

/** Reads the latest candles of an answer, in any order, and skips invalid items. */
export function candlesIn(value: unknown): Candles {
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  const byTime = new Map<number, Candle>();
  let invalid = 0;
  for (const item of items) {
    const candle = candleOf(item);
    if (candle) byTime.set(candle.time, candle);
    else invalid++;
  }
  const rows = [...byTime.values()].sort((a, b) => a.time - b.time).slice(-MAX_CANDLES);
  return { rows, drawn: rows.filter(canBeDrawn), invalid };
}
