import { HEADERS, type Route } from '@asset-gateway/protocol';
import type { JsonObject } from './schemas.ts';

const text = (description: string): JsonObject => ({ description, schema: { type: 'string' } });

const HEADER_COMPONENTS: Readonly<Record<string, JsonObject>> = {
  'X-Request-Id': text('Of this request, for the log: the one that was sent, or a fresh one.'),
  'Retry-After': { description: 'Seconds after which to send the same again.', schema: { type: 'integer' } },
  'WWW-Authenticate': text('`SIWX realm="<origin>", error="<code>"`.'),
  [HEADERS.paymentRequired]: text('The challenge of the body, base64 of its JSON: what to sign or to pay.'),
  [HEADERS.paymentResponse]: text('What became of the payment, base64 of JSON (x402 SettleResponse).'),
  [HEADERS.version1PaymentResponse]: text(
    `As ${HEADERS.paymentResponse}, with short network names, where ${HEADERS.version1Payment} paid.`,
  ),
  [HEADERS.replayed]: {
    description: 'The answer had been paid for before: nothing was settled now.',
    schema: { type: 'string', enum: ['true'] },
  },
  [HEADERS.credit]: text(
    'Where credit was charged or bought: `charged=<millionths of a dollar>, balance=<what is left>`.',
  ),
  [HEADERS.replayNonce]: text('A fresh nonce: signed in place of a challenge, it saves the next 402.'),
  RateLimit: text('`"upstream";r=<calls left>;t=<seconds until the next one frees>`.'),
  'RateLimit-Policy': text('`"upstream";q=<calls>;w=<seconds>`: what the shared budget allows.'),
  ETag: text('Sent back in If-None-Match, it saves the body of an unchanged document.'),
  'Cache-Control': text('For how long anybody may keep the document.'),
};

const RETRYABLE = [409, 429, 503];
/** Given before anybody is let in, or by our own fault: the same whatever the gate. */
const WITHOUT_SIGN_IN = [402, 408, 413, 414, 431, 500];

function namesOf({ access, credit, maxAgeSeconds }: Route, status: number): string[] {
  const names = ['X-Request-Id'];
  if (RETRYABLE.includes(status)) names.push('Retry-After');
  if (status === 402) names.push(HEADERS.paymentRequired);
  if (access === 'siwx' && status === 402) names.push('WWW-Authenticate');
  if (access === 'siwx' && !WITHOUT_SIGN_IN.includes(status)) {
    names.push(HEADERS.replayNonce, 'RateLimit', 'RateLimit-Policy');
  }
  if (access === 'exact' && [200, 402, 503].includes(status)) {
    names.push(HEADERS.paymentResponse, HEADERS.version1PaymentResponse);
  }
  if (access === 'exact' && status === 200) names.push(HEADERS.replayed);
  if (credit !== undefined && status === 200) names.push(HEADERS.credit);
  if (credit === 'accepted' && !WITHOUT_SIGN_IN.includes(status)) names.push(HEADERS.replayNonce);
  if (maxAgeSeconds !== undefined && (status === 200 || status === 304)) names.push('ETag', 'Cache-Control');
  return names;
}

/** The headers that an answer of a route with this status can carry, as references to components. */
export const headersOf = (route: Route, status: number): JsonObject =>
  Object.fromEntries(namesOf(route, status).map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** The components that the answers of a route refer to, whatever their status. */
export function headerComponents(route: Route, statuses: readonly number[]): JsonObject {
  const names = new Set(statuses.flatMap((status) => namesOf(route, status)));
  return Object.fromEntries([...names].map((name) => [name, HEADER_COMPONENTS[name]]));
}
