import { HEADERS, Refusal, type RefusalCode, type RefusalDetails } from '@asset-gateway/protocol';
import type { Call, Receipt, Sale } from '../call.ts';
import { challengedUrl } from '../gates/challenge.ts';
import type { ReceiptIssuer } from '../receipts/issuer.ts';
import { codeOfReason } from './facilitator/facilitator.ts';
import { usesVersion1Header } from './read/header.ts';
import type { PaymentRecord, ReserveVerdict } from './record.ts';
import { type PaymentRequirements, SHORT_NETWORKS } from './requirement.ts';

/** x402's SettleResponse. */
interface SettleResponse {
  readonly success: boolean;
  /** base58 signature; empty if nothing was sent. */
  readonly transaction: string;
  readonly network: string;
  readonly payer: string;
  /** Atomic units, if not the required amount: 0 for a payment that credit has covered. */
  readonly amount?: string;
  readonly errorReason?: string;
  readonly extensions?: Readonly<Record<string, unknown>>;
}

/** What the response to a paid request depends on, besides the payment. */
export interface ResponseContext {
  readonly inVersion1Header: boolean;
  /** Undefined if receipts are not signed. */
  readonly receipts?: ReceiptIssuer | undefined;
  /** The URL that is paid for; only if receipts are signed. */
  readonly resourceUrl?: string;
}

/** A payment that has settled. All answers to one payment carry the same receipt. */
interface SettledPayment extends Pick<SettleResponse, 'network' | 'payer' | 'transaction' | 'amount'> {
  /** The URL that was paid for; only if receipts are signed. */
  readonly resourceUrl?: string | undefined;
  readonly paidAtMs?: number | undefined;
}

/** The response context of a call. A receipt names the same URL as the challenge. */
export const responseContextOf = (
  call: Call,
  origin: string,
  receipts: ReceiptIssuer | undefined,
): ResponseContext => ({
  inVersion1Header: usesVersion1Header(call.inbound),
  ...(receipts && { receipts, resourceUrl: challengedUrl(call, origin) }),
});

const encode = (response: SettleResponse): string => Buffer.from(JSON.stringify(response)).toString('base64');

/** The headers that carry a SettleResponse; the header of version 1 too if the payment came in that version's. */
function paymentResponse(response: SettleResponse, inVersion1Header: boolean): Record<string, string> {
  const version1 = { ...response, network: SHORT_NETWORKS[response.network] ?? response.network };
  return {
    [HEADERS.paymentResponse]: encode(response),
    ...(inVersion1Header && { [HEADERS.version1PaymentResponse]: encode(version1) }),
  };
}

/** The headers of an answer that was paid for, with its receipt if receipts are signed. */
export function settledResponse(settled: SettledPayment, context: ResponseContext): Record<string, string> {
  const { resourceUrl = context.resourceUrl ?? '', paidAtMs, ...response } = settled;
  const extensions = context.receipts?.extensionsFor({ ...response, resourceUrl, paidAtMs });
  return paymentResponse({ success: true, ...response, ...(extensions && { extensions }) }, context.inVersion1Header);
}

/** The payment can be sent again for the same request. */
export const unused = { state: 'unused' } as const;

/** Refusals of a payment that was not reserved or not settled. `taken`: another request uses it, or credit has covered it. */
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

/** Nothing can be settled now; the payment stays unused. */
export const unavailable = (reason: string): Refusal =>
  new Refusal('facilitator_unavailable', { reason, payment: unused });

/** The payment has settled, and its answer cannot be fetched again. */
export const alreadyUsed = (reason: string): Refusal =>
  new Refusal('payment_already_used', { reason, payment: { state: 'settled' } });

/** What a settled payment has paid. A payment that is sent again is a repeat only if its answer was delivered. */
function saleOf({ requirement, signature = '', owed }: PaymentRecord, replayed: boolean): Sale {
  const { amount, asset } = JSON.parse(requirement) as PaymentRequirements;
  return { micros: Number(amount), asset, transaction: signature, isRepeat: replayed && owed !== true };
}

/** The receipt of a payment that has settled. */
export function receiptOf(record: PaymentRecord, context: ResponseContext, replayed: boolean): Receipt {
  const { signature: transaction = '', network, payer, priceUsd, resourceUrl } = record;
  // The time that was stored before anything was sent, so that an outage of the store does not change it.
  const paidAtMs = record.settlingSinceMs ?? record.resolvedAtMs;
  return {
    priceUsd,
    sale: saleOf(record, replayed),
    headers: {
      ...settledResponse({ transaction, network, payer, resourceUrl, paidAtMs }, context),
      ...(replayed && { [HEADERS.replayed]: 'true' }),
    },
  };
}

/** The outcome is unknown: the client must send the same payment again, and no other. */
export function pendingRefusal(record: PaymentRecord, inVersion1Header: boolean): Refusal {
  const { signature: transaction, network, payer } = record;
  const response = {
    success: false,
    transaction: transaction ?? '',
    network,
    payer,
    errorReason: 'settlement_pending',
  };
  return new Refusal('settlement_pending', {
    reason: 'settlement unknown',
    payment: { state: 'pending', ...(transaction !== undefined && { transaction }) },
    headers: paymentResponse(response, inVersion1Header),
  });
}

/** The payment provably moves nothing: the client may make a new one. */
export function refusedRefusal(record: PaymentRecord, reason: string, inVersion1Header: boolean): Refusal {
  const { network, payer } = record;
  const code = codeOfReason(reason);
  return new Refusal(code, {
    reason,
    payment: { state: 'refused' },
    headers: paymentResponse({ success: false, transaction: '', network, payer, errorReason: code }, inVersion1Header),
  });
}
