import type { PaymentCall, PresentedPayment } from './read/payment.ts';
import type { NewPayment } from './record.ts';
import type { StoredState } from './rows.ts';

/** Where tests can interrupt a purchase: in its steps 5 (reserve), 6 (verify, upstream), 7 (store), 8 (settle), 9 (record), 10 (respond). */
export type PurchaseStep = 'reserve' | 'verify' | 'upstream' | 'store' | 'settle' | 'record' | 'respond';

/** A request and the payment that matches it, as it is reserved. */
export interface Purchase {
  readonly sent: PaymentCall;
  readonly payment: NewPayment & PresentedPayment;
  /** What the books knew of the payment, its wallet and its request. */
  readonly look: StoredState;
}
