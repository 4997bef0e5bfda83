import { createMatcher, type Match, type Placed, Refusal, type Route } from '@asset-gateway/protocol';
import type { Call, Inbound } from '../call.ts';

/** A call with its endpoint. */
export type Found<E> = Call & { readonly endpoint: E };

const MAX_TARGET_LENGTH = 8192;
/** Origin form, printable ASCII, no fragment. */
const TARGET = /^\/[\x21\x22\x24-\x7e]*$/;

const badRequest = (reason: string): Refusal => new Refusal('bad_request', { reason });

function isDecodable(query: string): boolean {
  if (!query.includes('%')) return true;
  try {
    decodeURIComponent(query);
    return true;
  } catch {
    return false;
  }
}

function splitTarget({ target, hosts }: Inbound): { path: string; query: string | undefined } {
  if (hosts.length > 1) throw badRequest('several Hosts');
  if (target.length > MAX_TARGET_LENGTH) throw new Refusal('uri_too_long');
  if (!TARGET.test(target)) throw badRequest('target');
  const mark = target.indexOf('?');
  if (mark < 0) return { path: target, query: undefined };
  const query = target.slice(mark + 1);
  if (!isDecodable(query)) throw badRequest('query escapes');
  return { path: target.slice(0, mark), query };
}

/** The value of Allow: HEAD comes with GET, OPTIONS with every verb. */
function allowedMethods({ rows }: Pick<Match<unknown>, 'rows'>): string {
  return [...rows.keys()]
    .flatMap((verb) => (verb === 'GET' ? [verb, 'HEAD'] : [verb]))
    .concat('OPTIONS')
    .join(', ');
}

const placeOf = ({ route: { path, httpMethod } }: { readonly route: Route }): Placed => ({ path, httpMethod });

function rowFor<Row extends Placed>(method: string, match: Match<Row>): { row: Row; method: Call['method'] } {
  const [first] = match.rows.values();
  if (method === 'OPTIONS' && first) return { row: first, method };
  const verb = method === 'HEAD' ? 'GET' : method;
  const row = verb === 'GET' || verb === 'POST' ? match.rows.get(verb) : undefined;
  if (!row) throw new Refusal('method_not_allowed', { headers: { Allow: allowedMethods(match) } });
  return { row, method: row.httpMethod };
}

/** Checks the raw target of a request, then finds its endpoint. */
export function createMatch<E extends { readonly route: Route }>(
  endpoints: readonly E[],
): (inbound: Inbound) => Found<E> {
  const find = createMatcher(endpoints.map((endpoint) => ({ ...placeOf(endpoint), endpoint })));
  return (inbound) => {
    if (inbound.fault) throw new Refusal(inbound.fault, { reason: 'server limit' });
    const { path, query } = splitTarget(inbound);
    const match = find(path);
    if (match === 'malformed') throw badRequest('path');
    if (!match) throw new Refusal('not_found');
    const { row, method } = rowFor(inbound.method, match);
    const { endpoint } = row;
    return { inbound, endpoint, route: endpoint.route, method, parameters: match.parameters, path, query };
  };
}
