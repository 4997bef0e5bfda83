import { below, textAt } from '@asset-gateway/protocol';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useGateway } from '../gateway.ts';
import { Button } from '../parts/button.tsx';
import { plural } from '../parts/format.ts';
import { once, useEvent } from '../parts/hooks.ts';
import { rows } from '../parts/text.ts';
import { session } from '../session.ts';
import { curated, type List } from './calls.ts';
import { candlesIn, dayBefore } from './candles.ts';
import { Featured } from './featured.tsx';
import { AssetRow } from './figures.tsx';
import { isBudgetLow, Loaded } from './loaded.tsx';
import { priceLineIn } from './price-line.ts';
import { remember } from './search-box.tsx';

type Sparklines = ReadonlyMap<string, readonly number[]>;

/** Prices of the last day by asset and hour. */
const loaded = new Map<string, () => Promise<readonly number[]>>();
const MOST_LOADED = 200;

function loadPrices(assetId: string, from: number): Promise<readonly number[]> {
  const key = `${from} ${assetId}`;
  const known = loaded.get(key);
  if (known) return known();
  const prices = once(async () => {
    const result = await session.client.with({ retries: 0 }).tokens.priceChart(assetId, { interval: '1H', from });
    return candlesIn(below(result, 'candles')).drawn.map(({ close }) => close);
  });
  loaded.set(key, prices);
  if (loaded.size > MOST_LOADED) loaded.delete(loaded.keys().next().value ?? '');
  return prices();
}

/** Loads sparklines one after the other. Stops at the first failure. Also stops if the budget is low, unless `isAsked`. */
function useSparklines(assetIds: readonly string[], isOn: boolean, isAsked: boolean): Sparklines {
  const [lines, setLines] = useState<Sparklines>(new Map());
  useEffect(() => {
    if (!isOn) return undefined;
    let isOver = false;
    const from = dayBefore(Date.now() / 1000);
    const loadAll = async () => {
      for (const assetId of assetIds) {
        if (isOver || (!isAsked && isBudgetLow())) return;
        const prices = await loadPrices(assetId, from);
        setLines((before) => new Map(before).set(assetId, prices));
      }
    };
    // Rows without a line still show the price and its change.
    loadAll().catch(() => undefined);
    return () => {
      isOver = true;
    };
  }, [isOn, assetIds.join(' ')]);
  return lines;
}

const [WIDTH, HEIGHT, MARGIN] = [96, 28, 2];

/** A price's course as a small line. Screen readers skip it, because the change beside it says the same. */
function Sparkline({ prices }: { readonly prices: readonly number[] }) {
  const { points, look } = priceLineIn(prices, [WIDTH, HEIGHT, MARGIN]);
  return (
    <svg class={`sparkline ${look}`} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      {prices.length > 1 && <polyline points={points} />}
    </svg>
  );
}

/** Each list with its title and its number of rows. A row's sparkline is a call. */
const LISTS: readonly (readonly [list: List, title: string, size: number])[] = [
  ['majors', 'Majors', 6],
  ['stocks', 'Stocks', 6],
  ['metals', 'Metals', 2],
  ['etfs', 'Index funds', 2],
];
const MOST_REMEMBERED = 100;

interface AssetsProps {
  readonly result: unknown;
  readonly size: number;
  /** Whether sparklines may start by themselves. */
  readonly isWatched: boolean;
}

function Assets({ result, size, isWatched }: AssetsProps) {
  const assets = rows(below(result, 'assets'), size);
  useEffect(() => remember(rows(below(result, 'assets'), MOST_REMEMBERED)), [result]);
  const isCached = useGateway()?.isCached === true;
  const [isAsked, setIsAsked] = useState(false);
  const ids = assets.map((row) => textAt(row, 'assetId')).filter(Boolean);
  const lines = useSparklines(ids, (isCached && isWatched) || isAsked, isAsked);
  if (assets.length === 0) return <p class="muted">This list is empty at the moment.</p>;
  return (
    <>
      <ul class="assets tabular">
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
          <Button class="quiet" label="Show charts" onClick={() => setIsAsked(true)} />{' '}
          <span class="muted small">{plural(ids.length, 'call')}</span>
        </p>
      )}
    </>
  );
}

/** Rows without content, as high as those of an answer. */
const Placeholder = ({ size }: { readonly size: number }) => (
  <ul class="assets" aria-hidden="true">
    {Array.from({ length: size }, (_, at) => (
      <li key={at} class="placeholder">
        <span class="who" />
        <span class="number" />
      </li>
    ))}
  </ul>
);

/**
 * Whether the user has scrolled, moved the pointer or pressed a key. Before, the page makes two calls, for the first list and the chart
 * beside it.
 */
function useIsUsed(): boolean {
  const [isUsed, setUsed] = useState(false);
  const use = (): void => setUsed(true);
  useEvent(window, 'scroll', use);
  useEvent(window, 'pointermove', use);
  useEvent(window, 'keydown', use);
  return isUsed;
}

/** An element, and whether it is in view. */
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

interface ListCardProps {
  readonly list: List;
  readonly title: string;
  readonly size: number;
  /** Whether it loads before the page is used. */
  readonly isFirst: boolean;
}

function ListCard({ list, title, size, isFirst }: ListCardProps) {
  const { element, isInView } = useInView();
  const isUsed = useIsUsed();
  return (
    <section ref={element} class="panel curated" aria-label={title}>
      <h2>{title}</h2>
      <Loaded
        call={curated(list)}
        what={title.toLowerCase()}
        isInView={isFirst || (isInView && isUsed)}
        placeholder={<Placeholder size={size} />}
        show={(result) => <Assets result={result} size={size} isWatched={isInView && isUsed} />}
      />
    </section>
  );
}

/** The view before a search: one chart, and curated lists. */
export const Landing = () => (
  <div class="front">
    <Featured />
    {LISTS.map(([list, title, size], at) => (
      <ListCard key={list} list={list} title={title} size={size} isFirst={at === 0} />
    ))}
  </div>
);
