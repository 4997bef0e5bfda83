import { REFUSALS, type RefusalCode } from '@asset-gateway/protocol';
import bs58 from 'bs58';
import type { Crypto } from '../../gates/crypto.ts';
import type { PaymentRequirements } from '../requirement.ts';

/** A payment that has passed our own reader. */
export interface Payment {
  readonly key: string;
  readonly network: string;
  /** The transaction as it was sent, in base64. */
  readonly transaction: string;
  /** What the signatures are over. */
  readonly message: Uint8Array;
  readonly requirement: PaymentRequirements;
  /** Whether it came with what only the client of our challenge knows, which is nowhere on the chain. */
  readonly hasTicket: boolean;
}

/** What a facilitator says of a payment before anything moves. */
export type Verification =
  | { readonly valid: true }
  | {
      readonly valid: false;
      readonly reason: string;
      /** Whether the chain may have taken it before; `yes` where it says so itself. */
      readonly processed: Processed;
    };

/** Whether the chain has taken a payment, as far as a simulation can tell. */
export type Processed = 'no' | 'maybe' | 'yes';

/**
 * What became of a settlement. `refused` only where it is proved that nothing can move; whatever is not proved, either
 * way, is `unknown`. `unsent` is our own failure before anything was sent: the payment is as good as new. A signature is given only when it is the fee payer's over our message.
 */
export type Settlement =
  | { readonly outcome: 'settled'; readonly signature: string }
  | { readonly outcome: 'refused'; readonly reason: string }
  | { readonly outcome: 'unknown'; readonly signature?: string }
  | { readonly outcome: 'unsent'; readonly reason: string };

/** Checks and settles payments on the chain. Both calls reject with a Refusal when the facilitator cannot be used. */
export interface Facilitator {
  /** Who pays the fees on a network; nothing while that is not known. */
  feePayer(network: string): string | undefined;
  /** The signature that settling will have, where it can be known before anything is sent. */
  signatureOf(payment: Payment): string | undefined;
  /** What settling costs our own fee payer; 0 if another one pays. */
  feeLamports(payment: Payment): number;
  /** What our own fee payer may spend in any hour, in lamports; undefined if another one pays. */
  readonly feeBudgetPerHour: number | undefined;
  /** Why nothing can be settled on a network now; nothing while it can. */
  whyClosed(network: string): string | undefined;
  verify(payment: Payment): Promise<Verification>;
  /**
   * Sends the very transaction that was settled once more, where its signature is known. It can be taken by the chain
   * once, however often it is sent, so this is no second settlement. Answers nothing: the chain does.
   */
  resend(payment: Payment): Promise<void>;
  /** Never rejects. */
  settle(payment: Payment): Promise<Settlement>;
}

/** A facilitator's reason as a public code: its own where it is one of x402's, else that the payment was rejected. */
export function codeOfReason(reason: unknown): RefusalCode {
  const isKnown =
    typeof reason === 'string' && reason.startsWith('invalid_exact_svm_') && Object.hasOwn(REFUSALS, reason);
  return isKnown ? (reason as RefusalCode) : 'payment_rejected';
}

/** The reasons that a facilitator gives before it sends anything; no other one proves that nothing can move. */
export function isBeforeBroadcast(reason: unknown): boolean {
  if (typeof reason !== 'string') return false;
  return (
    reason.startsWith('invalid_exact_svm_payload_') ||
    /^invalid_exact_svm_\w+_mismatch$/.test(reason) ||
    reason === 'invalid_exact_svm_transaction_simulation_failed'
  );
}

const SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;

/** A reported signature counts only if it is the fee payer's over the message that was paid with. */
export function isFeePayerSignature(
  crypto: Crypto,
  signature: unknown,
  feePayer: string,
  message: Uint8Array,
): signature is string {
  if (typeof signature !== 'string' || !SIGNATURE.test(signature)) return false;
  return crypto.verify(bs58.decode(signature), message, bs58.decode(feePayer));
}
