import { HEADERS, type PaymentState, Refusal } from '@asset-gateway/protocol';
import type { Answer, Delivery, Receipt } from '../call.ts';
import { creditHeader } from '../credit/debiting.ts';
import { UNUSED_PAYMENT } from '../receipts/paid-answers.ts';
import { type PaidCall, settledResponse } from '../receipts/response.ts';
import { resultWithin } from '../result-within.ts';
import { TIMES } from '../times.ts';
import type { PaymentDependencies } from './dependencies.ts';
import type { Settlement } from './facilitator/facilitator.ts';
import type { Purchase } from './purchase-state.ts';
import type { Queues } from './queue.ts';
import { feeChargeOf, type PaymentRecord, type SettlementAttempt } from './record.ts';
import * as refusals from './refusals.ts';

/** A settlement, and its record if the database has answered. */
export interface SettlementOutcome {
  readonly settlement: Settlement;
  readonly record?: PaymentRecord | undefined;
  /** The wallet's credit after it. */
  readonly balanceMicros?: number | undefined;
}

/** A payment that has settled. */
interface Settled extends Pick<SettlementOutcome, 'balanceMicros'> {
  readonly record: PaymentRecord;
  /** Whether it had settled before. */
  readonly isRepeat?: boolean;
}

/**
 * Runs a settlement after the earlier ones of its payer. Resolves with undefined after `TIMES.settleMs`; the settlement goes on. Refuses if
 * the settlement could not begin in time; then it never begins.
 */
export async function inTurn<T>(turns: Queues, payer: string, settle: () => Promise<T>): Promise<T | undefined> {
  let hasBegun = false;
  let hasGivenUp = false;
  const settling = turns.run(payer, async () => {
    if (hasGivenUp) throw new Error('its request has ended');
    hasBegun = true;
    return settle();
  });
  settling.catch(() => undefined);
  const settled = await resultWithin(TIMES.settleMs, settling);
  if (hasBegun) return settled;
  hasGivenUp = true;
  throw refusals.unavailable('earlier settlements of this payer take too long');
}

/**
 * Refuses after the database has not confirmed the beginning of a settlement. A server may still write it, and then the reconciler sends
 * the payment. So the payment is unused only once its reservation is released, which rules that write out.
 */
async function refuseUnconfirmed(
  payments: PaymentDependencies['payments'],
  { payment: { key, owner }, context }: Pick<Purchase, 'payment' | 'context'>,
  reason: string,
): Promise<never> {
  const refusal = (payment: PaymentState) => new Refusal('state_unavailable', { reason, payment });
  // A write can follow even if the lease has lapsed meanwhile, so the record is read as of before that.
  const find = () =>
    payments.find(key, 0).catch(() => {
      throw refusal({ state: 'pending' });
    });
  const mayFollow = (record: PaymentRecord | undefined) =>
    payments.mayWriteLater && record?.progress === 'reserved' && record.owner === owner;
  let found = await find();
  if (mayFollow(found)) {
    await resultWithin(TIMES.releaseMs, payments.release(key, owner, true));
    found = await find();
  }
  if (found && found.progress !== 'reserved') throw refusals.pendingRefusal(found, context.inVersion1Header);
  throw refusal(mayFollow(found) ? { state: 'pending' } : UNUSED_PAYMENT);
}

/** Stores the answer and the beginning of the settlement durably. After a rejection this request has sent nothing. */
export async function beginSettlement(
  { payments, facilitator, onStep }: PaymentDependencies,
  { payment, stored, context }: Purchase,
  attempt: Pick<SettlementAttempt, 'answer' | 'height'>,
): Promise<void> {
  const { key, owner } = payment;
  const settlingSinceMs = payments.now();
  const signature = facilitator.signatureOf?.(payment);
  const fee = feeChargeOf(facilitator, payment, stored.paidOnMainnet, settlingSinceMs);
  const verdict = await payments
    .settling(key, owner, { ...attempt, signature, fee, settlingSinceMs })
    .catch(async (error) => refuseUnconfirmed(payments, { payment, context }, String(error)));
  if (verdict === 'fees_used_up') throw refusals.unavailable(refusals.FEES_USED_UP);
  if (verdict !== 'settling') throw refusals.refusalOfReservation(verdict);
  context.facts.payment = { state: 'pending' };
  onStep?.('store');
}

/** Signs, sends and confirms. Never rejects: without proof the outcome is unknown. */
export async function send(
  { facilitator, onFailure }: PaymentDependencies,
  { payment }: Purchase,
): Promise<Settlement> {
  return facilitator.settle(payment).catch((error): Settlement => {
    onFailure(error);
    return { outcome: 'unknown', signature: facilitator.signatureOf?.(payment) };
  });
}

/** Records the outcome, even after the request has ended. A failure of the database does not change the outcome. */
export async function recordOutcome(
  { payments, onFailure, onStep, onSettlement }: PaymentDependencies,
  { payment }: Purchase,
  settlement: Settlement,
): Promise<SettlementOutcome> {
  onStep?.('settle');
  onSettlement?.(settlement.outcome);
  const resolved = await payments.resolve(payment.key, settlement, payment.owner).catch(onFailure);
  onStep?.('record');
  return { settlement, ...resolved };
}

/** The settled payment. Refuses if the payment has not settled or its outcome is unknown. `outcome`: undefined after `TIMES.settleMs`. */
export async function conclude(
  { payments, reconciler }: PaymentDependencies,
  { payment, context: { inVersion1Header } }: Purchase,
  outcome: SettlementOutcome | undefined,
): Promise<Settled> {
  const { settlement, balanceMicros } = outcome ?? {};
  // The payment may have settled, so an outage of the database must not fail it.
  const unreadable = (): PaymentRecord => ({ ...payment, progress: 'unresolved' });
  const find = () => payments.find(payment.key).catch(unreadable);
  let record = outcome?.record ?? (await find());
  if (settlement?.outcome === 'unsent' && !record) throw refusals.unavailable(settlement.reason);
  if (settlement?.outcome === 'unknown' && record) {
    await reconciler.reconcile(record);
    record = await find();
  }
  record ??= unreadable();
  if (settlement?.outcome === 'settled') record = { ...record, signature: settlement.signature };
  else if (record.progress === 'refused') throw refusals.refusedRefusal(record, inVersion1Header);
  else if (record.progress !== 'settled') throw refusals.pendingRefusal(record, inVersion1Header);
  return { record, balanceMicros };
}

/** The receipt of a payment that has settled. */
export function receiptOfPayment(record: PaymentRecord, call: PaidCall, replayed: boolean): Receipt {
  const { signature: transaction = '', network, payer, priceUsd, resourceUrl, owed } = record;
  const { amount, asset } = record.requirement;
  // The time that was stored before anything was sent, so that an outage of the store does not change it.
  const paidAtMs = record.settlingSinceMs ?? record.resolvedAtMs;
  return {
    priceUsd,
    // A payment that is sent again is a repeat only if its answer was delivered.
    sale: { micros: Number(amount), asset, transaction, isRepeat: replayed && owed !== true },
    headers: {
      ...settledResponse({ transaction, network, payer, resourceUrl, paidAtMs }, call),
      ...(replayed && { [HEADERS.replayed]: 'true' }),
    },
  };
}

/** The answer of a settled purchase. */
export function deliveryOf(
  { payments, onStep }: PaymentDependencies,
  { payment, context }: Purchase,
  answer: Answer,
  { record, balanceMicros, isRepeat = false }: Settled,
): Delivery {
  const onDelivered = () => {
    onStep?.('respond');
    payments.delivered(payment.key);
  };
  const receipt: Receipt = { ...receiptOfPayment(record, context, isRepeat), onDelivered };
  if (payment.creditMicros === 0) return { answer, receipt };
  const balance = balanceMicros === undefined ? {} : creditHeader(undefined, balanceMicros);
  return {
    answer,
    receipt: { ...receipt, grantedMicros: payment.creditMicros, headers: { ...receipt.headers, ...balance } },
  };
}
