import 'uplot/dist/uPlot.min.css';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Failure } from '../parts/failure.tsx';
import { dollars, roughDollars, utcMinute } from '../parts/format.ts';
import { Table } from '../parts/table.tsx';
import type { ChartColours } from './candle-chart.ts';
import type { Candle, Candles } from './candles.ts';
import type { ChartStyle, ChartView } from './ranges.ts';

const dark = matchMedia('(prefers-color-scheme: dark)');

/** Loads the chart library. */
export const loadChart = () => import('./candle-chart.ts');

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

const COLOURS = { up: '.up', down: '.down', text: '.muted', line: '.line-colour', accent: '.accent-colour' } as const;

/** The page's colours, as the elements of a figure have them. */
const coloursIn = (figure: Element): ChartColours =>
  Object.fromEntries(
    Object.entries(COLOURS).map(([name, selector]) => {
      const element = figure.querySelector(selector);
      return [name, element ? getComputedStyle(element).color : ''];
    }),
  ) as unknown as ChartColours;

/** A candle as the chart draws it: hollow if it rises. */
const Sign = ({ word }: { readonly word: 'up' | 'down' }) => (
  <svg class={`candle ${word}`} viewBox="0 0 10 16" aria-hidden="true">
    <path d="M5 0v4M5 12v4" />
    <rect x="1.5" y="4" width="7" height="8" />
  </svg>
);

const Legend = () => (
  <span class="legend">
    <Sign word="up" /> <span class="muted">rising</span> <Sign word="down" /> <span class="muted">falling</span>
  </span>
);

const FIGURES = [
  ['Open', 'open'],
  ['High', 'high'],
  ['Low', 'low'],
  ['Close', 'close'],
] as const;

/** The candle under the pointer, or the last one. */
function Readout({ candle }: { readonly candle: Candle | undefined }) {
  if (!candle) return null;
  return (
    <dl class="readout">
      <div>
        <dt class="unseen">Time</dt>
        <dd>{utcMinute(candle.time)} UTC</dd>
      </div>
      {FIGURES.map(([title, name]) => (
        <div key={name}>
          <dt>{title}</dt>
          <dd>{dollars(candle[name])}</dd>
        </div>
      ))}
      <div>
        <dt>Volume</dt>
        <dd>{roughDollars(candle.volume)}</dd>
      </div>
    </dl>
  );
}

interface CanvasProps {
  readonly candles: readonly Candle[];
  readonly style: ChartStyle;
}

/** The chart. Screen readers skip it and read the table below. */
function Canvas({ candles, style }: CanvasProps) {
  const figure = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState<Candle>();
  const [error, setError] = useState<unknown>();
  const isDark = useIsDark();
  useEffect(() => {
    let remove: (() => void) | undefined;
    let isOver = false;
    setShown(undefined);
    loadChart()
      .then(({ drawChart }) => {
        const place = figure.current?.querySelector<HTMLElement>('.plot');
        if (isOver || !figure.current || !place) return;
        remove = drawChart(place, { candles, colours: coloursIn(figure.current), style, show: setShown });
      })
      .catch(setError);
    return () => {
      isOver = true;
      remove?.();
    };
  }, [candles, style, isDark]);
  return (
    <div class="chart" ref={figure} aria-hidden={error === undefined}>
      {error !== undefined && <Failure error={error} />}
      <Readout candle={shown ?? candles.at(-1)} />
      <div class="plot" />
      <p class="small under">
        <Legend />
        <span class="muted">Bars below: volume. Times in UTC.</span>
        <span class="line-colour" />
        <span class="accent-colour" />
      </p>
    </div>
  );
}

interface ChartProps {
  readonly candles: Candles;
  readonly view: ChartView;
}

/** Prices and volumes as a chart and as a table. */
export function Chart({ candles: { rows, drawn, invalid }, view: { interval, style } }: ChartProps) {
  const undrawn = rows.length - drawn.length;
  return (
    <>
      {drawn.length > 0 ? (
        <Canvas candles={drawn} style={style} />
      ) : (
        <p>No candles in this range. Choose a longer one.</p>
      )}
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
