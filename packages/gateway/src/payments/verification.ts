import { Refusal } from '@asset-gateway/protocol';
import { fromStore } from '../gates/gate.ts';
import { Counts, Recent } from '../tallies.ts';
import type { Chain } from './facilitator/chain.ts';
import { codeOfReason, type Facilitator, type Payment, type Verification } from './facilitator/facilitator.ts';
import type { Payments } from './payments.ts';
import type { Reconciler, Sighting } from './reconcile.ts';
import type { NewPayment, PaymentRecord } from './record.ts';
import { pendingRefusal, unused } from './responses.ts';

/** The payment that is verified, as far as limits count it. */
export interface Verified {
  /** CAIP-2: each network has limits of its own. */
  readonly network: string;
  readonly payer: string;
  /** The memo of its challenge, or its own key if memos are off: the client can choose neither. */
  readonly challenge: string;
  readonly isNewPayer: boolean;
}

/** The most concurrent verifications of one network on this node; new payers share half of them. */
const IN_FLIGHT = { all: 32, ofNewPayers: 16 } as const;
/** The most failed verifications of one payer, or for one challenge, per minute. */
const FAILURES = 3;
const WINDOW_MS = 60_000;

const newOn = (network: string): string => `new payers on ${network}`;

/**
 * Limits on verifications. Anyone can send payments that fail verification, and each costs calls to the chain. Too many are rejected
 * before any call, and repeated failures block a payer or a challenge for a while.
 */
export class VerificationLimits {
  /** Times of the last failures, by payer or challenge. */
  readonly #failures = new Recent<readonly number[]>(WINDOW_MS);
  /** By network, and for new payers by network again. */
  readonly #underWay = new Counts();

  /** Refuses by throwing if no verification may begin now. */
  assertRoom({ network, payer, challenge, isNewPayer }: Verified, nowMs: number): void {
    const waitMs = Math.max(this.#waitMs(payer, nowMs), this.#waitMs(challenge, nowMs));
    if (waitMs > 0) throw busy('failed verification too often', Math.ceil(waitMs / 1000));
    const isFull = this.#underWay.of(network) >= IN_FLIGHT.all;
    const isFullOfNew = isNewPayer && this.#underWay.of(newOn(network)) >= IN_FLIGHT.ofNewPayers;
    if (isFull || isFullOfNew) throw busy('too many verifications', 1);
  }

  /** Begins a verification, or refuses like `assertRoom`. Call the returned function at its end. */
  enter(verified: Verified, nowMs: number): () => void {
    this.assertRoom(verified, nowMs);
    const { network, isNewPayer } = verified;
    const change = (by: 1 | -1) => {
      this.#underWay.add(network, by);
      if (isNewPayer) this.#underWay.add(newOn(network), by);
    };
    change(1);
    return () => change(-1);
  }

  /** Counts an invalid payment for its challenge. */
  failed({ challenge }: Verified, nowMs: number): void {
    this.#note(challenge, nowMs);
  }

  /** Counts an invalid payment for its payer: no one else can have sent it. */
  failedByPayer({ payer }: Verified, nowMs: number): void {
    this.#note(payer, nowMs);
  }

  /** How long until the next attempt; 0 if it may be now. */
  #waitMs(name: string, nowMs: number): number {
    const [oldest = 0, ...others] = this.#failures.get(name, nowMs) ?? [];
    return others.length + 1 < FAILURES ? 0 : oldest + WINDOW_MS - nowMs;
  }

  #note(name: string, nowMs: number): void {
    const times = this.#failures.get(name, nowMs) ?? [];
    this.#failures.set(name, [...times, nowMs].slice(-FAILURES), nowMs);
  }
}

const busy = (reason: string, retryAfterSeconds: number): Refusal =>
  new Refusal('rate_limited', {
    reason,
    retryAfterSeconds,
    payment: unused,
    message: 'Too many payments are being verified, or too many of yours have failed; retry after Retry-After.',
  });

/** What verifying needs. */
export interface VerifyingDependencies {
  readonly payments: Payments;
  readonly facilitator: Facilitator;
  readonly reconciler: Reconciler;
  /** By network, over connections of their own: verifying never delays a settlement. */
  readonly verifyingChains: ReadonlyMap<string, Chain>;
  readonly limits: VerificationLimits;
}

/** A reserved payment that is to be verified. */
interface VerificationRequest {
  readonly payment: Payment;
  readonly record: NewPayment;
  readonly inVersion1Header: boolean;
  /** What its verification counts against. */
  readonly verified: Verified;
}

/** The outcome of a verification. */
export interface Findings {
  /** The finalized block height before the verification; undefined if there is no RPC. */
  readonly height: number | undefined;
  /** The signature of the payment if it had settled before. */
  readonly signature: string | undefined;
}

type Invalid = Extract<Verification, { valid: false }>;

/** Verifies a payment. Refuses it if it is invalid, unless it had settled before. */
export async function verify(dependencies: VerifyingDependencies, request: VerificationRequest): Promise<Findings> {
  const { facilitator, verifyingChains, limits, payments } = dependencies;
  const { payment, verified } = request;
  const pendingHeight = verifyingChains.get(payment.network)?.finalizedHeight();
  pendingHeight?.catch(() => undefined);
  const verification = await facilitator.verify(payment);
  const height = await pendingHeight;
  if (verification.valid) return { height, signature: undefined };
  limits.failed(verified, payments.now());
  const sighting = await sightingOf(dependencies, request, verification);
  // Anyone can copy a payment that the chain shows: only one that it does not show is the payer's own failure.
  if (sighting.status === 'missing') limits.failedByPayer(verified, payments.now());
  return { height, signature: await settledBefore(dependencies, request, { verification, sighting }) };
}

/** What the chain shows of an invalid payment. One RPC can lead to nodes that disagree. */
async function sightingOf(
  { facilitator, reconciler, verifyingChains }: VerifyingDependencies,
  { payment, record }: VerificationRequest,
  { processed }: Invalid,
): Promise<Sighting> {
  if (processed === 'no') return { signature: undefined, isComplete: false, status: 'missing' };
  const signature = facilitator.signatureOf(payment);
  const open: PaymentRecord = { ...record, progress: 'reserved', ...(signature !== undefined && { signature }) };
  const sighting = await reconciler.look(open, verifyingChains.get(payment.network));
  return sighting.status === 'missing' && processed === 'yes' ? { ...sighting, status: 'seen' } : sighting;
}

/** Records an invalid payment that had settled before, and answers its signature. Refuses any other. */
async function settledBefore(
  { payments }: VerifyingDependencies,
  { payment, record, inVersion1Header }: VerificationRequest,
  { verification, sighting }: { readonly verification: Invalid; readonly sighting: Sighting },
): Promise<string> {
  const { reason } = verification;
  const { signature, status } = sighting;
  if (status === 'confirmed' && !payment.hasTicket) {
    // Anyone can copy a settled transaction, and only the ticket proves who made it.
    throw new Refusal('payment_already_used', { reason: 'settled before', payment: { state: 'settled' } });
  }
  if (status === 'seen' && signature !== undefined) {
    throw pendingRefusal({ ...record, progress: 'unresolved', signature }, inVersion1Header);
  }
  if (status !== 'confirmed' || signature === undefined) {
    throw new Refusal(codeOfReason(reason), { reason, payment: { state: 'refused' } });
  }
  await fromStore(payments.adopt(record, signature), { payment: { state: 'settled', transaction: signature } });
  return signature;
}
