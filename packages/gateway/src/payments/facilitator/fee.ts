import { readTransaction } from '../read/transaction.ts';
import { feeLamports, MAX_FEE_LAMPORTS } from '../read/transfer.ts';
import { type FeeCharge, PAYMENTS } from '../record.ts';
import type { Facilitator, Payment } from './facilitator.ts';

/** Why a payment is not taken. */
export const BUDGET_USED_UP = 'the hourly fee budget is used up';

/** What a payment costs its fee payer in lamports, from the transaction itself. */
export function feeOf({ transaction }: Payment): number {
  const read = readTransaction(Buffer.from(transaction, 'base64'));
  return read ? feeLamports(read) : MAX_FEE_LAMPORTS;
}

/** What settling a payment counts against the budget of fees; undefined if another facilitator pays. */
export function feeChargeOf(facilitator: Facilitator, payment: Payment, isNewPayer: boolean): FeeCharge | undefined {
  const limit = facilitator.feeBudgetPerHour;
  const feePayer = facilitator.feePayer(payment.network);
  if (limit === undefined || feePayer === undefined) return undefined;
  return {
    feePayer: feePayerName(payment.network, feePayer),
    lamports: facilitator.feeLamports(payment),
    limit,
    isNewPayer,
  };
}

/** Devnet's fees cost nothing, so that they take nothing from mainnet's. */
export const feePayerName = (network: string, feePayer: string): string => `${network}:${feePayer}`;

/** Whether a fee fits beside what was spent within the hour. All payers that are not known share a part of the budget. */
export function fitsBudget(
  { lamports, limit, isNewPayer }: FeeCharge,
  spent: { readonly all: number; readonly ofNewPayers: number },
): boolean {
  if (spent.all + lamports > limit) return false;
  return !isNewPayer || spent.ofNewPayers + lamports <= limit * PAYMENTS.newPayersShare;
}
