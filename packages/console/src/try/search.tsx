import { useEffect, useState } from 'preact/hooks';
import { dollars } from '../parts/format.ts';
import { plain } from '../parts/text.ts';
import { type CallState, useCall } from '../parts/use-call.ts';
import { BudgetLeft, Trouble } from '../parts/waiting.tsx';
import { hrefOf } from '../router.ts';
import type { Session } from '../session.ts';
import { below, countOf, type Members, rows, search, type TokensCall } from './calls.ts';
import { Change } from './figures.tsx';
import { keyOf, type ReportCall, useReportedCall } from './last-call-panel.tsx';

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

function Row({ row }: { readonly row: Members }) {
  const { assetId, name, symbol, category, stats } = row;
  const title = plain(name) || plain(assetId) || 'unnamed';
  return (
    <li>
      <span class="who">
        {typeof assetId === 'string' ? <a href={hrefOf('try', assetId)}>{title}</a> : title}{' '}
        <bdi class="muted">{plain(symbol, 16)}</bdi>
      </span>
      <span class="muted small kind">{plain(category, 24)}</span>
      <span class="number">{dollars(below(stats, 'price'))}</span>
      <span class="number small">
        <Change value={below(stats, 'priceChange24hPercent')} />
      </span>
    </li>
  );
}

interface Found {
  readonly query: string;
  readonly result: unknown;
}

/** The last results, which stay until the next ones arrive. */
function useFound(query: string, state: CallState<unknown>): Found | undefined {
  const [found, setFound] = useState<Found>();
  useEffect(() => {
    if (state.is === 'done') setFound({ query, result: state.full.result });
  }, [state]);
  return state.is === 'done' || state.is === 'waiting' ? found : undefined;
}

const Results = ({ result }: Found) => (
  <ul class="results">
    {rows(below(result, 'results'), MAX_ROWS).map((row, at) => (
      <Row key={at} row={row} />
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

function Suggestions() {
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

interface BoxProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onEnter: () => void;
  readonly hint: string;
}

const Box = ({ text, onText, onEnter, hint }: BoxProps) => (
  <search>
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onEnter();
      }}
    >
      <label for="query">Search assets</label>
      <input
        id="query"
        type="search"
        value={text}
        maxLength={200}
        placeholder="A name, a symbol or a mint"
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => onText(currentTarget.value)}
      />
    </form>
    <p class="small muted hint" role="status">
      {hint}
    </p>
  </search>
);

/** Searches while you type. */
export function Search({ session, query, report }: SearchProps) {
  const [text, setText] = useState(query);
  const [sent, send] = useSentQuery(session, text.trim());
  useEffect(() => {
    if (query === sent) return;
    setText(query);
    send(query);
  }, [query]);
  // Keeps the search over a reload and the back button.
  useEffect(() => location.replace(hrefOfSearch(sent)), [sent]);
  const call: TokensCall | undefined = sent === '' ? undefined : search(sent);
  const [state, retry] = useCall(session, call && { key: keyOf(call), ask: call.ask });
  useReportedCall(report, call, state);
  const found = useFound(sent, state);
  const needsEnter = text.trim() !== sent && hasFew(session);
  return (
    <>
      <Box
        text={text}
        onText={setText}
        onEnter={() => send(text.trim())}
        hint={needsEnter ? 'Few calls are left in this minute: press Enter to search.' : found ? summaryOf(found) : ''}
      />
      {sent === '' && <Suggestions />}
      <Trouble state={state} retry={retry} />
      {found && <Results {...found} />}
      <BudgetLeft recorder={session.recorder} />
    </>
  );
}
