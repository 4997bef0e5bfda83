/** x402's PaymentRequired object, version 2: the challenge of a 402, in its header and in its body. */
export interface PaymentRequired {
  readonly x402Version: 2;
  readonly error: string;
  readonly resource: { readonly url: string; readonly description: string; readonly mimeType: string };
  /** Empty where a signature alone opens the route. */
  readonly accepts: readonly unknown[];
  readonly extensions: Readonly<Record<string, unknown>>;
}

/** The header names that both sides of the wire use. */
export const HEADERS = {
  paymentRequired: 'PAYMENT-REQUIRED',
  signIn: 'SIGN-IN-WITH-X',
  payment: 'PAYMENT-SIGNATURE',
  paymentResponse: 'PAYMENT-RESPONSE',
  /** Version 1 of x402. */
  oldPayment: 'X-PAYMENT',
  oldPaymentResponse: 'X-PAYMENT-RESPONSE',
  replayed: 'Idempotency-Replayed',
  replayNonce: 'Replay-Nonce',
} as const;
