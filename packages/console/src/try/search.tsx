import './try.css';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { below, countOf, type Members, plain, rows } from '../parts/text.ts';
import { type Caller, type CallState, type LastCall, useCall } from '../parts/use-call.ts';
import { BudgetLeft, Trouble } from '../parts/waiting.tsx';
import { hrefOf, type Place, placeOf } from '../router.ts';
import type { Session } from '../session.ts';
import { Asset } from './asset.tsx';
import { search } from './calls.ts';
import { AssetRow } from './figures.tsx';
import { LastCallPanel } from './last-call-panel.tsx';
import { Lists } from './lists.tsx';
import { remember, SearchBox, suggestionsFor } from './search-box.tsx';

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
  const caller = useMemo(() => ({ ...session, report: setLastCall }), [session]);
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
            <Search caller={caller} query={second} />
          </>
        ) : (
          <Asset caller={caller} assetId={assetId} place={place} />
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

const hrefOfSearch = (query: string): string => hrefOf('try', ...(query ? ['', query] : []));

interface Found {
  readonly query: string;
  readonly shown: readonly Members[];
  readonly total: number;
}

/** The last results, which stay until the next ones arrive. */
function useFound(query: string, state: CallState): Found | undefined {
  const [found, setFound] = useState<Found>();
  useEffect(() => {
    if (state.is !== 'done') return;
    const all = below(state.full.result, 'results');
    const shown = rows(all, MAX_ROWS);
    remember(shown);
    setFound({ query, shown, total: countOf(all) });
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
  return `${length} ${length === 1 ? 'asset' : 'assets'}, best match first, with changes in 24 hours${more}`;
}

const hasFew = ({ recorder }: Session): boolean => (recorder.budget?.left ?? FEW + 1) <= FEW;

/** The typed text and the query to send, which the address keeps over a reload and the back button. */
function useQuery(session: Session, query: string) {
  const [text, setText] = useState(query);
  const [sent, send] = useState(query);
  const typed = text.trim();
  // After a pause, or after Enter if few calls are left.
  useEffect(() => {
    if (hasFew(session)) return undefined;
    const timer = setTimeout(() => send(typed), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
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
  return { text, setText, typed, sent, send };
}

interface SearchProps {
  readonly caller: Caller;
  /** The query in the address bar. */
  readonly query: string;
}

/** Searches while you type, after suggestions from earlier answers; before that, the curated lists. */
function Search({ caller, query }: SearchProps) {
  const { text, setText, typed, sent, send } = useQuery(caller, query);
  const [isChoosing, setIsChoosing] = useState(false);
  const [state, retry] = useCall(caller, sent === '' ? undefined : search(sent));
  const found = useFound(sent, state);
  const isScarce = typed !== sent && hasFew(caller);
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
      <Trouble state={state} retry={retry} />
      {found && !isSuggesting && typed !== '' && <Results {...found} />}
      {typed === '' && (
        <p class="row suggestions">
          <span class="muted">For example</span> <a href={hrefOfSearch('sol')}>sol</a>{' '}
          <a href={hrefOfSearch('gold')}>gold</a> <a href={hrefOfSearch('tesla')}>tesla</a>
        </p>
      )}
      {typed === '' && <Lists caller={caller} />}
      <BudgetLeft recorder={caller.recorder} />
    </>
  );
}
