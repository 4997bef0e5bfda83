import { Refusal } from '@asset-gateway/protocol';
import type { Trail } from '../call.ts';
import { type Admission, type Delivery, fromStore } from '../gates/gate.ts';
import { type Fetching, type PaidBefore, Redelivery, Repeats } from '../gates/redelivery.ts';
import type { PurchaseDependencies } from './purchase-dependencies.ts';
import type { CarriedPayment } from './read/header.ts';
import type { Memos } from './read/memo.ts';
import { PAYMENTS, type PaymentRecord } from './record.ts';
import { alreadyUsed, pendingRefusal, receiptOf, refusedRefusal, type Telling } from './responses.ts';

/** A request, and how whoever makes it is told. */
export interface AnsweredRequest extends Telling {
  readonly requestHash: string;
}

/** A request that carries a payment, as far as answers of before need it. */
export interface PaidRequest extends AnsweredRequest {
  readonly trail: Trail;
  readonly carried: CarriedPayment;
}

/** For so long a settled payment fetches its answer again without its ticket, which version 1 of x402 does not carry. */
const WITHOUT_TICKET_MS = 60_000;

const STATES = {
  reserved: 'in_progress',
  settling: 'in_progress',
  unresolved: 'pending',
  settled: 'settled',
  refused: 'refused',
} as const;

/** What payments of before have bought on one route: a payment that comes again, and an answer that is owed. */
export class Deliveries {
  readonly #parts: Pick<PurchaseDependencies, 'payments' | 'reconciler'>;
  readonly #memos: Memos | undefined;
  // A payment belongs to one request, and a request to one route: nobody else need know of it.
  readonly #fetching: Fetching = new Set();
  readonly #repeats = new Repeats();

  constructor(parts: Pick<PurchaseDependencies, 'payments' | 'reconciler'>, memos: Memos | undefined) {
    this.#parts = parts;
    this.#memos = memos;
  }

  /** What is known of this very payment decides, before its memo, its price or the request's input are looked at. */
  async known(context: PaidRequest, found: PaymentRecord | undefined): Promise<Admission | Delivery | undefined> {
    const record = await this.#upToDate(found);
    if (!record) return undefined;
    const { key } = record;
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

  /** The record of a payment, after the chain was asked if its outcome is open. */
  async #upToDate(record: PaymentRecord | undefined): Promise<PaymentRecord | undefined> {
    if (record?.progress !== 'unresolved') return record;
    const { payments, reconciler } = this.#parts;
    await reconciler.reconcile(record);
    return fromStore(payments.find(record.key));
  }

  /** Whether whoever sends a settled payment again is who made it: the transaction itself is there for all to copy. */
  #isPayers({ carried }: PaidRequest, { memo }: PaymentRecord): boolean {
    return memo !== undefined && this.#memos?.isTicketOf(memo, carried.ticket) === true;
  }

  #isTooOften(key: string, isPayers: boolean): boolean {
    return this.#repeats.isTooOften(key, isPayers ? 'payer' : 'anybody', this.#parts.payments.now());
  }

  /** Anybody may have sent this: the stored answer for a short while, and what is owed stays owed. */
  async #shown(context: PaidRequest, record: PaymentRecord): Promise<Delivery> {
    const { payments } = this.#parts;
    if (payments.now() - (record.resolvedAtMs ?? 0) >= WITHOUT_TICKET_MS) throw alreadyUsed('without its ticket');
    const answer = await fromStore(payments.answer(record.key));
    if (answer === undefined) throw alreadyUsed('without its ticket, and its answer is not kept');
    return { answer: { json: answer }, receipt: receiptOf(record, context, true) };
  }

  async #settled(context: AnsweredRequest, record: PaymentRecord): Promise<Admission | Delivery> {
    const { payments } = this.#parts;
    const answer = await fromStore(payments.answer(record.key));
    const age = payments.now() - (record.resolvedAtMs ?? 0);
    if (answer === undefined && age >= PAYMENTS.answerMs) throw alreadyUsed('answer no longer kept');
    const onDelivered = () => payments.delivered(record.key);
    const receipt = { ...receiptOf(record, context, true), onDelivered };
    if (answer === undefined) return new Redelivery(this.#paidBefore(record.key, receipt), this.#fetching);
    return { answer: { json: answer }, receipt };
  }

  #paidBefore(key: string, receipt: PaidBefore['receipt']): PaidBefore {
    const { payments } = this.#parts;
    return {
      key,
      receipt,
      mostCalls: PAYMENTS.callsPerPayment,
      calls: () => payments.calls(key),
      isKept: async () => (await payments.answer(key)) !== undefined,
      called: () => payments.called(key),
      keep: (answer) => payments.keep(key, answer),
    };
  }

  /**
   * A payer whose answer is still owed gets it, and one whose payment is open waits for it: each pays once. What is not proven to be
   * the payer's may be a copy of a payment that has failed on the chain: then what is owed stays owed. `dueKey`: the payment that
   * is open or owed.
   */
  async owed(
    context: AnsweredRequest,
    dueKey: string | undefined,
    isProven: boolean,
  ): Promise<Admission | Delivery | undefined> {
    if (dueKey === undefined) return undefined;
    const { payments } = this.#parts;
    const record = await this.#upToDate(await fromStore(payments.find(dueKey)));
    if (record?.progress === 'refused' || !record) return undefined;
    const isSettled = record.progress === 'settled';
    if (isSettled && isProven) return this.#settled(context, record);
    const answer = isSettled && !this.#isTooOften(record.key, false) && (await fromStore(payments.answer(record.key)));
    if (answer) return { answer: { json: answer }, receipt: receiptOf(record, context, true) };
    throw new Refusal('settlement_pending', {
      reason: 'another payment for this request is open',
      payment: { state: 'unused' },
    });
  }
}
