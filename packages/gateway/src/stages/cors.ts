import { HEADERS } from '@asset-gateway/protocol';
import type { Call, Outbound } from '../call.ts';

/** The lists of specification 4.5. */
const ALLOWED_HEADERS =
  'Content-Type, PAYMENT-SIGNATURE, X-PAYMENT, X-PAYMENT-RESPONSE, PAYMENT-RESPONSE, SIGN-IN-WITH-X, Authorization';
const EXPOSED_HEADERS = 'Content-Type, WWW-Authenticate, X-PAYMENT-RESPONSE, PAYMENT-RESPONSE';

/** The official browser client sends this response header's name as a request header. */
const SENT_BY_MISTAKE = 'Access-Control-Expose-Headers';

const ALSO_EXPOSED = [
  HEADERS.paymentRequired,
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  HEADERS.replayNonce,
  'X-Request-Id',
  'Idempotency-Replayed',
];

/** What every answer carries so that a browser's script may read it. */
export const CORS_HEADERS: Readonly<Record<string, string>> = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': [EXPOSED_HEADERS, ...ALSO_EXPOSED].join(', '),
};

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
