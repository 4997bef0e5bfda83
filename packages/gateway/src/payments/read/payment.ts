import { below, HEADERS, member, Refusal, type RefusalCode } from '@asset-gateway/protocol';
import type { Inbound, Trail } from '../../call.ts';
import { type Crypto, decodeBase64, decodeJsonHeader } from '../../gates/crypto.ts';
import { type PaidCall, SHORT_NETWORKS } from '../../receipts/response.ts';
import type { Payment } from '../facilitator/facilitator.ts';
import { isSameRequirement, looksIssued, MEMO_SECONDS, type Memos, type Offer, requirementOf } from './requirement.ts';
import { readTransfer, type Transaction, type Transfer } from './transaction.ts';

/** A payment as a header contains it, before it is checked. */
export interface CarriedPayment {
  readonly transaction: Uint8Array;
  /** The client's copy of the requirement. Version 1 of x402 names only scheme and network. */
  readonly accepted: unknown;
  readonly network: unknown;
  /** `extra.ticket` of that copy. */
  readonly ticket: unknown;
  readonly version: 1 | 2;
}

const MAX_HEADER_BYTES = 8192;

function readPayment(header: string): CarriedPayment | undefined {
  if (header.length > MAX_HEADER_BYTES) return undefined;
  const payload = decodeJsonHeader(header);
  const encoded = below(payload, 'payload', 'transaction');
  const transaction = typeof encoded === 'string' ? decodeBase64(encoded) : undefined;
  const version = member(payload, 'x402Version');
  if (!transaction) return undefined;
  if (version === 2) {
    const accepted = member(payload, 'accepted');
    const ticket = below(accepted, 'extra', 'ticket');
    return { transaction, accepted, network: member(accepted, 'network'), ticket, version };
  }
  if (version !== 1 || member(payload, 'scheme') !== 'exact') return undefined;
  const name = member(payload, 'network');
  const [network] = Object.entries(SHORT_NETWORKS).find(([, short]) => short === name) ?? [];
  return { transaction, accepted: undefined, network, ticket: undefined, version };
}

/** The payment of a request; undefined if there is none, `malformed` unless there is one well-formed payment. */
export function carriedPayment({ headers }: Inbound): CarriedPayment | 'malformed' | undefined {
  const version1 = headers[HEADERS.version1Payment.toLowerCase()];
  const value = headers[HEADERS.payment.toLowerCase()] ?? version1;
  if (value === undefined) return undefined;
  const isOne = typeof value === 'string' && (version1 === undefined || version1 === value);
  return (isOne && readPayment(value)) || 'malformed';
}

/** A payment that matches its request. */
export interface PresentedPayment extends Payment, Transfer {
  readonly memo: string;
  /** The part of the amount that its memo makes credit, in millionths of a dollar; 0 without memos. */
  readonly creditMicros: number;
}

/** A request that carries a payment. */
export interface PaymentCall extends PaidCall {
  readonly key: string;
  readonly trail: Trail;
  readonly carried: CarriedPayment;
  readonly transaction: Transaction;
  /** The present offer. The amount in the payment's challenge may differ. */
  readonly offer: Offer;
}

/** A payment and the request that it must match. */
export interface Candidate extends Pick<PaymentCall, 'key' | 'carried' | 'transaction' | 'offer'> {
  readonly requestHash: string;
  readonly nowMs: number;
  readonly crypto: Crypto;
  /** Undefined if memos are off: the amount must then be the present price. */
  readonly memos: Memos | undefined;
}

const COPY_MEMO =
  "The transaction's memo is not extra.memo; copy extra.memo of the fresh requirement into it, " +
  'for example with @x402/svm 2.10 or later.';

const refused = (code: RefusalCode, reason: string, message?: string): Refusal =>
  new Refusal(code, { reason, payment: { state: 'refused' }, ...(message !== undefined && { message }) });

/** Advice for a client that copies no memo: it would pay one fresh requirement after the other in vain. */
function memoAdvice({ instructions }: Transaction): string | undefined {
  const isCopied = instructions.some(({ data }) => looksIssued(Buffer.from(data).toString('latin1')));
  return isCopied ? undefined : COPY_MEMO;
}

/** The credit part of a memo that is good for the request, or its refusal. */
function readMemo({ memo, ...offer }: Offer & { memo: string }, candidate: Candidate): number | Refusal {
  const { memos, requestHash, nowMs, transaction } = candidate;
  if (!memos) return 0;
  const content = memos.read(memo, offer, requestHash, nowMs);
  if (!content) return refused('no_matching_requirements', 'memo of another request or price', memoAdvice(transaction));
  const age = nowMs / 1000 - content.issuedAt;
  const isGood = age <= MEMO_SECONDS.maxAge && age >= -MEMO_SECONDS.maxAhead;
  return isGood ? content.creditMicros : refused('no_matching_requirements', 'memo too old');
}

/**
 * Checks that a payment matches its request, without any I/O: the transaction, then the memo, from which the requirement is rebuilt,
 * then the client's copy of the requirement. Answers its refusal if it does not match.
 */
export function readPresentedPayment(candidate: Candidate): PresentedPayment | Refusal {
  const { carried, transaction, key, crypto, memos } = candidate;
  const { network } = candidate.offer;
  const feePayer = memos ? (transaction.keys[0] ?? '') : candidate.offer.feePayer;
  if (carried.network !== network) return refused('no_matching_requirements', 'network');
  const transfer = readTransfer(transaction, { ...candidate.offer, feePayer }, crypto);
  if (typeof transfer === 'string' || transfer.memo === undefined) {
    const code = typeof transfer === 'string' ? transfer : 'invalid_exact_svm_payload_memo_count';
    const isAboutMemo = memos !== undefined && code === 'invalid_exact_svm_payload_memo_count';
    return refused(code, 'transaction', isAboutMemo ? memoAdvice(transaction) : undefined);
  }
  const { amount, memo } = transfer;
  const offer = { ...candidate.offer, feePayer, amount: memos ? amount : candidate.offer.amount };
  if (amount !== offer.amount) return refused('invalid_exact_svm_payload_amount_mismatch', 'amount');
  const creditMicros = readMemo({ ...offer, memo }, candidate);
  if (creditMicros instanceof Refusal) return creditMicros;
  const requirement = requirementOf(offer, memos && memo);
  const hasTicket = memos?.isTicketOf(memo, carried.ticket) === true;
  const isSame = isSameRequirement(carried.accepted, requirement) && (hasTicket || !memos);
  if (carried.version === 2 && !isSame) return refused('no_matching_requirements', 'accepted');
  const { message } = transaction;
  const encoded = Buffer.from(carried.transaction).toString('base64');
  return { ...transfer, memo, key, network, transaction: encoded, message, requirement, hasTicket, creditMicros };
}
