import { Refusal } from '@asset-gateway/protocol';
import type { Delivery, Prepare } from '../call.ts';
import { fromStore } from '../from-store.ts';
import { alreadyUsed, answerIn, inProgress, PaidAnswers, UNUSED_PAYMENT } from '../receipts/paid-answers.ts';
import type { PaidCall } from '../receipts/response.ts';
import { TIMES } from '../times.ts';
import type { PaymentDependencies } from './dependencies.ts';
import type { PaymentCall } from './read/payment.ts';
import type { PayerState, PaymentRecord } from './record.ts';
import { pendingRefusal, refusedRefusal } from './refusals.ts';
import { receiptOfPayment } from './settlement.ts';

const STATES = {
  reserved: 'in_progress',
  settling: 'in_progress',
  unresolved: 'pending',
  settled: 'settled',
  refused: 'refused',
} as const;

/** The payments for a request that are owed or open. */
interface Due extends Pick<PayerState, 'due'> {
  /** Whether the client has proved that it is the payer. */
  readonly isProven: boolean;
}

/** Answers that were paid for before on one route: to a payment that is sent again, and to a request whose answer is owed. */
export class Deliveries extends PaidAnswers {
  readonly #dependencies: PaymentDependencies;

  constructor(dependencies: PaymentDependencies) {
    super(dependencies.payments);
    this.#dependencies = dependencies;
  }

  /**
   * The answer to this very payment; undefined if it has no record. Its amount is not compared with the present price. Refuses if the
   * record has no answer to deliver.
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
    // The chain shows the transaction to everyone. If it lacks our memo, only its record says which challenge it answers.
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
    if (record.progress === 'refused') throw refusedRefusal(record, context.inVersion1Header);
    if (record.progress === 'unresolved') throw pendingRefusal(record, context.inVersion1Header);
    throw inProgress();
  }

  /**
   * The answer to another payment of the payer for the same request, so that the payer pays once. A payment without its ticket may be a
   * copy, so it gets only a stored answer, and the answer stays owed.
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

  /** The record of a payment. Looks it up on the chain again if the outcome is unknown, or if the chain has not decided a refusal. */
  async #upToDate(record: PaymentRecord | undefined): Promise<PaymentRecord | undefined> {
    const isAbsent = record?.progress === 'refused' && !record.hasFailedOnChain;
    if (!record || (record.progress !== 'unresolved' && !isAbsent)) return record;
    if (isAbsent && this.isTooOften(record.key, 'other')) return record;
    const { payments, reconciler } = this.#dependencies;
    await reconciler.reconcile(record);
    return fromStore(payments.find(record.key));
  }

  /**
   * The stored answer, for the life of a blockhash, because version 1 of x402 carries no ticket. The client may not be the payer, so the
   * answer stays owed.
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
