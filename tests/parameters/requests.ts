import { type Route, type Rule, routes, type Values } from '@asset-gateway/protocol';
import { JSON_BODY, TOKENS } from '../upstream/caller.ts';
import type { Ask } from '../upstream/exchange.ts';
import type { ParameterSchema } from './values.ts';

/** The rows behind the sign-in gate. */
export const signedRoutes: readonly Route[] = routes.filter(({ access }) => access === 'siwx');

/** One parameter of one row. */
export interface Parameter {
  readonly route: Route;
  readonly place: 'query' | 'body';
  readonly name: string;
  readonly schema: ParameterSchema;
  readonly required: boolean;
}

const PLACES = ['query', 'body'] as const;

/** Every parameter of every row, in the query and in the body. */
export const parameters: readonly Parameter[] = signedRoutes.flatMap((route) =>
  PLACES.flatMap((place) => {
    const object = route.input[place];
    const required: readonly string[] = object?.required ?? [];
    return Object.entries(object?.properties ?? {}).map(([name, schema]) => ({
      route,
      place,
      name,
      schema: schema as ParameterSchema,
      required: required.includes(name),
    }));
  }),
);

/** Rules that say how many of their parameters may be there: one is tried without the others. */
const EXCLUSIVE = ['exactlyOne', 'combinedCount'];

const without = (values: Values, names: readonly string[]): Values =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)));

/** A row's example without this parameter, and without those that it excludes. */
export function otherValues({ route, place, name }: Parameter): Values {
  const rules = route.rules.filter((rule) => EXCLUSIVE.includes(rule.name) && rule.parameters.includes(name));
  return without(route.example[place] ?? {}, [name, ...rules.flatMap((rule) => rule.parameters)]);
}

const writeValue = (value: unknown): string =>
  Array.isArray(value)
    ? value.map((item) => encodeURIComponent(String(item))).join(',')
    : encodeURIComponent(String(value));

function writeQuery(values: Values): string {
  const pairs = Object.entries(values).map(([name, value]) => `${name}=${writeValue(value)}`);
  return pairs.length > 0 ? `?${pairs.join('&')}` : '';
}

const fillPath = ({ path, example }: Route): string =>
  path.replace(/:(\w+)/g, (_, name: string) => String(example.path?.[name] ?? `no-${name}`));

/** A request of a row; default: its example. */
export function requestOf(route: Route, given: { query?: Values; body?: unknown } = {}): Ask {
  const target = fillPath(route) + writeQuery(given.query ?? route.example.query ?? {});
  if (route.httpMethod === 'GET') return { target };
  const body = JSON.stringify(given.body ?? route.example.body ?? {});
  return { method: route.httpMethod, target, headers: JSON_BODY, body };
}

/** The same with the values of one place replaced. */
export const requestWith = (route: Route, place: Rule['in'], values: Values): Ask =>
  requestOf(route, { [place]: values });

const isMerged = (route: Route): boolean => route.rules.some(({ name }) => name === 'combinedCount');

/** Lists that count together, merged as for the upstream. */
const merged = (values: Values): Values => ({ mints: [values.mints, values.addresses].flatMap((ids) => ids ?? []) });

/** The canonical upstream request for these values. */
export function expectedArrival(route: Route, place: Rule['in'], values: Values) {
  const sent = isMerged(route) ? merged(values) : values;
  const path = fillPath(route).replace(TOKENS, '/v1');
  return {
    method: route.httpMethod,
    target: place === 'query' ? path + writeQuery(sent) : path,
    body: place === 'body' ? JSON.stringify(sent) : '',
  };
}
