import type { PaymentCall, PresentedPayment } from './read/payment.ts';
import type { NewPayment } from './record.ts';
import type { StoredState } from './rows.ts';

/**
 * The steps of a purchase after which tests can interrupt it.
 *
 * | name | step of `buy` |
 * |---|---|
 * | `reserve` | 5 |
 * | `verify`, `upstream` | 6 |
 * | `store` | 7 |
 * | `settle` | 8 |
 * | `record` | 9 |
 * | `respond` | 10 |
 */
export type PurchaseStep = 'reserve' | 'verify' | 'upstream' | 'store' | 'settle' | 'record' | 'respond';

/**
 * One purchase.
 *
 * | type of its payment | stage |
 * |---|---|
 * | `PaymentCall` | as the client sent it, unchecked |
 * | `PresentedPayment` | it matches its request |
 * | `NewPayment` | with its request and price, as it is reserved |
 */
export interface Purchase {
  /** The request with its payment, as the client sent them. */
  readonly context: PaymentCall;
  /** The payment that matches its request. */
  readonly payment: NewPayment & PresentedPayment;
  /** The stored state of the payment, its wallet and its request before the purchase. */
  readonly stored: StoredState;
}
