import { type Issue, oneLine } from '@asset-gateway/protocol';
import { violationOf } from './conforms.ts';
import { fits, type SentRequest } from './sent-request.ts';

/** A route in a gateway's catalog. Each text is one line. */
export interface ListedRoute {
  readonly httpMethod: 'GET' | 'POST';
  readonly path: string;
  /** Dollars a call, as a decimal. */
  readonly priceUsd: string;
  readonly accessMode: string;
  readonly description: string;
  /** JSON Schemas, as the gateway published them. */
  readonly inputSchema: unknown;
  readonly pathParamsSchema: unknown;
}

type Values = Readonly<Record<string, unknown>>;

const MAX_TEXT = 1_000;
const PRICE = /^\d{1,9}(?:\.\d{1,6})?$/;
const INTEGER = /^(?:0|-?[1-9][0-9]{0,15})$/;

function routeIn(row: unknown): ListedRoute[] {
  if (typeof row !== 'object' || row === null) return [];
  const { httpMethod, inputSchema, pathParamsSchema, ...texts } = row as Values;
  const text = (name: string): string => oneLine(texts[name], MAX_TEXT);
  const [path, priceUsd] = [text('path'), text('priceUsd')];
  if ((httpMethod !== 'GET' && httpMethod !== 'POST') || !path.startsWith('/') || !PRICE.test(priceUsd)) return [];
  const [accessMode, description] = [text('accessMode'), text('description')];
  return [{ httpMethod, path, priceUsd, accessMode, description, inputSchema, pathParamsSchema }];
}

/** The readable routes of a catalog; undefined if the body is not a catalog. */
export function routesIn(body: unknown): readonly ListedRoute[] | undefined {
  const rows = (body as { routes?: unknown } | null)?.routes;
  return Array.isArray(rows) ? rows.flatMap(routeIn) : undefined;
}

/** The listed route of a request; undefined if there is none. */
export function listedRoute(routes: readonly ListedRoute[], { url, method }: SentRequest): ListedRoute | undefined {
  const { pathname } = new URL(url);
  return routes.find(({ httpMethod, path }) => httpMethod === method && fits(path, pathname));
}

/** The listed price of a call, in millionths of a dollar. */
export const listedMicros = ({ priceUsd }: ListedRoute): number => Math.round(Number(priceUsd) * 1e6);

/** A query value converted to its schema's type. */
function typed(text: string, schema: unknown): unknown {
  const type = (schema as Values | undefined)?.type;
  if (type === 'integer' && INTEGER.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return type === 'array' ? text.split(',') : text;
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** The first violation of the route's published schemas in the path, and the first in the query or body. */
export function issuesOf({ path, inputSchema, pathParamsSchema }: ListedRoute, request: SentRequest): Issue[] {
  const { pathname, searchParams } = new URL(request.url);
  const segments = pathname.split('/').map((each) => attempt(() => decodeURIComponent(each)));
  const inPath = path.split('/').flatMap((each, at) => (each.startsWith(':') ? [[each.slice(1), segments[at]]] : []));
  const properties = ((inputSchema as Values | null)?.properties ?? {}) as Values;
  const query = [...searchParams].map(([name, text]) => [name, typed(text, properties[name])]);
  const { body } = request;
  const input = body === undefined ? Object.fromEntries(query) : attempt(() => JSON.parse(body) as unknown);
  return [
    violationOf(pathParamsSchema, Object.fromEntries(inPath), 'path'),
    violationOf(inputSchema, input, request.method === 'POST' ? 'body' : 'query'),
  ].filter((issue) => issue !== undefined);
}
