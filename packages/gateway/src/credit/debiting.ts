import type { Answer, NoncedTake, Receipt, Slot } from '../call.ts';
import { fromStore } from '../gates/from-store.ts';
import type { Admission } from '../gates/gate.ts';
import type { Accounts } from './accounts.ts';
import type { NewDebit } from './debit.ts';
import { type HeadersOf, receiptOf, refusalOf } from './receipts.ts';

/** What a debit is carried out with. */
export interface DebitParts {
  readonly accounts: Accounts;
  readonly onFailure: (error: unknown) => void;
  /** How long a call may take, in milliseconds. */
  readonly leaseMs: number;
  /** Called at each step of a debit, before the next one begins. */
  readonly onStep?: (step: 'hold' | 'upstream' | 'capture' | 'respond') => void;
}

/** How one debit is answered, and whether its price is held already. */
export interface DebitOptions {
  readonly headersOf: HeadersOf;
  /** What every answer from here on carries. */
  readonly admissionHeaders?: Admission['headers'];
  readonly isHeld: boolean;
}

const none = () => ({});

/** A call that is paid from credit: its price is held before the upstream is called, and captured together with the answer. */
export class Debiting implements Admission {
  readonly headers: Admission['headers'];
  readonly #parts: DebitParts;
  readonly #debit: NewDebit;
  readonly #headersOf: HeadersOf;
  #isHeld: boolean;
  #isCalled = false;

  constructor(parts: DebitParts, debit: NewDebit, { headersOf, admissionHeaders = none, isHeld }: DebitOptions) {
    this.headers = admissionHeaders;
    this.#parts = parts;
    this.#debit = debit;
    this.#headersOf = headersOf;
    this.#isHeld = isHeld;
  }

  async spend(take: NoncedTake): Promise<Slot> {
    if (!this.#isHeld) {
      const { accounts, leaseMs } = this.#parts;
      const { verdict } = await fromStore(accounts.hold(this.#debit, { leaseMs, isPastOwed: true }));
      if (verdict !== 'held') throw refusalOf(verdict);
      this.#isHeld = true;
      this.#parts.onStep?.('hold');
    }
    const slot = await take();
    this.#isCalled = true;
    return slot;
  }

  async settle({ json }: Answer): Promise<Receipt> {
    const { accounts, onStep } = this.#parts;
    onStep?.('upstream');
    const debit: NewDebit = { ...this.#debit, capturedAtMs: accounts.now() };
    const balanceMicros = await fromStore(accounts.capture(debit, json), { payment: { state: 'pending' } });
    if (typeof balanceMicros === 'string') throw refusalOf(balanceMicros);
    this.#isHeld = false;
    onStep?.('capture');
    const onDelivered = () => {
      onStep?.('respond');
      accounts.delivered(debit.id);
    };
    return { ...receiptOf(debit, balanceMicros, this.#headersOf), onDelivered };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { accounts, onFailure } = this.#parts;
    if (this.#isHeld) await accounts.release(this.#debit, this.#isCalled).catch(onFailure);
  }
}
