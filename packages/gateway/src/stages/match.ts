import { createMatcher, type HttpMethod, type Match, Refusal, type Route } from '@asset-gateway/protocol';
import type { Call, Inbound } from '../call.ts';

const MAX_TARGET_LENGTH = 8192;
/** Origin form, printable ASCII, no fragment. */
const TARGET = /^\/[\x21\x22\x24-\x7e]*$/;

const badRequest = (reason: string): Refusal => new Refusal('bad_request', { reason });

function isDecodable(query: string): boolean {
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

/** The verbs that a path takes: HEAD comes with GET, OPTIONS with all. */
export function allowedMethods({ rows }: Pick<Match, 'rows'>): string {
  return [...rows.keys()]
    .flatMap((verb) => (verb === 'GET' ? [verb, 'HEAD'] : [verb]))
    .concat('OPTIONS')
    .join(', ');
}

function rowFor(method: string, match: Match): { route: Route; method: HttpMethod | 'OPTIONS' } {
  const [first] = match.rows.values();
  if (method === 'OPTIONS' && first) return { route: first, method };
  const verb = method === 'HEAD' ? 'GET' : method;
  const route = verb === 'GET' || verb === 'POST' ? match.rows.get(verb) : undefined;
  if (!route) throw new Refusal('method_not_allowed', { headers: { Allow: allowedMethods(match) } });
  return { route, method: route.httpMethod };
}

/** Finds the row of a request: the raw target is judged before anything else, and the row is never looked up again. */
export function createMatch(routes: readonly Route[]): (inbound: Inbound) => Call {
  const find = createMatcher(routes);
  return (inbound) => {
    if (inbound.fault) throw new Refusal(inbound.fault, { reason: 'server limit' });
    const { path, query } = splitTarget(inbound);
    const match = find(path);
    if (match === 'malformed') throw badRequest('path');
    if (!match) throw new Refusal('not_found');
    return { inbound, path, query, parameters: match.parameters, ...rowFor(inbound.method, match) };
  };
}
