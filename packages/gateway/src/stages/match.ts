import {
  createMatcher,
  type HttpMethod,
  type Match,
  type PathAndMethod,
  Refusal,
  type Route,
} from '@asset-gateway/protocol';
import type { Call, Inbound } from '../call.ts';
import { REQUEST_LIMITS } from '../limits.ts';

/** A call with its endpoint. */
export type MatchedCall<E> = Call & { readonly endpoint: E };

/** Matches a target in origin form, in printable ASCII, without a fragment. */
const TARGET = /^\/[\x21\x22\x24-\x7e]*$/;

const badRequest = (reason: string): Refusal => new Refusal('bad_request', { reason });

function isDecodable(query: string): boolean {
  try {
    return typeof decodeURIComponent(query) === 'string';
  } catch {
    return false;
  }
}

function splitTarget({ target, hosts }: Inbound): { path: string; query: string | undefined } {
  if (hosts.length > 1) throw badRequest('several Hosts');
  if (target.length > REQUEST_LIMITS.targetBytes) throw new Refusal('uri_too_long');
  if (!TARGET.test(target)) throw badRequest('target');
  const mark = target.indexOf('?');
  if (mark < 0) return { path: target, query: undefined };
  const query = target.slice(mark + 1);
  if (query.includes('%') && !isDecodable(query)) throw badRequest('query escapes');
  return { path: target.slice(0, mark), query };
}

/** A row of the matcher. Without an endpoint the row is disabled. */
interface MatcherRow<E> extends PathAndMethod {
  readonly endpoint: E | undefined;
}

/** Returns the value of Allow. GET brings HEAD, and every verb brings OPTIONS. */
function allowedMethods(rows: readonly PathAndMethod[]): string {
  return rows
    .map(({ httpMethod }) => httpMethod)
    .flatMap((verb) => (verb === 'GET' ? [verb, 'HEAD'] : [verb]))
    .concat('OPTIONS')
    .join(', ');
}

const matcherRow = <E>({ path, httpMethod }: Route, endpoint?: E): MatcherRow<E> => ({ path, httpMethod, endpoint });

/** Returns the endpoint of a request. A preflight gets the endpoint of the row that it asks for, or else the first one. */
function endpointFor<E>(
  { method, headers }: Pick<Inbound, 'method' | 'headers'>,
  { rows }: Match<MatcherRow<E>>,
): { endpoint: E; method: Call['method'] } {
  const verb = method === 'HEAD' ? 'GET' : method;
  const row = rows.get(verb as HttpMethod);
  if (row?.endpoint) return { endpoint: row.endpoint, method: row.httpMethod };
  const served = [...rows.values()].filter(({ endpoint }) => endpoint !== undefined);
  const requested = headers['access-control-request-method'];
  const [first] = [...served.filter(({ httpMethod }) => httpMethod === requested), ...served];
  const endpoint = first?.endpoint;
  if (!endpoint) throw new Refusal('not_found');
  if (method === 'OPTIONS') return { endpoint, method };
  throw new Refusal('method_not_allowed', { headers: { Allow: allowedMethods(served) } });
}

/**
 * Returns the function that checks the raw target of a request and finds its endpoint. The paths of disabled rows are unknown, even if
 * another row's parameter would match them.
 */
export function createMatch<E extends { readonly route: Route }>(
  endpoints: readonly E[],
  disabled: readonly Route[] = [],
): (inbound: Inbound) => MatchedCall<E> {
  const find = createMatcher<MatcherRow<E>>([
    ...endpoints.map((endpoint) => matcherRow(endpoint.route, endpoint)),
    ...disabled.map((route) => matcherRow<E>(route)),
  ]);
  return (inbound) => {
    if (inbound.fault) throw new Refusal(inbound.fault, { reason: 'server limit' });
    const { path, query } = splitTarget(inbound);
    const match = find(path);
    if (match === 'malformed') throw badRequest('path');
    if (!match) throw new Refusal('not_found');
    const { endpoint, method } = endpointFor(inbound, match);
    return { inbound, endpoint, route: endpoint.route, method, parameters: match.parameters, path, query };
  };
}
