import {
  ALLOWED_HEADERS,
  CORS_HEADERS,
  EXPOSE_HEADERS,
  EXPOSED_HEADERS,
  envelope,
  HEADERS,
  JSON_MEDIA_TYPE,
  Refusal,
  type Route,
  refusalBody,
  SENT_BY_MISTAKE,
} from '@asset-gateway/protocol';
import type { Answer, Call, Inbound, Outbound, Receipt } from '../call.ts';
import type { RequestTrail } from './trail.ts';

/** The most names that are read. A browser sends fewer. */
const MAX_NAMES = 64;

/** Whether a preflight asks for the header with this lower-case name. */
function asksFor(name: string, { headers }: Inbound): boolean {
  const asked = headers['access-control-request-headers'];
  if (typeof asked !== 'string') return false;
  return asked.split(',', MAX_NAMES).some((each) => each.trim().toLowerCase() === name);
}

/**
 * Returns the headers that clients may send: those of the specification (docs/conformance.md 4.5), and further ones if the preflight asks
 * for them.
 */
function allowedHeaders({ credit }: Route, inbound: Inbound): string {
  const others = [SENT_BY_MISTAKE, ...(credit === 'accepted' ? ['Prefer'] : [])];
  return [ALLOWED_HEADERS, ...others.filter((name) => asksFor(name.toLowerCase(), inbound))].join(', ');
}

/** The header that permits a public page to call a gateway of a private network, if its browser asks. */
const FROM_PUBLIC_PAGES = { 'Access-Control-Allow-Private-Network': 'true' };

/** Returns the answer to OPTIONS. */
export function preflight({ route, inbound }: Call): Outbound {
  return {
    status: 204,
    headers: {
      'Access-Control-Allow-Methods': `${route.httpMethod}, OPTIONS`,
      'Access-Control-Allow-Headers': allowedHeaders(route, inbound),
      [EXPOSE_HEADERS]: EXPOSED_HEADERS,
      ...(inbound.headers['access-control-request-private-network'] === 'true' && FROM_PUBLIC_PAGES),
    },
    body: '',
  };
}

/** Returns a 200: the upstream's JSON text in its envelope, with the receipt's headers. */
export function success(route: Route, answer: Answer, receipt: Receipt): Outbound {
  const type = { 'Content-Type': route.result.mediaType ?? JSON_MEDIA_TYPE };
  const { headers, priceUsd, ...rest } = receipt;
  const { upstreamStatus } = answer;
  const ofUpstream = upstreamStatus !== undefined && {
    [HEADERS.upstreamStatus]: String(upstreamStatus),
    [EXPOSE_HEADERS]: `${headers[EXPOSE_HEADERS] ?? CORS_HEADERS[EXPOSE_HEADERS]}, ${HEADERS.upstreamStatus}`,
  };
  const body = answer.body ?? envelope(route, answer.json, priceUsd);
  return { status: 200, headers: { ...type, ...answer.headers, ...headers, ...ofUpstream }, body, ...rest };
}

/**
 * Returns the response to an error. No other code turns errors into responses. A 402 carries a fresh challenge of the route's gate. An
 * unexpected error becomes `internal_error` without details.
 */
export function refuse(error: unknown, trail: RequestTrail): Outbound {
  const reasonOf = () => String((error as Error)?.stack ?? error);
  const refusal = error instanceof Refusal ? error : new Refusal('internal_error', { reason: reasonOf() });
  const { headers, reason, scope } = refusal.details;
  const { retryAfterSeconds } = refusal;
  const challenge = refusal.status === 402 ? trail.challenge(refusal.code) : undefined;
  trail.facts.refused = { code: refusal.code, reason, scope };
  return {
    status: refusal.status,
    headers: {
      'Content-Type': JSON_MEDIA_TYPE,
      ...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }),
      ...challenge?.headers,
      ...headers,
    },
    body: JSON.stringify({
      ...refusalBody(refusal, trail.facts.requestId, trail.facts.payment),
      ...challenge?.members,
    }),
  };
}
