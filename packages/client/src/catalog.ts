import {
  attempt,
  type HttpMethod,
  type Issue,
  listAt,
  type Members,
  member,
  microsOfUsd,
  objectAt,
  oneLine,
  textAt,
  typed,
  withArgumentNames,
} from '@asset-gateway/protocol/wire';
import { violationOf } from './conforms.ts';
import { fits, type SentRequest } from './sent-request.ts';

/** A route in a gateway's catalog. Each text is one line. */
export interface ListedRoute {
  /** The HTTP method. */
  readonly httpMethod: HttpMethod;
  /** The path, with `:name` for a parameter. */
  readonly path: string;
  /** The price of a call with a settlement of its own, in decimal dollars. */
  readonly priceUsd: string;
  /** The price of a call from credit, in decimal dollars; undefined if the catalog names none. */
  readonly creditPriceUsd: string | undefined;
  /** How a client is admitted: `siwx` by a signature, `exact` by a payment. */
  readonly accessMode: string;
  /** What the route answers. */
  readonly description: string;
  /** The family of routes, or the API's name. Empty if the catalog names none. */
  readonly surface: string;
  /** The method's name in its surface. Empty if the catalog names none. */
  readonly method: string;
  /** The company or API behind the route. Empty if the catalog names none. */
  readonly provider: string;
  /** The cluster on which clients pay. Empty for free routes. */
  readonly cluster: string;
  /** `sold` on routes that sell credit. */
  readonly credit: string;
  /** The JSON Schema of the body, or of a GET's query, as the gateway published it. */
  readonly inputSchema: unknown;
  /** The JSON Schema of the path's parameters. */
  readonly pathParamsSchema: unknown;
  /** The JSON Schema of the query, unless the route is a GET. */
  readonly queryParamsSchema: unknown;
  /** The JSON Schema of the result. */
  readonly outputSchema: unknown;
}

const MAX_TEXT = 1_000;
const WORD = /^[\w-]{1,64}$/;
const PRICE = /^\d{1,9}(?:\.\d{1,6})?$/;

const VERBS: readonly unknown[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] satisfies HttpMethod[];

/**
 * Tells whether a value is a verb of routes.
 * @param value anything
 */
export const isVerb = (value: unknown): value is HttpMethod => VERBS.includes(value);

function routeIn(row: unknown): ListedRoute[] {
  const { httpMethod, inputSchema, pathParamsSchema, queryParamsSchema, outputSchema } = objectAt(row);
  const text = (name: string): string => oneLine(member(row, name), MAX_TEXT);
  const word = (name: string): string => WORD.exec(text(name))?.[0] ?? '';
  const [path, priceUsd] = [text('path'), text('priceUsd')];
  if (!isVerb(httpMethod) || !path.startsWith('/') || !PRICE.test(priceUsd)) return [];
  const [creditPriceUsd] = PRICE.exec(text('creditPriceUsd')) ?? [];
  const [accessMode, description] = [text('accessMode'), text('description')];
  const place = { surface: word('surface'), method: word('method'), provider: word('provider') };
  const paying = { cluster: word('cluster'), credit: word('credit') };
  const schemas = { inputSchema, pathParamsSchema, queryParamsSchema, outputSchema };
  return [{ httpMethod, path, priceUsd, creditPriceUsd, accessMode, description, ...place, ...paying, ...schemas }];
}

/**
 * Reads the routes of a catalog. Leaves out malformed rows.
 * @param body the parsed answer of `/v1/catalog`
 * @returns undefined if the body is not a catalog
 */
export function routesIn(body: unknown): readonly ListedRoute[] | undefined {
  const rows = member(body, 'routes');
  return Array.isArray(rows) ? rows.flatMap(routeIn) : undefined;
}

/**
 * Reads the names of all providers that have routes. Even one provider's catalog names all.
 * @param body the parsed answer of `/v1/catalog`
 */
export const providersIn = (body: unknown): string[] =>
  listAt(body, 'categories', 'providers').flatMap((each) => WORD.exec(textAt(each, 'id'))?.[0] ?? []);

/** Orders routes by path. At the same place, text comes before a parameter. */
const byText = ({ path: one }: ListedRoute, { path: other }: ListedRoute): number =>
  one.replace(/:[^/]*/g, '\uffff') < other.replace(/:[^/]*/g, '\uffff') ? -1 : 1;

/**
 * Finds the listed route of a request.
 * @param routes the routes of a catalog
 * @param request the request
 * @returns undefined if the catalog does not list the request's route
 */
export function listedRoute(routes: readonly ListedRoute[], { url, method }: SentRequest): ListedRoute | undefined {
  const { pathname } = new URL(url);
  const found = routes.filter(({ httpMethod, path }) => httpMethod === method && fits(path, pathname));
  return found.sort(byText)[0];
}

/**
 * Returns the listed price of a call in millionths of a dollar.
 * @param route a route of a catalog
 */
export const listedMicros = ({ priceUsd }: ListedRoute): number => microsOfUsd(priceUsd);

const decoded = (text: string): string => attempt(() => decodeURIComponent(text), text);

/** Returns the values of a path or query, as its schema reads them. Unescaped commas separate a list's items. */
function judged(schema: unknown, pairs: readonly (readonly string[])[]): Members {
  const properties = objectAt(schema, 'properties');
  const valueIn = (raw: string, own: unknown): unknown => {
    const { type, items } = objectAt(own);
    return type === 'array' ? raw.split(',').map((each) => valueIn(each, items)) : typed(decoded(raw), own);
  };
  return Object.fromEntries(
    pairs.map(([name = '', raw = '']) => [decoded(name), valueIn(raw, properties[decoded(name)])]),
  );
}

/** Returns the first violations of the route's published schemas: one in the path, one in query and body. */
export function issuesOf(route: ListedRoute, { url, body, method }: SentRequest): readonly Issue[] {
  const { path, surface, inputSchema, pathParamsSchema, queryParamsSchema } = route;
  const { pathname, search } = new URL(url);
  const segments = pathname.split('/');
  const names = path.split('/');
  const inPath = names.flatMap((each, at) => (each.startsWith(':') ? [[each.slice(1), segments[at] ?? '']] : []));
  const pairs = search.slice(1).replaceAll('+', ' ').split('&').filter(Boolean);
  const inQuery = pairs.map((pair) => pair.split('='));
  const querySchema = method === 'GET' ? inputSchema : queryParamsSchema;
  const input = body === undefined ? {} : attempt((): unknown => JSON.parse(body), undefined);
  const issues = [
    violationOf(pathParamsSchema, judged(pathParamsSchema, inPath), 'path'),
    violationOf(querySchema, judged(querySchema, inQuery), 'query'),
    ...(method === 'GET' ? [] : [violationOf(inputSchema, input, 'body')]),
  ].filter((issue) => issue !== undefined);
  return withArgumentNames({ surface, input: { body: inputSchema as never } }, issues);
}
