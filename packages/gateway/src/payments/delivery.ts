import type { Answer, NoncedTake, Receipt, Slot } from '../call.ts';
import type { Admission } from '../gates/gate.ts';
import type { Payments } from './payments.ts';
import { PAYMENTS, type PaymentRecord } from './record.ts';
import { alreadyUsed, fromStore, refusalOf } from './responses.ts';

/** The payments whose answers are being fetched anew by this node. */
export type Fetching = Set<string>;

/** A payment that has settled and whose answer is gone: the upstream is asked again, and nothing is settled. */
export class Redelivery implements Admission {
  readonly #payments: Payments;
  readonly #record: PaymentRecord;
  readonly #receipt: Receipt;
  readonly #fetching: Fetching;
  #isFetching = false;

  constructor(payments: Payments, record: PaymentRecord, receipt: Receipt, fetching: Fetching) {
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
    if ((await fromStore(this.#payments.calls(key))) >= PAYMENTS.callsPerPayment)
      throw alreadyUsed('asked for too often');
    const slot = await take();
    await this.#payments.called(key).catch(() => undefined);
    return slot;
  }

  async settle({ json }: Answer): Promise<Receipt> {
    await this.#payments.keep(this.#record.key, json).catch(() => undefined);
    return this.#receipt;
  }

  headers(): Readonly<Record<string, string>> {
    return {};
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isFetching) this.#fetching.delete(this.#record.key);
  }
}
