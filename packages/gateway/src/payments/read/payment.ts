import {
  below,
  CLUSTERS,
  HEADERS,
  member,
  NETWORKS,
  Refusal,
  type RefusalCode,
  VERSION_1_NAMES,
} from '@asset-gateway/protocol';
import type { Call, Inbound, RequestFacts } from '../../call.ts';
import { type Crypto, decodeBase64, decodeJsonHeader } from '../../crypto.ts';
import { UNUSED_PAYMENT } from '../../receipts/paid-answers.ts';
import type { PaidCall } from '../../receipts/response.ts';
import { TIMES } from '../../times.ts';
import type { Payment } from '../facilitator/facilitator.ts';
import { NO_FEE_PAYER, unavailable } from '../refusals.ts';
import {
  type CallDependencies,
  isSameRequirement,
  looksIssued,
  type Memos,
  type Offer,
  paidCallOf,
  paymentKeyOf,
  requirementOf,
} from './requirement.ts';
import { readTransaction, readTransfer, type Transaction, type Transfer } from './transaction.ts';

/** A payment as a header contains it, before it is checked. */
interface CarriedPayment {
  readonly transaction: Uint8Array;
  /** The client's copy of the requirement. In version 1 of x402 it has only scheme and network. */
  readonly accepted: unknown;
  readonly network: unknown;
  /** `extra.memo` and `extra.ticket` of that copy: the challenge that the payment answers. */
  readonly memo: unknown;
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
    const memo = below(accepted, 'extra', 'memo');
    const ticket = below(accepted, 'extra', 'ticket');
    return { transaction, accepted, network: member(accepted, 'network'), memo, ticket, version };
  }
  if (version !== 1 || member(payload, 'scheme') !== 'exact') return undefined;
  const name = member(payload, 'network');
  const cluster = CLUSTERS.find((each) => VERSION_1_NAMES[each] === name);
  const network = cluster && NETWORKS[cluster];
  return { transaction, accepted: undefined, network, memo: undefined, ticket: undefined, version };
}

/** Returns the payment of a request; undefined if the request has none, `malformed` unless it has exactly one well-formed payment. */
export function carriedPayment({ headers }: Inbound): CarriedPayment | 'malformed' | undefined {
  const version1 = headers[HEADERS.version1Payment.toLowerCase()];
  const value = headers[HEADERS.payment.toLowerCase()] ?? version1;
  if (value === undefined) return undefined;
  const isOne = typeof value === 'string' && (version1 === undefined || version1 === value);
  return (isOne && readPayment(value)) || 'malformed';
}

/** A payment that matches its request. */
export interface PresentedPayment extends Payment, Omit<Transfer, 'memo'> {
  /** The memo of the challenge that the payment answers; undefined if the client has named none. */
  readonly memo: string | undefined;
  /** Whether the transaction contains that memo, which binds it to its request. Otherwise only its record binds it. */
  readonly isBound: boolean;
  /** Whether the client sent the ticket, which only the client that got the challenge knows. */
  readonly hasTicket: boolean;
  /** The part of the amount that becomes credit by its challenge, in millionths of a dollar. */
  readonly creditMicros: number;
}

/** A request that carries a payment. */
export interface PaymentCall extends PaidCall {
  readonly key: string;
  readonly facts: RequestFacts;
  readonly carried: CarriedPayment;
  readonly transaction: Transaction;
  /** The present offer. The amount in the payment's challenge may differ. */
  readonly offer: Offer;
  /** The transaction's transfer, or the code of its fault. */
  readonly transfer: Transfer | RefusalCode;
}

/** The dependencies of reading payments. */
interface ReadingDependencies {
  readonly calls: CallDependencies;
  readonly crypto: Crypto;
  readonly offer: Offer;
}

const refused = (code: RefusalCode, reason: string, message?: string): Refusal =>
  new Refusal(code, { reason, payment: { state: 'refused' }, ...(message !== undefined && { message }) });

/** Reads the payment of a request. Throws a refusal if there is no payment, or if it is not exactly one canonical transaction. */
export function readPaymentCall(
  { calls, crypto, offer }: ReadingDependencies,
  call: Call,
  facts: RequestFacts,
): PaymentCall {
  const carried = carriedPayment(call.inbound);
  if (!carried && offer.feePayer === '') throw unavailable(NO_FEE_PAYER);
  if (!carried) throw new Refusal('payment_required', { payment: UNUSED_PAYMENT });
  if (carried === 'malformed') throw new Refusal('payment_malformed', { payment: { state: 'refused' } });
  const transaction = readTransaction(carried.transaction);
  if (!transaction) throw refused('invalid_exact_svm_payload_transaction_could_not_be_decoded', 'transaction');
  const transfer = readTransfer(transaction, offer, crypto);
  const key = paymentKeyOf(offer.network, transaction.message);
  return { ...paidCallOf(calls, call, facts), key, facts, offer, carried, transaction, transfer };
}

/** A payment and the request that it must match. */
export interface Candidate extends Pick<PaymentCall, 'key' | 'carried' | 'transaction' | 'offer' | 'transfer'> {
  readonly requestHash: string;
  readonly nowMs: number;
  readonly memos: Memos;
  /** Whether the gateway itself settles. Then no other shop can settle a transaction that lacks our memo. */
  readonly isOwnFeePayer: boolean;
}

const COPY_MEMO =
  "The transaction's memo is not extra.memo; copy extra.memo of the fresh requirement into it, " +
  'for example with @x402/svm 2.10 or later.';

const OTHER_REQUEST = 'memo of another request or transfer';

/** What binds a payment to its request. */
type Binding = Pick<PresentedPayment, 'memo' | 'isBound' | 'creditMicros'>;

/** Returns which challenge a payment answers, by the transaction's memo or by the memo that came beside it; otherwise the refusal. */
function bindingOf({ memo: written, amount }: Transfer, offer: Offer, candidate: Candidate): Binding | Refusal {
  const { memos, carried, requestHash, nowMs, isOwnFeePayer } = candidate;
  const isBound = written !== undefined && memos.provenCredit(written, offer) !== undefined;
  const mayBeFree = isOwnFeePayer && offer.feePayer === candidate.offer.feePayer;
  if (!isBound && !mayBeFree) {
    const isCopied = written !== undefined && looksIssued(written);
    return refused('no_matching_requirements', OTHER_REQUEST, isCopied ? undefined : COPY_MEMO);
  }
  const memo = isBound ? written : carried.memo;
  if (memo === undefined && carried.version === 1) {
    // Version 1 of x402 names no challenge.
    if (amount === candidate.offer.amount) return { memo, isBound, creditMicros: 0 };
    return refused('invalid_exact_svm_payload_amount_mismatch', 'amount');
  }
  const content = typeof memo === 'string' ? memos.read(memo, offer, requestHash, nowMs) : undefined;
  if (typeof memo !== 'string' || !content) return refused('no_matching_requirements', OTHER_REQUEST);
  const ageMs = nowMs - content.issuedAt * 1000;
  if (ageMs > TIMES.challengeMs || ageMs < -TIMES.aheadMs) return refused('no_matching_requirements', 'memo too old');
  return { memo, isBound, creditMicros: content.creditMicros };
}

/**
 * Checks that a payment matches its request, without I/O, and returns it; otherwise its refusal. The checks are, in this order: the
 * transaction; the memo of its challenge, from which the requirement is rebuilt; the client's copy of the requirement. The price is that of
 * the challenge, even if it has changed within `TIMES.challengeMs`.
 */
export function readPresentedPayment(candidate: Candidate): PresentedPayment | Refusal {
  const { carried, transaction, key, memos, transfer } = candidate;
  const { network } = candidate.offer;
  if (carried.network !== network) return refused('no_matching_requirements', 'network');
  if (typeof transfer === 'string') return refused(transfer, 'transaction');
  // The fee payer is the one that the challenge named. It may have changed since.
  const offer = { ...candidate.offer, feePayer: transaction.keys[0] ?? '', amount: transfer.amount };
  const binding = bindingOf(transfer, offer, candidate);
  if (binding instanceof Refusal) return binding;
  const { memo, isBound, creditMicros } = binding;
  const requirement = requirementOf(offer, memo);
  const hasTicket = memo !== undefined && memos.isTicketOf(memo, carried.ticket);
  const isSame = isSameRequirement(carried.accepted, requirement) && hasTicket;
  if (carried.version === 2 && !isSame) return refused('no_matching_requirements', 'accepted');
  const { message } = transaction;
  const encoded = Buffer.from(carried.transaction).toString('base64');
  return {
    ...transfer,
    memo,
    isBound,
    creditMicros,
    key,
    network,
    transaction: encoded,
    message,
    requirement,
    hasTicket,
  };
}
