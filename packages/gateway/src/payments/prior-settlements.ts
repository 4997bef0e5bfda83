import { Refusal } from '@asset-gateway/protocol';
import { fromStore } from '../gates/from-store.ts';
import type { Chain } from './facilitator/chain.ts';
import type { Facilitator, Payment, Verification } from './facilitator/facilitator.ts';
import { codeOfReason } from './facilitator/reasons.ts';
import type { Payments } from './payments.ts';
import type { Reconciler, Sighting } from './reconcile.ts';
import type { NewPayment, PaymentRecord } from './record.ts';
import { pendingRefusal } from './responses.ts';

/** What the past is found out with. */
export interface PriorParts {
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
