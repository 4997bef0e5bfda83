import { Refusal } from '@asset-gateway/protocol';
import { fromStore } from '../gates/from-store.ts';
import type { Chain } from './facilitator/chain.ts';
import type { Facilitator, Payment, Verification } from './facilitator/facilitator.ts';
import { codeOfReason } from './facilitator/reasons.ts';
import type { Payments } from './payments.ts';
import type { Memos } from './read/memo.ts';
import type { Reconciler, Sighting } from './reconcile.ts';
import { type NewPayment, PAYMENTS, type PaymentRecord } from './record.ts';
import { pendingRefusal, unused } from './responses.ts';

/** What the past is found out with. */
export interface PriorParts {
  readonly payments: Payments;
  readonly facilitator: Facilitator;
  readonly reconciler: Reconciler;
  /** By network, over connections on which nobody settles. */
  readonly chains: ReadonlyMap<string, Chain>;
  /** Nothing when requirements have none. */
  readonly memos: Memos | undefined;
}

/** A payment that is about to be settled, and how its header was written. */
export interface Asked {
  readonly payment: Payment;
  readonly record: NewPayment;
  readonly inVersion1Header: boolean;
}

/** By then every node has written down again what it is settling. */
const RESTORED_MS = 2_000;
/** Where the chain cannot be searched far enough: until no answer of before is owed any more. */
const UNSEARCHABLE_MS = PAYMENTS.answerMs;
/** A payment may have landed so long before it was known to have settled, from when on its answer is owed. */
const LANDING_MS = 90_000;

/** Finds out whether what is being bought was paid for before our records began: nobody pays twice because we forgot. */
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

  /**
   * Where records do not go back for as long as answers are owed, an earlier payment of this payer for this request may have
   * settled: the chain is searched for its memo. The earlier one then counts, and this one stays unused for ever. Nothing when
   * there is none.
   */
  async ofForgotten({ payment, record }: Asked): Promise<string | undefined> {
    const { payments, chains, memos } = this.#parts;
    const { sinceMs = 0, lostAtMs = Number.NEGATIVE_INFINITY } = payments.reach();
    const chain = chains.get(payment.network);
    const now = payments.now();
    const isSearchable = chain !== undefined && memos !== undefined;
    assertOver(lostAtMs + (isSearchable ? RESTORED_MS : UNSEARCHABLE_MS), now);
    if (now - sinceMs > PAYMENTS.answerMs || !isSearchable) return undefined;
    const { memos: found, isComplete } = await chain.memosOf(record.source, now - PAYMENTS.answerMs - LANDING_MS);
    for (const { signature, memo, hasFailed } of found) {
      const issuedAt = hasFailed ? undefined : memos.read(memo, offerOf(payment), record.requestHash);
      if (issuedAt === undefined || issuedAt * 1000 > sinceMs + 1000) continue;
      if (await fromStore(payments.adopt(record, signature))) return signature;
    }
    if (!isComplete) assertOver(lostAtMs + UNSEARCHABLE_MS, now);
    return undefined;
  }
}

/** How a facilitator says no. */
export type Refused = Extract<Verification, { valid: false }>;

const UNSEEN: Sighting = { signature: undefined, isComplete: false, status: 'missing' };

const offerOf = ({ requirement }: Payment) => ({ ...requirement, feePayer: requirement.extra.feePayer });

/** Refuses, with the payment unused, until this time. */
function assertOver(untilMs: number, nowMs: number): void {
  if (untilMs <= nowMs) return;
  throw new Refusal('settlement_pending', {
    reason: 'records were lost, and an earlier payment may yet land',
    retryAfterSeconds: Math.ceil((untilMs - nowMs) / 1000),
    payment: unused,
  });
}
