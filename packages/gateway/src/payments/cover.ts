import type { Call, Trail } from '../call.ts';
import type { Admission, Delivery } from '../gates/gate.ts';
import type { Telling } from './responses.ts';

/** A payment as it is known by its message alone, before anything in it is judged. */
export interface SentPayment extends Telling {
  readonly key: string;
  readonly requestHash: string;
  readonly network: string;
}

/** A payment that fits its request, of which nothing has been used up yet. */
export interface CoverablePayment extends SentPayment {
  readonly call: Call;
  readonly trail: Trail;
  readonly payer: string;
  readonly memo: string | undefined;
  /** Whether it came with its ticket, which only the client of our challenge knows: without, it may be a copy. */
  readonly hasTicket: boolean;
  /** What it pays, in millionths of a dollar. */
  readonly amountMicros: number;
  /** The part that becomes credit when it settles. */
  readonly creditMicros: number;
}

/** The purchase of such a payment. */
export interface CoverablePurchase extends Admission {
  /** The wallet's credit after the settlement, if this purchase has changed it. */
  readonly balanceMicros: number | undefined;
}

/** Another call of the wallet buys credit, or its credit pays for the call by now: nothing was reserved. */
export class NotNeeded extends Error {}

/** Up to where credit is bought. */
export interface CreditLimits {
  /** How much a wallet may have. */
  readonly limitMicros: number;
  /** The price of the call that the purchase comes with; undefined if credit cannot pay for it. */
  readonly priceMicros: number | undefined;
}

/** A call that its wallet has signed. */
export interface SignedRequest {
  readonly call: Call;
  readonly origin: string;
  readonly requestHash: string;
}

/** Credit that may pay in place of a payment. Disposing it releases what it holds. */
export interface Covering extends AsyncDisposable {
  /** What this very payment was covered for before: its answer, or leave to fetch it again. */
  known(): Promise<Admission | Delivery | undefined>;
  /** An answer to the same request that its wallet has paid for before. */
  owed(): Promise<Admission | Delivery | undefined>;
  /** Leave to proceed that pays from credit if it can, and by the payment if not. It releases what is held from here on. */
  admit(purchase: CoverablePurchase): Admission;
}

/** What may pay in a payment's place: what its wallet has paid before. */
export interface Cover {
  /** Holds the price of the call, if credit can pay. `payment` is absent if the payment does not fit its request. */
  begin(sent: SentPayment, payment: CoverablePayment | undefined): Promise<Covering>;
}
