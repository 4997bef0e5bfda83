import type { Answer, NoncedTake, Receipt, Slot } from '../call.ts';
import { fromStore } from '../gates/from-store.ts';
import type { Admission } from '../gates/gate.ts';
import type { Accounts } from './accounts.ts';
import type { NewDebit } from './debit.ts';
import { type HeadersOf, receiptOf, refusalOf } from './receipts.ts';
import type { Sight } from './sight.ts';

/** What a debit is carried out with. */
export interface DebitParts {
  readonly accounts: Accounts;
  readonly onFailure: (error: unknown) => void;
  /** How long a call may take, in milliseconds. */
  readonly leaseMs: number;
  /** Told at each step of a debit, before the next one begins. */
  readonly onStep?: (step: 'hold' | 'upstream' | 'capture' | 'respond') => void;
}

/** How one debit is answered, and what is known of it before. */
export interface DebitOptions {
  readonly headersOf: HeadersOf;
  /** What every answer from here on carries. */
  readonly admissionHeaders?: Admission['headers'];
  /** What was seen of it so far. */
  readonly sight?: Sight;
  /** The price was set aside before. */
  readonly isHeld?: boolean;
}

const none = () => ({});

/** A call that is paid from credit: set aside before the upstream is asked, charged together with its answer. */
export class Debiting implements Admission {
  readonly headers: Admission['headers'];
  readonly #parts: DebitParts;
  readonly #debit: NewDebit;
  readonly #options: DebitOptions;
  readonly #sight: Sight;
  #isHeld: boolean;
  #isCalled = false;

  constructor(parts: DebitParts, debit: NewDebit, options: DebitOptions) {
    this.#parts = parts;
    this.#debit = debit;
    this.#options = options;
    this.#sight = options.sight ?? {};
    this.#isHeld = options.isHeld === true;
    this.headers = options.admissionHeaders ?? none;
  }

  async spend(take: NoncedTake): Promise<Slot> {
    if (!this.#isHeld) {
      const { accounts, leaseMs } = this.#parts;
      const verdict = await fromStore(accounts.hold(this.#debit, { leaseMs, sight: this.#sight }));
      if (verdict !== 'held') throw refusalOf(verdict);
      this.#isHeld = true;
      this.#parts.onStep?.('hold');
    }
    const slot = await take();
    this.#isCalled = true;
    return slot;
  }

  async settle({ json }: Answer): Promise<Receipt> {
    const { accounts, onStep, onFailure } = this.#parts;
    onStep?.('upstream');
    const debit: NewDebit = { ...this.#debit, capturedAtMs: accounts.now() };
    const account = await fromStore(accounts.capture(debit, json, this.#sight), {
      payment: { state: 'pending' },
    });
    if (typeof account === 'string') throw refusalOf(account);
    this.#isHeld = false;
    onStep?.('capture');
    const onDelivered = () => {
      onStep?.('respond');
      accounts.delivered(this.#debit, this.#sight).catch(onFailure);
    };
    return { ...receiptOf(debit, account, this.#options.headersOf), onDelivered };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { accounts, onFailure } = this.#parts;
    if (this.#isHeld) await accounts.release(this.#debit, this.#isCalled, this.#sight).catch(onFailure);
  }
}
