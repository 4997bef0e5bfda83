import type { PaymentRequired } from '@asset-gateway/protocol';
import type { ListedRoute } from './catalog.ts';
import type { SentRequest } from './sent-request.ts';

/** What a payment is wanted for. */
export interface PaymentWish {
  /** The request that the payment buys: with it the same payment can be sent again, after a crash too. */
  readonly request: SentRequest;
  /** What to pay of the 402: this call, a bundle of credit instead, on a route that sells credit its first amount, or this amount. */
  readonly buys: 'call' | 'bundle' | 'credit' | { readonly micros: number };
  /** The network that the caller chose (CAIP-2): no other one is paid. */
  readonly network: string;
  /** The most that this call may cost, in dollars, beside the payer's own caps. */
  readonly maxUsd: number | undefined;
  /** Aborted when the call's time is over or its caller gives it up. */
  readonly signal: AbortSignal;
  /** The routes that the gateway lists, as read in the last ten minutes or anew. Throws `not_a_gateway` if there is no catalog. */
  readonly catalog: (isAnew?: boolean) => Promise<readonly ListedRoute[]>;
}

/** A payment that has been signed. */
export interface SignedPayment {
  /** Millionths of a dollar. */
  readonly micros: number;
  /** The headers that buy the answer. */
  readonly headers: Readonly<Record<string, string>>;
  /** Called once when the outcome is known; not called while it stays unknown. */
  closed?(outcome: 'paid' | 'refused'): Promise<void>;
  /** Called once when the call has ended, whether the outcome is known or not. */
  ended?(): void;
}

/** Makes payments. `payWith` of `@asset-gateway/client/pay` returns one. */
export interface Payer {
  /** Makes the payment for a 402, or throws why it may not be made. Called once a call: a payment is sent again, never made anew. */
  pay(required: PaymentRequired, wish: PaymentWish): Promise<SignedPayment>;
}
