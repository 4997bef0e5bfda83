import type { Answer, NoncedTake, Slot } from '../../call.ts';
import type { PaymentRecord, PaymentStore } from '../../stores/payments.ts';
import type { Admission, Receipt } from '../gate.ts';
import { receiptOf } from './outcomes.ts';

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

/** A payment that has settled and whose answer is gone: the upstream is asked again, and nothing is settled. */
export class Prepaid implements Admission {
  readonly #payments: PaymentStore;
  readonly #record: PaymentRecord;
  readonly #receipt: Receipt;

  constructor(payments: PaymentStore, record: PaymentRecord, inOldHeader: boolean) {
    this.#payments = payments;
    this.#record = record;
    this.#receipt = receiptOf(record, inOldHeader, true);
  }

  spend(take: NoncedTake): Promise<Slot> {
    return take();
  }

  async settle({ json }: Answer): Promise<Receipt> {
    await this.#payments.keep(this.#record.key, json).catch(() => undefined);
    return this.#receipt;
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}
