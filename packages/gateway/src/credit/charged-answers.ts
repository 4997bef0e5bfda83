import { Refusal } from '@asset-gateway/protocol';
import { fromStore } from '../gates/from-store.ts';
import type { Admission, Delivery } from '../gates/gate.ts';
import { type Fetching, Redelivery } from '../gates/redelivery.ts';
import { Repeats } from '../gates/repeats.ts';
import { balanceOf } from './account.ts';
import type { Accounts } from './accounts.ts';
import type { Debit } from './debit.ts';
import { alreadyRunning, alreadyUsed, type HeadersOf, receiptOf, replayed } from './receipts.ts';

/** Calls to the upstream that one debit may cost, its first among them. */
const MOST_CALLS = 3;

/** Answers that were charged before: the same debit again gets the same answer, and an answer that was not delivered is owed. */
export class ChargedAnswers {
  readonly #accounts: Accounts;
  readonly #fetching: Fetching = new Set();
  readonly #repeats = new Repeats();

  constructor(accounts: Accounts) {
    this.#accounts = accounts;
  }

  /** The answer of this very debit. Refuses while it is running, or if it was for another request. */
  async known(debit: Debit, requestHash: string, headersOf: HeadersOf): Promise<Admission | Delivery> {
    if (debit.requestHash !== requestHash) throw alreadyUsed();
    if (debit.progress === 'held') throw alreadyRunning();
    if (this.#isTooOften(debit)) {
      throw new Refusal('payment_already_used', { reason: 'sent again too often', payment: { state: 'settled' } });
    }
    return this.#deliver(debit, headersOf);
  }

  /** The answer of another debit for the same request; undefined if it was fetched too often. */
  async owed(debit: Debit, headersOf: HeadersOf): Promise<Admission | Delivery | undefined> {
    return this.#isTooOften(debit) ? undefined : this.#deliver(debit, headersOf);
  }

  #isTooOften({ id }: Debit): boolean {
    return this.#repeats.isTooOften(id, 'payer', this.#accounts.now());
  }

  async #deliver(debit: Debit, headersOf: HeadersOf): Promise<Admission | Delivery> {
    const accounts = this.#accounts;
    const { id } = debit;
    const [json, account] = await fromStore(Promise.all([accounts.answer(id), accounts.find(debit)]));
    const receipt = {
      ...replayed(receiptOf(debit, balanceOf(account), headersOf)),
      onDelivered: () => accounts.delivered(id),
    };
    if (json !== undefined) return { answer: { json }, receipt };
    const paid = {
      key: id,
      receipt,
      mostCalls: MOST_CALLS,
      calls: async () => 1 + ((await accounts.debit(id))?.callsAgain ?? 0),
      isKept: async () => (await accounts.answer(id)) !== undefined,
      called: () => accounts.calledAgain(id),
      keep: (answer: string) => accounts.keep(id, answer),
    };
    return new Redelivery(paid, this.#fetching);
  }
}
