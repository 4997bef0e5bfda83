import { Refusal } from '@asset-gateway/protocol';
import type { Answer, Receipt, Slot, TakeSlot } from '../call.ts';
import { type Admission, fromStore } from './gate.ts';

/** How often the answer of one payment may be fetched again, by its payer and by unauthenticated clients. */
const MOST = { payer: 200, anybody: 20 } as const;
/** Paid answers are stored for this long. */
const COUNTED_MS = 600_000;

/** Counts how often paid answers are fetched again from this node. */
export class Repeats {
  /** Oldest first. */
  readonly #counts = new Map<string, { readonly sinceMs: number; times: number }>();

  /** Counts one fetch. Returns whether the limit is exceeded. */
  isTooOften(key: string, kind: keyof typeof MOST, nowMs: number): boolean {
    this.#forget(nowMs);
    const known = this.#counts.get(`${kind} ${key}`) ?? { sinceMs: nowMs, times: 0 };
    this.#counts.set(`${kind} ${key}`, known);
    known.times += 1;
    return known.times > MOST[kind];
  }

  #forget(nowMs: number): void {
    for (const [key, { sinceMs }] of this.#counts) {
      if (nowMs - sinceMs < COUNTED_MS) return;
      this.#counts.delete(key);
    }
  }
}

/** Keys of the payments whose answers this node is fetching again. */
export type Fetching = Set<string>;

/** Stored answers that were paid for, by the key of the payment or debit. */
interface PaidAnswers {
  answer(key: string): Promise<string | undefined>;
  /** Upstream calls so far. */
  calls(key: string): Promise<number>;
  /** Counts one more upstream call. */
  called(key: string): Promise<void>;
  /** Stores an answer that was fetched again. */
  keep(key: string, answer: string): Promise<void>;
}

/** A payment or debit whose answer is no longer stored. */
interface PaidBefore {
  readonly key: string;
  readonly receipt: Receipt;
  /** Upstream calls that it may cost. */
  readonly mostCalls: number;
}

/** The answer to a settled payment or debit was lost: calls the upstream again, and settles or charges nothing. */
export class Redelivery implements Admission {
  readonly isOwed = true;
  readonly #answers: PaidAnswers;
  readonly #paid: PaidBefore;
  readonly #fetching: Fetching;
  #isFetching = false;

  constructor(answers: PaidAnswers, paid: PaidBefore, fetching: Fetching) {
    this.#answers = answers;
    this.#paid = paid;
    this.#fetching = fetching;
  }

  async spend(take: TakeSlot): Promise<Slot> {
    const { key, mostCalls } = this.#paid;
    if (!this.#isFetching && this.#fetching.has(key)) throw taken();
    if (!this.#isFetching) {
      this.#fetching.add(key);
      this.#isFetching = true;
      // Another request may have fetched it since admission.
      if ((await fromStore(this.#answers.answer(key))) !== undefined) throw taken();
    }
    if ((await fromStore(this.#answers.calls(key))) >= mostCalls) {
      throw new Refusal('payment_already_used', { reason: 'asked for too often', payment: { state: 'settled' } });
    }
    const slot = await take();
    await this.#answers.called(key).catch(() => undefined);
    return slot;
  }

  async settle({ json }: Answer): Promise<Receipt> {
    await this.#answers.keep(this.#paid.key, json).catch(() => undefined);
    return this.#paid.receipt;
  }

  headers(): Readonly<Record<string, string>> {
    return {};
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isFetching) this.#fetching.delete(this.#paid.key);
  }
}

const taken = () => new Refusal('payment_in_progress', { reason: 'taken', payment: { state: 'in_progress' } });
