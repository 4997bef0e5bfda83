import { LIMITS } from '../limits.ts';
import type { PaidRequest } from '../receipts/paid-answers.ts';

/** The owner of a balance. Each network has separate credit. */
export interface AccountHolder {
  /** The network, as a CAIP-2 id. */
  readonly network: string;
  readonly wallet: string;
}

/** A call that credit shall pay. Its id is a sign-in's nonce and wallet, or the key of a payment. */
export interface NewDebit extends AccountHolder, PaidRequest {
  readonly id: string;
  readonly micros: number;
  /** What the client sent: a signature, or a payment. A payment that credit covers never settles. */
  readonly by: 'signature' | 'payment';
  /** The memo of the covered payment. It finds the payment on the chain if someone broadcasts it. */
  readonly memo?: string;
  readonly capturedAtMs?: number;
}

/** A debit as it is stored. */
export interface Debit extends NewDebit {
  readonly progress: 'held' | 'captured';
  /** When its hold lapses, in milliseconds of the books' clock. */
  readonly untilMs: number;
  /** How many upstream calls followed the first, because the answer was lost. */
  readonly callsAgain: number;
}

/** Returns the id of a debit by signature. It begins with the time of issue, so that new ids go to the end of an index. */
export const signedDebitId = ({ network, wallet }: AccountHolder, nonce: string): string =>
  `${nonce}:${network}:${wallet}`;

/** The credit of a wallet on one network, in millionths of a dollar. */
export interface Account {
  readonly grantedMicros: number;
  readonly spentMicros: number;
  /** The sum of the prices of calls in progress, and the number of these calls. */
  readonly heldMicros: number;
  readonly holds: number;
  /** The number of upstream calls in the last minute that nothing has paid for. */
  readonly uncharged: number;
  /** The payment that is buying credit now. Other calls that would buy credit wait for it. */
  readonly purchase?: { readonly key: string; readonly micros: number };
}

/** How much credit a wallet may buy. */
export interface CreditLimits {
  /** The largest balance. */
  readonly limitMicros: number;
  /** The price of the call that comes with the purchase; undefined if credit cannot pay for that call. */
  readonly priceMicros: number | undefined;
}

export const NEW_ACCOUNT: Account = { grantedMicros: 0, spentMicros: 0, heldMicros: 0, holds: 0, uncharged: 0 };

/** Returns the credit that is not spent. A part of it may be held. */
export const balanceOf = ({ grantedMicros, spentMicros }: Account): number => grantedMicros - spentMicros;

/** Returns the credit that a new call may spend. */
export const availableOf = (account: Account): number => balanceOf(account) - account.heldMicros;

/**
 * Returns why a price cannot be held; undefined if it can. `hold` in rows.ts has the same condition in SQL. `tests/credit/accounts.test.ts`
 * compares them.
 */
export function holdRefusal(account: Account, micros: number) {
  if (balanceOf(account) < micros) return 'insufficient';
  if (account.uncharged >= LIMITS.unchargedCalls) return 'failing';
  // The calls in progress may release what they hold, so the client can try again.
  return account.holds >= LIMITS.holdsPerWallet || availableOf(account) < micros ? 'busy' : undefined;
}
