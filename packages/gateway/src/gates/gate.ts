import { Refusal, type RefusalCode, type RefusalDetails } from '@asset-gateway/protocol';
import type { Answer, Call, Challenge, NoncedTake, Receipt, Slot, Trail } from '../call.ts';

/** Leave to proceed. Disposing it gives back whatever is not settled; it never throws. */
export interface Admission extends AsyncDisposable {
  /** The nonce of a sign-in that is good for one answer. */
  readonly nonce?: string | undefined;
  /** Takes a slot by `take`; the first time together with what the admission itself is good for once. */
  spend(take: NoncedTake): Promise<Slot>;
  /** The answer is there: makes good what is owed for it. Refuses by throwing, and then nothing may be answered. */
  settle(answer: Answer): Promise<Receipt>;
  /** What it adds to every answer from here on, refusals too; but to no 402, which carries a challenge. */
  headers(): Readonly<Record<string, string>>;
  /** What is asked for has been paid for before. */
  readonly isOwed?: boolean;
}

/** An answer that has been paid for before, with its receipt: nothing is left to be asked, settled or given back. */
export interface Delivery {
  readonly answer: Answer;
  readonly receipt: Receipt;
}

/** Decides who may pass. */
export interface Gate {
  /** Refuses by throwing; until `spend` or `settle` nothing is used up. */
  admit(call: Call, trail: Trail): Promise<Admission | Delivery>;
  /** What a 402 of this code asks for; nothing where there is nothing that could be asked for now. */
  challenge(call: Call, code: RefusalCode): Challenge | undefined;
}

/** What the store says; where it cannot say, the caller is told to come again. */
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

/** The gate of what everybody may have. */
export const publicGate: Gate = { admit: async () => free, challenge: () => undefined };
