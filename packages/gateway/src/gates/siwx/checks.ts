import { type RefusalCode, SIGN_IN_NETWORKS, type SiwxPayload } from '@asset-gateway/protocol';
import type { IssuedNonce } from './nonce.ts';

/** A failed check: the public code, and for the log which check it was. */
export interface Fault {
  readonly code: RefusalCode;
  readonly reason: string;
}

/** What a sign-in has to fit. */
export interface Expectation {
  /** Scheme, host and port that the client dialled, from configuration. */
  readonly origin: string;
  /** The raw path of the request. */
  readonly path: string;
  /** Its raw query without the question mark; nothing when there is none. */
  readonly query: string | undefined;
}

/** How far two honest clocks may lie apart. */
const SKEW_MS = 30_000;
const MAX_AGE_MS = 300_000;
const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;

const fault = (code: RefusalCode, reason: string): Fault => ({ code, reason });

/** A strict RFC 3339 date in UTC, in milliseconds; nothing for any other text, or a day that no calendar has. */
export function parseDate(text: string): number | undefined {
  if (!DATE.test(text)) return undefined;
  const milliseconds = Date.parse(text);
  if (Number.isNaN(milliseconds)) return undefined;
  return new Date(milliseconds).toISOString().slice(0, 19) === text.slice(0, 19) ? milliseconds : undefined;
}

/** The chain, the kind of key and the message version are ones that we offered. */
export function checkKind(payload: SiwxPayload): Fault | undefined {
  if (!SIGN_IN_NETWORKS.includes(payload.chainId)) return fault('invalid_siwx_unsupported_chain', 'chainId');
  if (payload.type !== 'ed25519') return fault('invalid_siwx_unsupported_chain', 'type');
  const scheme = payload.signatureScheme;
  if (scheme !== undefined && scheme !== 'siws') return fault('invalid_siwx_unsupported_chain', 'signatureScheme');
  return payload.version === '1' ? undefined : fault('invalid_siwx_header', 'version');
}

/** The nonce is from -30 to 300 s old. Where the store judges that as well, a node's own clock may differ by 30 s. */
export function checkAge(nonce: IssuedNonce, nowMs: number, judgedByStore: boolean): Fault | undefined {
  const age = nowMs - nonce.issuedAtSeconds * 1000;
  const tolerance = judgedByStore ? SKEW_MS : 0;
  const fits = age <= MAX_AGE_MS + tolerance && age >= -SKEW_MS - tolerance;
  return fits ? undefined : fault('invalid_siwx_expired', 'nonce age');
}

/** The sign-in was made for this origin, and for every path there, this path, or exactly this path and query. */
export function checkPlace(payload: SiwxPayload, { origin, path, query }: Expectation): Fault | undefined {
  if (payload.domain !== origin.slice(origin.indexOf('//') + 2)) {
    return fault('invalid_siwx_domain_mismatch', 'domain');
  }
  const places = [origin, `${origin}/`, `${origin}${path}`];
  if (query !== undefined) places.push(`${origin}${path}?${query}`);
  return places.includes(payload.uri) ? undefined : fault('invalid_siwx_uri_mismatch', 'uri');
}

function checkIssuedAt(issuedAtMs: number, nonce: IssuedNonce, nowMs: number): Fault | undefined {
  if (Math.floor(issuedAtMs / 1000) === nonce.issuedAtSeconds) return undefined;
  if (nowMs - issuedAtMs > MAX_AGE_MS) return fault('invalid_siwx_issued_at_too_old', 'issuedAt');
  return issuedAtMs - nowMs > SKEW_MS ? fault('invalid_siwx_issued_at_in_future', 'issuedAt') : undefined;
}

/** The dates are real, and now lies between them. */
export function checkDates(payload: SiwxPayload, nonce: IssuedNonce, nowMs: number): Fault | undefined {
  const issuedAt = parseDate(payload.issuedAt);
  if (issuedAt === undefined) return fault('invalid_siwx_header', 'issuedAt');
  const tooFar = checkIssuedAt(issuedAt, nonce, nowMs);
  if (tooFar) return tooFar;
  if (payload.expirationTime !== undefined) {
    const expires = parseDate(payload.expirationTime);
    if (expires === undefined) return fault('invalid_siwx_header', 'expirationTime');
    if (expires < nowMs) return fault('invalid_siwx_expired', 'expirationTime');
  }
  if (payload.notBefore !== undefined) {
    const starts = parseDate(payload.notBefore);
    if (starts === undefined) return fault('invalid_siwx_header', 'notBefore');
    if (starts - nowMs > SKEW_MS) return fault('invalid_siwx_not_yet_valid', 'notBefore');
  }
  return undefined;
}
