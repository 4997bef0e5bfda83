import { HEADERS, Refusal, type SiwxPayload, siwxMessageText } from '@asset-gateway/protocol';
import type { Call } from '../../call.ts';
import { decodeBase58 } from '../base58.ts';
import type { Crypto } from '../crypto.ts';
import { checkAge, checkDates, checkKind, checkPlace, type Fault, type Places } from './checks.ts';
import { readSignIn } from './header.ts';
import type { IssuedNonce, Nonces } from './nonce.ts';

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
