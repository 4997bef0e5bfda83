import { Refusal } from '@asset-gateway/protocol';
import type { Answer, NoncedTake, Receipt, Slot } from '../call.ts';
import { fromStore } from './from-store.ts';
import type { Admission } from './gate.ts';

/** The payments whose answers are being fetched anew by this node. */
export type Fetching = Set<string>;

/** What has paid for an answer before, as far as fetching it anew needs it. */
export interface PaidBefore {
  readonly key: string;
  readonly receipt: Receipt;
  /** How many calls to the upstream it may have cost. */
  readonly mostCalls: number;
  /** How many calls there have been. */
  calls(): Promise<number>;
  /** Whether an answer is kept by now. */
  isKept(): Promise<boolean>;
  /** Counts one more. */
  called(): Promise<void>;
  /** Keeps the answer once more. */
  keep(answer: string): Promise<void>;
}

/** Something is paid for and its answer is gone: the upstream is asked again, and nothing is settled or charged. */
export class Redelivery implements Admission {
  readonly isOwed = true;
  readonly #paid: PaidBefore;
  readonly #fetching: Fetching;
  #isFetching = false;

  constructor(paid: PaidBefore, fetching: Fetching) {
    this.#paid = paid;
    this.#fetching = fetching;
  }

  async spend(take: NoncedTake): Promise<Slot> {
    const { key, mostCalls } = this.#paid;
    if (!this.#isFetching && this.#fetching.has(key)) throw taken();
    if (!this.#isFetching) {
      this.#fetching.add(key);
      this.#isFetching = true;
      // Another request may have fetched it since this one was admitted.
      if (await fromStore(this.#paid.isKept())) throw taken();
    }
    if ((await fromStore(this.#paid.calls())) >= mostCalls) {
      throw new Refusal('payment_already_used', { reason: 'asked for too often', payment: { state: 'settled' } });
    }
    const slot = await take();
    await this.#paid.called().catch(() => undefined);
    return slot;
  }

  async settle({ json }: Answer): Promise<Receipt> {
    await this.#paid.keep(json).catch(() => undefined);
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
