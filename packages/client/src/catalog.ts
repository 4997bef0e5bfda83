import { type HttpMethod, type Issue, listAt, member, objectAt, oneLine, textAt } from '@asset-gateway/protocol/wire';
import { violationOf } from './conforms.ts';
import { fits, type SentRequest } from './sent-request.ts';

/** A route in a gateway's catalog. Each text is one line. */
export interface ListedRoute {
  readonly httpMethod: HttpMethod;
  readonly path: string;
  /** Dollars a call that is settled by itself, as a decimal. */
  readonly priceUsd: string;
  /** Dollars a call from credit; undefined if the catalog names none. */
  readonly creditPriceUsd: string | undefined;
  readonly accessMode: string;
  readonly description: string;
  /** The family of routes, or the name of an API; empty if the catalog names none. */
  readonly surface: string;
  /** Its name in the surface; empty if the catalog names none. */
  readonly method: string;
  readonly provider: string;
  /** Paid routes: the cluster of the payment. Empty for others. */
  readonly cluster: string;
  /** `sold` on routes that sell credit. */
  readonly credit: string;
  /** JSON Schemas, as the gateway published them. */
  readonly inputSchema: unknown;
  readonly pathParamsSchema: unknown;
  /** Not of a GET. */
  readonly queryParamsSchema: unknown;
  readonly outputSchema: unknown;
}

const MAX_TEXT = 1_000;
const WORD = /^[\w-]{1,64}$/;
const PRICE = /^\d{1,9}(?:\.\d{1,6})?$/;
const NUMBERS = { integer: /^(?:0|-?[1-9][0-9]{0,15})$/, number: /^-?[0-9]{1,20}(?:\.[0-9]{1,20})?$/ };

const VERBS: readonly unknown[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] satisfies HttpMethod[];

/** Whether a value is a verb of routes. */
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

/** The readable routes of a catalog; undefined if the body is not a catalog. */
export function routesIn(body: unknown): readonly ListedRoute[] | undefined {
  const rows = member(body, 'routes');
  return Array.isArray(rows) ? rows.flatMap(routeIn) : undefined;
}

/** The names of the providers that have routes, in any catalog of a gateway. */
export const providersIn = (body: unknown): string[] =>
  listAt(body, 'categories', 'providers').flatMap((each) => WORD.exec(textAt(each, 'id'))?.[0] ?? []);

/** The listed route of a request; undefined if there is none. */
export function listedRoute(routes: readonly ListedRoute[], { url, method }: SentRequest): ListedRoute | undefined {
  const { pathname } = new URL(url);
  return routes.find(({ httpMethod, path }) => httpMethod === method && fits(path, pathname));
}

/** The listed price of a call, in millionths of a dollar. */
export const listedMicros = ({ priceUsd }: ListedRoute): number => Math.round(Number(priceUsd) * 1e6);

/** A query value converted to its schema's type. */
function typed(text: string, schema: unknown): unknown {
  const { type, items } = objectAt(schema);
  if ((type === 'integer' || type === 'number') && NUMBERS[type].test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return type === 'array' ? text.split(',').map((each) => typed(each, items)) : text;
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** The first violation of the route's published schemas in the path, and the first in the query and the body. */
export function issuesOf(route: ListedRoute, { url, body, method }: SentRequest): Issue[] {
  const { path, inputSchema, pathParamsSchema, queryParamsSchema } = route;
  const { pathname, searchParams } = new URL(url);
  const segments = pathname.split('/').map((each) => attempt(() => decodeURIComponent(each)));
  const inPath = path.split('/').flatMap((each, at) => (each.startsWith(':') ? [[each.slice(1), segments[at]]] : []));
  const querySchema = method === 'GET' ? inputSchema : queryParamsSchema;
  const properties = objectAt(querySchema, 'properties');
  const query = [...searchParams].map(([name, text]) => [name, typed(text, properties[name])]);
  const input = body === undefined ? {} : attempt(() => JSON.parse(body) as unknown);
  return [
    violationOf(pathParamsSchema, Object.fromEntries(inPath), 'path'),
    violationOf(querySchema, Object.fromEntries(query), 'query'),
    ...(method === 'GET' ? [] : [violationOf(inputSchema, input, 'body')]),
  ].filter((issue) => issue !== undefined);
}
