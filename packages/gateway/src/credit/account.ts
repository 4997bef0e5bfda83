import { LIMITS } from '../limits.ts';
import type { PaidRequest } from '../receipts/paid-answers.ts';

/** The owner of a balance. Each network has separate credit. */
export interface AccountHolder {
  /** CAIP-2. */
  readonly network: string;
  readonly wallet: string;
}

/** A call to be paid from credit. Its id is a sign-in's nonce and wallet, or the key of a payment. */
export interface NewDebit extends AccountHolder, PaidRequest {
  readonly id: string;
  readonly micros: number;
  /** A signature, or a payment that credit covers and that never settles. */
  readonly by: 'signature' | 'payment';
  /** The memo of the covered payment, which finds it on the chain if someone broadcasts it. */
  readonly memo?: string;
  readonly capturedAtMs?: number;
}

/** A debit as it is stored. */
export interface Debit extends NewDebit {
  readonly progress: 'held' | 'captured';
  /** When its hold lapses. */
  readonly untilMs: number;
  /** Upstream calls after the first, because the answer was lost. */
  readonly callsAgain: number;
}

/** The id of a debit by signature. It begins with the time, so that new ids go to the end of an index. */
export const signedDebitId = ({ network, wallet }: AccountHolder, nonce: string): string =>
  `${nonce}:${network}:${wallet}`;

/** The credit of a wallet on one network, in millionths of a dollar. */
export interface Account {
  readonly grantedMicros: number;
  readonly spentMicros: number;
  /** The prices of calls in progress, and their number. */
  readonly heldMicros: number;
  readonly holds: number;
  /** Upstream calls of the last minute that were not charged. */
  readonly uncharged: number;
  /** The key of a payment that buys credit now. Other calls that would buy credit wait for this payment. */
  readonly purchase?: { readonly key: string; readonly micros: number };
}

/** How much credit a wallet may buy. */
export interface CreditLimits {
  /** The largest balance. */
  readonly limitMicros: number;
  /** The price of the call that the purchase comes with; undefined if credit cannot pay for it. */
  readonly priceMicros: number | undefined;
}

export const NEW_ACCOUNT: Account = { grantedMicros: 0, spentMicros: 0, heldMicros: 0, holds: 0, uncharged: 0 };

/** The credit that is not spent; some of it may be held. */
export const balanceOf = ({ grantedMicros, spentMicros }: Account): number => grantedMicros - spentMicros;

/** The credit that a new call may spend. */
export const availableOf = (account: Account): number => balanceOf(account) - account.heldMicros;

/** Why a price cannot be held. `hold` in rows.ts has the same condition in SQL; a test compares them. */
export function holdRefusal(account: Account, micros: number) {
  if (balanceOf(account) < micros) return 'insufficient';
  if (account.uncharged >= LIMITS.unchargedCalls) return 'failing';
  // Other calls may release what they hold.
  return account.holds >= LIMITS.holdsPerWallet || availableOf(account) < micros ? 'busy' : undefined;
}
