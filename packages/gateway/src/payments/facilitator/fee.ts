import { NETWORKS } from '@asset-gateway/protocol';
import { readTransaction } from '../read/transaction.ts';
import { feeLamports, MAX_FEE_LAMPORTS } from '../read/transfer.ts';
import { PAYMENTS } from '../record.ts';
import type { Fee } from '../store/fees.ts';
import type { Payment } from './facilitator.ts';

/** What a payment costs its fee payer, from the transaction itself. */
export function feeOf({ key, transaction }: Payment, isNewPayer: boolean): Fee {
  const read = readTransaction(Buffer.from(transaction, 'base64'));
  return { key, lamports: read ? feeLamports(read) : MAX_FEE_LAMPORTS, isNewPayer };
}

/** Whether a payment by itself is worth enough to make its payer known. */
export const makesKnownPayer = ({ network, requirement }: Payment): boolean =>
  network === NETWORKS.mainnet && Number(requirement.amount) >= PAYMENTS.knownPayerMicros;
