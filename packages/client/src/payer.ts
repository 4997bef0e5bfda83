import type { PaymentRequired } from '@asset-gateway/protocol';
import type { ListedRoute } from './catalog.ts';
import type { SentRequest } from './sent-request.ts';

/** The purpose and the limits of a payment. */
export interface PaymentWish {
  /** The request that the payment buys. With it the payment can be sent again, even after a crash. */
  readonly request: SentRequest;
  /** The call, a bundle of credit instead, the first amount of a route that sells credit, or a certain amount. */
  readonly buys: 'call' | 'bundle' | 'credit' | { readonly micros: number };
  /** The network to pay on (CAIP-2). */
  readonly network: string;
  /** A cap in dollars for this call, besides the payer's own caps. */
  readonly maxUsd: number | undefined;
  /** Aborts when the call times out or its caller aborts it. */
  readonly signal: AbortSignal;
  /** The gateway's catalog, at most ten minutes old, or fresh if `isAnew`. Throws `not_a_gateway` if there is none. */
  readonly catalog: (isAnew?: boolean) => Promise<readonly ListedRoute[]>;
}

/** A signed payment. */
export interface SignedPayment {
  /** Millionths of a dollar. */
  readonly micros: number;
  /** The headers that buy the answer. */
  readonly headers: Readonly<Record<string, string>>;
  /** Called once when the outcome is known. */
  closed?(outcome: 'paid' | 'refused'): Promise<void>;
  /** Called once when the call ends, even if the outcome is unknown. */
  ended?(): void;
}

/** Makes payments. `payWith` of `@asset-gateway/client/pay` returns one. */
export interface Payer {
  /** Signs the payment for a 402, or throws. Called once for each call: retries resend the same payment. */
  pay(required: PaymentRequired, wish: PaymentWish): Promise<SignedPayment>;
}
