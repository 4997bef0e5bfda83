import { type ENUMERATIONS, listAt, objectAt } from '@asset-gateway/protocol';
import { plural } from '../parts/format.ts';
import { hrefOf } from '../router.ts';

const PRICES = ['open', 'high', 'low', 'close'] as const;

/** A candle: Unix seconds, and prices in US dollars. */
export type Candle = Readonly<Record<'time' | 'volume' | (typeof PRICES)[number], number>>;

/** The candles of an answer. */
export type Candles = ReturnType<typeof candlesIn>;

/** A chart cannot show larger values. */
const [MAX_PRICE, MAX_TIME] = [1e15, 4e9];
const MAX_CANDLES = 1000;

function candleOf(value: unknown): Candle | undefined {
  const { time, volume, ...prices } = objectAt(value);
  const isWhole = [time, ...PRICES.map((name) => prices[name])].every((each) => Number.isFinite(each));
  if (!isWhole) return undefined;
  return { time, volume: Number.isFinite(volume) ? volume : 0, ...prices } as Candle;
}

const canBeDrawn = (candle: Candle): boolean =>
  Math.abs(candle.time) < MAX_TIME && PRICES.every((name) => Math.abs(candle[name]) < MAX_PRICE);

/** Returns an answer's latest candles with unique times: those within the chart's bounds, and the number of others. */
export function candlesIn(value: unknown) {
  const items = listAt(value);
  const valid = items.flatMap((item) => candleOf(item) ?? []);
  const byTime = new Map(valid.map((candle) => [candle.time, candle]));
  const rows = [...byTime.values()].sort((a, b) => a.time - b.time).slice(-MAX_CANDLES);
  return { rows, drawn: rows.filter(canBeDrawn), invalid: items.length - valid.length };
}

/** The length of a candle. */
type Interval = (typeof ENUMERATIONS.interval)[number];

/** The time that a chart covers. */
type Range = keyof typeof RANGES;

/** How prices are drawn. */
export type ChartStyle = 'candles' | 'line';

/** The settings of a chart. */
export interface ChartSettings {
  readonly range: Range;
  readonly interval: Interval;
  readonly style: ChartStyle;
}

const [HOUR, DAY] = [3600, 86_400];
const UNITS: Readonly<Record<string, number>> = { m: 60, H: HOUR, D: DAY, W: 7 * DAY };

/** Returns the length of a candle in seconds. */
const secondsOf = (interval: Interval): number => Number.parseInt(interval, 10) * (UNITS[interval.slice(-1)] ?? 0);

/** By range: words for a sentence (`over 7 days`), the intervals with a readable number of candles, and the default one. */
export const RANGES = {
  '1D': { days: 1, words: '24 hours', first: '15m', intervals: ['5m', '15m', '1H'] },
  '7D': { days: 7, words: '7 days', first: '1H', intervals: ['15m', '1H', '4H', '1D'] },
  '1M': { days: 30, words: '30 days', first: '4H', intervals: ['1H', '4H', '1D'] },
  '1Y': { days: 365, words: '1 year', first: '1D', intervals: ['1D', '1W'] },
} as const;

/** Returns the period of the drawn candles: its lowest, highest and last price, and its change in percent. Undefined without candles. */
export function periodOf({ drawn }: Pick<Candles, 'drawn'>) {
  const [first, last] = [drawn[0], drawn.at(-1)];
  if (!first || !last) return undefined;
  return {
    low: Math.min(...drawn.map((each) => each.low)),
    high: Math.max(...drawn.map((each) => each.high)),
    last: last.close,
    changePercent: first.open === 0 ? undefined : (last.close / first.open - 1) * 100,
  };
}

/** Lengths of a merged candle, in seconds. */
const LENGTHS = [5, 15, 30, 60, 120, 240, 480, 720, 1440, 2880, 10_080, 20_160, 43_200].map((minutes) => minutes * 60);

const NOUNS = [
  [7 * DAY, 'week'],
  [DAY, 'day'],
  [HOUR, 'hour'],
  [60, 'minute'],
] as const;

/** Words for a length in seconds: `4 hours`. */
export function lengthWords(seconds: number): string {
  const [unit, noun] = NOUNS.find(([each]) => seconds % each === 0) ?? NOUNS[3];
  return plural(seconds / unit, noun);
}

/**
 * Returns at most this many candles. If there are more, merges several short candles into a longer one. `seconds`: the length of a candle.
 */
export function merged(candles: readonly Candle[], interval: Interval, most: number) {
  const own = secondsOf(interval);
  const covered = (candles.at(-1)?.time ?? 0) - (candles[0]?.time ?? 0) + own;
  const fitting = LENGTHS.filter((length) => length % own === 0).find((length) => covered / length <= most);
  if (candles.length <= most || fitting === undefined) return { candles, seconds: own };
  const groups = new Map<number, Candle>();
  for (const candle of candles) {
    const time = Math.floor(candle.time / fitting) * fitting;
    const { open, high, low, volume } = groups.get(time) ?? { ...candle, volume: 0 };
    groups.set(time, {
      time,
      open,
      high: Math.max(high, candle.high),
      low: Math.min(low, candle.low),
      close: candle.close,
      volume: volume + candle.volume,
    });
  }
  return { candles: [...groups.values()], seconds: fitting };
}

export const RANGE_NAMES = Object.keys(RANGES) as readonly Range[];

const FIRST_RANGE: Range = '7D';

/** Returns the chart that an address names: `/<range>`, `/<interval>` unless it is the range's own, and `?chart=line`. */
export function chartSettingsIn([, range, interval]: readonly string[], query: string): ChartSettings {
  const known = RANGE_NAMES.find((each) => each === range) ?? FIRST_RANGE;
  const { intervals, first } = RANGES[known];
  const style = new URLSearchParams(query).get('chart') === 'line' ? 'line' : 'candles';
  return { range: known, interval: intervals.find((each) => each === interval) ?? first, style };
}

/** Returns the address of an asset's chart. The default chart has the shortest. */
export function hrefOfChart(assetId: string, { range, interval, style }: ChartSettings): string {
  const isOwn = interval === RANGES[range].first;
  const segments = isOwn ? (range === FIRST_RANGE ? [] : [range]) : [range, interval];
  return hrefOf('try', assetId, ...segments) + (style === 'line' ? '?chart=line' : '');
}

/** Returns the start of a chart in Unix seconds. It is a full hour or candle, so that users share cached answers. */
export function startOf({ range, interval }: Omit<ChartSettings, 'style'>, nowSeconds: number): number | undefined {
  // A week is the upstream's default.
  if (range === FIRST_RANGE) return undefined;
  const unit = Math.max(HOUR, secondsOf(interval));
  return Math.floor(nowSeconds / unit) * unit - RANGES[range].days * DAY;
}

/** Returns the start of the last 24 hours in Unix seconds, at a full hour. */
export const dayBefore = (nowSeconds: number): number => Math.floor(nowSeconds / HOUR) * HOUR - DAY;
