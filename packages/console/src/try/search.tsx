import { below, listAt } from '@asset-gateway/protocol';
import './try.css';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { plural } from '../parts/format.ts';
import { plain, rows } from '../parts/text.ts';
import { CallReport, type CallState, type LastCall, useCall } from '../parts/use-call.ts';
import { BudgetLeft, Trouble } from '../parts/waiting.tsx';
import { hrefOf, type ViewPath, viewPathOf } from '../router.ts';
import { session } from '../session.ts';
import { Asset } from './asset.tsx';
import { search } from './calls.ts';
import { AssetRow } from './figures.tsx';
import { FirstRun } from './first-run.tsx';
import { LastCallPanel } from './last-call-panel.tsx';
import { Landing } from './lists.tsx';
import { remember, SearchBox, suggestionsFor } from './search-box.tsx';

/**
 * The search or an asset, and how the last call was signed. Its places are `#/try`, `#/try//<search>`, `#/try/<assetId>`,
 * `#/try/<assetId>/<range>` and `#/try/<assetId>/<range>/<interval>`, each with `?chart=line` for a line.
 */
export function Try({ viewPath }: { readonly viewPath: ViewPath }) {
  const [lastCall, setLastCall] = useState<LastCall>();
  const [assetId = '', second = ''] = viewPath.rest;
  // A page's exchange says nothing about the next page.
  useLayoutEffect(() => setLastCall(undefined), [assetId]);
  const status = (
    <div class="status row">
      <BudgetLeft />
      {lastCall && <LastCallPanel key={assetId} lastCall={lastCall} />}
    </div>
  );
  return (
    <div class="try">
      <CallReport.Provider value={setLastCall}>
        {assetId === '' ? (
          <>
            <h1>Market data for a signature</h1>
            <p class="lead muted">
              No account, no API key: a key in this browser signs each call, and asset data is free.
            </p>
            <Search query={second} status={status} />
          </>
        ) : (
          <Asset assetId={assetId} viewPath={viewPath} status={status} />
        )}
      </CallReport.Provider>
    </div>
  );
}

const PAUSE_MS = 250;
/** With this many calls left or fewer, a search waits for Enter. */
const FEW = 3;
const MAX_ROWS = 50;

const hrefOfSearch = (query: string): string => hrefOf('try', ...(query ? ['', query] : []));

type Found = ReturnType<typeof foundIn>;

const foundIn = (query: string, result: unknown) => ({
  query,
  shown: rows(below(result, 'results'), MAX_ROWS),
  total: listAt(result, 'results').length,
});

/** The last results. They stay until the next ones arrive. */
function useFound(query: string, state: CallState): Found | undefined {
  const [found, setFound] = useState<Found>();
  useEffect(() => {
    if (state.is !== 'done') return;
    const next = foundIn(query, state.full.result);
    remember(next.shown);
    setFound(next);
  }, [state]);
  return state.is === 'done' || state.is === 'waiting' ? found : undefined;
}

const Results = ({ shown }: Found) => (
  <ul class="results tabular">
    {shown.map((row, at) => (
      <li key={at}>
        <AssetRow row={row} />
      </li>
    ))}
  </ul>
);

/** The result of a search in one sentence. */
function summaryOf({ query, shown: { length }, total }: Found): string {
  if (length === 0) return `No results for “${plain(query)}”. Try a symbol such as SOL, a name or a mint address.`;
  const more = total > length ? `; ${total - length} more in the JSON answer` : '';
  return `${plural(length, 'asset')}, best match first, with changes in 24 hours${more}`;
}

const hasFew = (): boolean => (session.recorder.budget?.left ?? FEW + 1) <= FEW;

/** The typed text, and the query to send. The address keeps the query over a reload and the back button. */
function useQuery(query: string) {
  const [text, setText] = useState(query);
  const [sent, send] = useState(query);
  const typed = text.trim();
  // Sends after a pause, or after Enter if few calls are left.
  useEffect(() => {
    if (hasFew()) return undefined;
    const timer = setTimeout(() => send(typed), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  useEffect(() => {
    if (query === sent) return;
    setText(query);
    send(query);
  }, [query]);
  useEffect(() => {
    const { view, rest } = viewPathOf(location.hash);
    const [assetId = '', written = ''] = rest;
    // The user may have opened an asset or another view during the pause. An address that fits stays as it is, because replacing it would
    // end a navigation that has just begun.
    if (['', 'try'].includes(view) && assetId === '' && written !== sent) location.replace(hrefOfSearch(sent));
  }, [sent]);
  return { text, setText, typed, sent, send };
}

interface SearchProps {
  readonly query: string;
  /** The budget and the last exchange, below the field. */
  readonly status: ComponentChildren;
}

/**
 * Searches while the user types, after suggestions from earlier answers. Without a query, shows the curated lists. The query is the
 * address bar's.
 */
function Search({ query, status }: SearchProps) {
  const { text, setText, typed, sent, send } = useQuery(query);
  const [isChoosing, setIsChoosing] = useState(false);
  const [state, retry] = useCall(sent === '' ? undefined : search(sent));
  const found = useFound(sent, state);
  const isScarce = typed !== sent && hasFew();
  const suggestions = suggestionsFor(typed);
  const isAnswered = found?.query === typed;
  const isSuggesting = suggestions.length > 0 && (isChoosing || !isAnswered);
  return (
    <>
      <SearchBox
        text={text}
        hint={isScarce ? 'Few calls are left in this minute: press Enter to search.' : found ? summaryOf(found) : ''}
        suggestions={suggestions}
        isAnswered={isAnswered}
        onText={setText}
        onEnter={() => send(typed)}
        onChoosing={setIsChoosing}
      />
      <div class="row below-field">
        {typed === '' && (
          <p class="row suggestions">
            <span class="muted">For example</span> <a href={hrefOfSearch('sol')}>sol</a>{' '}
            <a href={hrefOfSearch('gold')}>gold</a> <a href={hrefOfSearch('tesla')}>tesla</a>
          </p>
        )}
        {status}
      </div>
      <Trouble state={state} retry={retry} />
      {found && !isSuggesting && typed !== '' && <Results {...found} />}
      {typed === '' && (
        <>
          <FirstRun />
          <Landing />
        </>
      )}
    </>
  );
}
