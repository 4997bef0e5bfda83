import type uPlot from 'uplot';
import { minuteOf } from '../parts/format.ts';
import { colourIn, type PlotOptions, plotIn } from '../parts/plot.ts';

/** A chart's look: the dashes of its lines, the labels of its axis, and whether it counts whole numbers. */
interface Look {
  readonly dashes: readonly (readonly number[])[];
  readonly words: (value: number) => string;
  readonly isWhole: boolean;
}

/** The widest character of the labels, and the space beside them, in pixels. */
const [CHARACTER, MARGIN] = [8, 14];

/** Returns an axis as wide as its longest label. */
const widthOf = (_: uPlot, labels: readonly string[] | null): number =>
  MARGIN + CHARACTER * Math.max(3, ...(labels ?? []).map(({ length }) => length));

/** Steps of an axis of whole numbers. */
const WHOLE_STEPS = Array.from({ length: 13 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat();

/** A drawn chart. */
export type Plot = ReturnType<typeof chartIn>;

function optionsFor(figure: HTMLElement, { dashes, words, isWhole }: Look, span: () => [number, number]): PlotOptions {
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
    scales: { x: { range: span }, y: { range: (_, __, most) => [0, most * 1.1] } },
    axes: [
      { ...axis, space: 70, size: 28, values: (_, splits) => splits.map((each) => minuteOf(each * 1_000)) },
      {
        ...axis,
        space: 34,
        size: widthOf,
        ...(isWhole && { incrs: WHOLE_STEPS }),
        values: (_, splits) => splits.map(words),
      },
    ],
    series: [{}, ...lines],
  };
}

/** Draws an empty chart. `onPointer` gets the index under the pointer, if any. */
export function chartIn(figure: HTMLElement, look: Look, onPointer: (index: number | undefined) => void) {
  let span: [number, number] = [0, 1];
  const options = optionsFor(figure, look, () => span);
  const [plot, remove] = plotIn(figure, options, [[], ...look.dashes.map(() => [])]);
  // The library's own hook also reports marks and new data.
  plot.over.addEventListener('pointermove', ({ offsetX }) => {
    if (plot.data[0].length > 0) onPointer(plot.posToIdx(offsetX));
  });
  plot.over.addEventListener('pointerleave', () => onPointer(undefined));
  return {
    /** Shows times in seconds and the values of each line. */
    show(data: uPlot.AlignedData, from: number, to: number) {
      span = [from, to];
      plot.setData(data);
    },
    /** Marks a point; undefined removes the mark. */
    mark(index: number | undefined) {
      const at = index === undefined ? undefined : plot.data[0][index];
      if (plot.cursor.idx === (index ?? null)) return;
      const left = at === undefined ? -10 : plot.valToPos(at, 'x');
      plot.setCursor({ left, top: at === undefined ? -10 : 0 }, false);
    },
    remove,
  };
}
