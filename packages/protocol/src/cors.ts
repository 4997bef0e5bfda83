import { HEADERS } from './payment-required.ts';

/** What a browser's script may send: the list of specification 4.5. */
export const ALLOWED_HEADERS =
  'Content-Type, PAYMENT-SIGNATURE, X-PAYMENT, X-PAYMENT-RESPONSE, PAYMENT-RESPONSE, SIGN-IN-WITH-X, Authorization';

/** What a preflight says that a script may read: the list of specification 4.5. */
export const EXPOSED_HEADERS = 'Content-Type, WWW-Authenticate, X-PAYMENT-RESPONSE, PAYMENT-RESPONSE';

/** The official browser client sends this response header's name as a request header. */
export const SENT_BY_MISTAKE = 'Access-Control-Expose-Headers';

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
