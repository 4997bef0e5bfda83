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

/** What is known of whoever pays. */
export interface PayerStanding {
  /** What they have paid on mainnet does not make them a known payer. */
  readonly isNew: boolean;
}

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
  /** What settling costs our own fee payer; 0 where the fee is somebody else's. */
  feeLamports(payment: Payment): number;
  /** Why nothing can be settled on a network now; nothing while it can. */
  whyClosed(network: string): string | undefined;
  /** What settling may cost is held for a payment that is valid. */
  verify(payment: Payment, payer: PayerStanding): Promise<Verification>;
  /** This payment has turned out to have settled after all. */
  settled(payment: Payment): Promise<void>;
  /** Nothing of this payment is sent now: what is held for it is given back. */
  release(payment: Payment): Promise<void>;
  /** The chain has shown that this payment can never land: it costs nothing. */
  expired(payment: Payment): Promise<void>;
  /**
   * Sends the very transaction that was settled once more, where its signature is known. It can be taken by the chain
   * once, however often it is sent, so this is no second settlement. Answers nothing: the chain does.
   */
  resend(payment: Payment): Promise<void>;
  /** Never rejects. */
  settle(payment: Payment): Promise<Settlement>;
}
