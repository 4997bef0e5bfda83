import { Refusal } from '@asset-gateway/protocol';
import { fromStore } from '../from-store.ts';
import { LIMITS } from '../limits.ts';
import { alreadyUsed, UNUSED_PAYMENT } from '../receipts/paid-answers.ts';
import { Counts, Recent } from '../tallies.ts';
import { TIMES } from '../times.ts';
import type { Chains } from './facilitator/chain.ts';
import type { Facilitator, Processed } from './facilitator/facilitator.ts';
import type { Payments } from './payments.ts';
import type { Purchase } from './purchase-state.ts';
import { MISSING, type PaymentSighting, type Reconciler } from './reconcile.ts';
import { isKnownPayer, type PaymentRecord } from './record.ts';
import { codeOfReason, pendingRefusal } from './refusals.ts';

/** What the limits need to know about a payment that is verified. */
export interface Verified {
  /** CAIP-2: each network has limits of its own. */
  readonly network: string;
  readonly payer: string;
  /** The memo of the payment's challenge, or the payment's key if it has no memo. The client can choose neither. */
  readonly challenge: string;
  readonly isNewPayer: boolean;
  /** The time before which the payer may buy nothing, because its payments failed on the chain. */
  readonly closedUntilMs: number;
}

/** Returns the names under which a verification counts: its network, and for a new payer also the new payers of that network. */
const countsOf = ({ network, isNewPayer }: Verified): readonly [string, ...string[]] =>
  isNewPayer ? [network, `new payers on ${network}`] : [network];

/** Stores the times of the last `most` failures of each name. A name must wait while all of them lie within `keepMs`. */
class Failures {
  readonly #times: Recent<readonly number[]>;
  readonly #keepMs: number;
  readonly #most: number;

  constructor(most: number, keepMs: number) {
    this.#times = new Recent(keepMs);
    this.#keepMs = keepMs;
    this.#most = most;
  }

  add(name: string, nowMs: number): void {
    this.#times.set(name, [...(this.#times.get(name, nowMs) ?? []), nowMs].slice(-this.#most), nowMs);
  }

  /** Returns the milliseconds until the next attempt; 0 if it may begin now. */
  waitMs(name: string, nowMs: number): number {
    const times = this.#times.get(name, nowMs) ?? [];
    const [oldest = 0] = times;
    return times.length < this.#most ? 0 : oldest + this.#keepMs - nowMs;
  }
}

/**
 * Limits on verifications. Anyone can send payments that fail verification, and each costs calls to the chain. Too many are rejected
 * before any call, and repeated failures block a payer or a challenge for a while.
 */
export class VerificationLimits {
  /** Failed verifications, by payer or challenge. */
  readonly #failures = new Failures(LIMITS.failedVerifications, TIMES.failuresMs);
  readonly #underWay = new Counts();

  /** Throws a refusal if no verification may begin now. */
  assertMayVerify(verified: Verified, nowMs: number): void {
    const { payer, challenge, closedUntilMs } = verified;
    const waits = [this.#failures.waitMs(payer, nowMs), this.#failures.waitMs(challenge, nowMs)];
    const waitMs = Math.max(...waits, closedUntilMs - nowMs);
    if (waitMs > 0) throw haveFailed(Math.ceil(waitMs / 1000));
    const [all, ofNewPayers] = countsOf(verified);
    const isFull = this.#underWay.of(all) >= LIMITS.verifications.all;
    if (isFull || (ofNewPayers !== undefined && this.#underWay.of(ofNewPayers) >= LIMITS.verifications.ofNewPayers))
      throw limited('too many verifications', 1, NO_ROOM);
  }

  /** Begins a verification, or throws like `assertMayVerify`. Call the returned function when the verification ends. */
  enter(verified: Verified, nowMs: number): () => void {
    this.assertMayVerify(verified, nowMs);
    const names = countsOf(verified);
    for (const name of names) this.#underWay.add(name, 1);
    return () => {
      for (const name of names) this.#underWay.add(name, -1);
    };
  }

  /** Counts an invalid payment. `name`: its payer or its challenge. */
  failed(name: string, nowMs: number): void {
    this.#failures.add(name, nowMs);
  }
}

const NO_ROOM = 'Too many payments are being verified; send the same payment again in 1 s.';

const limited = (reason: string, retryAfterSeconds: number, message: string): Refusal =>
  new Refusal('rate_limited', { reason, retryAfterSeconds, payment: UNUSED_PAYMENT, message });

const haveFailed = (seconds: number): Refusal =>
  limited(
    'failed verification too often',
    seconds,
    `Too many payments of this wallet, or for this challenge, have failed; send the next one in ${seconds} s.`,
  );

/** Returns what the limits need to know about a purchase. */
const verifiedOf = ({ payment, stored }: Purchase, nowMs: number): Verified => ({
  network: payment.network,
  payer: payment.payer,
  challenge: payment.memo ?? payment.key,
  isNewPayer: !isKnownPayer(stored.paidOnMainnet, nowMs),
  closedUntilMs: stored.closedUntilMs,
});

/** The result of a verification. */
export interface VerificationResult {
  /** The height of a final block that was read before the verification; undefined if there is no RPC. */
  readonly height: number | undefined;
  /** The payment's record if the chain shows that it has settled already. Then nothing is sent. */
  readonly settledBefore?: PaymentRecord;
}

/** Dependencies of the verifier. */
interface VerifierDependencies {
  readonly payments: Payments;
  readonly facilitator: Facilitator;
  readonly reconciler: Reconciler;
  /** The chains, over connections of their own, so that verifications never delay a settlement. */
  readonly chains: Chains;
}

/** Verifies payments before the upstream is called, and limits the number of verifications. */
export class Verifier {
  readonly #dependencies: VerifierDependencies;
  readonly #limits = new VerificationLimits();

  constructor(dependencies: VerifierDependencies) {
    this.#dependencies = dependencies;
  }

  /** Throws a refusal if a purchase cannot be verified now. */
  assertMayVerify(purchase: Purchase, nowMs: number): void {
    this.#limits.assertMayVerify(verifiedOf(purchase, nowMs), nowMs);
  }

  /**
   * Verifies a reserved payment. Throws the refusal of an invalid payment, unless its payer proves that it has settled already, which is
   * then recorded.
   */
  async verify(purchase: Purchase): Promise<VerificationResult> {
    const { facilitator, chains, payments } = this.#dependencies;
    const { payment } = purchase;
    const verified = verifiedOf(purchase, payments.now());
    const end = this.#limits.enter(verified, payments.now());
    try {
      const finalized = chains.get(payment.network)?.finalized();
      finalized?.catch(() => undefined);
      const verification = await facilitator.verify(payment);
      const height = (await finalized)?.height;
      if (verification.valid) return { height };
      this.#limits.failed(verified.challenge, payments.now());
      const { signature, status } = await this.#sightingOf(payment, verification.processed);
      // Do not count a payment that is on the chain against its payer, because anyone could have copied it.
      if (status === 'missing') this.#limits.failed(verified.payer, payments.now());
      return { height, settledBefore: await this.#settledBefore(purchase, verification.reason, { signature, status }) };
    } finally {
      end();
    }
  }

  /** Records and returns an invalid payment that its payer has proved to be settled. Throws the refusal of any other. */
  async #settledBefore(
    { payment, context }: Purchase,
    reason: string,
    { signature, status }: Pick<PaymentSighting, 'signature' | 'status'>,
  ): Promise<PaymentRecord> {
    if (status === 'seen' && signature !== undefined)
      throw pendingRefusal({ ...payment, progress: 'unresolved', signature }, context.inVersion1Header);
    if (status !== 'confirmed' || signature === undefined)
      throw new Refusal(codeOfReason(reason), { reason, payment: { state: 'refused' } });
    // Anyone can copy a settled transaction. Its memo binds it to this request; only the ticket proves that this client made it.
    if (!payment.isBound || !payment.hasTicket) throw alreadyUsed('settled before');
    const state = { state: 'settled', transaction: signature } as const;
    await fromStore(this.#dependencies.payments.adopt(payment, signature), { payment: state });
    context.facts.payment = state;
    return { ...payment, progress: 'settled', signature };
  }

  /**
   * Returns what the chain shows of an invalid payment. One RPC can lead to nodes that disagree, so an answer counts only if its node has
   * reached the final slot.
   */
  async #sightingOf(payment: Purchase['payment'], processed: Processed) {
    if (processed === 'no') return MISSING;
    const { facilitator, reconciler, chains } = this.#dependencies;
    const open = { ...payment, progress: 'reserved', signature: facilitator.signatureOf?.(payment) } as const;
    const chain = chains.get(payment.network);
    const reached = (await chain?.finalized())?.chainSlot ?? 0;
    const { signature, status, chainSlot } = await reconciler.look(open, chain, reached);
    const isUnproven = processed === 'yes' || chainSlot < reached;
    return { signature, status: status === 'missing' && isUnproven ? 'seen' : status };
  }
}
