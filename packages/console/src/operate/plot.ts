import uPlot from 'uplot';
import { minuteOf } from './format.ts';

const HEIGHT = 150;
const AXIS_WIDTH = 58;
/** Between two labels, in pixels. */
const SPACE = { x: 70, y: 34 };
const FONT = '13px system-ui, sans-serif';
const dark = matchMedia('(prefers-color-scheme: dark)');

/** How a chart is drawn. Colours are those of elements, so that they follow the theme. */
export interface Look {
  readonly lines: readonly { readonly key: HTMLElement; readonly dash: readonly number[] }[];
  readonly text: HTMLElement;
  readonly grid: HTMLElement;
  readonly words: (value: number) => string;
}

/** A chart's times in seconds, then the values of each line. */
export type Data = uPlot.AlignedData;

/** A drawn chart. */
export interface Plot {
  show(data: Data, from: number, to: number): void;
  /** Marks a point; undefined for none. */
  mark(index: number | undefined): void;
  remove(): void;
}

const colourOf = (element: HTMLElement) => () => getComputedStyle(element).color;

function optionsFor({ lines, text, grid, words }: Look, width: number, span: () => [number, number]): uPlot.Options {
  const axis: uPlot.Axis = {
    stroke: colourOf(text),
    font: FONT,
    grid: { stroke: colourOf(grid), width: 1 },
    ticks: { show: false },
  };
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    padding: [8, 20, 0, 0],
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
    scales: { x: { range: span }, y: { range: (_, __, most) => [0, most > 0 ? most * 1.1 : 1] } },
    axes: [
      { ...axis, space: SPACE.x, size: 28, values: (_, splits) => splits.map((each) => minuteOf(each * 1_000)) },
      { ...axis, space: SPACE.y, size: AXIS_WIDTH, values: (_, splits) => splits.map(words) },
    ],
    series: [
      {},
      ...lines.map(({ key, dash }) => ({
        stroke: colourOf(key),
        width: 2,
        dash: [...dash],
        points: { size: 5, fill: colourOf(key) },
      })),
    ],
  };
}

/** Draws an empty chart that follows the width of its element. `onPointer` gets the point under the pointer, if any. */
export function plotIn(element: HTMLElement, look: Look, onPointer: (index: number | undefined) => void): Plot {
  let span: [number, number] = [0, 1];
  const plot = new uPlot(
    optionsFor(look, element.clientWidth, () => span),
    [[], ...look.lines.map(() => [])],
    element,
  );
  // Not the hook of the library, which also reports marks and new data.
  plot.over.addEventListener('pointermove', ({ offsetX }) => {
    if (plot.data[0].length > 0) onPointer(plot.posToIdx(offsetX));
  });
  plot.over.addEventListener('pointerleave', () => onPointer(undefined));
  const redraw = () => plot.redraw();
  dark.addEventListener('change', redraw);
  const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
  observer.observe(element);
  return {
    show(data, from, to) {
      span = [from, to];
      plot.setData(data);
    },
    mark(index) {
      const at = index === undefined ? undefined : plot.data[0][index];
      if (plot.cursor.idx === (index ?? null)) return;
      const left = at === undefined ? -10 : plot.valToPos(at, 'x');
      plot.setCursor({ left, top: at === undefined ? -10 : 0 }, false);
    },
    remove() {
      dark.removeEventListener('change', redraw);
      observer.disconnect();
      plot.destroy();
    },
  };
}
