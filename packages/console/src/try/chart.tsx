import { amountFigure, momentText, priceFigure } from '@asset-gateway/protocol';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Failure } from '../parts/failure.tsx';
import { useReloadable, useShown } from '../parts/hooks.ts';
import { type Column, Table, TermList } from '../parts/table.tsx';
import { type Candle, type Candles, type ChartSettings, lengthWords, merged } from './candles.ts';

/** Loads the chart library. */
export const loadChart = () => import('./candle-chart.ts');

/** A candle as in the chart: hollow if it rises. */
const Sign = ({ word }: { readonly word: 'up' | 'down' }) => (
  <svg class={`candle ${word}`} viewBox="0 0 10 16" aria-hidden="true">
    <path d="M5 0v4M5 12v4" />
    <rect x="1.5" y="4" width="7" height="8" />
  </svg>
);

const FIGURES = [
  { title: 'Open', isNumber: true, cell: ({ open }) => priceFigure(open) },
  { title: 'High', isNumber: true, cell: ({ high }) => priceFigure(high) },
  { title: 'Low', isNumber: true, cell: ({ low }) => priceFigure(low) },
  { title: 'Close', isNumber: true, cell: ({ close }) => priceFigure(close) },
  { title: 'Volume', isNumber: true, cell: ({ volume }) => amountFigure(volume) },
] as const satisfies Column<Candle>[];

/** The candle under the pointer, or the last one. */
const Readout = ({ candle }: { readonly candle: Candle }) => (
  <TermList
    class="row readout small tabular"
    of={[
      ['Time', `${momentText(candle.time)} UTC`],
      ...FIGURES.map(({ title, cell }) => [title, cell(candle)] as const),
    ]}
  />
);

const phone = matchMedia('(max-width: 600px)');
/** How many candles a phone can show readably. */
const MOST_ON_PHONE = 54;

/** What the marks of a chart mean. */
const Legend = ({ style, seconds }: { readonly style: ChartSettings['style']; readonly seconds: number }) => (
  <span class="legend row">
    {style === 'line' ? (
      <span>
        <svg class="stroke accent-colour" viewBox="0 0 20 8" aria-hidden="true">
          <path d="M0 4h20" />
        </svg>{' '}
        <span class="muted">closing prices, {lengthWords(seconds)} apart</span>
      </span>
    ) : (
      <>
        <span>
          <Sign word="up" /> <span class="muted">rising</span>
        </span>
        <span>
          <Sign word="down" /> <span class="muted">falling</span>
        </span>
        <span class="muted">{lengthWords(seconds)} each</span>
      </>
    )}
  </span>
);

interface CanvasProps {
  readonly drawn: readonly Candle[];
  readonly settings: ChartSettings;
}

/** The chart. Screen readers skip it and read the table below. */
function Canvas({ drawn, settings: { interval, style } }: CanvasProps) {
  const figure = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState<Candle>();
  const { value: library, error } = useReloadable(loadChart, []);
  const isNarrow = useShown(phone, 'change', () => phone.matches);
  const most = isNarrow && style === 'candles' ? MOST_ON_PHONE : drawn.length;
  const { candles, seconds } = useMemo(() => merged(drawn, interval, most), [drawn, interval, most]);
  const last = candles.at(-1);
  useEffect(() => {
    setShown(undefined);
    const content = { candles, style, isNarrow, show: setShown };
    return figure.current ? library?.drawChart(figure.current, content) : undefined;
  }, [library, candles, style, isNarrow]);
  return (
    <div class="chart" ref={figure} aria-hidden={error === undefined}>
      {error !== undefined && <Failure error={error} />}
      {last && <Readout candle={shown ?? last} />}
      <div class="plot" />
      <p class="row small under">
        <Legend style={style} seconds={seconds} />
        <span class="muted">Bars: volume. Times in UTC.</span>
      </p>
      <p hidden>
        <span class="up" />
        <span class="down" />
        <span class="line-colour" />
        <span class="accent-colour" />
      </p>
    </div>
  );
}

/** Prices and volumes as a chart and as a table. */
export function Chart({ candles, settings }: { readonly candles: Candles; readonly settings: ChartSettings }) {
  const { rows, drawn, invalid } = candles;
  const undrawn = rows.length - drawn.length;
  return (
    <>
      {drawn.length > 0 ? (
        <Canvas drawn={drawn} settings={settings} />
      ) : (
        <p>No candles in this range. Choose a longer one.</p>
      )}
      {undrawn > 0 && <p class="small muted">{undrawn} candles are off the scale and only in the table.</p>}
      {invalid > 0 && <p class="small muted">{invalid} rows of the answer are not candles and were skipped.</p>}
      {rows.length > 0 && (
        <details>
          <summary>Show as table</summary>
          <Table
            caption={`${rows.length} candles of ${settings.interval}, latest first; times in UTC`}
            rows={rows.toReversed()}
            columns={[{ title: 'Time', cell: ({ time }) => momentText(time) }, ...FIGURES]}
          />
        </details>
      )}
    </>
  );
}
