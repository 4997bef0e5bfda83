import { ALLOWED_HEADERS, EXPOSED_HEADERS, type Route, SENT_BY_MISTAKE } from '@asset-gateway/protocol';
import type { Call, Inbound, Outbound } from '../call.ts';

/** No browser asks for more names. */
const MAX_NAMES = 64;

/** Whether a preflight asks for this name, in lower case. */
function asksFor(name: string, { headers }: Inbound): boolean {
  const asked = headers['access-control-request-headers'];
  if (typeof asked !== 'string') return false;
  return asked.split(',', MAX_NAMES).some((each) => each.trim().toLowerCase() === name);
}

/** The list of the specification; and what only some scripts ask for, where they do. */
function allowedHeaders({ credit }: Route, inbound: Inbound): string {
  const others = [SENT_BY_MISTAKE, ...(credit === 'accepted' ? ['Prefer'] : [])];
  return [ALLOWED_HEADERS, ...others.filter((name) => asksFor(name.toLowerCase(), inbound))].join(', ');
}

/** The answer to OPTIONS: the row's canonical verb, and the header lists of the specification. */
export function preflight({ route, inbound }: Call): Outbound {
  return {
    status: 204,
    headers: {
      'Access-Control-Allow-Methods': `${route.httpMethod}, OPTIONS`,
      'Access-Control-Allow-Headers': allowedHeaders(route, inbound),
      'Access-Control-Expose-Headers': EXPOSED_HEADERS,
    },
    body: '',
  };
}
