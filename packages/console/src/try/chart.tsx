import { useEffect, useRef, useState } from 'preact/hooks';
import { Failure } from '../parts/failure.tsx';
import { dollars, roughDollars, utcMinute } from '../parts/format.ts';
import { useFresh } from '../parts/hooks.ts';
import { type Column, Table, TermList } from '../parts/table.tsx';
import type { Candle, Candles, ChartStyle, ChartView } from './candles.ts';

/** Loads the chart library. */
export const loadChart = () => import('./candle-chart.ts');

/** A candle as the chart draws it: hollow if it rises. */
const Sign = ({ word }: { readonly word: 'up' | 'down' }) => (
  <svg class={`candle ${word}`} viewBox="0 0 10 16" aria-hidden="true">
    <path d="M5 0v4M5 12v4" />
    <rect x="1.5" y="4" width="7" height="8" />
  </svg>
);

const FIGURES = [
  { title: 'Open', isNumber: true, cell: ({ open }) => dollars(open) },
  { title: 'High', isNumber: true, cell: ({ high }) => dollars(high) },
  { title: 'Low', isNumber: true, cell: ({ low }) => dollars(low) },
  { title: 'Close', isNumber: true, cell: ({ close }) => dollars(close) },
  { title: 'Volume', isNumber: true, cell: ({ volume }) => roughDollars(volume) },
] as const satisfies Column<Candle>[];

/** The candle under the pointer, or the last one. */
const Readout = ({ candle }: { readonly candle: Candle }) => (
  <TermList
    class="row readout small tabular"
    of={[
      ['Time', `${utcMinute(candle.time)} UTC`],
      ...FIGURES.map(({ title, cell }) => [title, cell(candle)] as const),
    ]}
  />
);

/** The chart. Screen readers skip it and read the table below. */
function Canvas({ candles, style }: { readonly candles: readonly Candle[]; readonly style: ChartStyle }) {
  const figure = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState<Candle>();
  const { value: library, error } = useFresh(loadChart, []);
  const last = candles.at(-1);
  useEffect(() => {
    setShown(undefined);
    return figure.current ? library?.drawChart(figure.current, { candles, style, show: setShown }) : undefined;
  }, [library, candles, style]);
  return (
    <div class="chart" ref={figure} aria-hidden={error === undefined}>
      {error !== undefined && <Failure error={error} />}
      {last && <Readout candle={shown ?? last} />}
      <div class="plot" />
      <p class="row small under">
        <span class="legend">
          <Sign word="up" /> <span class="muted">rising</span> <Sign word="down" /> <span class="muted">falling</span>
        </span>
        <span class="muted">Bars below: volume. Times in UTC.</span>
        <span class="line-colour" />
        <span class="accent-colour" />
      </p>
    </div>
  );
}

/** Prices and volumes as a chart and as a table. */
export function Chart({ candles, view }: { readonly candles: Candles; readonly view: ChartView }) {
  const { rows, drawn, invalid } = candles;
  const undrawn = rows.length - drawn.length;
  return (
    <>
      {drawn.length > 0 ? (
        <Canvas candles={drawn} style={view.style} />
      ) : (
        <p>No candles in this range. Choose a longer one.</p>
      )}
      {undrawn > 0 && <p class="small muted">{undrawn} candles are off the scale and only in the table.</p>}
      {invalid > 0 && <p class="small muted">{invalid} rows of the answer are not candles and were skipped.</p>}
      {rows.length > 0 && (
        <details>
          <summary>Show as table</summary>
          <Table
            caption={`${rows.length} candles of ${view.interval}, latest first; times in UTC`}
            rows={rows.toReversed()}
            columns={[{ title: 'Time', cell: ({ time }) => utcMinute(time) }, ...FIGURES]}
          />
        </details>
      )}
    </>
  );
}
