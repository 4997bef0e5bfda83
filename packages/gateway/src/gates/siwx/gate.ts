import {
  HEADERS,
  Refusal,
  type RefusalCode,
  SIWX_EXTENSION,
  type SiwxInfo,
  siwxExtension,
} from '@asset-gateway/protocol';
import type { Allowance, NonceUse, Store } from '../../budget/store.ts';
import type { Call, Challenge, Delivery, Gate, Prepare, RequestFacts } from '../../call.ts';
import { random } from '../../crypto.ts';
import type { Describe } from '../../describe/discovery.ts';
import { fromStore } from '../../from-store.ts';
import { challengedUrl, hostOf, type OriginOf } from '../../origin.ts';
import { TIMES } from '../../times.ts';
import { challenge } from '../gate.ts';
import type { SignInDependencies, signIns } from './sign-in.ts';

const STATEMENT = 'Sign in with your wallet. This is free and moves no money.';

/** The parts of the text to sign, besides its origin. */
interface SignInTerms extends Pick<SiwxInfo, 'uri' | 'nonce' | 'statement'> {
  readonly nowMs: number;
}

/** Returns the parts of the text to sign at an origin. */
export const signInInfo = (origin: string, { uri, nonce, nowMs, statement }: SignInTerms): SiwxInfo => ({
  domain: hostOf(origin),
  uri,
  version: '1',
  nonce,
  issuedAt: new Date(nowMs).toISOString(),
  expirationTime: new Date(nowMs + TIMES.challengeMs).toISOString(),
  statement,
});

/** Returns the headers of draft-ietf-httpapi-ratelimit-headers: the policy, the slots left, and the seconds until the next one frees. */
function rateLimitHeaders(allowance: Allowance): Record<string, string> {
  const { limit, windowMs } = allowance;
  const { left, resetMs } = allowance.view();
  return {
    'RateLimit-Policy': `"upstream";q=${limit};w=${Math.ceil(windowMs / 1000)}`,
    RateLimit: `"upstream";r=${left};t=${Math.ceil(resetMs / 1000)}`,
  };
}

/** Dependencies of the sign-in gate. */
interface SiwxDependencies {
  readonly signIn: SignInDependencies;
  readonly signIns: typeof signIns;
  readonly store: Store;
  readonly originOf: OriginOf;
  /** The budget that the RateLimit headers show; undefined for routes without an upstream. */
  readonly allowance: Allowance | undefined;
  readonly describe: Describe;
  /** Whether a signature is good for one answer. If not, it serves until it expires; then nonces are not stored and have no epoch. */
  readonly singleUse: boolean;
}

const NO_EPOCH = 'until expiry';

/** The gate of free routes. Every request needs a wallet's signature, which is good for one answer. */
export class SiwxGate implements Gate {
  readonly #dependencies: SiwxDependencies;
  /** The store's last known epoch. Challenges use it while the store is unavailable. */
  #epoch = NO_EPOCH;

  constructor(dependencies: SiwxDependencies) {
    this.#dependencies = dependencies;
  }

  /** Serves a signed request. The nonce is used up together with the slot, or after the answer if that took no slot. */
  async serve(call: Call, facts: RequestFacts, prepare: Prepare): Promise<Delivery> {
    const { store } = this.#dependencies;
    const nonce = await this.#readSignIn(call, facts);
    let isUsed = false;
    const onSlot = async () => {
      isUsed = true;
    };
    const answer = await prepare()({ nonce, onSlot });
    const verdict = isUsed || !nonce ? 'accepted' : await fromStore(store.useNonce(nonce, random(16).toString('hex')));
    if (verdict !== 'accepted')
      throw new Refusal(verdict === 'nonce_used' ? 'invalid_siwx_nonce' : 'invalid_siwx_expired');
    return { answer, receipt: { headers: {} } };
  }

  /** Returns the nonce of a valid sign-in; undefined if a signature serves more than once. */
  async #readSignIn(call: Call, facts: RequestFacts): Promise<NonceUse | undefined> {
    const { signIn, store, originOf, allowance, singleUse, signIns } = this.#dependencies;
    const origin = originOf(call.inbound);
    const epoch = singleUse ? store.epoch() : NO_EPOCH;
    if (epoch === undefined) throw new Refusal('state_unavailable', { reason: 'no epoch yet' });
    this.#epoch = epoch;
    const rule = { origin, epoch, judgedByStore: singleUse };
    const { payload, nonce } = await signIns.read(signIn, call, rule);
    facts.wallet = payload.address;
    facts.headers = () => ({
      [HEADERS.replayNonce]: this.#freshNonce(origin),
      ...(allowance && rateLimitHeaders(allowance)),
    });
    return singleUse ? { nonce: payload.nonce, ...nonce } : undefined;
  }

  /**
   * Returns the challenge of a 402. If a signature serves more than once, the text to sign names the bare origin. So one signature opens
   * every route until it expires.
   */
  challenge(call: Call, code: RefusalCode): Challenge {
    const { store, originOf, describe, singleUse } = this.#dependencies;
    const origin = originOf(call.inbound);
    const url = challengedUrl(call, origin);
    const terms = { nonce: this.#freshNonce(origin), nowMs: store.wallNow(), statement: STATEMENT };
    const info = signInInfo(origin, { uri: singleUse ? url : origin, ...terms });
    const extensions = { [SIWX_EXTENSION]: siwxExtension(info) };
    const { headers, members } = challenge(call, { code, url, accepts: [], extensions }, describe);
    return { headers: { ...headers, 'WWW-Authenticate': `SIWX realm="${origin}", error="${code}"` }, members };
  }

  #freshNonce(origin: string): string {
    const { signIn, store, singleUse } = this.#dependencies;
    return signIn.nonces.issue(origin, singleUse ? (store.epoch() ?? this.#epoch) : NO_EPOCH, store.now());
  }
}
