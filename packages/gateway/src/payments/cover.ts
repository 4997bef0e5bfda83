import type { Call, Trail } from '../call.ts';
import type { Admission, Delivery } from '../gates/gate.ts';
import type { ResponseContext } from './responses.ts';

/** A payment in a request, before it is checked. */
export interface SentPayment extends ResponseContext {
  readonly key: string;
  readonly requestHash: string;
  readonly network: string;
}

/** A payment that matches its request. Nothing is reserved yet. */
export interface CoverablePayment extends SentPayment {
  readonly call: Call;
  readonly trail: Trail;
  readonly payer: string;
  readonly memo: string | undefined;
  /** Only the client that got the challenge has the ticket. A payment without it may be a copy. */
  readonly hasTicket: boolean;
  /** The amount of the payment, in millionths of a dollar. */
  readonly amountMicros: number;
  /** The part of it that becomes credit when it settles. */
  readonly creditMicros: number;
}

/** The purchase of such a payment. */
export interface CoverablePurchase extends Admission {
  /** The wallet's credit after the settlement, if this purchase has changed it. */
  readonly balanceMicros: number | undefined;
}

/** Nothing was reserved: another call of the wallet buys credit, or its credit now pays for this call. */
export class NotNeeded extends Error {}

/** How much credit a wallet may buy. */
export interface CreditLimits {
  /** The largest balance. */
  readonly limitMicros: number;
  /** The price of the call that the purchase comes with; undefined if credit cannot pay for it. */
  readonly priceMicros: number | undefined;
}

/** A call signed by its wallet. */
export interface SignedRequest {
  readonly call: Call;
  readonly origin: string;
  readonly requestHash: string;
}

/** Credit that may pay instead of a payment. Disposing it releases what it holds. */
export interface Covering extends AsyncDisposable {
  /** The answer that credit has paid for in place of this very payment. */
  known(): Promise<Admission | Delivery | undefined>;
  /** An answer to the same request that the wallet's credit has paid for before. */
  owed(): Promise<Admission | Delivery | undefined>;
  /** An admission that is paid from credit if possible, and otherwise by the payment. It takes over what is held. */
  admit(purchase: CoverablePurchase): Admission;
}

/** Lets a wallet's credit pay instead of its payment. */
export interface Cover {
  /** Holds the price of the call if credit suffices. `payment`: undefined if the payment does not match its request. */
  begin(sent: SentPayment, payment: CoverablePayment | undefined): Promise<Covering>;
}
