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
import { type Crypto, decodeBase58, decodeJsonHeader } from '../crypto.ts';
import type { IssuedNonce, Nonces } from './nonce.ts';

const MAX_MEMBER_BYTES = 4096;

/**
 * The second of two members: a client that adds its fresh header to a stale one sends two, which HTTP joins with a comma. With a
 * third, the rest contains a comma and is not base64. Undefined if a member is too long.
 */
function lastOfTwo(header: string): string | undefined {
  const comma = header.indexOf(',');
  let start = comma + 1;
  while (comma >= 0 && (header[start] === ' ' || header[start] === '\t')) start++;
  const isTooLong = comma > MAX_MEMBER_BYTES || header.length - start > MAX_MEMBER_BYTES;
  return isTooLong ? undefined : header.slice(start);
}

/** Reads the SIGN-IN-WITH-X header; undefined unless it ends in one well-formed payload within the limits. */
export function readSignIn(header: string): SiwxPayload | undefined {
  const member = lastOfTwo(header);
  return member === undefined ? undefined : readSiwxPayload(decodeJsonHeader(member));
}

/** A failed check: the public code and, for the log, the check. */
export interface Fault {
  readonly code: RefusalCode;
  readonly reason: string;
}

/** Whether a sign-in may name the bare origin, or this path alone. */
type Places = 'origin' | 'path';

/** The largest difference between two honest clocks. */
const SKEW_MS = 30_000;
const MAX_AGE_MS = 300_000;
const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;

const fault = (code: RefusalCode, reason: string): Fault => ({ code, reason });

/** A strict RFC 3339 date in UTC as milliseconds; undefined for any other text or an impossible day. */
function parseDate(text: string): number | undefined {
  if (!DATE.test(text)) return undefined;
  const milliseconds = Date.parse(text);
  // Date.parse reads 31 February and hour 24 as a later day.
  return new Date(milliseconds).getUTCDate() === Number(text.slice(8, 10)) ? milliseconds : undefined;
}

/** The chain, key type and message version must be ones that the challenge offered. */
function checkKind(payload: SiwxPayload, network?: string): Fault | undefined {
  const networks: readonly string[] = network === undefined ? SIGN_IN_NETWORKS : [network];
  if (!networks.includes(payload.chainId)) return fault('invalid_siwx_unsupported_chain', 'chainId');
  if (payload.type !== 'ed25519') return fault('invalid_siwx_unsupported_chain', 'type');
  const scheme = payload.signatureScheme;
  if (scheme !== undefined && scheme !== 'siws') return fault('invalid_siwx_unsupported_chain', 'signatureScheme');
  return payload.version === '1' ? undefined : fault('invalid_siwx_header', 'version');
}

/** The nonce must be -30 to 300 s old. If the store checks again, this node's clock may differ by 30 s. */
function checkAge(nonce: IssuedNonce, nowMs: number, judgedByStore: boolean): Fault | undefined {
  const age = nowMs - nonce.issuedAtSeconds * 1000;
  const tolerance = judgedByStore ? SKEW_MS : 0;
  const fits = age <= MAX_AGE_MS + tolerance && age >= -SKEW_MS - tolerance;
  return fits ? undefined : fault('invalid_siwx_expired', 'nonce age');
}

/** The sign-in must name this origin and this path, with or without the query; or the bare origin where that is allowed. */
function checkPlace(payload: SiwxPayload, { origin, places }: SignInRule, { path, query }: Call): Fault | undefined {
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

/**
 * The dates must be valid and include now. The wall clock may have been corrected since the challenge was issued: a sign-in that
 * echoes the challenge's `issuedAt` is checked with the clock that dated it, any other with the first of `clocks`.
 */
function checkDates(payload: SiwxPayload, ageMs: number, clocks: readonly [number, ...number[]]): Fault | undefined {
  const issuedAt = parseDate(payload.issuedAt);
  if (issuedAt === undefined) return fault('invalid_siwx_header', 'issuedAt');
  const second = Math.floor(issuedAt / 1000);
  // Equal to the second, plus one for rounding.
  const echoed = clocks.find((nowMs) => Math.abs(second - Math.floor((nowMs - ageMs) / 1000)) <= 1);
  const tooFar = echoed === undefined ? checkIssuedAt(issuedAt, clocks[0]) : undefined;
  return tooFar ?? checkLimits(payload, echoed ?? clocks[0]);
}

/** Dependencies of the sign-in check. */
export interface SignInDependencies {
  readonly crypto: Crypto;
  readonly nonces: Nonces;
  /** In milliseconds: `now` dates nonces, `wallNow` dates challenges. */
  readonly clocks: { now(): number; wallNow(): number };
}

/** Requirements of a sign-in. */
interface SignInRule {
  readonly origin: string;
  readonly epoch: string;
  /** Whether the store checks the nonce's age again. */
  readonly judgedByStore: boolean;
  readonly places: Places;
  /** CAIP-2 id of the only allowed network. Default: every offered one. */
  readonly network?: string;
}

/** A sign-in with a valid signature. */
interface ValidSignIn {
  readonly payload: SiwxPayload;
  readonly nonce: IssuedNonce;
}

const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
const SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;

function refuseOn(fault: Fault | undefined): void {
  if (fault) throw new Refusal(fault.code, { reason: fault.reason });
}

/** Whether the request has a sign-in header, valid or not. */
export const carriesSignIn = ({ inbound }: Call): boolean =>
  inbound.headers[HEADERS.signIn.toLowerCase()] !== undefined;

/** Reads and checks a call's sign-in, the signature last; refuses by throwing. Does not check whether the nonce was used. */
export function readValidSignIn(parts: SignInDependencies, call: Call, rule: SignInRule): ValidSignIn {
  const { crypto, nonces, clocks } = parts;
  const { origin, epoch, judgedByStore, network } = rule;
  const nowMs = clocks.now();
  const payload = payloadOf(call);
  refuseOn(checkKind(payload, network));
  const nonce = nonces.read(payload.nonce, origin, epoch, nowMs);
  if (!nonce) throw new Refusal('invalid_siwx_nonce', { reason: 'not issued here' });
  refuseOn(checkAge(nonce, nowMs, judgedByStore));
  refuseOn(checkPlace(payload, rule, call));
  refuseOn(checkDates(payload, nowMs - nonce.issuedAtSeconds * 1000, [clocks.wallNow(), nowMs]));
  verify(crypto, payload);
  return { payload, nonce };
}

function payloadOf({ inbound }: Call): SiwxPayload {
  const header = inbound.headers[HEADERS.signIn.toLowerCase()];
  if (header === undefined) throw new Refusal('sign_in_required');
  const payload = typeof header === 'string' ? readSignIn(header) : undefined;
  if (!payload) throw new Refusal('invalid_siwx_header', { reason: 'header' });
  return payload;
}

function verify(crypto: Crypto, payload: SiwxPayload): void {
  if (!ADDRESS.test(payload.address) || !SIGNATURE.test(payload.signature)) {
    throw new Refusal('invalid_siwx_malformed_signature', { reason: 'base58' });
  }
  const [address, signature] = [decodeBase58(payload.address, 32), decodeBase58(payload.signature, 64)];
  if (!address || !signature) {
    throw new Refusal('invalid_siwx_malformed_signature', { reason: 'length' });
  }
  const message = Buffer.from(siwxMessageText(payload));
  if (!crypto.verify(signature, message, address)) throw new Refusal('invalid_siwx_signature');
}
