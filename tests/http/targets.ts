import { type Route, routes } from '@asset-gateway/protocol';
import { isFull } from '../kit/rounds.ts';

/** A valid request of a row. */
export interface Example {
  readonly target: string;
  readonly init: { readonly method: string; readonly body?: string; readonly headers: Record<string, string> };
}

const encode = (value: unknown): string =>
  Array.isArray(value) ? value.map(encode).join(',') : encodeURIComponent(String(value));

/** A row's path with its example's parameters filled in. */
export const pathOf = ({ path, example }: Route): string =>
  path.replace(/(?<=\/):(\w+)/g, (_, name: string) => encodeURIComponent(String(example.path?.[name])));

/** A row's path and query with values that pass its schemas. */
export function targetOf(route: Route): string {
  const pairs = Object.entries(route.example.query ?? {}).map(([name, value]) => `${name}=${encode(value)}`);
  return pairs.length > 0 ? `${pathOf(route)}?${pairs.join('&')}` : pathOf(route);
}

/** The rows behind a signature. */
export const gated: readonly Route[] = routes.filter(({ access }) => access === 'siwx');
export const posts: readonly Route[] = routes.filter(({ httpMethod }) => httpMethod === 'POST');
export const gets: readonly Route[] = routes.filter(({ httpMethod }) => httpMethod === 'GET');

/** One row of each surface and method, which share their schemas; all rows with ROUNDS=full. */
export const ofEachMethod: readonly Route[] = routes.filter(
  ({ surface, method }, index) =>
    isFull || routes.findIndex((other) => other.surface === surface && other.method === method) === index,
);

/** The row with this id. */
export function rowOf(id: string): Route {
  const found = routes.find((route) => route.id === id);
  if (!found) throw new Error(`no row ${id}`);
  return found;
}

/** Fetch options that send JSON; a text is sent as it is. */
export const jsonInit = (body: unknown, method = 'POST'): Example['init'] & { readonly body: string } => ({
  ...{ method, headers: { 'Content-Type': 'application/json' } },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

/** The fetch options of a row's example. */
export const initOf = ({ httpMethod, example, input }: Route): Example['init'] =>
  input.body ? jsonInit(example.body, httpMethod) : { method: httpMethod, headers: {} };

/** The request of a row's example, with some values replaced. */
export function exampleOf(route: Route, other: Route['example'] = {}): Example {
  const row = { ...route, example: { ...route.example, ...other } };
  return { target: targetOf(row), init: initOf(row) };
}
