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
  /** The signed bytes. */
  readonly message: Uint8Array;
  readonly requirement: PaymentRequirements;
}

/** A facilitator's verdict on a payment before it settles. */
export type Verification =
  | { readonly valid: true }
  | {
      readonly valid: false;
      readonly reason: string;
      /** Whether the payment may have landed before; `yes` if the chain says so. */
      readonly processed: Processed;
    };

/** Whether a payment has landed, as far as a simulation can tell. */
export type Processed = 'no' | 'maybe' | 'yes';

/**
 * The outcome of a settlement. `refused`: it is proved that nothing can move. `isOnChain`: the proof is that its transaction has failed on
 * the chain, where it has cost its fee. `unknown`: nothing is proved. `unsent`: the gateway failed before it sent anything, and the payment
 * is unused. A signature is always the fee payer's over the payment's message.
 */
export type Settlement =
  | { readonly outcome: 'settled'; readonly signature: string }
  | { readonly outcome: 'refused'; readonly reason: string; readonly isOnChain?: true }
  | { readonly outcome: 'unknown'; readonly signature: string | undefined }
  | { readonly outcome: 'unsent'; readonly reason: string };

/** The transaction has failed on the chain. */
export const FAILED_ON_CHAIN = { outcome: 'refused', reason: 'failed on the chain', isOnChain: true } as const;

/** Verifies and settles payments on the chain. */
export interface Facilitator {
  /** The fee payer on a network; undefined while it is unknown. */
  feePayer(network: string): string | undefined;
  /** The signature of the settlement before anything is sent. A remote facilitator's is unknown until then. */
  signatureOf?(payment: Payment): string;
  /** The most lamports that the gateway's own fee payer may spend in an hour; absent if a remote facilitator pays. */
  readonly feeBudgetPerHour?: number;
  /** Why nothing can settle on a network now; undefined while it can. A remote facilitator refuses by itself. */
  whyClosed?(network: string): string | undefined;
  /** Rejects with a Refusal while the facilitator is unavailable. */
  verify(payment: Payment): Promise<Verification>;
  /** Sends the same signed transaction again, if this process has it. A transaction lands at most once, so this is no second settlement. */
  resend?(payment: Payment): Promise<void>;
  settle(payment: Payment): Promise<Settlement>;
  close(): void | Promise<void>;
}

/** The only known reason that depends on whether the payment has landed. */
export const SIMULATION_FAILED = 'invalid_exact_svm_transaction_simulation_failed';

/** Whether a reported signature is the fee payer's over the payment's message. Only such a signature counts. */
export function isFeePayerSignature(
  crypto: Crypto,
  signature: unknown,
  { message, requirement }: Pick<Payment, 'message' | 'requirement'>,
): signature is string {
  if (typeof signature !== 'string' || !SIGNATURE_PATTERN.test(signature)) return false;
  return crypto.verify(bs58.decode(signature), message, bs58.decode(requirement.extra.feePayer));
}
