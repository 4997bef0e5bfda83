import 'uplot/dist/uPlot.min.css';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Failure } from '../parts/failure.tsx';
import { dollars, roughDollars, utcMinute } from '../parts/format.ts';
import { Table } from '../parts/table.tsx';
import type { Candle } from './candles.ts';
import { candlesIn } from './candles.ts';

const dark = matchMedia('(prefers-color-scheme: dark)');

/** Whether the page is dark, as that changes. */
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

/** What the colours mean, and the candle under the pointer, or else the last one. */
function Readout({ candle }: { readonly candle: Candle | undefined }) {
  return (
    <p class="small readout">
      <span class="up">▯ rises</span> <span class="down">▮ falls</span> <span class="line-colour" />
      {candle && (
        <span class="muted">
          {utcMinute(candle.time)} UTC: {dollars(candle.open)} to {dollars(candle.close)}, low {dollars(candle.low)},
          high {dollars(candle.high)}
        </span>
      )}
    </p>
  );
}

/** The drawing. A canvas says nothing to whoever hears the page: the table below has the same. */
function Drawing({ candles }: { readonly candles: readonly Candle[] }) {
  const figure = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState<Candle>();
  const [error, setError] = useState<unknown>();
  const isDark = useIsDark();
  useEffect(() => {
    let remove: (() => void) | undefined;
    let isOver = false;
    // The library is loaded with the first chart.
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

/** Candles as a chart, and the same as a table. */
export function Chart({ data, interval }: { readonly data: unknown; readonly interval: string }) {
  const { rows, drawn, wrong } = useMemo(() => candlesIn(data), [data]);
  const left = rows.length - drawn.length;
  return (
    <>
      {drawn.length > 0 ? <Drawing candles={drawn} /> : <p>There are no candles to draw in this range.</p>}
      {left > 0 && <p class="small muted">{left} of them have prices that no scale can show; they are in the table.</p>}
      {wrong > 0 && <p class="small muted">{wrong} rows of the answer are no candles and are left out.</p>}
      {rows.length > 0 && (
        <details>
          <summary>The same as a table</summary>
          <Table
            caption={`${rows.length} candles of ${interval}, the latest first; times in UTC`}
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
