import { members } from './reading.ts';

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
  /** In the order of time, one for each. */
  readonly rows: readonly Candle[];
  /** Those of them that a chart can show. */
  readonly drawn: readonly Candle[];
  /** How many items of the answer are no candles. */
  readonly wrong: number;
}

const PRICES = ['open', 'high', 'low', 'close'] as const;
/** Beyond these there is no scale on which a difference could be seen. */
const [MAX_PRICE, MAX_TIME] = [1e15, 4e9];
const MOST = 1000;

function candleOf(value: unknown): Candle | undefined {
  const { time, volume, ...prices } = members(value);
  const isWhole = [time, ...PRICES.map((name) => prices[name])].every((each) => Number.isFinite(each));
  if (!isWhole) return undefined;
  return { time, volume: Number.isFinite(volume) ? volume : 0, ...prices } as Candle;
}

const canBeDrawn = (candle: Candle): boolean =>
  Math.abs(candle.time) < MAX_TIME && PRICES.every((name) => Math.abs(candle[name]) < MAX_PRICE);

/** Reads the candles of an answer, whatever their order and whatever else is among them; of very many the latest. */
export function candlesIn(value: unknown): Candles {
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  const byTime = new Map<number, Candle>();
  let wrong = 0;
  for (const item of items) {
    const candle = candleOf(item);
    if (candle) byTime.set(candle.time, candle);
    else wrong++;
  }
  const rows = [...byTime.values()].sort((a, b) => a.time - b.time).slice(-MOST);
  return { rows, drawn: rows.filter(canBeDrawn), wrong };
}
