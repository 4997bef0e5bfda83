import type { Answer, Call, NoncedTake, Slot, Trail } from '../call.ts';

/** Leave to proceed. Disposing it gives back whatever is not settled; it never throws. */
export interface Admission extends AsyncDisposable {
  /** The answer, where it is there already: it has been paid for before. */
  readonly answer?: Answer;
  /** Takes a slot by `take`; the first time together with what the admission itself is good for once. */
  spend(take: NoncedTake): Promise<Slot>;
  /** The answer is there: makes good what is owed for it. Refuses by throwing, and then nothing may be answered. */
  settle(answer: Answer): Promise<Receipt>;
}

/** What a settled admission adds to the answer. */
export interface Receipt {
  readonly headers: Readonly<Record<string, string>>;
  /** What was paid, in dollars, for the envelope of paid routes. */
  readonly priceUsd?: string;
}

/** Decides who may pass. */
export interface Gate {
  /** Refuses by throwing; until `spend` or `settle` nothing is used up. */
  admit(call: Call, trail: Trail): Promise<Admission>;
}
