import { Refusal, type RefusalCode, type RefusalDetails } from '@asset-gateway/protocol';
import type { Answer, Call, Challenge, Receipt, Slot, TakeSlot, Trail } from '../call.ts';

/** A passed gate. Disposing it releases what is not settled and never throws. */
export interface Admission extends AsyncDisposable {
  /** The nonce of a single-use sign-in. */
  readonly nonce?: string | undefined;
  /** Takes a slot by `take`; the first call also burns the admission's nonce, if any. */
  spend(take: TakeSlot): Promise<Slot>;
  /** Charges for the answer. Refuses by throwing; the answer must then not be sent. */
  settle(answer: Answer): Promise<Receipt>;
  /** Headers of every response after admission, refusals included; a 402 carries a challenge instead. */
  headers(): Readonly<Record<string, string>>;
  /** The answer was paid for before. */
  readonly isOwed?: boolean;
}

/** A stored answer that was paid for before, with its receipt. */
export interface Delivery {
  readonly answer: Answer;
  readonly receipt: Receipt;
}

/**
 * Decides which requests pass. Each credential buys one answer. What stops its replay:
 * - a sign-in: `Store.admit` and `Store.burn` (budget/local-store.ts, budget/redis-scripts.ts) use up its nonce once. With
 *   SIWX_NONCE=until-expiry nothing does: the signature opens free routes until it expires.
 * - a payment: `reserveRefusal` (payments/machine.ts) refuses a key that has a record, `PaymentSteps` (payments/steps.ts) writes the
 *   reservation only if no other request has, and `Deliveries.known` (payments/deliveries.ts) answers later copies from the record.
 * - a signature that spends credit: `hold` (credit/rows.ts) inserts a debit whose id contains the nonce, once, and
 *   `ChargedAnswers.known` (credit/debiting.ts) answers later copies from the debit.
 */
export interface Gate {
  /** Refuses by throwing. Uses nothing up before `spend` or `settle`. */
  admit(call: Call, trail: Trail): Promise<Admission | Delivery>;
  /** The challenge of a 402 with this code; undefined if nothing can be asked for now. */
  challenge(call: Call, code: RefusalCode): Challenge | undefined;
}

/** A store's answer; a failure becomes the refusal `state_unavailable`. */
export const fromStore = <T>(answer: Promise<T>, details: RefusalDetails = {}): Promise<T> =>
  answer.catch((error) => {
    const reason = `store: ${error instanceof Error ? error.message : 'failed'}`;
    throw new Refusal('state_unavailable', { ...details, reason });
  });

const free: Admission = {
  spend: (take) => take(),
  settle: async () => ({ headers: {} }),
  headers: () => ({}),
  [Symbol.asyncDispose]: async () => undefined,
};

/** The gate of public routes. */
export const publicGate: Gate = { admit: async () => free, challenge: () => undefined };
