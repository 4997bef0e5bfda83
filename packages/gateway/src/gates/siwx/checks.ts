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
  readonly places: Places;
}

/** What a sign-in may name: every path of the origin as well, or this path alone. */
export type Places = 'origin' | 'path';

/** How far two honest clocks may lie apart. */
const SKEW_MS = 30_000;
const MAX_AGE_MS = 300_000;
const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;

const fault = (code: RefusalCode, reason: string): Fault => ({ code, reason });

/** A strict RFC 3339 date in UTC, in milliseconds; nothing for any other text, or a day that no calendar has. */
export function parseDate(text: string): number | undefined {
  if (!DATE.test(text)) return undefined;
  const milliseconds = Date.parse(text);
  // A day that its month has not, and the hour 24, are read as the next day.
  return new Date(milliseconds).getUTCDate() === Number(text.slice(8, 10)) ? milliseconds : undefined;
}

/** The chain, the kind of key and the message version are ones that we offered; of one network only where one is named. */
export function checkKind(payload: SiwxPayload, network?: string): Fault | undefined {
  const networks: readonly string[] = network === undefined ? SIGN_IN_NETWORKS : [network];
  if (!networks.includes(payload.chainId)) return fault('invalid_siwx_unsupported_chain', 'chainId');
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

/** The sign-in was made for this origin, and for every path there where that is enough, this path, or exactly this path and query. */
export function checkPlace(payload: SiwxPayload, { origin, path, query, places }: Expectation): Fault | undefined {
  if (payload.domain !== origin.slice(origin.indexOf('//') + 2)) {
    return fault('invalid_siwx_domain_mismatch', 'domain');
  }
  const named = [`${origin}${path}`, ...(places === 'origin' ? [origin, `${origin}/`] : [])];
  if (query !== undefined) named.push(`${origin}${path}?${query}`);
  return named.includes(payload.uri) ? undefined : fault('invalid_siwx_uri_mismatch', 'uri');
}

function checkIssuedAt(issuedAtMs: number, nowMs: number): Fault | undefined {
  if (nowMs - issuedAtMs > MAX_AGE_MS) return fault('invalid_siwx_issued_at_too_old', 'issuedAt');
  return issuedAtMs - nowMs > SKEW_MS ? fault('invalid_siwx_issued_at_in_future', 'issuedAt') : undefined;
}

function checkLimits({ expirationTime, notBefore }: SiwxPayload, nowMs: number): Fault | undefined {
  if (expirationTime !== undefined) {
    const expires = parseDate(expirationTime);
    if (expires === undefined) return fault('invalid_siwx_header', 'expirationTime');
    if (expires < nowMs) return fault('invalid_siwx_expired', 'expirationTime');
  }
  if (notBefore !== undefined) {
    const starts = parseDate(notBefore);
    if (starts === undefined) return fault('invalid_siwx_header', 'notBefore');
    if (starts - nowMs > SKEW_MS) return fault('invalid_siwx_not_yet_valid', 'notBefore');
  }
  return undefined;
}

/** To the second, and one for rounding. */
const isSameSecond = (one: number, other: number): boolean =>
  Math.abs(Math.floor(one / 1000) - Math.floor(other / 1000)) <= 1;

/**
 * The dates are real, and now lies between them. A challenge is dated by the time of day, which somebody may have set right since
 * it was issued: whoever echoes its `issuedAt` is judged by the clock that dated it, as far as that is among these; the first is
 * for everybody else.
 */
export function checkDates(
  payload: SiwxPayload,
  ageMs: number,
  clocks: readonly [number, ...number[]],
): Fault | undefined {
  const issuedAt = parseDate(payload.issuedAt);
  if (issuedAt === undefined) return fault('invalid_siwx_header', 'issuedAt');
  const echoed = clocks.find((nowMs) => isSameSecond(issuedAt, nowMs - ageMs));
  const tooFar = echoed === undefined ? checkIssuedAt(issuedAt, clocks[0]) : undefined;
  return tooFar ?? checkLimits(payload, echoed ?? clocks[0]);
}
