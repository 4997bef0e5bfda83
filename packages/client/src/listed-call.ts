import {
  type Issue,
  type Members,
  nearest,
  objectAt,
  oneLine,
  positionalParameters,
  type Route,
} from '@asset-gateway/protocol/wire';
import type { ListedRoute } from './catalog.ts';
import { GatewayError } from './error.ts';
import { isWhole, type Property, propertiesOf } from './input-schema.ts';

/** A parameter of a listed route. Its `key` is its name in its place. */
export interface CallParameter extends Property {
  /** Its name among a call's values. */
  readonly name: string;
  /** The part of the request that takes its value. */
  readonly place: 'path' | 'query' | 'body';
}

/** A call's request, without the origin. */
export interface CallRequest {
  /** The path with its query. */
  readonly path: string;
  /** The body as a value; undefined if it has none. */
  readonly body?: unknown;
}

const MAX_NAME = 64;
const DOTS = /^\.{1,2}$/;
/** Surfaces with the body `{ params }`. Its members, or its items by position, are the parameters. */
const WITH_PARAMS = ['rpc', 'das'];

/**
 * Returns the name of a route for `client.call`, `<surface>.<method>`.
 * @param route a route of a catalog
 */
export const callName = ({ surface, method }: CallableRoute): string => `${surface}.${method}`;

/** The parts of a listed route that its calls need. */
export type CallableRoute = Pick<
  ListedRoute,
  'httpMethod' | 'path' | 'surface' | 'method' | 'credit' | 'inputSchema' | 'pathParamsSchema' | 'queryParamsSchema'
>;

/**
 * Returns a row of the table of routes in the form of a catalog entry.
 * @param row a row of `@asset-gateway/protocol`
 */
export const callableRow = ({ httpMethod, path, surface, method, input }: Route): CallableRoute => ({
  httpMethod,
  path,
  surface,
  method,
  credit: '',
  inputSchema: input.query ?? input.body,
  pathParamsSchema: input.path,
  queryParamsSchema: undefined,
});

/** The parameters of a body, and how values are put into it. */
interface BodyForm {
  readonly properties: readonly Property[];
  readonly body: (values: readonly (readonly [string, unknown])[]) => unknown;
}

function bodyForm({ surface, credit, inputSchema }: CallableRoute): BodyForm {
  if (credit === 'sold') {
    const schema = {
      type: 'number',
      description: 'The amount to buy, in dollars; default: the smallest that is sold.',
    };
    return { properties: [{ key: 'usd', schema, isRequired: false }], body: () => ({}) };
  }
  if (isWhole(inputSchema)) {
    return { properties: [{ key: 'body', schema: inputSchema, isRequired: true }], body: ([given]) => given?.[1] };
  }
  const { params } = objectAt(inputSchema, 'properties');
  if (!WITH_PARAMS.includes(surface) || params === undefined) {
    return { properties: propertiesOf(inputSchema), body: (values) => Object.fromEntries(values) };
  }
  if (!Array.isArray(objectAt(params).prefixItems)) {
    return { properties: propertiesOf(params), body: (values) => ({ params: Object.fromEntries(values) }) };
  }
  const positional = positionalParameters({ input: { body: inputSchema as never } }) ?? [];
  const names = positional.map(({ name }) => name);
  return {
    properties: positional.map(({ name, ...rest }) => ({ key: name, ...rest })),
    body(values) {
      const given = new Map(values);
      const last = names.findLastIndex((name) => given.has(name));
      return { params: names.slice(0, last + 1).map((name) => given.get(name)) };
    },
  };
}

/** Gives each parameter a distinct name. If an earlier place has the same name, it is written with its place, such as `body.id`. */
function named(parameters: readonly Omit<CallParameter, 'name'>[]): CallParameter[] {
  const taken = new Set(parameters.map(({ key }) => key));
  const used = new Set<string>();
  return parameters.map((parameter) => {
    const { key, place } = parameter;
    let name = used.has(key) ? `${place}.${key}` : key;
    while (name !== key && taken.has(name)) name = `${place}.${name}`;
    taken.add(name);
    used.add(name);
    return { ...parameter, name };
  });
}

/**
 * Returns the parameters of a listed route: first the path's, then the query's, then the body's.
 * @param route a route of a catalog
 */
export function callParameters(route: CallableRoute): CallParameter[] {
  const { httpMethod, path, pathParamsSchema, queryParamsSchema, inputSchema } = route;
  const hasBody = httpMethod !== 'GET';
  const described = objectAt(pathParamsSchema, 'properties');
  const inPath = path.split('/').flatMap((segment) => (segment.startsWith(':') ? [segment.slice(1)] : []));
  const inQuery = propertiesOf(hasBody ? queryParamsSchema : inputSchema);
  const inBody = hasBody ? bodyForm(route).properties : [];
  return named([
    ...inPath.map((key) => ({
      key,
      place: 'path' as const,
      schema: Object.hasOwn(described, key) ? described[key] : {},
      isRequired: true,
    })),
    ...inQuery.map((each) => ({ ...each, place: 'query' as const })),
    ...inBody.map((each) => ({ ...each, place: 'body' as const })),
  ]);
}

/**
 * Tells whether a call accepts body members that no parameter names.
 * @param route a route of a catalog
 */
export const isOpen = ({ httpMethod, surface, credit, inputSchema }: CallableRoute): boolean =>
  httpMethod !== 'GET' &&
  credit !== 'sold' &&
  !WITH_PARAMS.includes(surface) &&
  !isWhole(inputSchema) &&
  objectAt(inputSchema).additionalProperties !== false;

/** Returns issues for unknown names among the values, and for required parameters without a value. */
function issuesIn(route: CallableRoute, parameters: readonly CallParameter[], values: Members): Issue[] {
  const names = parameters.map(({ name }) => name);
  const unknown = isOpen(route) ? [] : Object.keys(values).filter((name) => !names.includes(name));
  const place = route.httpMethod === 'GET' ? 'query' : 'body';
  const missing = parameters.filter(({ name, isRequired }) => isRequired && valueIn(values, name) === undefined);
  return [
    ...unknown.map((name) => {
      const near = nearest(name, names);
      const hint = near === undefined ? '' : ` The nearest is ${oneLine(near, MAX_NAME)}.`;
      const message = `There is no such parameter.${hint}`;
      return { in: place, name: oneLine(name, MAX_NAME), rule: 'additionalProperties', message } as const;
    }),
    ...missing.map(({ name, place }) => {
      return { in: place, name: oneLine(name, MAX_NAME), rule: 'required', message: 'This parameter is required.' };
    }),
  ];
}

const valueIn = (values: Members, name: string): unknown => (Object.hasOwn(values, name) ? values[name] : undefined);

const invalid = (message: string, issues: readonly Issue[] = []): GatewayError =>
  new GatewayError('invalid_request', { message: `${message} Nothing was sent.`, issues });

function pathOf({ path }: CallableRoute, values: ReadonlyMap<string, unknown>): string {
  const segments = path.split('/').map((segment) => {
    if (!segment.startsWith(':')) return segment;
    const name = segment.slice(1);
    const text = String(values.get(name));
    // `..` would lead to another route.
    if (DOTS.test(text)) throw invalid(`${name} cannot be ${text}.`);
    return encodeURIComponent(text);
  });
  return segments.join('/');
}

/** Returns a query value. Commas inside a list's item are escaped. */
const queryTextOf = (value: unknown): string =>
  [value]
    .flat()
    .map((each) => encodeURIComponent(String(each)))
    .join(',');

/**
 * Makes the request of a call by name.
 * @param route a route of a catalog
 * @param values the values by parameter
 * @throws GatewayError `invalid_request` with an issue for each unknown and each missing parameter
 */
export function requestFor(route: CallableRoute, values: Members): CallRequest {
  const parameters = callParameters(route);
  const issues = issuesIn(route, parameters, values);
  const wrong = issues.map(({ name, message }) => `${name}: ${message}`).join(' ');
  if (issues.length > 0) throw invalid(`${callName(route)}: ${wrong}`, issues);
  const given = (place: CallParameter['place']) =>
    parameters.flatMap((each): [string, unknown][] => {
      const value = each.place === place ? valueIn(values, each.name) : undefined;
      return value === undefined ? [] : [[each.key, value]];
    });
  const pairs = given('query').map(([name, value]) => `${encodeURIComponent(name)}=${queryTextOf(value)}`);
  const path = [pathOf(route, new Map(given('path'))), pairs.join('&')].filter((part) => part !== '').join('?');
  const hasBody = parameters.some(({ place }) => place === 'body') || isOpen(route);
  if (route.httpMethod === 'GET' || (route.httpMethod === 'DELETE' && !hasBody)) return { path };
  const names = new Set(parameters.map(({ name }) => name));
  const others = Object.entries(values).filter(([name, value]) => !names.has(name) && value !== undefined);
  return { path, body: bodyForm(route).body([...given('body'), ...others]) };
}
