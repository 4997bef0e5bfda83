import {
  decodeBase58,
  HEADERS,
  Refusal,
  type RefusalCode,
  readSiwxPayload,
  SIGN_IN_NETWORKS,
  SIWX_DATE,
  type SiwxPayload,
  siwxMessageText,
} from '@asset-gateway/protocol';
import type { Call } from '../../call.ts';
import { type Crypto, decodeJsonHeader } from '../../crypto.ts';
import { hostOf } from '../../origin.ts';
import { TIMES } from '../../times.ts';
import type { Nonces } from './nonce.ts';

const MAX_MEMBER_BYTES = 4096;

/**
 * Reads the SIGN-IN-WITH-X header. Returns undefined unless it ends in one well-formed payload within the limits. A client that adds its
 * fresh header to a stale one sends two. HTTP joins them with a comma, and the second one counts. With a third header, the rest contains a
 * comma, which is not base64.
 */
export function readSignIn(header: string): SiwxPayload | undefined {
  const comma = header.indexOf(',');
  let start = comma + 1;
  while (comma >= 0 && (header[start] === ' ' || header[start] === '\t')) start++;
  const isTooLong = comma > MAX_MEMBER_BYTES || header.length - start > MAX_MEMBER_BYTES;
  return isTooLong ? undefined : readSiwxPayload(decodeJsonHeader(header.slice(start)));
}

const { challengeMs, aheadMs } = TIMES;

/** Throws a refusal. `reason`: the failed check, for the log. */
function refuse(code: RefusalCode, reason: string): never {
  throw new Refusal(code, { reason });
}

/**
 * Returns a strict RFC 3339 date in UTC as milliseconds; `absent` without a text. Throws a refusal of any other text and of impossible
 * days.
 */
function dateOf(text: string | undefined, name: string, absent = 0): number {
  if (text === undefined) return absent;
  const milliseconds = SIWX_DATE.test(text) ? Date.parse(text) : Number.NaN;
  // Date.parse reads 31 February and hour 24 as a later day.
  const isReal = new Date(milliseconds).getUTCDate() === Number(text.slice(8, 10));
  return isReal ? milliseconds : refuse('invalid_siwx_header', name);
}

/** Throws a refusal unless the challenge offered this chain, key type and message version. */
function checkKind({ chainId, type, signatureScheme = 'siws', version }: SiwxPayload, network?: string): void {
  const networks: readonly string[] = network === undefined ? SIGN_IN_NETWORKS : [network];
  if (!networks.includes(chainId)) refuse('invalid_siwx_unsupported_chain', 'chainId');
  if (type !== 'ed25519') refuse('invalid_siwx_unsupported_chain', 'type');
  if (signatureScheme !== 'siws') refuse('invalid_siwx_unsupported_chain', 'signatureScheme');
  if (version !== '1') refuse('invalid_siwx_header', 'version');
}

/**
 * Throws a refusal unless the nonce's age is from -`aheadMs` to `challengeMs`. If the store judges the age again, allows `aheadMs` more at
 * each end for the difference of the clocks.
 */
function checkAge(ageMs: number, judgedByStore: boolean): void {
  const tolerance = judgedByStore ? aheadMs : 0;
  const fits = ageMs <= challengeMs + tolerance && ageMs >= -aheadMs - tolerance;
  if (!fits) refuse('invalid_siwx_expired', 'nonce age');
}

/**
 * Throws a refusal unless the sign-in names this origin and this path, with or without the query. A sign-in that spends no credit may name
 * the bare origin.
 */
function checkPlace({ domain, uri }: SiwxPayload, { origin, network }: SignInRule, { path, query }: Call): void {
  if (domain !== hostOf(origin)) refuse('invalid_siwx_domain_mismatch', 'domain');
  const named = [`${origin}${path}`, ...(network === undefined ? [origin, `${origin}/`] : [])];
  if (query !== undefined) named.push(`${origin}${path}?${query}`);
  if (!named.includes(uri)) refuse('invalid_siwx_uri_mismatch', 'uri');
}

/**
 * Throws a refusal unless the dates are valid and now lies between them. The wall clock may have been corrected since the challenge was
 * issued. So a sign-in that repeats the challenge's `issuedAt` is checked with the clock that dated it, and any other with the first of
 * `clocks`.
 */
function checkDates(payload: SiwxPayload, ageMs: number, clocks: readonly [number, ...number[]]): void {
  const issuedAt = dateOf(payload.issuedAt, 'issuedAt');
  const second = Math.floor(issuedAt / 1000);
  // They are equal to the second, or one second apart by rounding.
  const echoed = clocks.find((nowMs) => Math.abs(second - Math.floor((nowMs - ageMs) / 1000)) <= 1);
  const nowMs = echoed ?? clocks[0];
  if (echoed === undefined && nowMs - issuedAt > challengeMs) refuse('invalid_siwx_issued_at_too_old', 'issuedAt');
  if (echoed === undefined && issuedAt - nowMs > aheadMs) refuse('invalid_siwx_issued_at_in_future', 'issuedAt');
  const { expirationTime, notBefore } = payload;
  if (dateOf(expirationTime, 'expirationTime', nowMs) < nowMs) refuse('invalid_siwx_expired', 'expirationTime');
  if (dateOf(notBefore, 'notBefore', nowMs) - nowMs > aheadMs) refuse('invalid_siwx_not_yet_valid', 'notBefore');
}

/** Dependencies of the sign-in check. */
export interface SignInDependencies {
  readonly crypto: Crypto;
  readonly nonces: Nonces;
  /** The clocks in milliseconds: `now` dates nonces, `wallNow` dates challenges. */
  readonly clocks: { now(): number; wallNow(): number };
}

/** What a sign-in must match. */
interface SignInRule {
  readonly origin: string;
  readonly epoch: string;
  /** Whether the store checks the nonce's age again. */
  readonly judgedByStore: boolean;
  /** The CAIP-2 id of the network whose credit the sign-in spends. Undefined: it spends none, and may name every offered network. */
  readonly network?: string;
}

/** Whether the request has a sign-in header, valid or not. */
export const carriesSignIn = ({ inbound }: Call): boolean =>
  inbound.headers[HEADERS.signIn.toLowerCase()] !== undefined;

/** Reads and checks a call's sign-in, the signature last. Throws a refusal of an invalid one. Does not check whether the nonce was used. */
export function readValidSignIn(parts: SignInDependencies, call: Call, rule: SignInRule) {
  const { crypto, nonces, clocks } = parts;
  const { origin, epoch, judgedByStore, network } = rule;
  const nowMs = clocks.now();
  const payload = payloadOf(call);
  checkKind(payload, network);
  const nonce = nonces.read(payload.nonce, origin, epoch, nowMs) ?? refuse('invalid_siwx_nonce', 'not issued here');
  const ageMs = nowMs - nonce.issuedAtSeconds * 1000;
  checkAge(ageMs, judgedByStore);
  checkPlace(payload, rule, call);
  checkDates(payload, ageMs, [clocks.wallNow(), nowMs]);
  verify(crypto, payload);
  return { payload, nonce };
}

function payloadOf({ inbound }: Call): SiwxPayload {
  const header = inbound.headers[HEADERS.signIn.toLowerCase()];
  if (header === undefined) throw new Refusal('sign_in_required');
  const payload = typeof header === 'string' ? readSignIn(header) : undefined;
  return payload ?? refuse('invalid_siwx_header', 'header');
}

function verify(crypto: Crypto, payload: SiwxPayload): void {
  const address = decodeBase58(payload.address, 32) ?? refuse('invalid_siwx_malformed_signature', 'address');
  const signature = decodeBase58(payload.signature, 64) ?? refuse('invalid_siwx_malformed_signature', 'signature');
  const message = Buffer.from(siwxMessageText(payload));
  if (!crypto.verify(signature, message, address)) throw new Refusal('invalid_siwx_signature');
}

/** Reads sign-ins. It is an object, so that tracing can wrap its method. */
export const signIns = { read: async (...parts: Parameters<typeof readValidSignIn>) => readValidSignIn(...parts) };
