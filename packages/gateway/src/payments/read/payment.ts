import { Refusal, type RefusalCode } from '@asset-gateway/protocol';
import type { Crypto } from '../../gates/crypto.ts';
import type { Payment } from '../facilitator/facilitator.ts';
import { isSameRequirement, type Offer, requirementOf } from '../requirement.ts';
import type { CarriedPayment } from './header.ts';
import { looksIssued, type Memos } from './memo.ts';
import type { Transaction } from './transaction.ts';
import { readTransfer, type Transfer } from './transfer.ts';

const MAX_AGE_SECONDS = 300;
const MAX_AHEAD_SECONDS = 30;

/** A payment that fits the request which it came with. */
export interface PresentedPayment {
  readonly payment: Payment;
  readonly transfer: Transfer;
}

/** What a payment is judged by. */
export interface Judgement {
  readonly key: string;
  readonly carried: CarriedPayment;
  readonly transaction: Transaction;
  /** What we would ask for now; the amount that was quoted may be another. */
  readonly offer: Offer;
  readonly requestHash: string;
  readonly nowMs: number;
}

/** How payments are judged. */
export interface Judge {
  readonly crypto: Crypto;
  /** Off: the requirement has no memo, and the amount must be today's. */
  readonly memos: Memos | undefined;
}

const COPY_MEMO =
  "The transaction's memo is not extra.memo; copy extra.memo of the fresh requirement into it, " +
  'for example with @x402/svm 2.10 or later.';

const refuse = (code: RefusalCode, reason: string, message?: string): never => {
  throw new Refusal(code, { reason, payment: { state: 'refused' }, ...(message !== undefined && { message }) });
};

/** What to tell a client that copies no memo of ours: it would pay by one fresh requirement after the other. */
function memoAdvice({ instructions }: Transaction): string | undefined {
  const isCopied = instructions.some(({ data }) => looksIssued(Buffer.from(data).toString('latin1')));
  return isCopied ? undefined : COPY_MEMO;
}

function checkMemo(memos: Memos, { memo = '' }: Transfer, offer: Offer, judgement: Judgement): void {
  const { requestHash, nowMs, transaction } = judgement;
  const issuedAt = memos.read(memo, offer, requestHash);
  if (issuedAt === undefined) {
    refuse('no_matching_requirements', 'memo of another request or price', memoAdvice(transaction));
  }
  const age = nowMs / 1000 - (issuedAt ?? 0);
  if (age > MAX_AGE_SECONDS || age < -MAX_AHEAD_SECONDS) refuse('no_matching_requirements', 'memo too old');
}

/**
 * Reads a purchase out of a payment: first the transaction by our own reader, then the memo, from which the requirement
 * is rebuilt as it was quoted, then the client's copy of it. Nobody else has been asked when this refuses.
 */
export function readPresentedPayment({ crypto, memos }: Judge, judgement: Judgement): PresentedPayment {
  const { carried, transaction, key } = judgement;
  const feePayer = memos ? (transaction.keys[0] ?? '') : judgement.offer.feePayer;
  if (carried.network !== judgement.offer.network) refuse('no_matching_requirements', 'network');
  const read = readTransfer(transaction, { ...judgement.offer, feePayer }, crypto);
  if ('fault' in read) {
    const isAboutMemo = memos !== undefined && read.fault === 'invalid_exact_svm_payload_memo_count';
    return refuse(read.fault, 'transaction', isAboutMemo ? memoAdvice(transaction) : undefined);
  }
  const { transfer } = read;
  const offer = { ...judgement.offer, feePayer, amount: memos ? transfer.amount : judgement.offer.amount };
  if (transfer.amount !== offer.amount) refuse('invalid_exact_svm_payload_amount_mismatch', 'amount');
  if (memos) checkMemo(memos, transfer, offer, judgement);
  const requirement = requirementOf(offer, memos && transfer.memo);
  const hasTicket = memos?.isTicketOf(transfer.memo ?? '', carried.ticket) === true;
  const isSame = isSameRequirement(carried.accepted, requirement) && (hasTicket || !memos);
  if (carried.version === 2 && !isSame) refuse('no_matching_requirements', 'accepted');
  const encoded = Buffer.from(carried.transaction).toString('base64');
  const { network } = offer;
  return {
    payment: { key, network, transaction: encoded, message: transaction.message, requirement, hasTicket },
    transfer,
  };
}
