import { Refusal } from '@asset-gateway/protocol';
import { fromStore } from '../gates/gate.ts';
import type { Chain } from './facilitator/chain.ts';
import { codeOfReason, type Facilitator, type Payment, type Verification } from './facilitator/facilitator.ts';
import type { Payments } from './payments.ts';
import type { Reconciler, Sighting } from './reconcile.ts';
import type { NewPayment, PaymentRecord } from './record.ts';
import { pendingRefusal } from './responses.ts';
import type { VerificationLimits, Verified } from './verification-limits.ts';

/** What the past is found out with. */
interface PriorParts {
  readonly payments: Payments;
  readonly facilitator: Facilitator;
  readonly reconciler: Reconciler;
  /** By network, over connections on which nobody settles. */
  readonly chains: ReadonlyMap<string, Chain>;
}

/** A payment that is about to be settled, and how its header was written. */
export interface Asked {
  readonly payment: Payment;
  readonly record: NewPayment;
  readonly inVersion1Header: boolean;
}

/** Finds out whether a payment that verification refuses has settled before. */
export class PriorSettlements {
  readonly #parts: PriorParts;

  constructor(parts: PriorParts) {
    this.#parts = parts;
  }

  /** What the chain shows of a payment that verification refuses. Behind one RPC there may be nodes that do not agree yet. */
  async sight({ payment, record }: Asked, { processed }: Refused): Promise<Sighting> {
    if (processed === 'no') return UNSEEN;
    const { facilitator, reconciler, chains } = this.#parts;
    const known = facilitator.signatureOf(payment);
    const open: PaymentRecord = { ...record, progress: 'reserved', ...(known !== undefined && { signature: known }) };
    const sighting = await reconciler.look(open, chains.get(payment.network));
    return sighting.status === 'missing' && processed === 'yes' ? { ...sighting, status: 'seen' } : sighting;
  }

  /**
   * A payment that verification refuses may be one that has settled already: its record is then made, and its signature
   * answered. Refuses it where it has not.
   */
  async ofRefused(asked: Asked, { reason }: Refused, { signature, status }: Sighting): Promise<string> {
    const { payment, record, inVersion1Header } = asked;
    if (status === 'confirmed' && !payment.hasTicket) {
      // A settled transaction is there for all to copy, and nothing else says whose it is.
      throw new Refusal('payment_already_used', { reason: 'settled before', payment: { state: 'settled' } });
    }
    if (status === 'seen' && signature !== undefined) {
      throw pendingRefusal({ ...record, progress: 'unresolved', signature }, inVersion1Header);
    }
    if (status !== 'confirmed' || signature === undefined) {
      throw new Refusal(codeOfReason(reason), { reason, payment: { state: 'refused' } });
    }
    await fromStore(this.#parts.payments.adopt(record, signature), {
      payment: { state: 'settled', transaction: signature },
    });
    return signature;
  }
}

/** How a facilitator says no. */
export type Refused = Extract<Verification, { valid: false }>;

const UNSEEN: Sighting = { signature: undefined, isComplete: false, status: 'missing' };

/** What a verification has found out. */
export interface Findings {
  /** The finalized block height before it, where there is a chain to read. */
  readonly height: number | undefined;
  /** What has settled this purchase before, where anything has. */
  readonly signature: string | undefined;
}

/** What a payment is verified with. */
export interface Verifying {
  readonly payments: Payments;
  readonly facilitator: Facilitator;
  /** By network, over connections on which nobody settles. */
  readonly verifyingChains: ReadonlyMap<string, Chain>;
  readonly prior: PriorSettlements;
  readonly limits: VerificationLimits;
}

/** Has a payment verified, and its past looked at; refuses it where it cannot be settled and has not been. */
export async function verify(dependencies: Verifying, asked: Asked, verified: Verified): Promise<Findings> {
  const { facilitator, verifyingChains } = dependencies;
  const { payment } = asked;
  const height = verifyingChains.get(payment.network)?.finalizedHeight();
  height?.catch(() => undefined);
  const verification = await facilitator.verify(payment);
  const known = await height;
  if (verification.valid) return { height: known, signature: undefined };
  return { height: known, signature: await settledBefore(dependencies, asked, { refused: verification, verified }) };
}

interface Failure {
  readonly refused: Refused;
  readonly verified: Verified;
}

/** What the chain shows is there for all to copy: only where it shows nothing is a failure its payer's own. */
async function settledBefore(dependencies: Verifying, asked: Asked, { refused, verified }: Failure): Promise<string> {
  const { prior, limits, payments } = dependencies;
  limits.failed(verified, payments.now());
  const sighting = await prior.sight(asked, refused);
  if (sighting.status === 'missing') limits.failedByPayer(verified, payments.now());
  return prior.ofRefused(asked, refused, sighting);
}
