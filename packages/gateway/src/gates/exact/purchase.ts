import { Refusal, type RefusalCode } from '@asset-gateway/protocol';
import type { Crypto } from '../crypto.ts';
import type { Payment } from './facilitators/facilitator.ts';
import type { CarriedPayment } from './header.ts';
import type { Memos } from './memo.ts';
import { isSameRequirement, requirementOf, type Terms } from './terms.ts';
import type { Transaction } from './transaction.ts';
import { readTransfer, type Transfer } from './transfer.ts';

const MAX_AGE_SECONDS = 300;
const MAX_AHEAD_SECONDS = 30;

/** A payment that fits the request which it came with. */
export interface Purchase {
  readonly payment: Payment;
  readonly transfer: Transfer;
}

/** What a payment is judged by. */
export interface Judgement {
  readonly key: string;
  readonly carried: CarriedPayment;
  readonly transaction: Transaction;
  /** What we would ask for now; the amount that was quoted may be another. */
  readonly terms: Terms;
  readonly requestHash: string;
  readonly nowMs: number;
}

/** How payments are judged. */
export interface Judge {
  readonly crypto: Crypto;
  /** Off: the requirement has no memo, and the amount must be today's. */
  readonly memos: Memos | undefined;
}

const refuse = (code: RefusalCode, reason: string): never => {
  throw new Refusal(code, { reason, payment: { state: 'refused' } });
};

function checkMemo(memos: Memos, { memo = '' }: Transfer, terms: Terms, { requestHash, nowMs }: Judgement): void {
  const issuedAt = memos.read(memo, terms, requestHash);
  if (issuedAt === undefined) refuse('no_matching_requirements', 'memo of another request or price');
  const age = nowMs / 1000 - (issuedAt ?? 0);
  if (age > MAX_AGE_SECONDS || age < -MAX_AHEAD_SECONDS) refuse('no_matching_requirements', 'memo too old');
}

/**
 * Reads a purchase out of a payment: first the transaction by our own reader, then the memo, from which the requirement
 * is rebuilt as it was quoted, then the client's copy of it. Nobody else has been asked when this refuses.
 */
export function readPurchase({ crypto, memos }: Judge, judgement: Judgement): Purchase {
  const { carried, transaction, key } = judgement;
  const feePayer = memos ? (transaction.keys[0] ?? '') : judgement.terms.feePayer;
  if (carried.network !== judgement.terms.network) refuse('no_matching_requirements', 'network');
  const read = readTransfer(transaction, { ...judgement.terms, feePayer }, crypto);
  if ('fault' in read) return refuse(read.fault, 'transaction');
  const { transfer } = read;
  const terms = { ...judgement.terms, feePayer, amount: memos ? transfer.amount : judgement.terms.amount };
  if (transfer.amount !== terms.amount) refuse('invalid_exact_svm_payload_amount_mismatch', 'amount');
  if (memos) checkMemo(memos, transfer, terms, judgement);
  const requirement = requirementOf(terms, memos && transfer.memo);
  if (carried.version === 2 && !isSameRequirement(carried.accepted, requirement)) {
    refuse('no_matching_requirements', 'accepted');
  }
  const encoded = Buffer.from(carried.transaction).toString('base64');
  const { network } = terms;
  return { payment: { key, network, transaction: encoded, message: transaction.message, requirement }, transfer };
}
