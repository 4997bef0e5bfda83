import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { dollars, roughDollars } from '../parts/format.ts';
import { LinkChoice } from '../parts/tabs.tsx';
import { plain } from '../parts/text.ts';
import { useCall } from '../parts/use-call.ts';
import { BudgetLeft, Trouble } from '../parts/waiting.tsx';
import { hrefOf, type Place } from '../router.ts';
import type { Session } from '../session.ts';
import { asset, below } from './calls.ts';
import { type Candle, candlesIn } from './candles.ts';
import { Chart, loadChart } from './chart.tsx';
import { Details } from './details.tsx';
import { Change } from './figures.tsx';
import { keyOf, type ReportCall, useReportedCall } from './last-call-panel.tsx';
import { type ChartStyle, type ChartView, DAY, hrefOfChart, RANGE_NAMES, RANGES, SECONDS, viewOf } from './ranges.ts';
import { blockOf } from './sections.tsx';

interface Span {
  readonly title: string;
  readonly low: number;
  readonly high: number;
}

/** The lowest and highest price of the last day, or of the whole chart if a candle is as long as a day. */
function spanOf(candles: readonly Candle[], { range, interval }: ChartView): Span | undefined {
  const last = candles.at(-1);
  if (!last) return undefined;
  const isShort = SECONDS[interval] < DAY;
  const counted = isShort ? candles.filter(({ time }) => time > last.time - DAY) : candles;
  return {
    title: `Range, ${isShort ? '24 hours' : RANGES[range].words}`,
    low: Math.min(...counted.map(({ low }) => low)),
    high: Math.max(...counted.map(({ high }) => high)),
  };
}

const WIDTH = 200;

/** The place of the price between low and high. */
function SpanBar({ span: { low, high }, price }: { readonly span: Span; readonly price: unknown }) {
  const part = typeof price === 'number' && high > low ? (price - low) / (high - low) : 0.5;
  const at = Math.min(1, Math.max(0, part)) * WIDTH;
  return (
    <svg class="span" viewBox={`0 0 ${WIDTH} 10`} preserveAspectRatio="none" aria-hidden="true">
      <rect class="track" y="3" width={WIDTH} height="4" rx="2" />
      <rect class="part" y="3" width={at} height="4" rx="2" />
      <rect class="mark" x={Math.min(at, WIDTH - 3)} width="3" height="10" rx="1" />
    </svg>
  );
}

interface PriceProps {
  readonly stats: unknown;
  readonly candles: readonly Candle[];
  readonly view: ChartView;
}

const FACTS = [
  ['Market cap', 'marketCap'],
  ['Liquidity', 'liquidity'],
  ['Volume, 24 hours', 'volume24hUSD'],
] as const;

/** The head of an asset's page: price, change, range and size. */
function Price({ stats, candles, view }: PriceProps) {
  const price = below(stats, 'price');
  const span = spanOf(candles, view);
  return (
    <>
      <p class="price">
        <strong>{dollars(price)}</strong> <Change value={below(stats, 'priceChange24hPercent')} since="in 24 hours" />
      </p>
      <dl class="facts">
        {span && (
          <div class="range">
            <dt>{span.title}</dt>
            <dd>
              <span>{dollars(span.low)}</span> <SpanBar span={span} price={price} />{' '}
              <span>
                <span class="unseen">to </span>
                {dollars(span.high)}
              </span>
            </dd>
          </div>
        )}
        {FACTS.map(([title, name]) => (
          <div key={name}>
            <dt>{title}</dt>
            <dd>{roughDollars(below(stats, name))}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

interface AssetProps {
  readonly session: Session;
  readonly assetId: string;
  /** Its address, with the range, the interval and the style of the chart. */
  readonly place: Place;
  readonly report: ReportCall;
}

/** Intervals in words, since `1D` and `1M` are ranges here. */
const INTERVAL_WORDS: Readonly<Record<string, string>> = {
  '5m': '5 min',
  '15m': '15 min',
  '1H': '1 hour',
  '4H': '4 hours',
  '1D': '1 day',
  '1W': '1 week',
};

const STYLES: Readonly<Record<ChartStyle, string>> = { candles: 'Candles', line: 'Line' };

function Choices({ assetId, view }: { readonly assetId: string; readonly view: ChartView }) {
  const linkTo = (title: string, changed: Partial<ChartView>, isCurrent: boolean) => {
    return { title, href: hrefOfChart(assetId, { ...view, ...changed }), isCurrent };
  };
  const ranges = RANGE_NAMES.map((range) =>
    linkTo(range, { range, interval: RANGES[range].first }, range === view.range),
  );
  const intervals = RANGES[view.range].intervals.map((interval) =>
    linkTo(INTERVAL_WORDS[interval] ?? interval, { interval }, interval === view.interval),
  );
  const styles = (['candles', 'line'] as const).map((style) => linkTo(STYLES[style], { style }, style === view.style));
  return (
    <div class="choices">
      <LinkChoice label="Range" links={ranges} />
      <LinkChoice label="Length of a candle" links={intervals} />
      <LinkChoice label="Chart style" links={styles} />
    </div>
  );
}

/** An answer, and the asset and chart that it is about. */
interface Shown {
  readonly assetId: string;
  readonly view: ChartView;
  readonly result: unknown;
}

interface PageProps extends Pick<AssetProps, 'session' | 'report'> {
  readonly shown: Shown;
  /** The selected chart, which may still be loading. */
  readonly wanted: ChartView;
}

function Page({ shown: { assetId, view, result }, wanted, ...rest }: PageProps) {
  const { data, missing } = blockOf(result, 'ohlcv');
  const candles = useMemo(() => candlesIn(data), [data]);
  return (
    <>
      <Price stats={below(result, 'asset', 'stats')} candles={candles.drawn} view={view} />
      <section aria-label="Price chart">
        <Choices assetId={assetId} view={wanted} />
        {missing ? <p class="muted">{missing}</p> : <Chart candles={candles} view={{ ...view, style: wanted.style }} />}
      </section>
      <Details key={assetId} assetId={assetId} result={result} {...rest} />
    </>
  );
}

/** The space of a page that is loading. */
const Placeholder = () => (
  <div class="asset-placeholder" role="status">
    <span class="muted">Loading the price and the chart …</span>
  </div>
);

/** The page of an asset, from one call, with tabs that take calls of their own. */
export function Asset({ session, assetId, place, report }: AssetProps) {
  const view = viewOf(place.rest, place.query);
  const { range, interval } = view;
  const call = useMemo(() => asset(assetId, view, Math.floor(Date.now() / 1000)), [assetId, range, interval]);
  const [state, retry] = useCall(session, { key: keyOf(call), ask: call.ask });
  useReportedCall(report, call, state);
  const [last, setLast] = useState<Shown>();
  useEffect(() => {
    if (state.is === 'done') setLast({ assetId, view, result: state.full.result });
  }, [state]);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), [assetId]);
  // While the call is under way.
  useEffect(() => void loadChart().catch(() => undefined), []);
  // The page stays while another chart loads.
  const shown = last?.assetId === assetId ? last : undefined;
  const found = below(shown?.result, 'asset');
  return (
    <article class="card" aria-busy={state.is === 'waiting'}>
      <a href={hrefOf('try')} class="small">
        All assets
      </a>
      <h1 tabIndex={-1} ref={heading}>
        <bdi>{plain(below(found, 'name')) || plain(assetId)}</bdi>{' '}
        <bdi class="muted">{plain(below(found, 'symbol'), 16)}</bdi>
      </h1>
      <Trouble state={state} retry={retry} />
      {!shown && state.is === 'waiting' && <Placeholder />}
      {shown && <Page shown={shown} wanted={view} session={session} report={report} />}
      <BudgetLeft recorder={session.recorder} />
    </article>
  );
}
