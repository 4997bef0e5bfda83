import { SIGNATURE_PATTERN } from '@asset-gateway/protocol';
import bs58 from 'bs58';
import type { Crypto } from '../../crypto.ts';
import type { PaymentRequirements } from '../read/requirement.ts';

/** A payment that has passed the gateway's own checks. */
export interface Payment {
  readonly key: string;
  readonly network: string;
  /** The transaction as the client sent it, in base64. */
  readonly transaction: string;
  /** The transaction's message, which is what the signatures cover. */
  readonly message: Uint8Array;
  readonly requirement: PaymentRequirements;
}

/** A facilitator's verdict on a payment before it settles. */
export type Verification =
  | { readonly valid: true }
  | {
      readonly valid: false;
      readonly reason: string;
      /** Whether the payment may have landed already; `yes` if the chain says so. */
      readonly processed: Processed;
    };

/** What a simulation tells about whether a payment has landed. */
export type Processed = 'no' | 'maybe' | 'yes';

/**
 * The outcome of a settlement. A signature in it is always the fee payer's signature over the payment's message.
 *
 * | outcome | means |
 * |---|---|
 * | `settled` | the chain shows the transfer |
 * | `refused` | it is proved that no money can move; `isOnChain`: because the transaction failed on the chain, which cost its fee |
 * | `unknown` | nothing is proved |
 * | `unsent` | the gateway failed before it sent anything, and the payment is unused |
 */
export type Settlement =
  | { readonly outcome: 'settled'; readonly signature: string }
  | { readonly outcome: 'refused'; readonly reason: string; readonly isOnChain?: true }
  | { readonly outcome: 'unknown'; readonly signature: string | undefined }
  | { readonly outcome: 'unsent'; readonly reason: string };

/** The outcome of a transaction that has failed on the chain. */
export const FAILED_ON_CHAIN = { outcome: 'refused', reason: 'failed on the chain', isOnChain: true } as const;

/** Verifies and settles payments on the chain. */
export interface Facilitator {
  /** Returns the fee payer on a network; undefined while it is unknown. */
  feePayer(network: string): string | undefined;
  /** Returns the settlement's signature before anything is sent. Absent for a remote facilitator, which signs later. */
  signatureOf?(payment: Payment): string;
  /** How many lamports the gateway's own fee payer may spend in an hour, at most; absent if a remote facilitator pays. */
  readonly feeBudgetPerHour?: number;
  /** Returns why nothing can settle on a network now; undefined while it can. Absent for a remote facilitator, which refuses by itself. */
  whyClosed?(network: string): string | undefined;
  /** Checks a payment before it settles. Rejects with a Refusal while the facilitator is unavailable. */
  verify(payment: Payment): Promise<Verification>;
  /**
   * Sends the same signed transaction again, if this process has its key. This is no second settlement, because a transaction lands at most
   * once.
   */
  resend?(payment: Payment): Promise<void>;
  settle(payment: Payment): Promise<Settlement>;
  close(): void | Promise<void>;
}

/** The only reason of a facilitator that depends on whether the payment has landed already. */
export const SIMULATION_FAILED = 'invalid_exact_svm_transaction_simulation_failed';

/** Whether a reported signature is the fee payer's over the payment's message. No other signature proves anything. */
export function isFeePayerSignature(
  crypto: Crypto,
  signature: unknown,
  { message, requirement }: Pick<Payment, 'message' | 'requirement'>,
): signature is string {
  if (typeof signature !== 'string' || !SIGNATURE_PATTERN.test(signature)) return false;
  return crypto.verify(bs58.decode(signature), message, bs58.decode(requirement.extra.feePayer));
}
