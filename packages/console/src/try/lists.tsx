import { useEffect, useRef, useState } from 'preact/hooks';
import type { Session } from '../session.ts';
import { below, curated, type List, type Members, rows } from './calls.ts';
import { AssetRow } from './figures.tsx';
import { remember } from './known.ts';
import type { ReportCall } from './last-call-panel.tsx';
import { Loaded, useResponseCache } from './loaded.tsx';
import { useSparklines } from './use-sparklines.ts';

interface SparklineProps {
  readonly prices: readonly number[];
}

const [WIDTH, HEIGHT, MARGIN] = [96, 28, 2];

/** The course of a price as a small line. Screen readers skip it; the change beside it says the same. */
function Sparkline({ prices }: SparklineProps) {
  const [low, high] = [Math.min(...prices), Math.max(...prices)];
  const span = high - low || 1;
  const points = prices.map((price, at) => {
    const x = (at / Math.max(prices.length - 1, 1)) * WIDTH;
    const y = HEIGHT - MARGIN - ((price - low) / span) * (HEIGHT - 2 * MARGIN);
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  const look = (prices.at(-1) ?? 0) >= (prices[0] ?? 0) ? 'up' : 'down';
  return (
    <svg class={`sparkline ${look}`} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      {prices.length > 1 && <polyline points={points.join(' ')} />}
    </svg>
  );
}

const LISTS: readonly (readonly [List, string])[] = [
  ['majors', 'Majors'],
  ['stocks', 'Stocks'],
  ['metals', 'Metals'],
  ['etfs', 'Index funds'],
];
/** Each row's sparkline is a call. */
const ROWS = 5;
const MOST_REMEMBERED = 100;

/** Whether an element is in view. */
function useInView() {
  const element = useRef<HTMLElement>(null);
  const [isInView, setIsInView] = useState(false);
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => setIsInView(entries.at(-1)?.isIntersecting === true));
    if (element.current) observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return { element, isInView };
}

const idsOf = (assets: readonly Members[]): readonly string[] =>
  assets.flatMap(({ assetId }) => (typeof assetId === 'string' ? [assetId] : []));

interface AssetsProps {
  readonly session: Session;
  readonly result: unknown;
  readonly isInView: boolean;
}

function Assets({ session, result, isInView }: AssetsProps) {
  const assets = rows(below(result, 'assets'), ROWS);
  useEffect(() => remember(rows(below(result, 'assets'), MOST_REMEMBERED)), [result]);
  const isCached = useResponseCache() === true;
  const [isAsked, setIsAsked] = useState(false);
  const ids = idsOf(assets);
  const lines = useSparklines(session, ids, { isOn: (isCached && isInView) || isAsked, isAsked });
  if (assets.length === 0) return <p class="muted">This list is empty at the moment.</p>;
  return (
    <>
      <ul class="assets">
        {assets.map((row, at) => (
          <li key={at}>
            <AssetRow row={row}>
              <Sparkline prices={lines.get(String(row.assetId)) ?? []} />
            </AssetRow>
          </li>
        ))}
      </ul>
      {!isCached && !isAsked && (
        <p class="load">
          <button type="button" class="quiet" onClick={() => setIsAsked(true)}>
            Show charts
          </button>{' '}
          <span class="muted small">{ids.length === 1 ? '1 call' : `${ids.length} calls`}</span>
        </p>
      )}
    </>
  );
}

/** Rows without content, as high as those of an answer. */
const Placeholder = () => (
  <ul class="assets" aria-hidden="true">
    {Array.from({ length: ROWS }, (_, at) => (
      <li key={at} class="placeholder">
        <span class="who">&nbsp;</span>
      </li>
    ))}
  </ul>
);

interface ListCardProps {
  readonly session: Session;
  readonly list: List;
  readonly title: string;
  readonly report: ReportCall;
}

function ListCard({ session, list, title, report }: ListCardProps) {
  const { element, isInView } = useInView();
  return (
    <section ref={element} class="panel list" aria-label={title}>
      <h2>{title}</h2>
      <Loaded
        session={session}
        call={curated(list)}
        what={title.toLowerCase()}
        report={report}
        isInView={isInView}
        placeholder={<Placeholder />}
        show={(result) => <Assets session={session} result={result} isInView={isInView} />}
      />
    </section>
  );
}

/** Curated lists, shown while nothing is searched. */
export const Lists = (props: Pick<ListCardProps, 'session' | 'report'>) => (
  <div class="lists">
    {LISTS.map(([list, title]) => (
      <ListCard key={list} list={list} title={title} {...props} />
    ))}
  </div>
);
