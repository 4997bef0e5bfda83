import type { Answer, NoncedTake, Slot } from '../../call.ts';
import { PAYMENTS, type PaymentRecord, type PaymentStore } from '../../stores/payments.ts';
import type { Admission, Receipt } from '../gate.ts';
import { gone, refusalOf, said } from './outcomes.ts';

/** An answer that has been paid for before. */
export class Bought implements Admission {
  readonly answer: Answer;
  readonly #receipt: Receipt;

  constructor(json: string, receipt: Receipt) {
    this.answer = { json };
    this.#receipt = receipt;
  }

  spend(take: NoncedTake): Promise<Slot> {
    return take();
  }

  async settle(): Promise<Receipt> {
    return this.#receipt;
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

/** The payments whose answers are being fetched anew by this node. */
export type Fetching = Set<string>;

/** A payment that has settled and whose answer is gone: the upstream is asked again, and nothing is settled. */
export class Prepaid implements Admission {
  readonly #payments: PaymentStore;
  readonly #record: PaymentRecord;
  readonly #receipt: Receipt;
  readonly #fetching: Fetching;
  #isFetching = false;

  constructor(payments: PaymentStore, record: PaymentRecord, receipt: Receipt, fetching: Fetching) {
    this.#payments = payments;
    this.#record = record;
    this.#receipt = receipt;
    this.#fetching = fetching;
  }

  async spend(take: NoncedTake): Promise<Slot> {
    const { key } = this.#record;
    if (!this.#isFetching && this.#fetching.has(key)) throw refusalOf('taken');
    this.#fetching.add(key);
    this.#isFetching = true;
    if ((await said(this.#payments.calls(key))) >= PAYMENTS.callsPerPayment) throw gone('asked for too often');
    const slot = await take();
    await this.#payments.called(key).catch(() => undefined);
    return slot;
  }

  async settle({ json }: Answer): Promise<Receipt> {
    await this.#payments.keep(this.#record.key, json).catch(() => undefined);
    return this.#receipt;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isFetching) this.#fetching.delete(this.#record.key);
  }
}
