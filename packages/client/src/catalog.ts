import { type Issue, oneLine } from '@asset-gateway/protocol';
import { violationOf } from './conforms.ts';
import { fits, type SentRequest } from './sent-request.ts';

/** A route as a gateway's catalog lists it. Its texts are one line each. */
export interface ListedRoute {
  readonly httpMethod: 'GET' | 'POST';
  readonly path: string;
  /** Dollars a call, decimal digits. */
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

/** The routes in the body of a catalog, without rows that cannot be read; undefined if the body is no catalog. */
export function routesIn(body: unknown): readonly ListedRoute[] | undefined {
  const rows = (body as { routes?: unknown } | null)?.routes;
  return Array.isArray(rows) ? rows.flatMap(routeIn) : undefined;
}

/** The listed route of a request; undefined if there is none. */
export function listedRoute(routes: readonly ListedRoute[], { url, method }: SentRequest): ListedRoute | undefined {
  const { pathname } = new URL(url);
  return routes.find(({ httpMethod, path }) => httpMethod === method && fits(path, pathname));
}

/** Millionths of a dollar that a listed route costs a call. */
export const listedMicros = ({ priceUsd }: ListedRoute): number => Math.round(Number(priceUsd) * 1e6);

/** A text of the query as its schema's type. */
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

/** What of a request breaks the published schemas of its route: the first violation in its path and in its query or body. */
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
