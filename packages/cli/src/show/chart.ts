import type { TokensPriceChartResult } from '@asset-gateway/client';
import { priceFigure } from '@asset-gateway/protocol';
import type { Colours } from './terminal.ts';

/** The width and colours of the terminal. */
export interface Canvas {
  readonly columns: number;
  readonly colours: Colours;
}

type Candle = Pick<TokensPriceChartResult['candles'][number], 'open' | 'high' | 'low' | 'close'>;

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** Returns a duration in the largest unit of which it has at least two, such as `7 days`. */
export function period(seconds: number): string {
  const [unit, size] = UNITS.find(([, each]) => seconds >= 2 * each) ?? ['minute', 60];
  const number = Math.max(1, Math.round(seconds / size));
  return `${number} ${unit}${number === 1 ? '' : 's'}`;
}

type Part = 'none' | 'wick' | 'body';

/** The glyph of a row, by its upper and lower half. */
const GLYPHS: Readonly<Record<Part, Readonly<Record<Part, string>>>> = {
  none: { none: ' ', wick: '╷', body: '╻' },
  wick: { none: '╵', wick: '│', body: '╽' },
  body: { none: '╹', wick: '╿', body: '┃' },
};
/** The rows of a chart. */
const HEIGHT = 12;
const BARS = '▁▂▃▄▅▆▇█';
const MAX_STEP = 4;

/** Merges neighbouring candles until they fit into the columns. */
function merged(candles: readonly Candle[], columns: number): Candle[] {
  const size = Math.max(1, Math.ceil(candles.length / columns));
  return Array.from({ length: Math.ceil(candles.length / size) }, (_, at) => {
    const group = candles.slice(at * size, (at + 1) * size);
    const [{ open }, { close }] = [group[0] as Candle, group.at(-1) as Candle];
    const high = Math.max(...group.map((each) => each.high));
    const low = Math.min(...group.map((each) => each.low));
    return { open, high, low, close };
  });
}

/** Returns the part of a candle in a half row. 0 is the lowest row. */
function partAt({ open, close, high, low }: Candle, half: number, halfOf: (value: number) => number): Part {
  const [bottom, top] = [halfOf(Math.min(open, close)), halfOf(Math.max(open, close))];
  if (half >= bottom && half <= top) return 'body';
  return half >= halfOf(low) && half <= halfOf(high) ? 'wick' : 'none';
}

/** Returns the lines of a candle chart with price labels. */
export function candleChart(candles: readonly Candle[], { columns, colours }: Canvas): string[] {
  const highest = Math.max(...candles.map(({ high }) => high));
  const lowest = Math.min(...candles.map(({ low }) => low));
  const labels = Array.from({ length: HEIGHT }, (_, row) => {
    const isLabelled = [0, HEIGHT / 2, HEIGHT - 1].includes(row);
    return isLabelled ? priceFigure(highest - ((highest - lowest) * row) / (HEIGHT - 1)) : '';
  });
  const margin = Math.max(...labels.map(({ length }) => length)) + 1;
  const room = Math.max(1, columns - margin);
  const shown = merged(candles, room);
  const step = Math.min(MAX_STEP, Math.max(1, Math.floor(room / shown.length)));
  const halves = 2 * HEIGHT - 1;
  const halfOf = (value: number): number =>
    highest === lowest ? HEIGHT : Math.round(((value - lowest) / (highest - lowest)) * halves);
  const chartLine = (row: number): string =>
    shown
      .map((candle) => {
        const upper = 2 * (HEIGHT - row) - 1;
        const glyph = GLYPHS[partAt(candle, upper, halfOf)][partAt(candle, upper - 1, halfOf)];
        const paint = candle.close >= candle.open ? colours.green : colours.red;
        return (glyph === ' ' ? glyph : paint(glyph)) + ' '.repeat(step - 1);
      })
      .join('');
  return labels.map((text, row) => `${text.padStart(margin - 1)} ${chartLine(row)}`.trimEnd());
}

/** Returns a line of bars. */
export function sparkline(values: readonly number[], width: number): string {
  const shown = values.slice(-width);
  const [least, most] = [Math.min(...shown), Math.max(...shown)];
  const level = (value: number): number => (most === least ? 3 : Math.round(((value - least) / (most - least)) * 7));
  return shown.map((value) => BARS[level(value)]).join('');
}
