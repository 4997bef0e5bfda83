import { amountFigure, below, priceFigure } from '@asset-gateway/protocol';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { TermList } from '../parts/table.tsx';
import { LinkChoice } from '../parts/tabs.tsx';
import { plain } from '../parts/text.ts';
import { useCall } from '../parts/use-call.ts';
import { Trouble } from '../parts/waiting.tsx';
import { hrefOf, type ViewPath } from '../router.ts';
import { asset } from './calls.ts';
import {
  type Candles,
  type ChartSettings,
  candlesIn,
  chartSettingsIn,
  hrefOfChart,
  periodOf,
  RANGE_NAMES,
  RANGES,
} from './candles.ts';
import { Chart, loadChart } from './chart.tsx';
import { blockOf, Details } from './details.tsx';
import { Change } from './figures.tsx';

const WIDTH = 200;

/** Where the price is between low and high. */
function Span({ low, high, price }: { readonly low: number; readonly high: number; readonly price: unknown }) {
  const part = typeof price === 'number' && high > low ? (price - low) / (high - low) : 0.5;
  const at = Math.min(1, Math.max(0, part)) * WIDTH;
  return (
    <>
      <span>{priceFigure(low)}</span>{' '}
      <svg class="span" viewBox={`0 0 ${WIDTH} 10`} preserveAspectRatio="none" aria-hidden="true">
        <rect class="track" y="3" width={WIDTH} height="4" rx="2" />
        <rect class="part" y="3" width={at} height="4" rx="2" />
        <rect class="mark" x={Math.min(at, WIDTH - 3)} width="3" height="10" rx="1" />
      </svg>{' '}
      <span>
        <span class="unseen">to </span>
        {priceFigure(high)}
      </span>
    </>
  );
}

/** An answer, with its asset and chart. */
interface Shown {
  readonly assetId: string;
  readonly settings: ChartSettings;
  readonly result: unknown;
}

const FACTS = [
  ['Market cap', 'marketCap'],
  ['Liquidity', 'liquidity'],
  ['Volume, 24 hours', 'volume24hUSD'],
] as const;

/** The head of an asset's page: price and size, and the change and range in the chosen period. */
function Price({ shown: { result, settings }, candles }: { readonly shown: Shown; readonly candles: Candles }) {
  const stats = below(result, 'asset', 'stats');
  const period = periodOf(candles);
  const price = below(stats, 'price') ?? period?.last;
  const { words } = RANGES[settings.range];
  return (
    <>
      <p class="price tabular">
        <strong>{priceFigure(price)}</strong> <Change value={period?.changePercent} since={`in ${words}`} />
      </p>
      <TermList
        class="facts tabular"
        of={[
          period !== undefined && [`Range, ${words}`, <Span key="span" {...period} price={price} />],
          ...FACTS.map(([title, name]) => [title, amountFigure(below(stats, name))] as const),
        ]}
      />
    </>
  );
}

/** Intervals in words, because `1D` and `1M` are ranges here. */
const INTERVAL_WORDS: Readonly<Record<string, string>> = {
  '5m': '5 min',
  '15m': '15 min',
  '1H': '1 hour',
  '4H': '4 hours',
  '1D': '1 day',
  '1W': '1 week',
};

function Choices({ assetId, settings }: { readonly assetId: string; readonly settings: ChartSettings }) {
  const linkTo = (title: string, changed: Partial<ChartSettings>, isCurrent: boolean) =>
    [title, hrefOfChart(assetId, { ...settings, ...changed }), isCurrent] as const;
  const ranges = RANGE_NAMES.map((range) =>
    linkTo(range, { range, interval: RANGES[range].first }, range === settings.range),
  );
  const intervals = RANGES[settings.range].intervals.map((interval) =>
    linkTo(INTERVAL_WORDS[interval] ?? interval, { interval }, interval === settings.interval),
  );
  const styles = [
    linkTo('Candles', { style: 'candles' }, settings.style === 'candles'),
    linkTo('Line', { style: 'line' }, settings.style === 'line'),
  ];
  return (
    <div class="row choices">
      <LinkChoice label="Range" links={ranges} />
      <LinkChoice label="Length of a candle" links={intervals} />
      <LinkChoice label="Chart style" links={styles} />
    </div>
  );
}

/** The shown answer, below the choice of charts. The wanted chart may still be loading. */
function Page({ shown, wanted }: { readonly shown: Shown; readonly wanted: ChartSettings }) {
  const { assetId, settings, result } = shown;
  const { data, missing } = blockOf(result, 'ohlcv');
  const candles = useMemo(() => candlesIn(data), [data]);
  return (
    <>
      <Price shown={shown} candles={candles} />
      <section aria-label="Price chart">
        <Choices assetId={assetId} settings={wanted} />
        {missing ? (
          <p class="muted">{missing}</p>
        ) : (
          <Chart candles={candles} settings={{ ...settings, style: wanted.style }} />
        )}
      </section>
      <Details key={assetId} assetId={assetId} result={result} />
    </>
  );
}

interface AssetProps {
  readonly assetId: string;
  readonly viewPath: ViewPath;
  /** The budget and the last exchange, at the top. */
  readonly status: ComponentChildren;
}

/** An asset's page, from one call. Some tabs take calls of their own. The address names the chart's settings. */
export function Asset({ assetId, viewPath, status }: AssetProps) {
  const settings = chartSettingsIn(viewPath.rest, viewPath.query);
  const nowSeconds = Math.floor(Date.now() / 1000);
  const call = useMemo(() => asset(assetId, settings, nowSeconds), [assetId, settings.range, settings.interval]);
  const [state, retry] = useCall(call);
  const [last, setLast] = useState<Shown>();
  useEffect(() => {
    if (state.is === 'done') setLast({ assetId, settings, result: state.full.result });
  }, [state]);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), [assetId]);
  // Loads while the call is in flight.
  useEffect(() => void loadChart().catch(() => undefined), []);
  // The page stays while another chart loads.
  const shown = last?.assetId === assetId ? last : undefined;
  const found = below(shown?.result, 'asset');
  return (
    <article class="card" aria-busy={state.is === 'waiting'}>
      <div class="row head">
        <a href={hrefOf('try')} class="small">
          All assets
        </a>
        {status}
      </div>
      <h1 tabIndex={-1} ref={heading}>
        <bdi>{plain(below(found, 'name')) || plain(assetId)}</bdi>{' '}
        <bdi class="muted">{plain(below(found, 'symbol'), 16)}</bdi>
      </h1>
      <Trouble state={state} retry={retry} />
      {!shown && state.is === 'waiting' && (
        <div class="asset-placeholder" role="status">
          <span class="muted">Loading the price and the chart …</span>
        </div>
      )}
      {shown && <Page shown={shown} wanted={settings} />}
    </article>
  );
}
