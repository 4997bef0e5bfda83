import { HEADERS, Refusal, type RefusalCode, type RefusalDetails } from '@asset-gateway/protocol';
import type { Receipt, Sale } from '../call.ts';
import { codeOfReason } from './facilitator/reasons.ts';
import type { PaymentRecord, ReserveVerdict } from './record.ts';
import type { PaymentRequirements } from './requirement.ts';
import { paymentResponse } from './settle-response.ts';
import { settledResponse, type Telling } from './telling.ts';

/** The payment can be sent again for the same request. */
export const unused = { state: 'unused' } as const;

/** Refusals of a payment that was not reserved, or not settled. `taken` means that another request or credit uses it. */
const NOT_RESERVED = {
  taken: ['payment_in_progress', { payment: { state: 'in_progress' } }],
  owed: ['settlement_pending', { payment: unused }],
  payer_busy: ['rate_limited', { retryAfterSeconds: 2, payment: unused }],
  exhausted: ['payment_rejected', { payment: { state: 'refused' } }],
  over_limit: ['credit_limit', { payment: unused }],
  under_way: ['rate_limited', { retryAfterSeconds: 2, payment: unused }],
  covered: ['rate_limited', { retryAfterSeconds: 1, payment: unused }],
} as const satisfies Readonly<Record<Exclude<ReserveVerdict, 'reserved'>, readonly [RefusalCode, RefusalDetails]>>;

export function refusalOf(verdict: keyof typeof NOT_RESERVED): Refusal {
  const [code, details] = NOT_RESERVED[verdict];
  return new Refusal(code, { ...details, reason: verdict });
}

/** Nothing can be sold now; the payment is unused. */
export const unavailable = (reason: string): Refusal =>
  new Refusal('facilitator_unavailable', { reason, payment: unused });

/** Paid, and nothing is left to be had for it. */
export const alreadyUsed = (reason: string): Refusal =>
  new Refusal('payment_already_used', { reason, payment: { state: 'settled' } });

/** What a settled payment was worth. One that came again is no repeat as long as its answer is still owed. */
function saleOf({ requirement, signature = '', owed }: PaymentRecord, replayed: boolean): Sale {
  const { amount, asset } = JSON.parse(requirement) as PaymentRequirements;
  return { micros: Number(amount), asset, transaction: signature, isRepeat: replayed && owed !== true };
}

/** The receipt of a payment that has settled. */
export function receiptOf(record: PaymentRecord, telling: Telling, replayed: boolean): Receipt {
  const { signature: transaction = '', network, payer, priceUsd, resourceUrl } = record;
  // What is on disk before anything is sent: no outage of the store changes it.
  const paidAtMs = record.settlingSinceMs ?? record.resolvedAtMs;
  return {
    priceUsd,
    sale: saleOf(record, replayed),
    headers: {
      ...settledResponse({ transaction, network, payer, resourceUrl, paidAtMs }, telling),
      ...(replayed && { [HEADERS.replayed]: 'true' }),
    },
  };
}

/** The outcome is not known: the same payment is to be sent again, and no other one made. */
export function pendingRefusal(record: PaymentRecord, inVersion1Header: boolean): Refusal {
  const { signature: transaction, network, payer } = record;
  const settled = { success: false, transaction: transaction ?? '', network, payer, errorReason: 'settlement_pending' };
  return new Refusal('settlement_pending', {
    reason: 'settlement unknown',
    payment: { state: 'pending', ...(transaction !== undefined && { transaction }) },
    headers: paymentResponse(settled, inVersion1Header),
  });
}

/** Proof that the payment moves nothing: a new one may be made. */
export function refusedRefusal(record: PaymentRecord, reason: string, inVersion1Header: boolean): Refusal {
  const { network, payer } = record;
  const code = codeOfReason(reason);
  return new Refusal(code, {
    reason,
    payment: { state: 'refused' },
    headers: paymentResponse({ success: false, transaction: '', network, payer, errorReason: code }, inVersion1Header),
  });
}
