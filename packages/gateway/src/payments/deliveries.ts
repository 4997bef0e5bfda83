import { Refusal } from '@asset-gateway/protocol';
import type { Delivery, Prepare } from '../call.ts';
import { fromStore } from '../from-store.ts';
import { alreadyUsed, answerIn, inProgress, PaidAnswers, UNUSED_PAYMENT } from '../receipts/paid-answers.ts';
import type { PaidCall } from '../receipts/response.ts';
import { TIMES } from '../times.ts';
import type { PaymentDependencies } from './dependencies.ts';
import type { PaymentCall } from './read/payment.ts';
import type { PayerState, PaymentRecord } from './record.ts';
import { pendingRefusal, refusalOfRefusedPayment } from './refusals.ts';
import { receiptOfPayment } from './settlement.ts';

const STATES = {
  reserved: 'in_progress',
  settling: 'in_progress',
  unresolved: 'pending',
  settled: 'settled',
  refused: 'refused',
} as const;

/** The payments for a request whose answer is owed or whose outcome is unknown. */
interface Due extends Pick<PayerState, 'due'> {
  /** Whether the client has proved that it is the payer. */
  readonly isProven: boolean;
}

/** Delivers answers of one route that were paid for before: to a payment that is sent again, and to a request whose answer is owed. */
export class Deliveries extends PaidAnswers {
  readonly #dependencies: PaymentDependencies;

  constructor(dependencies: PaymentDependencies) {
    super(dependencies.payments);
    this.#dependencies = dependencies;
  }

  /**
   * Returns the answer that this payment bought; undefined if the payment has no record. Refuses if the record has no answer to deliver.
   * Does not compare the payment's amount with the present price.
   */
  async deliverKnown(
    context: PaymentCall,
    found: PaymentRecord | undefined,
    prepare: Prepare,
  ): Promise<Delivery | undefined> {
    const record = await this.#upToDate(found);
    if (!record) return undefined;
    const { key, memo } = record;
    context.facts.wallet = record.payer;
    if (record.requestHash !== context.request.requestHash)
      throw alreadyUsed('another request', STATES[record.progress]);
    // Anyone can read the transaction on the chain. If it lacks our memo, only its record says which challenge it answers.
    const { carried, transfer } = context;
    const isBound = typeof transfer !== 'string' && transfer.memo === memo;
    if (!isBound && carried.memo !== undefined && carried.memo !== memo)
      throw alreadyUsed('another challenge', STATES[record.progress]);
    if (record.progress === 'settled') {
      context.facts.payment = { state: 'settled', ...(record.signature && { transaction: record.signature }) };
      // Anyone can copy a settled transaction from the chain; its ticket proves that the client is the payer.
      const { memos } = this.#dependencies;
      const isPayers = memo !== undefined && memos.isTicketOf(memo, context.carried.ticket);
      if (this.isTooOften(key, isPayers ? 'payer' : 'other')) throw alreadyUsed('sent again too often');
      return isPayers ? this.#deliverSettled(context, record, prepare) : this.#deliverWithoutTicket(context, record);
    }
    if (record.progress === 'refused') throw refusalOfRefusedPayment(record, context.inVersion1Header);
    if (record.progress === 'unresolved') throw pendingRefusal(record, context.inVersion1Header);
    throw inProgress();
  }

  /**
   * Returns the answer that another payment of the payer bought for the same request, so that the payer pays once. Without a
   * ticket the sender may not be the payer: the sender gets only a stored answer, which stays owed.
   */
  async deliverOwed(context: PaidCall, { due, isProven }: Due, prepare: Prepare): Promise<Delivery | undefined> {
    const dueKey = due.at(-1)?.key;
    if (dueKey === undefined) return undefined;
    const { payments } = this.#dependencies;
    const record = await this.#upToDate(await fromStore(payments.find(dueKey)));
    if (record?.progress === 'refused' || !record) return undefined;
    const isSettled = record.progress === 'settled';
    if (isSettled && isProven) return this.#deliverSettled(context, record, prepare);
    const isTooOften = isSettled && this.isTooOften(record.key, 'other');
    const answer = isSettled && !isTooOften && (await fromStore(payments.answer(record.key)));
    if (answer) return { answer: answerIn(answer), receipt: receiptOfPayment(record, context, true) };
    throw new Refusal('settlement_pending', {
      reason: 'another payment for this request is open',
      payment: UNUSED_PAYMENT,
    });
  }

  /**
   * Returns the record of a payment. If its outcome is unknown, or if it was refused without proof from the chain, looks it up on the chain
   * first.
   */
  async #upToDate(record: PaymentRecord | undefined): Promise<PaymentRecord | undefined> {
    const isAbsent = record?.progress === 'refused' && !record.hasFailedOnChain;
    if (!record || (record.progress !== 'unresolved' && !isAbsent)) return record;
    if (isAbsent && this.isTooOften(record.key, 'other')) return record;
    const { payments, reconciler } = this.#dependencies;
    await reconciler.reconcile(record);
    return fromStore(payments.find(record.key));
  }

  /**
   * Returns the stored answer to a payment without a ticket, because version 1 of x402 carries none. Refuses once a blockhash's life has
   * passed since the settlement. The client may not be the payer, so the answer stays owed.
   */
  async #deliverWithoutTicket(context: PaymentCall, record: PaymentRecord): Promise<Delivery> {
    const { payments } = this.#dependencies;
    if (payments.now() - (record.resolvedAtMs ?? 0) >= TIMES.blockhashMs) throw alreadyUsed('without its ticket');
    const answer = await fromStore(payments.answer(record.key));
    if (answer === undefined) throw alreadyUsed('without its ticket, and its answer is not kept');
    return { answer: answerIn(answer), receipt: receiptOfPayment(record, context, true) };
  }

  async #deliverSettled(context: PaidCall, record: PaymentRecord, prepare: Prepare): Promise<Delivery> {
    const ageMs = this.#dependencies.payments.now() - (record.resolvedAtMs ?? 0);
    return this.deliver(record.key, receiptOfPayment(record, context, true), prepare, ageMs >= TIMES.answerMs);
  }
}
