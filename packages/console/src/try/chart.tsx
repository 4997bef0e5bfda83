import 'uplot/dist/uPlot.min.css';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Failure } from '../parts/failure.tsx';
import { dollars, roughDollars, utcMinute } from '../parts/format.ts';
import { Table } from '../parts/table.tsx';
import { type Candle, candlesIn } from './candles.ts';

const dark = matchMedia('(prefers-color-scheme: dark)');

/** Whether the page is in dark mode. */
function useIsDark(): boolean {
  const [isDark, setIsDark] = useState(dark.matches);
  useEffect(() => {
    const follow = () => setIsDark(dark.matches);
    dark.addEventListener('change', follow);
    return () => dark.removeEventListener('change', follow);
  }, []);
  return isDark;
}

const colourOf = (element: Element | null): string => (element ? getComputedStyle(element).color : '');

/** The legend, and the candle under the pointer or the last one. */
function Readout({ candle }: { readonly candle: Candle | undefined }) {
  return (
    <p class="small readout">
      <span class="legend up">rising</span> <span class="legend down">falling</span> <span class="line-colour" />
      {candle && (
        <span class="muted">
          {utcMinute(candle.time)} UTC: {dollars(candle.open)} to {dollars(candle.close)}, low {dollars(candle.low)},
          high {dollars(candle.high)}
        </span>
      )}
    </p>
  );
}

/** The chart. Screen readers skip it and read the table below. */
function Canvas({ candles }: { readonly candles: readonly Candle[] }) {
  const figure = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState<Candle>();
  const [error, setError] = useState<unknown>();
  const isDark = useIsDark();
  useEffect(() => {
    let remove: (() => void) | undefined;
    let isOver = false;
    // Loads the chart library on first use.
    import('./candle-chart.ts')
      .then(({ drawCandles }) => {
        const element = figure.current;
        if (isOver || !element) return;
        const [up, down, text, line] = ['.up', '.down', '.muted', '.line-colour'].map((name) =>
          colourOf(element.querySelector(name)),
        ) as [string, string, string, string];
        const place = element.querySelector<HTMLElement>('.plot');
        if (place) remove = drawCandles(place, candles, { up, down, text, line }, setShown);
      })
      .catch(setError);
    return () => {
      isOver = true;
      remove?.();
    };
  }, [candles, isDark]);
  return (
    <div class="chart" ref={figure} aria-hidden={error === undefined}>
      {error !== undefined && <Failure error={error} />}
      <div class="plot" />
      <Readout candle={shown ?? candles.at(-1)} />
    </div>
  );
}

/** Candles as a chart and as a table. */
export function Chart({ data, interval }: { readonly data: unknown; readonly interval: string }) {
  const { rows, drawn, invalid } = useMemo(() => candlesIn(data), [data]);
  const undrawn = rows.length - drawn.length;
  return (
    <>
      {drawn.length > 0 ? <Canvas candles={drawn} /> : <p>No candles in this range.</p>}
      {undrawn > 0 && <p class="small muted">{undrawn} candles are off the scale and only in the table.</p>}
      {invalid > 0 && <p class="small muted">{invalid} rows of the answer are not candles and were skipped.</p>}
      {rows.length > 0 && (
        <details>
          <summary>Show as table</summary>
          <Table
            caption={`${rows.length} candles of ${interval}, latest first; times in UTC`}
            rows={rows.toReversed()}
            columns={[
              { title: 'Time', cell: ({ time }) => utcMinute(time) },
              { title: 'Open', isNumber: true, cell: ({ open }) => dollars(open) },
              { title: 'High', isNumber: true, cell: ({ high }) => dollars(high) },
              { title: 'Low', isNumber: true, cell: ({ low }) => dollars(low) },
              { title: 'Close', isNumber: true, cell: ({ close }) => dollars(close) },
              { title: 'Volume', isNumber: true, cell: ({ volume }) => roughDollars(volume) },
            ]}
          />
        </details>
      )}
    </>
  );
}
