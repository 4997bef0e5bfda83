import type { CreditLook } from '../credit/accounts.ts';
import type { PaymentCall, PresentedPayment } from './read/payment.ts';
import type { NewPayment } from './record.ts';
import type { StoredState } from './rows.ts';

/** The steps of a purchase that tests can interrupt. */
export type Step = 'reserve' | 'verify' | 'upstream' | 'store' | 'settle' | 'record' | 'respond';

/** What the books know of a payment, its wallet and its request. */
export interface Look extends StoredState {
  /** Undefined if credit is off. */
  readonly credit: CreditLook | undefined;
}

/** A request and the payment that matches it, as it is reserved. */
export interface Purchase {
  readonly sent: PaymentCall;
  readonly payment: NewPayment & PresentedPayment;
  readonly look: Look;
}
