import { REFUSALS, Refusal, type RefusalCode, type RefusalDetails } from '@asset-gateway/protocol';
import { UNUSED_PAYMENT } from '../receipts/paid-answers.ts';
import { paymentResponse } from '../receipts/response.ts';
import type { PaymentRecord, ReserveVerdict } from './record.ts';

const PAYER_BUSY =
  'Too many payments of this wallet are in progress, or too many of its calls were not paid for; retry after Retry-After.';

const TAKEN = ['payment_in_progress', { payment: { state: 'in_progress' } }] as const;
const BUSY = ['rate_limited', { retryAfterSeconds: 2, message: PAYER_BUSY, payment: UNUSED_PAYMENT }] as const;

/** The refusal for each reason why a payment was not reserved or its settlement did not begin. */
const NOT_RESERVED = {
  taken: TAKEN,
  covered: TAKEN,
  due: ['settlement_pending', { payment: UNUSED_PAYMENT }],
  payer_busy: BUSY,
  under_way: BUSY,
  exhausted: ['payment_rejected', { payment: { state: 'refused' } }],
  called: [
    'payment_already_used',
    {
      payment: { state: 'refused' },
      message: 'Its call was made once and may have had an effect; nothing was charged.',
    },
  ],
  over_limit: ['credit_limit', { payment: UNUSED_PAYMENT }],
} as const satisfies Readonly<Record<Exclude<ReserveVerdict, 'reserved'>, readonly [RefusalCode, RefusalDetails]>>;

export function refusalOfReservation(verdict: keyof typeof NOT_RESERVED): Refusal {
  const [code, details] = NOT_RESERVED[verdict];
  return new Refusal(code, { ...details, reason: verdict });
}

/** Reasons why nothing can be settled now. */
export const NO_FEE_PAYER = 'no fee payer known yet';
export const FEES_USED_UP = 'the hourly fee budget is used up';

/** Returns the refusal for a time in which nothing can be settled. The payment stays unused. */
export const unavailable = (reason: string): Refusal =>
  new Refusal('facilitator_unavailable', { reason, payment: UNUSED_PAYMENT });

/** Returns the refusal of a signed text or payment that does not cover the present price. Nothing was used up. */
export const priceRisen = (message: string): Refusal =>
  new Refusal('no_matching_requirements', { reason: 'signed for less', message, payment: UNUSED_PAYMENT });

/** Returns the public code for a facilitator's reason: a code of x402, or `payment_rejected`. */
export function codeOfReason(reason: unknown): RefusalCode {
  const isKnown =
    typeof reason === 'string' && reason.startsWith('invalid_exact_svm_') && Object.hasOwn(REFUSALS, reason);
  return isKnown ? (reason as RefusalCode) : 'payment_rejected';
}

/** Returns the refusal while a payment's outcome is unknown. The client must send the same payment again, and no other one. */
export function pendingRefusal(record: PaymentRecord, inVersion1Header: boolean): Refusal {
  const { signature, network, payer } = record;
  const code = 'settlement_pending';
  const transaction = signature ?? '';
  return new Refusal(code, {
    reason: 'settlement unknown',
    payment: { state: 'pending', ...(signature !== undefined && { transaction }) },
    headers: paymentResponse({ success: false, transaction, network, payer, errorReason: code }, inVersion1Header),
  });
}

/** Returns the refusal of a payment that provably moves no money. The client may make a new one. */
export function refusalOfRefusedPayment(
  { network, payer, reason = '' }: PaymentRecord,
  inVersion1Header: boolean,
): Refusal {
  const code = codeOfReason(reason);
  return new Refusal(code, {
    reason,
    payment: { state: 'refused' },
    headers: paymentResponse({ success: false, transaction: '', network, payer, errorReason: code }, inVersion1Header),
  });
}
