import type { PaymentCall, PresentedPayment } from './read/payment.ts';
import type { NewPayment } from './record.ts';
import type { StoredState } from './rows.ts';

/** Where tests can interrupt a purchase: in its steps 5 (reserve), 6 (verify, upstream), 7 (store), 8 (settle), 9 (record), 10 (respond). */
export type PurchaseStep = 'reserve' | 'verify' | 'upstream' | 'store' | 'settle' | 'record' | 'respond';

/**
 * One purchase, in the three stages of its payment. `PaymentCall`: the payment as it was sent, unchecked. `PresentedPayment`: the same,
 * once it matches its request. `NewPayment`: the same with its request and price, as it is reserved.
 */
export interface Purchase {
  /** The request with its payment, as they were sent. */
  readonly context: PaymentCall;
  /** The payment that matches its request. */
  readonly payment: NewPayment & PresentedPayment;
  /** The stored state of the payment, its wallet and its request, as it was before the purchase. */
  readonly stored: StoredState;
}
