import './try.css';
import { useEffect, useState } from 'preact/hooks';
import { plain } from '../parts/text.ts';
import { type CallState, useCall } from '../parts/use-call.ts';
import { BudgetLeft, Trouble } from '../parts/waiting.tsx';
import { hrefOf, type Place, placeOf } from '../router.ts';
import type { Session } from '../session.ts';
import { Asset } from './asset.tsx';
import { below, countOf, rows, search, type TokensCall } from './calls.ts';
import { AssetRow } from './figures.tsx';
import { remember, suggestionsFor } from './known.ts';
import { keyOf, type LastCall, LastCallPanel, type ReportCall, useReportedCall } from './last-call-panel.tsx';
import { Lists } from './lists.tsx';
import { SearchBox } from './search-box.tsx';

interface TryProps {
  readonly session: Session;
  /**
   * `#/try`, `#/try//<search>`, `#/try/<assetId>`, `#/try/<assetId>/<range>` or
   * `#/try/<assetId>/<range>/<interval>`, each with `?chart=line` for a line.
   */
  readonly place: Place;
}

/** The search or an asset, with the exchange of the last call. */
export function Try({ session, place }: TryProps) {
  const [lastCall, setLastCall] = useState<LastCall>();
  const [assetId = '', second = ''] = place.rest;
  return (
    <div class="try">
      <div>
        {assetId === '' ? (
          <>
            <h1>Market data for a signature</h1>
            <p class="lead">
              No account, no API key: a key in this browser signs each call. Asset data is free; all users share the
              calls of a minute.
            </p>
            <Search session={session} query={second} report={setLastCall} />
          </>
        ) : (
          <Asset session={session} assetId={assetId} place={place} report={setLastCall} />
        )}
      </div>
      <LastCallPanel lastCall={lastCall} />
    </div>
  );
}

const PAUSE_MS = 250;
/** With this many calls left or fewer, a search waits for Enter. */
const FEW = 3;
const MAX_ROWS = 50;

interface SearchProps {
  readonly session: Session;
  /** The query in the address bar. */
  readonly query: string;
  readonly report: ReportCall;
}

const hrefOfSearch = (query: string): string => hrefOf('try', ...(query ? ['', query] : []));

interface Found {
  readonly query: string;
  readonly result: unknown;
}

/** The last results, which stay until the next ones arrive. */
function useFound(query: string, state: CallState<unknown>): Found | undefined {
  const [found, setFound] = useState<Found>();
  useEffect(() => {
    if (state.is !== 'done') return;
    const { result } = state.full;
    remember(rows(below(result, 'results'), MAX_ROWS));
    setFound({ query, result });
  }, [state]);
  return state.is === 'done' || state.is === 'waiting' ? found : undefined;
}

const Results = ({ result }: Found) => (
  <ul class="results">
    {rows(below(result, 'results'), MAX_ROWS).map((row, at) => (
      <li key={at}>
        <AssetRow row={row} />
      </li>
    ))}
  </ul>
);

/** The result of a search in one sentence. */
function summaryOf({ query, result }: Found): string {
  const all = below(result, 'results');
  const { length } = rows(all, MAX_ROWS);
  if (length === 0) return `No results for “${plain(query)}”. Try a symbol such as SOL, a name or a mint address.`;
  const more = countOf(all) - length;
  return `${length} ${length === 1 ? 'asset' : 'assets'}, best match first, with changes in 24 hours${
    more > 0 ? `; ${more} more in the JSON answer` : ''
  }`;
}

function Examples() {
  return (
    <p class="suggestions">
      <span class="muted">For example</span> <a href={hrefOfSearch('sol')}>sol</a>{' '}
      <a href={hrefOfSearch('gold')}>gold</a> <a href={hrefOfSearch('tesla')}>tesla</a>
    </p>
  );
}

const hasFew = ({ recorder }: Session): boolean => (recorder.budget?.left ?? FEW + 1) <= FEW;

/** The query to send: the typed text after a pause, or after Enter if few calls are left. */
function useSentQuery(session: Session, query: string): readonly [string, (text: string) => void] {
  const [sent, setSent] = useState(query);
  useEffect(() => {
    if (hasFew(session)) return undefined;
    const timer = setTimeout(() => setSent(query), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [query]);
  return [sent, setSent];
}

/** The typed text and the query to send, which the address keeps over a reload and the back button. */
function useQuery(session: Session, query: string) {
  const [text, setText] = useState(query);
  const [sent, send] = useSentQuery(session, text.trim());
  useEffect(() => {
    if (query === sent) return;
    setText(query);
    send(query);
  }, [query]);
  useEffect(() => {
    const { view, rest } = placeOf(location.hash);
    // An asset or another view may have been opened during the pause.
    if (['', 'try'].includes(view) && !rest[0]) location.replace(hrefOfSearch(sent));
  }, [sent]);
  return { text, setText, sent, send };
}

function hintFor(isScarce: boolean, found: Found | undefined): string {
  if (isScarce) return 'Few calls are left in this minute: press Enter to search.';
  return found ? summaryOf(found) : '';
}

/** Searches while you type, after suggestions from earlier answers; before that, the curated lists. */
export function Search({ session, query, report }: SearchProps) {
  const { text, setText, sent, send } = useQuery(session, query);
  const [isChoosing, setIsChoosing] = useState(false);
  const call: TokensCall | undefined = sent === '' ? undefined : search(sent);
  const [state, retry] = useCall(session, call && { key: keyOf(call), ask: call.ask });
  useReportedCall(report, call, state);
  const found = useFound(sent, state);
  const typed = text.trim();
  const suggestions = suggestionsFor(typed);
  const isAnswered = found?.query === typed;
  const isSuggesting = suggestions.length > 0 && (isChoosing || !isAnswered);
  return (
    <>
      <SearchBox
        text={text}
        hint={hintFor(typed !== sent && hasFew(session), found)}
        suggestions={suggestions}
        isAnswered={isAnswered}
        onText={setText}
        onEnter={() => send(typed)}
        onChoosing={setIsChoosing}
      />
      <Trouble state={state} retry={retry} />
      {found && !isSuggesting && typed !== '' && <Results {...found} />}
      {typed === '' && <Examples />}
      {typed === '' && <Lists session={session} report={report} />}
      <BudgetLeft recorder={session.recorder} />
    </>
  );
}
