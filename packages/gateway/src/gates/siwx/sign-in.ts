import {
  HEADERS,
  Refusal,
  type RefusalCode,
  readSiwxPayload,
  SIGN_IN_NETWORKS,
  type SiwxPayload,
  siwxMessageText,
} from '@asset-gateway/protocol';
import type { Call } from '../../call.ts';
import type { Crypto } from '../crypto.ts';
import { decodeBase58, decodeJsonHeader } from '../encodings.ts';
import type { IssuedNonce, Nonces } from './nonce.ts';

const MAX_MEMBER_BYTES = 4096;

/**
 * What follows the first member, if there is one: a client that adds its fresh header to a stale one sends two, which HTTP
 * joins with a comma. With a third the rest has a comma and is no base64. Nothing when one of the two is too long.
 */
function lastOfTwo(header: string): string | undefined {
  const comma = header.indexOf(',');
  let start = comma + 1;
  while (comma >= 0 && (header[start] === ' ' || header[start] === '\t')) start++;
  const isTooLong = comma > MAX_MEMBER_BYTES || header.length - start > MAX_MEMBER_BYTES;
  return isTooLong ? undefined : header.slice(start);
}

/** Reads the SIGN-IN-WITH-X header; nothing when it does not end in one well-formed payload within its limits. */
export function readSignIn(header: string): SiwxPayload | undefined {
  const member = lastOfTwo(header);
  return member === undefined ? undefined : readSiwxPayload(decodeJsonHeader(member));
}

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

/** What sign-ins are judged with. */
export interface SignInParts {
  readonly crypto: Crypto;
  readonly nonces: Nonces;
  /** The clock that nonces are dated by, in milliseconds; where nodes share a store it is the store's. */
  readonly now: () => number;
  /** The time of day, in milliseconds, by which challenges are dated. */
  readonly wallNow: () => number;
}

/** What one sign-in has to fit. */
export interface SignInRule {
  readonly origin: string;
  readonly epoch: string;
  /** Whether the store judges the nonce's age again. */
  readonly judgedByStore: boolean;
  readonly places: Places;
  /** CAIP-2 of the only network that it may name; any that is offered unless told. */
  readonly network?: string;
}

/** A sign-in whose signature is its wallet's. */
export interface ValidSignIn {
  readonly payload: SiwxPayload;
  readonly nonce: IssuedNonce;
}

const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
const SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;

const utf8 = new TextEncoder();

function refuseOn(fault: Fault | undefined): void {
  if (fault) throw new Refusal(fault.code, { reason: fault.reason });
}

/** Whether the request signs in, well or badly. */
export const carriesSignIn = ({ inbound }: Call): boolean =>
  inbound.headers[HEADERS.signIn.toLowerCase()] !== undefined;

/** Reads the sign-in of a call and judges it, the signature last; refuses by throwing. Whether its nonce was used is not asked. */
export function readValidSignIn(parts: SignInParts, call: Call, rule: SignInRule): ValidSignIn {
  const payload = payloadOf(call);
  const nonce = check(parts, payload, call, rule);
  verify(parts.crypto, payload);
  return { payload, nonce };
}

function payloadOf({ inbound }: Call): SiwxPayload {
  const header = inbound.headers[HEADERS.signIn.toLowerCase()];
  if (header === undefined) throw new Refusal('sign_in_required');
  const payload = typeof header === 'string' ? readSignIn(header) : undefined;
  if (!payload) throw new Refusal('invalid_siwx_header', { reason: 'header' });
  return payload;
}

function check({ nonces, now, wallNow }: SignInParts, payload: SiwxPayload, call: Call, rule: SignInRule): IssuedNonce {
  const { origin, epoch, judgedByStore, places, network } = rule;
  const nowMs = now();
  refuseOn(checkKind(payload, network));
  const nonce = nonces.read(payload.nonce, origin, epoch, nowMs);
  if (!nonce) throw new Refusal('invalid_siwx_nonce', { reason: 'not issued here' });
  refuseOn(checkAge(nonce, nowMs, judgedByStore));
  refuseOn(checkPlace(payload, { origin, path: call.path, query: call.query, places }));
  refuseOn(checkDates(payload, nowMs - nonce.issuedAtSeconds * 1000, [wallNow(), nowMs]));
  return nonce;
}

function verify(crypto: Crypto, payload: SiwxPayload): void {
  if (!ADDRESS.test(payload.address) || !SIGNATURE.test(payload.signature)) {
    throw new Refusal('invalid_siwx_malformed_signature', { reason: 'base58' });
  }
  const [address, signature] = [decodeBase58(payload.address, 32), decodeBase58(payload.signature, 64)];
  if (!address || !signature) {
    throw new Refusal('invalid_siwx_malformed_signature', { reason: 'length' });
  }
  const message = utf8.encode(siwxMessageText(payload));
  if (!crypto.verify(signature, message, address)) throw new Refusal('invalid_siwx_signature');
}
