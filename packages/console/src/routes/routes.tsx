import { useState } from 'preact/hooks';
import { Failure } from '../parts/failure.tsx';
import { useAnswer } from '../parts/use-call.ts';
import { hrefOf, type Place } from '../router.ts';
import type { Session } from '../session.ts';
import { type Row, rowsOf, SURFACES } from './catalog.ts';
import { RouteForm } from './route.tsx';
import './routes.css';

interface RoutesProps {
  readonly session: Session;
  readonly place: Place;
}

const isFound = ({ id, path, description }: Row, words: readonly string[]): boolean => {
  const text = `${id} ${path} ${description}`.toLowerCase();
  return words.every((word) => text.includes(word));
};

const priceOf = ({ paymentRequired, priceUsd, accessMode }: Row): string => {
  if (paymentRequired) return `$${priceUsd}`;
  return accessMode === 'siwx' ? 'signature' : 'free';
};

function Surface({ name, rows }: { readonly name: string; readonly rows: readonly Row[] }) {
  return (
    <section aria-labelledby={`surface-${name}`}>
      <h2 id={`surface-${name}`}>
        {SURFACES[name] ?? name} <span class="muted small">{rows.length}</span>
      </h2>
      <ul class="rows">
        {rows.map((row) => (
          <li key={row.id}>
            <a href={hrefOf('routes', row.id)}>{row.method}</a>
            <span>{row.description}</span>
            <span class="muted small">{row.cluster && `${row.cluster}, ${row.provider}`}</span>
            <span class="price">{priceOf(row)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function List({ rows }: { readonly rows: readonly Row[] }) {
  const [wanted, setWanted] = useState('');
  const words = wanted.toLowerCase().split(' ').filter(Boolean);
  const found = rows.filter((row) => isFound(row, words));
  const surfaces = [...new Set(found.map(({ surface }) => surface))];
  return (
    <>
      <h1>All routes</h1>
      <p>
        The same for programs: <a href="/openapi.json">openapi.json</a>, <a href="/llms.txt">llms.txt</a>.
      </p>
      <search>
        <label for="filter">Find a route</label>
        <input
          id="filter"
          type="search"
          value={wanted}
          autocomplete="off"
          onInput={({ currentTarget }) => setWanted(currentTarget.value)}
        />
        <p role="status" class="small muted">
          {found.length} of {rows.length} routes
        </p>
      </search>
      {surfaces.map((name) => (
        <Surface key={name} name={name} rows={found.filter(({ surface }) => surface === name)} />
      ))}
    </>
  );
}

/** The list of routes, or the form of one. */
export function Routes({ session, place: { rest } }: RoutesProps) {
  const [id] = rest;
  const catalog = useAnswer(() => rowsOf(session), []);
  if (catalog.is === 'failed') return <Failure error={catalog.error} />;
  if (catalog.is === 'waiting') return <p role="status">Loading the catalog.</p>;
  const row = catalog.value.find((each) => each.id === id);
  if (row) return <RouteForm key={row.id} session={session} row={row} />;
  return (
    <>
      {id !== undefined && <p role="alert">This gateway has no route of this name.</p>}
      <List rows={catalog.value} />
    </>
  );
}
