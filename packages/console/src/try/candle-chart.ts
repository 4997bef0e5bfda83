import uPlot from 'uplot';
import type { Candle } from './candles.ts';

/** CSS colours. */
export interface ChartColours {
  readonly up: string;
  readonly down: string;
  readonly text: string;
  readonly line: string;
}

const HEIGHT = 300;
const MOST_OF_STEP = 0.7;
const MAX_WIDTH = 14;
/** Space above and below, as a fraction of the range. */
const MARGIN = 0.06;

const UTC = (seconds: number): Date => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC');

/** A price on the axis. */
const label = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 6, notation: 'standard' });

function paint(plot: uPlot, candles: readonly Candle[], { up, down }: ChartColours): void {
  const { ctx, bbox } = plot;
  const ratio = uPlot.pxRatio;
  const step = bbox.width / Math.max(candles.length, 1);
  const width = Math.max(1, Math.min(Math.floor(step * MOST_OF_STEP), MAX_WIDTH * ratio));
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

function rangeOf(candles: readonly Candle[]): [number, number] {
  const low = Math.min(...candles.map((each) => each.low));
  const high = Math.max(...candles.map((each) => each.high));
  // Centres a constant price.
  const room = Math.max((high - low) * MARGIN, Math.abs(high) * 1e-6, 1e-12);
  return [low - room, high + room];
}

const axis = ({ text, line }: ChartColours, more: uPlot.Axis = {}): uPlot.Axis => ({
  stroke: text,
  grid: { stroke: line, width: 1 },
  ticks: { stroke: line, width: 1 },
  ...more,
});

function optionsFor(candles: readonly Candle[], colours: ChartColours, width: number, show: Show): uPlot.Options {
  const step = ((candles.at(-1)?.time ?? 0) - (candles[0]?.time ?? 0)) / Math.max(candles.length - 1, 1) || 60;
  const values = (_: uPlot, splits: number[]) => splits.map((each) => label.format(each));
  return {
    width,
    height: HEIGHT,
    tzDate: UTC,
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, points: { show: false } },
    scales: {
      x: { range: (_, from, to) => [from - step, to + step] },
      y: { range: () => rangeOf(candles) },
    },
    axes: [axis(colours), axis(colours, { size: 76, values })],
    series: [{}, { paths: () => null, points: { show: false } }],
    hooks: {
      draw: [(plot) => paint(plot, candles, colours)],
      setCursor: [({ cursor: { idx } }) => show(idx === null || idx === undefined ? undefined : candles[idx])],
    },
  };
}

/** Called with the candle under the pointer, or undefined when the pointer leaves. */
export type Show = (candle: Candle | undefined) => void;

/** Draws candles into an element and follows its width. Returns a function that removes the chart. */
export function drawCandles(
  element: HTMLElement,
  candles: readonly Candle[],
  colours: ChartColours,
  show: Show,
): () => void {
  const data: uPlot.AlignedData = [candles.map(({ time }) => time), candles.map(({ close }) => close)];
  const plot = new uPlot(optionsFor(candles, colours, element.clientWidth, show), data, element);
  const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
  observer.observe(element);
  return () => {
    observer.disconnect();
    plot.destroy();
  };
}
