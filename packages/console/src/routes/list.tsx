import { useEffect, useRef, useState } from 'preact/hooks';
import { hrefOf } from '../router.ts';
import { type CatalogRow, type Method, methodKeyOf, titleOf } from './catalog.ts';

/** The price of a method's cheapest row, such as `free` or `$0.000005`. */
export function Price({ rows }: { readonly rows: readonly CatalogRow[] }) {
  const prices = rows.filter(({ paymentRequired }) => paymentRequired).map(({ priceUsd }) => priceUsd);
  const [least] = prices.toSorted((one, other) => Number(one) - Number(other));
  return least === undefined ? <span class="badge up">free</span> : <span class="badge paid">${least}</span>;
}

/** The HTTP method of a route. */
export const Verb = ({ row: { httpMethod } }: { readonly row: CatalogRow }) => (
  <span class={`verb ${httpMethod.toLowerCase()}`}>{httpMethod}</span>
);

const isFound = ({ id, path, description, family }: CatalogRow, words: readonly string[]): boolean => {
  const text = `${id} ${path} ${description} ${family}`.toLowerCase();
  return words.every((word) => text.includes(word));
};

/** The methods with a row that contains all words, with these rows only. */
function found(methods: readonly Method[], text: string): readonly Method[] {
  const words = text.toLowerCase().split(' ').filter(Boolean);
  return methods
    .map((method) => ({ ...method, rows: method.rows.filter((row) => isFound(row, words)) }))
    .filter(({ rows }) => rows.length > 0);
}

function Entry({ method: { key, rows }, current }: { readonly method: Method; readonly current: string }) {
  const [first] = rows;
  if (!first) return null;
  return (
    <li>
      <a
        class="entry small"
        href={hrefOf('routes', first.id)}
        aria-current={key === current ? 'page' : undefined}
        title={first.description}
      >
        <Verb row={first} />
        <span class="name">{first.method}</span>
        <Price rows={rows} />
        <span class="sentence muted">{titleOf(first)}</span>
      </a>
    </li>
  );
}

interface ListProps {
  readonly methods: readonly Method[];
  readonly current: CatalogRow | undefined;
}

function Surfaces({ methods, current }: ListProps) {
  const surfaceOf = ({ rows }: Method) => rows[0]?.surface;
  return [...new Set(methods.map(surfaceOf))].map((surface) => {
    const own = methods.filter((method) => surfaceOf(method) === surface);
    return (
      <section key={surface} aria-labelledby={`surface-${surface}`}>
        <h2 id={`surface-${surface}`} class="muted">
          {own[0]?.rows[0]?.family} <span class="muted">{own.length}</span>
        </h2>
        <ul>
          {own.map((method) => (
            <Entry key={method.key} method={method} current={current ? methodKeyOf(current) : ''} />
          ))}
        </ul>
      </section>
    );
  });
}

/** All methods by surface, with a search. In a narrow window, a button opens it. */
export function List({ methods, current }: ListProps) {
  const [text, setText] = useState('');
  const [openFor, setOpenFor] = useState<string>();
  const currentId = current?.id ?? '';
  const isOpen = openFor === currentId;
  const shown = found(methods, text);
  const list = useRef<HTMLElement>(null);
  useEffect(() => list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' }), [currentId]);
  return (
    <nav class="list" aria-label="Routes" ref={list}>
      <button
        type="button"
        class="opener"
        aria-expanded={isOpen}
        onClick={() => setOpenFor(isOpen ? undefined : currentId)}
      >
        {isOpen ? 'Close the list' : 'All routes'}
      </button>
      <div class={isOpen ? 'methods' : 'methods closed'}>
        <search>
          <label for="filter">Find a route</label>
          <input
            id="filter"
            type="search"
            value={text}
            placeholder="candles, balance, /ohlcv"
            autocomplete="off"
            spellcheck={false}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
          <p role="status" class="found small muted">
            {shown.length} of {methods.length} routes
          </p>
        </search>
        <Surfaces methods={shown} current={current} />
        {shown.length === 0 && <p class="muted">No route has these words. Try fewer of them.</p>}
      </div>
    </nav>
  );
}
