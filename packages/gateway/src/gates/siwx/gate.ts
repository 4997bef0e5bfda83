import { HEADERS, Refusal, type RefusalCode, type SiwxPayload, siwxMessageText } from '@asset-gateway/protocol';
import type { Allowance, NonceUse, Store } from '../../budget/store.ts';
import type { Call, Challenge, NoncedTake, Receipt, Slot, Trail } from '../../call.ts';
import type { Describe } from '../../describe/discovery.ts';
import { decodeBase58 } from '../base58.ts';
import type { Crypto } from '../crypto.ts';
import type { Admission, Gate } from '../gate.ts';
import type { OriginOf } from '../origin.ts';
import { signInChallenge } from './challenge.ts';
import { checkAge, checkDates, checkKind, checkPlace, type Fault } from './checks.ts';
import { readSignIn } from './header.ts';
import type { IssuedNonce, Nonces } from './nonce.ts';
import { rateLimitHeaders } from './rate-limit-headers.ts';

/** What the sign-in gate stands on. */
export interface SiwxParts {
  readonly crypto: Crypto;
  readonly nonces: Nonces;
  readonly store: Store;
  readonly originOf: OriginOf;
  /** What the answers are taken from, and what the challenges say: of the route that the gate is in front of. */
  readonly allowance: Allowance;
  readonly describe: Describe;
  /** Off: one signature serves until it expires, and nonces are neither remembered nor tied to an epoch. */
  readonly singleUse: boolean;
}

const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
const SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;
const NO_EPOCH = 'until expiry';

const utf8 = new TextEncoder();

function refuseOn(fault: Fault | undefined): void {
  if (fault) throw new Refusal(fault.code, { reason: fault.reason });
}

/** A sign-in that is valid; its nonce is burnt with the slot, or when the answer needed none. */
class SignedIn implements Admission {
  readonly headers: Admission['headers'];
  readonly #store: Store;
  readonly #nonce: NonceUse | undefined;
  readonly #owner: string;
  #burnt = false;

  constructor(store: Store, owner: string, nonce: NonceUse | undefined, headers: Admission['headers']) {
    this.headers = headers;
    this.#store = store;
    this.#owner = owner;
    this.#nonce = nonce;
  }

  async spend(take: NoncedTake): Promise<Slot> {
    const slot = await take(this.#burnt ? undefined : this.#nonce);
    this.#burnt = true;
    return slot;
  }

  async settle(): Promise<Receipt> {
    if (this.#burnt || !this.#nonce) return { headers: {} };
    const verdict = await this.#store.burn(this.#nonce, this.#owner).catch(() => 'unavailable');
    if (verdict === 'unavailable') throw new Refusal('state_unavailable');
    if (verdict !== 'burnt')
      throw new Refusal(verdict === 'nonce_used' ? 'invalid_siwx_nonce' : 'invalid_siwx_expired');
    this.#burnt = true;
    return { headers: {} };
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

/** The gate of a free route: a wallet's signature on every request, good for one answer. */
export class SiwxGate implements Gate {
  readonly #parts: SiwxParts;
  /** What the store said last; challenges go on in it while the store is away. */
  #epoch = NO_EPOCH;

  constructor(parts: SiwxParts) {
    this.#parts = parts;
  }

  async admit(call: Call, trail: Trail): Promise<Admission> {
    const { store, originOf, allowance, singleUse, crypto } = this.#parts;
    const origin = originOf(call.inbound);
    const epoch = singleUse ? store.epoch() : NO_EPOCH;
    if (epoch === undefined) throw new Refusal('state_unavailable', { reason: 'no epoch yet' });
    this.#epoch = epoch;

    const payload = this.#read(call);
    const nonce = this.#check(payload, call, origin, epoch);
    this.#verify(payload);

    trail.wallet = payload.address;
    const owner = crypto.random(16).toString('hex');
    return new SignedIn(store, owner, singleUse ? { nonce: payload.nonce, ...nonce } : undefined, () => ({
      [HEADERS.replayNonce]: this.#freshNonce(origin),
      ...rateLimitHeaders(allowance),
    }));
  }

  challenge(call: Call, code: RefusalCode): Challenge {
    const { store, originOf, describe, singleUse } = this.#parts;
    const origin = originOf(call.inbound);
    const nonce = this.#freshNonce(origin);
    return signInChallenge({ call, origin, nonce, nowMs: store.wallNow(), code, describe, singleUse });
  }

  #freshNonce(origin: string): string {
    const { nonces, store, singleUse } = this.#parts;
    return nonces.issue(origin, singleUse ? (store.epoch() ?? this.#epoch) : NO_EPOCH, store.now());
  }

  #read(call: Call): SiwxPayload {
    const header = call.inbound.headers[HEADERS.signIn.toLowerCase()];
    if (header === undefined) throw new Refusal('sign_in_required');
    const payload = typeof header === 'string' ? readSignIn(header) : undefined;
    if (!payload) throw new Refusal('invalid_siwx_header', { reason: 'header' });
    return payload;
  }

  #check(payload: SiwxPayload, call: Call, origin: string, epoch: string): IssuedNonce {
    const { nonces, store, singleUse } = this.#parts;
    const now = store.now();
    refuseOn(checkKind(payload));
    const nonce = nonces.read(payload.nonce, origin, epoch, now);
    if (!nonce) throw new Refusal('invalid_siwx_nonce', { reason: 'not issued here' });
    refuseOn(checkAge(nonce, now, singleUse));
    refuseOn(checkPlace(payload, { origin, path: call.path, query: call.query }));
    refuseOn(checkDates(payload, now - nonce.issuedAtSeconds * 1000, [store.wallNow(), now]));
    return nonce;
  }

  #verify(payload: SiwxPayload): void {
    if (!ADDRESS.test(payload.address) || !SIGNATURE.test(payload.signature)) {
      throw new Refusal('invalid_siwx_malformed_signature', { reason: 'base58' });
    }
    const [address, signature] = [decodeBase58(payload.address, 32), decodeBase58(payload.signature, 64)];
    if (!address || !signature) {
      throw new Refusal('invalid_siwx_malformed_signature', { reason: 'length' });
    }
    const message = utf8.encode(siwxMessageText(payload));
    if (!this.#parts.crypto.verify(signature, message, address)) throw new Refusal('invalid_siwx_signature');
  }
}
