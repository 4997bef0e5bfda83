import type { PaymentRequired } from '@asset-gateway/protocol';

/** What a payment is wanted for. */
export interface PaymentWish {
  /** The request that the payment is to buy: with it the same payment can be sent again, after a crash too. */
  readonly request: SentRequest;
  /** What of the 402 is to be paid: the price of this call, a bundle of credit instead, or where credit is sold the first amount of it, or so much. */
  readonly buys: 'call' | 'bundle' | 'credit' | { readonly micros: number };
  /** Dollars that this call may cost at most, beside the payer's own caps. */
  readonly maxUsd: number | undefined;
  readonly signal: AbortSignal;
}

/** A request as it goes out, without what authorises it. */
export interface SentRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  /** JSON. */
  readonly body?: string | undefined;
}

/** A payment that has been signed. */
export interface SignedPayment {
  /** What buys the answer. */
  readonly headers: Readonly<Record<string, string>>;
  /** Told once, when it is known what became of it; not called where that stays unknown. */
  closed?(outcome: 'paid' | 'refused'): Promise<void>;
}

/** Who pays. `@asset-gateway/client/pay` makes one. */
export interface Payer {
  /** Makes the payment for a 402, or throws what keeps it from that. It is called once a call: what it makes is sent again, never made anew. */
  pay(required: PaymentRequired, wish: PaymentWish): Promise<SignedPayment>;
}
