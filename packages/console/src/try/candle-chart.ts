import uPlot from 'uplot';
import { colourIn, type PlotOptions, plotIn } from '../parts/plot.ts';
import type { Candle, ChartStyle } from './candles.ts';

const MOST_OF_STEP = 0.7;
const MAX_WIDTH = 14;
/** Space above and below the prices, as a fraction of their range. */
const MARGIN = 0.06;
/** The fraction of the height for volumes, below the prices. */
const VOLUME_PART = 0.2;
const VOLUME_ALPHA = 0.35;

const UTC = (seconds: number): Date => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC');

/** A price on the axis. */
const label = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 6, notation: 'standard' });

const [DAY, HOUR, MINUTE] = [86_400, 3600, 60];

/**
 * Labels of the time axis by the length of a step, and additions for a new year, month or day below. A time has no year below it, because
 * the axis would cut it off at its left end.
 */
const TIMES: uPlot.Axis.Values = [
  [365 * DAY, '{YYYY}', null, null, null, null, null, null, 1],
  [28 * DAY, '{MMM}', '\n{YYYY}', null, null, null, null, null, 1],
  [DAY, '{D} {MMM}', '\n{YYYY}', null, null, null, null, null, 1],
  [HOUR, '{HH}:{mm}', '\n{D} {MMM}', null, '\n{D} {MMM}', null, null, null, 1],
  [MINUTE, '{HH}:{mm}', '\n{D} {MMM}', null, '\n{D} {MMM}', null, null, null, 1],
];

/** The colours of rising and falling candles. */
type Colours = ReturnType<typeof coloursIn>;
const coloursIn = (figure: HTMLElement) => ({ up: colourIn(figure, '.up')(), down: colourIn(figure, '.down')() });

/** Below a line, volumes have no direction. */
function volumeColours(figure: HTMLElement, style: ChartStyle): Colours {
  const colour = colourIn(figure, '.muted')();
  return style === 'line' ? { up: colour, down: colour } : coloursIn(figure);
}

/** Returns the width of a candle in canvas pixels. */
function widthOf({ bbox }: uPlot, candles: readonly Candle[]): number {
  const step = bbox.width / Math.max(candles.length, 1);
  return Math.max(1, Math.min(Math.floor(step * MOST_OF_STEP), MAX_WIDTH * uPlot.pxRatio));
}

function paintVolumes(plot: uPlot, candles: readonly Candle[], { up, down }: Colours): void {
  const { ctx, bbox } = plot;
  const most = Math.max(...candles.map(({ volume }) => volume));
  if (!(most > 0)) return;
  const width = widthOf(plot, candles);
  ctx.save();
  ctx.globalAlpha = VOLUME_ALPHA;
  for (const { time, open, close, volume } of candles) {
    const height = (Math.max(0, volume) / most) * bbox.height * VOLUME_PART;
    const left = Math.round(plot.valToPos(time, 'x', true) - width / 2);
    ctx.fillStyle = close >= open ? up : down;
    ctx.fillRect(left, bbox.top + bbox.height - height, width, height);
  }
  ctx.restore();
}

function paintCandles(plot: uPlot, candles: readonly Candle[], { up, down }: Colours): void {
  const { ctx } = plot;
  const ratio = uPlot.pxRatio;
  const width = widthOf(plot, candles);
  const at = (price: number): number => Math.round(plot.valToPos(price, 'y', true));
  ctx.save();
  ctx.lineWidth = Math.max(1, Math.round(ratio));
  for (const { time, open, high, low, close } of candles) {
    const x = Math.round(plot.valToPos(time, 'x', true));
    const [top, bottom] = [at(Math.max(open, close)), at(Math.min(open, close))];
    const isUp = close >= open;
    ctx.strokeStyle = isUp ? up : down;
    ctx.fillStyle = ctx.strokeStyle;
    ctx.beginPath();
    ctx.moveTo(x, at(high));
    ctx.lineTo(x, top);
    ctx.moveTo(x, bottom);
    ctx.lineTo(x, at(low));
    ctx.stroke();
    // Rising candles are hollow, so that they differ without colour.
    const [left, height] = [Math.round(x - width / 2), Math.max(1, bottom - top)];
    if (isUp && width > 2) ctx.strokeRect(left, top, width, height);
    else ctx.fillRect(left, top, width, height);
  }
  ctx.restore();
}

/** Returns the range of the price axis, with room for the volumes. */
function rangeOf(candles: readonly Candle[]): [number, number] {
  const low = Math.min(...candles.map((each) => each.low));
  const high = Math.max(...candles.map((each) => each.high));
  // Centres a constant price.
  const room = Math.max((high - low) * MARGIN, Math.abs(high) * 1e-6, 1e-12);
  const span = high - low + 2 * room;
  return [low - room - (span * VOLUME_PART) / (1 - VOLUME_PART), high + room];
}

/** The content of a chart. */
interface ChartContent {
  readonly candles: readonly Candle[];
  readonly style: ChartStyle;
  /** Whether the window is that of a phone. */
  readonly isNarrow: boolean;
  /** Called with the candle under the pointer, or undefined when the pointer leaves. */
  readonly show: (candle: Candle | undefined) => void;
}

function optionsFor(figure: HTMLElement, { candles, style, isNarrow, show }: ChartContent): PlotOptions {
  const step = ((candles.at(-1)?.time ?? 0) - (candles[0]?.time ?? 0)) / Math.max(candles.length - 1, 1) || 60;
  const [bottom, top] = rangeOf(candles);
  const lowest = bottom + (top - bottom) * VOLUME_PART;
  // Beside the volumes, the axis shows no price.
  const values = (_: uPlot, splits: number[]) => splits.map((each) => (each < lowest ? '' : label.format(each)));
  const isLine = style === 'line';
  const grid = { stroke: colourIn(figure, '.line-colour'), width: 1 };
  const axis = { stroke: colourIn(figure, '.muted'), grid, ticks: grid };
  const line = { stroke: colourIn(figure, '.accent-colour'), width: 2 };
  return {
    height: isNarrow ? 280 : 400,
    tzDate: UTC,
    cursor: { points: { show: isLine } },
    scales: { x: { range: (_, from, to) => [from - step, to + step] }, y: { range: [bottom, top] } },
    axes: [
      { ...axis, values: TIMES },
      { ...axis, side: 1, size: isNarrow ? 56 : 72, values },
    ],
    series: [{}, { ...(isLine ? line : { paths: () => null }), points: { show: false } }],
    hooks: {
      drawAxes: [(plot) => paintVolumes(plot, candles, volumeColours(figure, style))],
      draw: isLine ? [] : [(plot) => paintCandles(plot, candles, coloursIn(figure))],
      setCursor: [({ cursor: { idx } }) => show(candles[idx ?? -1])],
    },
  };
}

/** Draws a chart into a figure. Returns a function that removes it. */
export function drawChart(figure: HTMLElement, content: ChartContent): () => void {
  const { candles } = content;
  const data: uPlot.AlignedData = [candles.map(({ time }) => time), candles.map(({ close }) => close)];
  return plotIn(figure, optionsFor(figure, content), data)[1];
}
