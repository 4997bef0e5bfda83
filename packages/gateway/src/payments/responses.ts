import { HEADERS, Refusal, type RefusalCode, type RefusalDetails } from '@asset-gateway/protocol';
import type { Call, Receipt, Sale } from '../call.ts';
import { challengedUrl } from '../gates/challenge.ts';
import type { ReceiptIssuer } from '../receipts/issuer.ts';
import { codeOfReason } from './facilitator/facilitator.ts';
import { usesVersion1Header } from './read/header.ts';
import type { PaymentRecord, ReserveVerdict } from './record.ts';
import { type PaymentRequirements, SHORT_NETWORKS } from './requirement.ts';

/** x402's SettleResponse. */
export interface Settled {
  readonly success: boolean;
  /** base58 signature; empty when nothing was sent. */
  readonly transaction: string;
  readonly network: string;
  readonly payer?: string;
  /** Atomic units, where it is not what was asked for: 0 for a payment that credit has covered. */
  readonly amount?: string;
  readonly errorReason?: string;
  /** What x402's extensions add, by their names. */
  readonly extensions?: Readonly<Record<string, unknown>>;
}

const encode = (settled: Settled): string => Buffer.from(JSON.stringify(settled)).toString('base64');

/** The headers that tell a payer what became of the payment; in version 1's header too when that was used. */
export function paymentResponse(settled: Settled, inVersion1Header: boolean): Record<string, string> {
  const old = { ...settled, network: SHORT_NETWORKS[settled.network] ?? settled.network };
  return {
    [HEADERS.paymentResponse]: encode(settled),
    ...(inVersion1Header && { [HEADERS.version1PaymentResponse]: encode(old) }),
  };
}

/** What a receipt states, noted when its answer was paid for: each answer to the same payment has the same receipt. */
interface Receipted {
  /** The URL that was paid for; only where receipts are signed. */
  readonly resourceUrl?: string | undefined;
  /** When it was paid for, in milliseconds. */
  readonly paidAtMs?: number | undefined;
}

/** What is told of an answer that was paid for. */
interface SettledPayment extends Pick<Settled, 'network' | 'transaction' | 'amount'>, Receipted {
  readonly payer: string;
}

/** How a payer is told. */
export interface Telling {
  readonly inVersion1Header: boolean;
  /** The URL that is paid for; only where receipts are signed. */
  readonly resourceUrl?: string;
  /** What x402's extensions add for an answer that was paid for; nothing where none is on. */
  readonly extensionsFor?: ((settled: SettledPayment) => Settled['extensions']) | undefined;
}

/** How whoever makes this call is told; a receipt names what was paid for as the challenge does. */
export function tellingOf(call: Call, origin: string, receipts: ReceiptIssuer | undefined): Telling {
  const inVersion1Header = usesVersion1Header(call.inbound);
  if (!receipts) return { inVersion1Header };
  const resourceUrl = challengedUrl(call, origin);
  const extensionsFor: Telling['extensionsFor'] = (settled) =>
    receipts.extensionsFor({ ...settled, resourceUrl: settled.resourceUrl ?? resourceUrl });
  return { inVersion1Header, resourceUrl, extensionsFor };
}

/** The headers that tell a payer of an answer that was paid for, with its receipt where receipts are signed. */
export function settledResponse(
  settled: SettledPayment,
  { inVersion1Header, extensionsFor }: Telling,
): Record<string, string> {
  const extensions = extensionsFor?.(settled);
  const { resourceUrl: _url, paidAtMs: _at, ...told } = settled;
  return paymentResponse({ success: true, ...told, ...(extensions && { extensions }) }, inVersion1Header);
}

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
