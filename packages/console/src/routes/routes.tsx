import { Failure } from '../parts/failure.tsx';
import { useReloadable } from '../parts/hooks.ts';
import { Table } from '../parts/table.tsx';
import { hrefOf, type ViewPath } from '../router.ts';
import { type CatalogRow, methodsOf, rowsOf, titleOf } from './catalog.ts';
import { List, Price, Verb } from './list.tsx';
import { RouteForm } from './route.tsx';
import './routes.css';

/** What a caller needs, by access mode. */
const NEEDS: Readonly<Record<string, string>> = {
  exact: 'USDC or credit',
  siwx: 'a signature',
  public: 'nothing',
};

/** Routes to begin with. */
const SUGGESTED = ['tokens.search', 'tokens.ohlcv', 'rpc.mainnet.helius.getBalance'];

/** Families of routes, with their size and lowest price. */
function Families({ rows }: { readonly rows: readonly CatalogRow[] }) {
  const families = [...new Set(rows.map(({ family }) => family))].map((family) => {
    const own = rows.filter((row) => row.family === family);
    return { family, own, size: methodsOf(own).length };
  });
  return (
    <Table
      caption="What this gateway answers"
      rows={families}
      columns={[
        { title: 'Family', cell: ({ family }) => family },
        { title: 'Routes', isNumber: true, cell: ({ size }) => size },
        { title: 'Price of a call, from', isNumber: true, cell: ({ own }) => <Price rows={own} /> },
        { title: 'You need', cell: ({ own: [row] }) => NEEDS[row?.accessMode ?? ''] },
      ]}
    />
  );
}

/** Shown while no route is chosen. */
function Beginning({ rows }: { readonly rows: readonly CatalogRow[] }) {
  const suggested = SUGGESTED.flatMap((id) => rows.find((row) => row.id === id) ?? []);
  return (
    <>
      <h1>Routes</h1>
      <p>Choose a route to see what it costs, what it returns, and to send it from here.</p>
      {suggested.length > 0 && (
        <ul class="suggested">
          {suggested.map((row) => (
            <li key={row.id}>
              <a class="panel suggestion" href={hrefOf('routes', row.id)}>
                <span>
                  <Verb row={row} /> <code>{row.method}</code> <Price rows={[row]} />
                </span>
                <span>{titleOf(row)}</span>
              </a>
            </li>
          ))}
        </ul>
      )}
      <Families rows={rows} />
      <p class="muted">
        Building with a program or an agent? Read <a href="/openapi.json">openapi.json</a> or{' '}
        <a href="/llms.txt">llms.txt</a>.
      </p>
    </>
  );
}

/** The list of routes beside the chosen one. */
export function Routes({ viewPath: { rest, query } }: { readonly viewPath: ViewPath }) {
  const [id] = rest;
  const { value: rows, error } = useReloadable(rowsOf, []);
  if (!rows)
    return (
      <>
        <h1>Routes</h1>
        {error === undefined ? <p role="status">Loading the routes …</p> : <Failure error={error} />}
      </>
    );
  const row = rows.find((each) => each.id === id);
  return (
    <div class="routes">
      <List methods={methodsOf(rows)} current={row} />
      <div class="chosen">
        {id !== undefined && !row && (
          <p role="alert">This gateway has no route of this name. Choose one of the list.</p>
        )}
        {row ? <RouteForm key={`${id}?${query}`} row={row} rows={rows} link={query} /> : <Beginning rows={rows} />}
      </div>
    </div>
  );
}
