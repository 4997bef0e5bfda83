import { envelope, JSON_MEDIA_TYPE, Refusal, type Route, refusalBody } from '@asset-gateway/protocol';
import type { Answer, Outbound, Receipt } from '../call.ts';
import type { RequestTrail } from './trail.ts';

const JSON_BODY = { 'Content-Type': JSON_MEDIA_TYPE };

/** The answer of success: the upstream's JSON text in its envelope, and the receipt's headers. */
export function success(route: Route, answer: Answer, receipt: Receipt): Outbound {
  const type = { 'Content-Type': route.result.mediaType ?? JSON_MEDIA_TYPE };
  const { headers, priceUsd, ...rest } = receipt;
  const body = answer.body ?? envelope(route, answer.json, priceUsd);
  return { status: 200, headers: { ...type, ...answer.headers, ...headers }, body, ...rest };
}

/** Whatever was thrown, as a refusal; what is not one is our own fault and tells the caller nothing. */
const asRefusal = (error: unknown): Refusal =>
  error instanceof Refusal
    ? error
    : new Refusal('internal_error', { reason: String((error as Error)?.stack ?? error) });

/** The only place that turns an error into an answer. A 402 carries a fresh challenge of the gate it came from. */
export function refuse(error: unknown, trail: RequestTrail): Outbound {
  const refusal = asRefusal(error);
  const { headers, reason, scope } = refusal.details;
  const { retryAfterSeconds } = refusal;
  const challenge = refusal.status === 402 ? trail.challenge(refusal.code) : undefined;
  trail.refused = { code: refusal.code, reason, scope };
  return {
    status: refusal.status,
    headers: {
      ...JSON_BODY,
      ...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }),
      ...challenge?.headers,
      ...headers,
    },
    body: JSON.stringify({ ...refusalBody(refusal, trail.requestId, trail.payment), ...challenge?.members }),
  };
}
