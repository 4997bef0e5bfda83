import { Refusal } from '@asset-gateway/protocol';
import { fromStore } from '../gates/from-store.ts';
import type { Admission, Delivery } from '../gates/gate.ts';
import { type Fetching, Redelivery } from '../gates/redelivery.ts';
import { Repeats } from '../gates/repeats.ts';
import type { Account } from './account.ts';
import type { Accounts } from './accounts.ts';
import type { AccountHolder, Debit } from './debit.ts';
import { alreadyRunning, alreadyUsed, type HeadersOf, receiptOf, replayed } from './receipts.ts';

/** Calls to the upstream that one debit may cost, its first among them. */
const MOST_CALLS = 3;

/** Answers that were charged before: whoever sends the same again gets the same, and what was not delivered is owed. */
export class ChargedAnswers {
  readonly #accounts: Accounts;
  readonly #onFailure: (error: unknown) => void;
  readonly #fetching: Fetching = new Set();
  readonly #repeats = new Repeats();

  constructor(accounts: Accounts, onFailure: (error: unknown) => void) {
    this.#accounts = accounts;
    this.#onFailure = onFailure;
  }

  /** What a debit of this very id has bought; a refusal where it is still running or was for another request. */
  async known(
    debit: Debit | undefined,
    requestHash: string,
    headersOf: HeadersOf,
  ): Promise<Admission | Delivery | undefined> {
    if (!debit) return undefined;
    if (debit.requestHash !== requestHash) throw alreadyUsed();
    if (debit.progress === 'held') throw alreadyRunning();
    if (this.#isTooOften(debit)) {
      throw new Refusal('payment_already_used', { reason: 'sent again too often', payment: { state: 'settled' } });
    }
    return this.#deliver(debit, headersOf);
  }

  /** An answer to the same request that was charged before and has not reached its wallet, unless that was tried too often. */
  async owed(
    holder: AccountHolder,
    { owed }: Account,
    requestHash: string,
    headersOf: HeadersOf,
  ): Promise<Admission | Delivery | undefined> {
    const found = owed.find((each) => each.requestHash === requestHash);
    const debit = found && (await fromStore(this.#accounts.debit(found.id)));
    if (debit?.progress !== 'captured' || debit.wallet !== holder.wallet || this.#isTooOften(debit)) return undefined;
    return this.#deliver(debit, headersOf);
  }

  #isTooOften({ id }: Debit): boolean {
    return this.#repeats.isTooOften(id, 'payer', this.#accounts.now());
  }

  async #deliver(debit: Debit, headersOf: HeadersOf): Promise<Admission | Delivery> {
    const accounts = this.#accounts;
    const { id } = debit;
    const [json, account] = await fromStore(Promise.all([accounts.answer(id), accounts.find(debit)]));
    const receipt = {
      ...replayed(receiptOf(debit, account, headersOf)),
      onDelivered: () => void accounts.delivered(debit).catch(this.#onFailure),
    };
    if (json !== undefined) return { answer: { json }, receipt };
    const paid = {
      key: id,
      receipt,
      mostCalls: MOST_CALLS,
      calls: async () => 1 + ((await accounts.debit(id))?.callsAgain ?? 0),
      isKept: async () => (await accounts.answer(id)) !== undefined,
      called: () => accounts.calledAgain(debit),
      keep: (answer: string) => accounts.keep(id, answer),
    };
    return new Redelivery(paid, this.#fetching);
  }
}
