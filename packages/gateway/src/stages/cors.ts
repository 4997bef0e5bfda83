import { ALLOWED_HEADERS, EXPOSED_HEADERS, SENT_BY_MISTAKE } from '@asset-gateway/protocol';
import type { Call, Inbound, Outbound } from '../call.ts';

/** No browser asks for more names. */
const MAX_NAMES = 64;

/** Whether a preflight asks for this name, in lower case. */
function asksFor(name: string, { headers }: Inbound): boolean {
  const asked = headers['access-control-request-headers'];
  if (typeof asked !== 'string') return false;
  return asked.split(',', MAX_NAMES).some((each) => each.trim().toLowerCase() === name);
}

/** The answer to OPTIONS: the row's canonical verb, and the header lists of the specification. */
export function preflight({ route, inbound }: Call): Outbound {
  const askedByMistake = asksFor(SENT_BY_MISTAKE.toLowerCase(), inbound);
  return {
    status: 204,
    headers: {
      'Access-Control-Allow-Methods': `${route.httpMethod}, OPTIONS`,
      'Access-Control-Allow-Headers': askedByMistake ? `${ALLOWED_HEADERS}, ${SENT_BY_MISTAKE}` : ALLOWED_HEADERS,
      'Access-Control-Expose-Headers': EXPOSED_HEADERS,
    },
    body: '',
  };
}
