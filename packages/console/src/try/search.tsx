import { useEffect, useState } from 'preact/hooks';
import { dollars } from '../parts/format.ts';
import { plain } from '../parts/text.ts';
import { type Called, useCall } from '../parts/use-call.ts';
import { BudgetLeft, Trouble } from '../parts/waiting.tsx';
import { hrefOf } from '../router.ts';
import type { Session } from '../session.ts';
import { search, type TokensCall } from './calls.ts';
import { Change } from './figures.tsx';
import { keyOf, type Tell, useTelling } from './last-call.ts';
import { below, countOf, type Members, rows } from './reading.ts';

const PAUSE_MS = 250;
/** With no more calls than these left, nothing is asked that nobody has asked for. */
const FEW = 3;
const MOST = 50;

interface SearchProps {
  readonly session: Session;
  /** What the address line says. */
  readonly query: string;
  readonly tell: Tell;
}

const hrefOfSearch = (query: string): string => hrefOf('try', ...(query ? ['', query] : []));

function Row({ row }: { readonly row: Members }) {
  const { assetId, name, symbol, category, stats } = row;
  const title = plain(name) || plain(assetId) || 'without a name';
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

/** What was found last: it stays until the next search is answered. */
function useFound(query: string, called: Called<unknown>): Found | undefined {
  const [found, setFound] = useState<Found>();
  useEffect(() => {
    if (called.is === 'here') setFound({ query, result: called.full.result });
  }, [called]);
  return called.is === 'here' || called.is === 'waiting' ? found : undefined;
}

const Results = ({ result }: Found) => (
  <ul class="results">
    {rows(below(result, 'results'), MOST).map((row, at) => (
      <Row key={at} row={row} />
    ))}
  </ul>
);

/** What came of a search, in a sentence. */
function outcomeOf({ query, result }: Found): string {
  const all = below(result, 'results');
  const { length } = rows(all, MOST);
  if (length === 0)
    return `Nothing is called “${plain(query)}”. Try a symbol such as SOL, a name, or the address of a mint.`;
  const more = countOf(all) - length;
  return `${length} ${length === 1 ? 'asset' : 'assets'}, the best match first; changes in 24 hours${
    more > 0 ? `; ${more} more rows are in the answer alone` : ''
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

/** What is asked for: what was typed, once the typing has paused; where few calls are left, once Enter was pressed. */
function useAsked(session: Session, query: string): readonly [string, (text: string) => void] {
  const [typed, setTyped] = useState(query);
  useEffect(() => {
    if (hasFew(session)) return undefined;
    const timer = setTimeout(() => setTyped(query), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [query]);
  return [typed, setTyped];
}

interface BoxProps {
  readonly text: string;
  /** Something is typed. */
  readonly onText: (text: string) => void;
  /** Enter is pressed. */
  readonly onEnter: () => void;
  /** What there is to know of the search. */
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

/** Searches as one types. */
export function Search({ session, query, tell }: SearchProps) {
  const [text, setText] = useState(query);
  const [asked, ask] = useAsked(session, text.trim());
  useEffect(() => {
    if (query === asked) return;
    setText(query);
    ask(query);
  }, [query]);
  // A reload and the way back find the same search.
  useEffect(() => location.replace(hrefOfSearch(asked)), [asked]);
  const call: TokensCall | undefined = asked === '' ? undefined : search(asked);
  const [called, again] = useCall(session, call && { key: keyOf(call), ask: call.ask });
  useTelling(tell, call, called);
  const found = useFound(asked, called);
  const isForEnter = text.trim() !== asked && hasFew(session);
  return (
    <>
      <Box
        text={text}
        onText={setText}
        onEnter={() => ask(text.trim())}
        hint={isForEnter ? 'Few calls are left in this minute: press Enter to search.' : found ? outcomeOf(found) : ''}
      />
      {asked === '' && <Suggestions />}
      <Trouble called={called} again={again} />
      {found && <Results {...found} />}
      <BudgetLeft recorder={session.recorder} />
    </>
  );
}
