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

/** The outcome of a settlement, with the payment's record if the database has answered. */
interface SettlementOutcome {
  readonly settlement: Settlement;
  readonly record?: PaymentRecord | undefined;
  /** The wallet's credit after the settlement. */
  readonly balanceMicros?: number | undefined;
}

/** A payment that has settled. */
interface Settled extends Pick<SettlementOutcome, 'balanceMicros'> {
  readonly record: PaymentRecord;
  /** Whether the payment had settled before this request. */
  readonly isRepeat?: boolean;
}

/**
 * Runs a settlement after the earlier ones of its payer. Returns undefined after `TIMES.settleMs`, while the settlement goes on. If the
 * settlement could not begin by then, throws a refusal, and the settlement never begins.
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
 * Throws the refusal of a settlement whose beginning the database has not confirmed. A server may still write it, and then the reconciler
 * sends the payment. After a release of the reservation no late write can follow, so only then does the refusal call the payment unused.
 */
async function refuseUnconfirmed(
  payments: PaymentDependencies['payments'],
  { payment: { key, owner }, context }: Pick<Purchase, 'payment' | 'context'>,
  { reason, isCalled = true }: Pick<SettlementAttempt, 'isCalled'> & { readonly reason: string },
): Promise<never> {
  const refusal = (payment: PaymentState) => new Refusal('state_unavailable', { reason, payment });
  // The database may still write after the lease has lapsed, so the record is read without regard to its lease.
  const find = () =>
    payments.find(key, 0).catch(() => {
      throw refusal({ state: 'pending' });
    });
  const mayFollow = (record: PaymentRecord | undefined) =>
    payments.mayWriteLater && record?.progress === 'reserved' && record.owner === owner;
  let found = await find();
  if (mayFollow(found)) {
    await resultWithin(TIMES.releaseMs, payments.release(key, owner, isCalled));
    found = await find();
  }
  if (found && found.progress !== 'reserved') throw refusals.pendingRefusal(found, context.inVersion1Header);
  throw refusal(mayFollow(found) ? { state: 'pending' } : UNUSED_PAYMENT);
}

/** Stores the answer and the beginning of the settlement durably. If this rejects, this request has sent nothing. */
export async function beginSettlement(
  { payments, facilitator, onStep }: PaymentDependencies,
  { payment, stored, context }: Purchase,
  attempt: Pick<SettlementAttempt, 'answer' | 'height' | 'isCalled'>,
): Promise<void> {
  const { key, owner } = payment;
  const settlingSinceMs = payments.now();
  const signature = facilitator.signatureOf?.(payment);
  const fee = feeChargeOf(facilitator, payment, stored.paidOnMainnet, settlingSinceMs);
  const verdict = await payments
    .beginSettlement(key, owner, { ...attempt, signature, fee, settlingSinceMs })
    .catch(async (error) => refuseUnconfirmed(payments, { payment, context }, { ...attempt, reason: String(error) }));
  if (verdict === 'fees_used_up') throw refusals.unavailable(refusals.FEES_USED_UP);
  if (verdict !== 'settling') throw refusals.refusalOfReservation(verdict);
  context.facts.payment = { state: 'pending' };
  onStep?.('store');
}

/** Signs, sends and confirms a payment. Never rejects. Without proof the outcome is `unknown`. */
export async function send(
  { facilitator, onFailure }: PaymentDependencies,
  { payment }: Purchase,
): Promise<Settlement> {
  return facilitator.settle(payment).catch((error): Settlement => {
    onFailure(error);
    return { outcome: 'unknown', signature: facilitator.signatureOf?.(payment) };
  });
}

/** Records the outcome of a settlement, even after the request has ended. If the database fails, the outcome stays what it is. */
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

/**
 * Returns the settled payment. Throws a refusal if the payment has not settled or its outcome is unknown. `outcome`: undefined if the
 * settlement took longer than `TIMES.settleMs`.
 */
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
    await resultWithin(TIMES.lookUpMs, reconciler.reconcile(record));
    record = await find();
  }
  record ??= unreadable();
  if (settlement?.outcome === 'settled') record = { ...record, signature: settlement.signature };
  else if (record.progress === 'refused') throw refusals.refusalOfRefusedPayment(record, inVersion1Header);
  else if (record.progress !== 'settled') throw refusals.pendingRefusal(record, inVersion1Header);
  return { record, balanceMicros };
}

/** Returns the receipt of a settled payment. */
export function receiptOfPayment(record: PaymentRecord, call: PaidCall, replayed: boolean): Receipt {
  const { signature: transaction = '', network, payer, priceUsd, resourceUrl, owed } = record;
  const { amount, asset } = record.requirement;
  // `settlingSinceMs` was stored before anything was sent, so an outage of the store does not change it.
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

/** Returns the answer of a settled purchase, with its receipt. */
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
