import type uPlot from 'uplot';
import { minuteOf } from '../parts/format.ts';
import { colourIn, plotIn } from '../parts/plot.ts';

/** Between two labels, in pixels. */
const SPACE = { x: 70, y: 34 };

/** How a chart is drawn: the dashes of its lines, and the labels of its axis. */
export interface Look {
  readonly dashes: readonly (readonly number[])[];
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

function optionsFor(figure: HTMLElement, { dashes, words }: Look, span: () => [number, number]) {
  const axis: uPlot.Axis = {
    stroke: colourIn(figure, 'h3'),
    font: '13px system-ui, sans-serif',
    grid: { stroke: colourIn(figure, '.grid-colour'), width: 1 },
    ticks: { show: false },
  };
  const lines = dashes.map((dash, at) => {
    const stroke = colourIn(figure, `li:nth-child(${at + 1}) .key`);
    return { stroke, width: 2, dash: [...dash], points: { size: 5, fill: stroke } };
  });
  return {
    height: 150,
    padding: [8, 20, 0, 0],
    cursor: { y: false, points: { size: 7 } },
    scales: { x: { range: span }, y: { range: (_, __, most) => [0, most > 0 ? most * 1.1 : 1] } },
    axes: [
      { ...axis, space: SPACE.x, size: 28, values: (_, splits) => splits.map((each) => minuteOf(each * 1_000)) },
      { ...axis, space: SPACE.y, size: 58, values: (_, splits) => splits.map(words) },
    ],
    series: [{}, ...lines],
  } satisfies Omit<uPlot.Options, 'width'>;
}

/** Draws an empty chart in the `.plot` of a figure. `onPointer` gets the point under the pointer, if any. */
export function chartIn(figure: HTMLElement, look: Look, onPointer: (index: number | undefined) => void): Plot {
  let span: [number, number] = [0, 1];
  const options = optionsFor(figure, look, () => span);
  const place = figure.querySelector<HTMLElement>('.plot') ?? figure;
  const [plot, remove] = plotIn(place, options, [[], ...look.dashes.map(() => [])]);
  // Not the hook of the library, which also reports marks and new data.
  plot.over.addEventListener('pointermove', ({ offsetX }) => {
    if (plot.data[0].length > 0) onPointer(plot.posToIdx(offsetX));
  });
  plot.over.addEventListener('pointerleave', () => onPointer(undefined));
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
    remove,
  };
}
