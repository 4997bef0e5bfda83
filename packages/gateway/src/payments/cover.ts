import type { Call, Trail } from '../call.ts';
import type { Admission, Delivery } from '../gates/gate.ts';
import type { Telling } from './telling.ts';

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
  /** Whether it came with what only the client of our challenge knows: anybody else's may be a copy. */
  readonly hasTicket: boolean;
  /** What it pays, in millionths of a dollar. */
  readonly amountMicros: number;
  /** What would be credit once it has settled. */
  readonly creditMicros: number;
}

/** The purchase of such a payment. */
export interface CoverablePurchase extends Admission {
  /** Verification has found that the payment had settled before: nothing is bought with it any more. */
  readonly isSettledBefore: boolean;
}

/** A call that its wallet has signed, and what was found out about it already. */
export interface SignedRequest {
  readonly call: Call;
  readonly origin: string;
  readonly requestHash: string;
}

/** What may pay in a payment's place: what its wallet has paid before. */
export interface Cover {
  /** What this very payment was covered for before: its answer, or a refusal where that was another request. */
  known(sent: SentPayment): Promise<Admission | Delivery | undefined>;
  /** An answer that is owed to its wallet; or leave to proceed that pays from credit where it can, and by the payment where not. */
  admit(payment: CoverablePayment, purchase: CoverablePurchase): Promise<Admission | Delivery>;
}
