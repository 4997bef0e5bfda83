import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { dollars, roughDollars } from '../parts/format.ts';
import { plain } from '../parts/text.ts';
import { useCall } from '../parts/use-call.ts';
import { BudgetLeft, Trouble } from '../parts/waiting.tsx';
import { hrefOf } from '../router.ts';
import type { Session } from '../session.ts';
import { asset, FIRST_INTERVAL, INTERVALS, type Interval } from './calls.ts';
import { Chart } from './chart.tsx';
import { Change } from './figures.tsx';
import { keyOf, type Tell, useTelling } from './last-call.ts';
import { More } from './on-demand.tsx';
import { below } from './reading.ts';
import { blockOf, Markets, Risk, Variants } from './sections.tsx';

interface AssetProps {
  readonly session: Session;
  readonly assetId: string;
  /** What the address line says of the interval. */
  readonly wanted: string | undefined;
  readonly tell: Tell;
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

/** An answer, and what was asked for. */
interface Shown {
  readonly of: string;
  readonly interval: Interval;
  readonly result: unknown;
}

interface CardProps {
  readonly shown: Shown;
  /** The interval that is on its way, or here. */
  readonly wanted: Interval;
}

function Candles({ shown: { of: assetId, interval, result }, wanted }: CardProps) {
  const { data, missing } = blockOf(result, 'ohlcv');
  return (
    <section>
      <h2>Candles</h2>
      <Intervals assetId={assetId} interval={wanted} />
      {missing ? <p class="muted">{missing}</p> : <Chart data={data} interval={interval} />}
    </section>
  );
}

function Card({ shown, wanted, ...given }: CardProps & Pick<AssetProps, 'session' | 'tell'>) {
  const { of: assetId, result } = shown;
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
      <More key={assetId} assetId={assetId} {...given} />
    </>
  );
}

/** An asset: all that one call gives, and what may be asked for beside it. */
export function Asset({ session, assetId, wanted, tell }: AssetProps) {
  const interval = intervalOf(wanted);
  const call = useMemo(() => asset(assetId, interval, Math.floor(Date.now() / 1000)), [assetId, interval]);
  const [called, again] = useCall(session, { key: keyOf(call), ask: call.ask });
  useTelling(tell, call, called);
  const [last, setLast] = useState<Shown>();
  useEffect(() => {
    if (called.is === 'here') setLast({ of: assetId, interval, result: called.full.result });
  }, [called]);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), [assetId]);
  // While another interval is on its way, the card stays.
  const shown = last?.of === assetId ? last : undefined;
  const found = below(shown?.result, 'asset');
  return (
    <article class="card" aria-busy={called.is === 'waiting'}>
      <a href={hrefOf('try')} class="small">
        Search again
      </a>
      <h1 tabIndex={-1} ref={heading}>
        <bdi>{plain(below(found, 'name')) || plain(assetId)}</bdi>{' '}
        <bdi class="muted">{plain(below(found, 'symbol'), 16)}</bdi>
      </h1>
      <Trouble called={called} again={again} />
      {!shown && called.is === 'waiting' && <p class="muted">Asking …</p>}
      {shown && <Card shown={shown} wanted={interval} session={session} tell={tell} />}
      <BudgetLeft recorder={session.recorder} />
    </article>
  );
}
