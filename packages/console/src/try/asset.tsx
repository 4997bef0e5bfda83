import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { dollars, roughDollars } from '../parts/format.ts';
import { plain } from '../parts/text.ts';
import { useCall } from '../parts/use-call.ts';
import { BudgetLeft, Trouble } from '../parts/waiting.tsx';
import { hrefOf } from '../router.ts';
import type { Session } from '../session.ts';
import { asset, below, FIRST_INTERVAL, INTERVALS, type Interval } from './calls.ts';
import { Chart } from './chart.tsx';
import { Change } from './figures.tsx';
import { keyOf, type ReportCall, useReportedCall } from './last-call-panel.tsx';
import { More } from './on-demand.tsx';
import { blockOf, Markets, Risk, Variants } from './sections.tsx';

interface AssetProps {
  readonly session: Session;
  readonly assetId: string;
  /** The interval in the address bar. */
  readonly wanted: string | undefined;
  readonly report: ReportCall;
}

const intervalOf = (wanted: string | undefined): Interval =>
  INTERVALS.find((each) => each === wanted) ?? FIRST_INTERVAL;

function Intervals({ assetId, interval }: { readonly assetId: string; readonly interval: Interval }) {
  return (
    <nav class="intervals" aria-label="Length of a candle">
      {INTERVALS.map((each) => (
        <a key={each} href={hrefOf('try', assetId, each)} aria-current={each === interval ? 'true' : undefined}>
          {each}
        </a>
      ))}
    </nav>
  );
}

function Facts({ stats }: { readonly stats: unknown }) {
  const facts = [
    ['Market cap', 'marketCap'],
    ['Liquidity', 'liquidity'],
    ['Volume 24 h', 'volume24hUSD'],
  ] as const;
  return (
    <dl class="facts">
      {facts.map(([title, name]) => (
        <div key={name}>
          <dt>{title}</dt>
          <dd>{roughDollars(below(stats, name))}</dd>
        </div>
      ))}
    </dl>
  );
}

/** An answer and the asset that it is about. */
interface Shown {
  readonly assetId: string;
  readonly interval: Interval;
  readonly result: unknown;
}

interface CardProps {
  readonly shown: Shown;
  /** The selected interval, which may still be loading. */
  readonly wanted: Interval;
}

function Candles({ shown: { assetId, interval, result }, wanted }: CardProps) {
  const { data, missing } = blockOf(result, 'ohlcv');
  return (
    <section>
      <h2>Candles</h2>
      <Intervals assetId={assetId} interval={wanted} />
      {missing ? <p class="muted">{missing}</p> : <Chart data={data} interval={interval} />}
    </section>
  );
}

function Card({ shown, wanted, ...rest }: CardProps & Pick<AssetProps, 'session' | 'report'>) {
  const { assetId, result } = shown;
  const found = below(result, 'asset');
  const stats = below(found, 'stats');
  return (
    <>
      <p class="price">
        <strong>{dollars(below(stats, 'price'))}</strong>{' '}
        <Change value={below(stats, 'priceChange24hPercent')} since="in 24 hours" />
      </p>
      <p class="about">{plain(below(found, 'description'), 400)}</p>
      <Facts stats={stats} />
      <Candles shown={shown} wanted={wanted} />
      <Risk result={result} />
      <Variants groups={below(found, 'variantGroups')} />
      <Markets result={result} />
      <More key={assetId} assetId={assetId} {...rest} />
    </>
  );
}

/** The card of an asset, from one call, with sections that load when they are opened. */
export function Asset({ session, assetId, wanted, report }: AssetProps) {
  const interval = intervalOf(wanted);
  const call = useMemo(() => asset(assetId, interval, Math.floor(Date.now() / 1000)), [assetId, interval]);
  const [state, retry] = useCall(session, { key: keyOf(call), ask: call.ask });
  useReportedCall(report, call, state);
  const [last, setLast] = useState<Shown>();
  useEffect(() => {
    if (state.is === 'done') setLast({ assetId, interval, result: state.full.result });
  }, [state]);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), [assetId]);
  // The card stays while another interval loads.
  const shown = last?.assetId === assetId ? last : undefined;
  const found = below(shown?.result, 'asset');
  return (
    <article class="card" aria-busy={state.is === 'waiting'}>
      <a href={hrefOf('try')} class="small">
        Back to search
      </a>
      <h1 tabIndex={-1} ref={heading}>
        <bdi>{plain(below(found, 'name')) || plain(assetId)}</bdi>{' '}
        <bdi class="muted">{plain(below(found, 'symbol'), 16)}</bdi>
      </h1>
      <Trouble state={state} retry={retry} />
      {!shown && state.is === 'waiting' && <p class="muted">Loading …</p>}
      {shown && <Card shown={shown} wanted={interval} session={session} report={report} />}
      <BudgetLeft recorder={session.recorder} />
    </article>
  );
}
