import { ALLOWED_HEADERS, EXPOSED_HEADERS, SENT_BY_MISTAKE } from '@asset-gateway/protocol';
import type { Call, Outbound } from '../call.ts';

/** The answer to OPTIONS: the row's canonical verb, and the header lists of the specification. */
export function preflight({ route, inbound }: Call): Outbound {
  const asked = String(inbound.headers['access-control-request-headers'] ?? '').toLowerCase();
  const askedByMistake = asked.split(/\s*,\s*/).includes(SENT_BY_MISTAKE.toLowerCase());
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
