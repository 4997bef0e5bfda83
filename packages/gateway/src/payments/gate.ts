import { dollars, Refusal, type RefusalCode } from '@asset-gateway/protocol';
import type { Call, Challenge, Trail } from '../call.ts';
import type { Describe } from '../describe/discovery.ts';
import { challenge, challengedUrl } from '../gates/challenge.ts';
import type { Crypto } from '../gates/crypto.ts';
import type { Admission, Delivery, Gate } from '../gates/gate.ts';
import type { OriginOf } from '../gates/origin.ts';
import { type Fetching, Redelivery } from './delivery.ts';
import { Purchase } from './purchase.ts';
import type { PurchaseDependencies } from './purchase-dependencies.ts';
import { type CarriedPayment, carriedPayment, usesVersion1Header } from './read/header.ts';
import type { Memos } from './read/memo.ts';
import { type PresentedPayment, readPresentedPayment } from './read/payment.ts';
import { paymentKeyOf, requestHashOf } from './read/request-hash.ts';
import { readTransaction } from './read/transaction.ts';
import { type NewPayment, PAYMENTS, type PaymentRecord } from './record.ts';
import { Repeats } from './repeats.ts';
import { type Offer, requirementOf } from './requirement.ts';
import { alreadyUsed, fromStore, pendingRefusal, receiptOf, refusedRefusal } from './responses.ts';

/** What the payment gate stands on. */
export interface ExactParts {
  readonly crypto: Crypto;
  /** Issues and reads memos and tickets; nothing when requirements have none. */
  readonly memos: Memos | undefined;
  readonly originOf: OriginOf;
  readonly describe: Describe;
  /** What the route is sold for; the fee payer may change while the gateway runs. */
  readonly offer: Omit<Offer, 'feePayer'>;
  readonly dependencies: PurchaseDependencies;
  readonly randomId: () => string;
}

/** A call on its way through the gate. */
interface RequestContext {
  readonly call: Call;
  readonly trail: Trail;
  readonly offer: Offer;
  readonly requestHash: string;
  readonly inVersion1Header: boolean;
  readonly carried: CarriedPayment;
}

/** For so long a settled payment fetches its answer again without its ticket, which version 1 of x402 does not carry. */
const WITHOUT_TICKET_MS = 60_000;

/** The gate of a paid route: one payment buys the answer to one request, exactly once. */
export class ExactGate implements Gate {
  readonly #parts: ExactParts;
  // A payment belongs to one request, and a request to one route: nobody else need know of it.
  readonly #fetching: Fetching = new Set();
  readonly #repeats = new Repeats();

  constructor(parts: ExactParts) {
    this.#parts = parts;
  }

  async admit(call: Call, trail: Trail): Promise<Admission | Delivery> {
    this.#parts.originOf(call.inbound);
    const offer = this.#offer();
    const carried = carriedPayment(call.inbound);
    if (!carried && offer.feePayer === '') this.#assertOpen(offer);
    if (!carried) throw new Refusal('payment_required', { payment: { state: 'unused' } });
    if (carried === 'malformed') throw new Refusal('payment_malformed', { payment: { state: 'refused' } });
    const transaction = readTransaction(carried.transaction);
    if (!transaction) {
      throw new Refusal('invalid_exact_svm_payload_transaction_could_not_be_decoded', {
        payment: { state: 'refused' },
      });
    }
    const key = paymentKeyOf(offer.network, transaction.message);
    const requestHash = requestHashOf(call);
    const context: RequestContext = {
      call,
      trail,
      offer,
      requestHash,
      inVersion1Header: usesVersion1Header(call.inbound),
      carried,
    };
    const known = await this.#known(context, key);
    if (known) return known;
    this.#assertOpen(offer);
    const nowMs = this.#parts.dependencies.payments.now();
    const { crypto, memos } = this.#parts;
    const judge = { crypto, memos };
    const purchase = readPresentedPayment(judge, { key, carried, transaction, offer, requestHash, nowMs });
    trail.wallet = purchase.transfer.payer;
    trail.payment = { state: 'unused' };
    const owed = await this.#owed(context, purchase);
    if (owed) return owed;
    return new Purchase(this.#parts.dependencies, purchase, this.#newPayment(context, purchase), context);
  }

  /** Nothing can be paid for before a fee payer is known. */
  challenge(call: Call, code: RefusalCode): Challenge | undefined {
    const offer = this.#offer();
    if (offer.feePayer === '') return undefined;
    const url = challengedUrl(call, this.#parts.originOf(call.inbound));
    const accepts = [this.#quote(offer, requestHashOf(call))];
    return challenge(call, { code, url, accepts, extensions: {} }, this.#parts.describe);
  }

  #offer(): Offer {
    const { offer, dependencies } = this.#parts;
    return { ...offer, feePayer: dependencies.facilitator.feePayer(offer.network) ?? '' };
  }

  /** What has been bought can be fetched without a facilitator; nothing new can be bought. */
  #assertOpen({ feePayer, network }: Offer): void {
    const reason = feePayer === '' ? 'no fee payer known yet' : this.#parts.dependencies.facilitator.whyClosed(network);
    if (reason !== undefined) {
      throw new Refusal('facilitator_unavailable', { reason, payment: { state: 'unused' } });
    }
  }

  #quote(offer: Offer, requestHash: string) {
    const { memos, dependencies } = this.#parts;
    if (!memos) return requirementOf(offer, undefined);
    const memo = memos.issue(offer, requestHash, dependencies.payments.now());
    return requirementOf(offer, memo, memos.ticketOf(memo));
  }

  #newPayment({ requestHash }: RequestContext, { payment, transfer }: PresentedPayment): NewPayment {
    return {
      key: payment.key,
      network: payment.network,
      requestHash,
      payer: transfer.payer,
      source: transfer.source,
      memo: transfer.memo,
      priceUsd: dollars(Number(transfer.amount)),
      transaction: payment.transaction,
      requirement: JSON.stringify(payment.requirement),
      owner: this.#parts.randomId(),
    };
  }

  /** What is known of this very payment decides, before its memo, its price or the request's input are looked at. */
  async #known(context: RequestContext, key: string): Promise<Admission | Delivery | undefined> {
    const record = await this.#upToDate(key);
    if (!record) return undefined;
    context.trail.wallet = record.payer;
    if (record.requestHash !== context.requestHash) {
      throw new Refusal('payment_already_used', {
        reason: 'another request',
        payment: { state: STATES[record.progress] },
      });
    }
    if (record.progress === 'settled') {
      context.trail.payment = { state: 'settled', ...(record.signature && { transaction: record.signature }) };
      const isPayers = this.#isPayers(context, record);
      if (this.#isTooOften(key, isPayers)) throw alreadyUsed('sent again too often');
      return isPayers ? this.#settled(context, record) : this.#shown(context, record);
    }
    if (record.progress === 'refused') throw refusedRefusal(record, record.reason ?? '', context.inVersion1Header);
    if (record.progress === 'unresolved') throw pendingRefusal(record, context.inVersion1Header);
    throw new Refusal('payment_in_progress', { payment: { state: 'in_progress' } });
  }

  /** The record of a payment, after the chain was asked where its outcome is open. */
  async #upToDate(key: string): Promise<PaymentRecord | undefined> {
    const { payments, reconciler } = this.#parts.dependencies;
    const record = await fromStore(payments.find(key));
    if (record?.progress !== 'unresolved') return record;
    await reconciler.reconcile(record);
    return fromStore(payments.find(key));
  }

  /** Whether whoever sends a settled payment again is who made it: the transaction itself is there for all to copy. */
  #isPayers({ carried }: RequestContext, { memo }: PaymentRecord): boolean {
    return memo !== undefined && this.#parts.memos?.isTicketOf(memo, carried.ticket) === true;
  }

  #isTooOften(key: string, isPayers: boolean): boolean {
    return this.#repeats.isTooOften(key, isPayers ? 'withTicket' : 'without', this.#parts.dependencies.payments.now());
  }

  /** Anybody may have sent this: the stored answer for a short while, and what is owed stays owed. */
  async #shown({ inVersion1Header }: RequestContext, record: PaymentRecord): Promise<Delivery> {
    const { payments } = this.#parts.dependencies;
    if (payments.now() - (record.resolvedAtMs ?? 0) >= WITHOUT_TICKET_MS) throw alreadyUsed('without its ticket');
    const answer = await fromStore(payments.answer(record.key));
    if (answer === undefined) throw alreadyUsed('without its ticket, and its answer is not kept');
    return { answer: { json: answer }, receipt: receiptOf(record, inVersion1Header, true) };
  }

  async #settled({ inVersion1Header }: RequestContext, record: PaymentRecord): Promise<Admission | Delivery> {
    const { payments, onFailure } = this.#parts.dependencies;
    const answer = await fromStore(payments.answer(record.key));
    const age = payments.now() - (record.resolvedAtMs ?? 0);
    if (answer === undefined && age >= PAYMENTS.answerMs) throw alreadyUsed('answer no longer kept');
    const onDelivered = () => void payments.delivered(record.key).catch(onFailure);
    const receipt = { ...receiptOf(record, inVersion1Header, true), onDelivered };
    if (answer === undefined) return new Redelivery(payments, record, receipt, this.#fetching);
    return { answer: { json: answer }, receipt };
  }

  /**
   * A payer whose answer is still owed gets it, and one whose payment is open waits for it: nobody pays twice. Without its
   * ticket a payment may be a copy of one that has failed on the chain: then what is owed stays owed.
   */
  async #owed(
    context: RequestContext,
    { payment, transfer }: PresentedPayment,
  ): Promise<Admission | Delivery | undefined> {
    const { payments } = this.#parts.dependencies;
    const open = await fromStore(payments.owed(transfer.payer, context.requestHash));
    if (!open) return undefined;
    const record = await this.#upToDate(open.key);
    if (record?.progress === 'refused' || !record) return undefined;
    const isSettled = record.progress === 'settled';
    if (isSettled && payment.hasTicket) return this.#settled(context, record);
    const answer = isSettled && !this.#isTooOften(record.key, false) && (await fromStore(payments.answer(record.key)));
    if (answer) return { answer: { json: answer }, receipt: receiptOf(record, context.inVersion1Header, true) };
    throw new Refusal('settlement_pending', {
      reason: 'another payment for this request is open',
      payment: { state: 'unused' },
    });
  }
}

const STATES = {
  reserved: 'in_progress',
  settling: 'in_progress',
  unresolved: 'pending',
  settled: 'settled',
  refused: 'refused',
} as const;
