import { losslessJson, type Route, type Values } from '@asset-gateway/protocol';
import type { Input } from '../call.ts';
import type { ResponseHandler } from '../pool.ts';
import { openHttp, refusalOfStatus, type UpstreamOptions, type UpstreamRequest } from './exchange.ts';
import { readJson } from './response.ts';
import { assertHoldsNoSecret } from './secret-search.ts';
import type { Connection } from './upstream.ts';

const encode = (value: unknown): string => encodeURIComponent(String(value));

/** Returns the query pairs of one parameter. */
function pairsOf(name: string, value: unknown, isRepeated: boolean): string[] {
  if (!Array.isArray(value)) return [`${encode(name)}=${encode(value)}`];
  if (isRepeated) return value.map((item) => `${encode(name)}=${encode(item)}`);
  return [`${encode(name)}=${value.map(encode).join(',')}`];
}

/** Returns the upstream's path, filled with these values. */
function filledPath({ upstream: { path, slashed = [] } }: Route, values: Values): string {
  const fill = (name: string) =>
    slashed.includes(name) ? String(values[name]).split('/').map(encode).join('/') : encode(values[name]);
  // The parts at odd indexes are the names in braces.
  const parts = path.split(/[{}]/).map((part, at) => (at % 2 === 0 ? part : fill(part)));
  return parts.length > 1 ? parts.join('') : path.replace(/\/:(\w+)/g, (_, name: string) => `/${encode(values[name])}`);
}

/** Builds the upstream request from validated values alone. Throws if they changed the host or the structure of the path. */
export function writeRequest(route: Route, input: Input, base: URL): UpstreamRequest {
  const { repeated = [], headers } = route.upstream;
  const { path, query, body } = route.upstream.forward(input);
  const own = Object.entries(query).flatMap(([name, value]) => pairsOf(name, value, repeated.includes(name)));
  const pairs = base.search === '' ? own : [...own, base.search.slice(1)];
  const pathname = base.pathname.replace(/\/$/, '') + filledPath(route, path);
  const url = new URL(pathname, base.origin);
  if (url.origin !== base.origin || url.pathname !== pathname) throw new Error(`unsafe upstream path for ${route.id}`);
  return {
    method: route.httpMethod,
    path: pairs.length > 0 ? `${pathname}?${pairs.join('&')}` : pathname,
    body: route.input.body ? losslessJson(body) : undefined,
    headers,
  };
}

const NO_CONTENT = 204;
/** The success statuses of an operator's API. */
const SUCCESSES = [200, 201, 202, NO_CONTENT];

/** Opens a REST API over HTTP. */
export function openRest(options: UpstreamOptions): Connection {
  const base = new URL(options.baseUrl);
  const read = async (response: ResponseHandler, { upstream }: Route): Promise<string> => {
    const { statusCode } = response;
    const isSuccess = statusCode === 200 || (options.refusedKey !== undefined && SUCCESSES.includes(statusCode));
    if (!isSuccess) throw await refusalOfStatus(response, options);
    const mayBeEmpty = upstream.mayBeEmpty || statusCode === NO_CONTENT;
    if (mayBeEmpty && (await response.whole()).length === 0) return 'null';
    const { text } = await readJson(response);
    assertHoldsNoSecret(text, options.secrets);
    return text;
  };
  return openHttp(options, ({ route, input }) => ({
    request: writeRequest(route, input, base),
    read: (response) => read(response, route),
  }));
}
