import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Commit, PaymentDocuments, Stored } from '../payments/store/port.ts';
import {
  type Account,
  balanceOf,
  CREDIT,
  charged,
  delivered,
  readAccount,
  released,
  whyNotHeld,
  withHold,
  withPurchase,
  withUnchargedCall,
} from './account.ts';
import { watching } from './covered-payments.ts';
import { type AccountHolder, accountName, type Debit, debitName, type NewDebit, readDebit } from './debit.ts';
import { entryOf } from './entries.ts';
import { accountChange, bothOf, changesOf, type Outcome, type Seen, type Sight } from './sight.ts';

/**
 * What became of an attempt to set a price aside: `running` and `captured` are of the very debit, by whomever; `failing` is a
 * wallet whose calls come to nothing again and again.
 */
export type HoldVerdict = 'held' | 'running' | 'captured' | 'busy' | 'failing' | 'insufficient';

/** Why nothing was charged: it took so long that the debit is somebody else's, or what was set aside is. */
export type NotCharged = 'running' | 'busy' | 'insufficient';

/**
 * What became of an attempt to buy credit; `joined` is of a payment that is buying already, and `covered` of one whose call the
 * balance pays for by now.
 */
export type PurchaseVerdict = 'started' | 'joined' | 'covered' | 'under_way' | 'over_limit';

/** How a price is set aside. */
export interface HoldOptions {
  readonly sight?: Sight;
  /** How long the call may take, in milliseconds. */
  readonly leaseMs?: number;
}

/** How credit is bought. */
export interface PurchaseOptions {
  /** How much a wallet may have. */
  readonly limitMicros: number;
  /** How long the purchase may take, in milliseconds. */
  readonly purchaseMs?: number;
  /** What of the balance would pay for the call in place of the purchase; nothing where it cannot. */
  readonly priceMicros?: number | undefined;
  /** The account as it was read last, which spares a look. */
  readonly seen?: Stored | undefined;
}

const ATTEMPTS = 40;
/** Several nodes that write the same account would meet again and again. */
const ATTEMPTS_AT_ONCE = 4;
const MOST_PAUSE_MS = 20;

/** What a step begins with, and what is written with it. */
interface Beside extends Partial<Pick<Commit, 'answer' | 'changes' | 'journal' | 'open'>> {
  readonly sight?: Sight | undefined;
}

/**
 * Balances and debits: each step is decided by what is stored and written where that has not changed. What is charged or granted
 * is on disk when the promise resolves; what is only set aside is not, and a crash gives it back. Every method may reject when
 * the store is down.
 */
export class Accounts {
  readonly #documents: PaymentDocuments;
  readonly #node = randomBytes(8).toString('hex');

  constructor(documents: PaymentDocuments) {
    this.#documents = documents;
  }

  /** The store's clock, in milliseconds. */
  now(): number {
    return this.#documents.now();
  }

  /** What all wallets together have paid and not spent, by network, in millionths of a dollar. */
  owed(): Promise<ReadonlyMap<string, number>> {
    return this.#documents.owed();
  }

  async find(holder: AccountHolder): Promise<Account> {
    const [account] = await this.read(holder);
    return account;
  }

  /** The same, and the document that it was read from. */
  async read(holder: AccountHolder): Promise<readonly [Account, Stored | undefined]> {
    const [stored] = await this.#documents.read([accountName(holder)]);
    return [readAccount(stored?.value as Account | undefined, this.now()), stored];
  }

  /** A debit, whoever's it is. */
  async debit(id: string): Promise<Debit | undefined> {
    const [stored] = await this.#documents.read([debitName(id)]);
    return readDebit(stored?.value as Debit | undefined, this.now());
  }

  async look(holder: AccountHolder, id: string, sight: Sight = {}): Promise<Seen> {
    sight.stored = await this.#read(holder, id);
    return this.#seen(sight.stored);
  }

  /** The answer that a debit has bought, while it is kept. */
  answer(id: string): Promise<string | undefined> {
    return this.#documents.answer(id);
  }

  /** Sets the price of a call aside. */
  hold(debit: NewDebit, { sight, leaseMs = CREDIT.leaseMs }: HoldOptions = {}): Promise<HoldVerdict> {
    return this.#step<HoldVerdict>(debit, { sight }, ({ account, debit: known }) => {
      if (known) return { verdict: known.progress === 'held' ? 'running' : 'captured' };
      const reason = whyNotHeld(account, debit);
      if (reason) return { verdict: reason };
      const untilMs = this.now() + leaseMs;
      return {
        verdict: 'held',
        account: withHold(account, { ...debit, untilMs }),
        debit: { ...debit, progress: 'held', untilMs },
      };
    });
  }

  /**
   * Charges what was set aside, together with the answer that it has bought. Answers the account as it is then, or why nothing
   * was charged.
   */
  capture(debit: NewDebit, answer: string, sight?: Sight): Promise<Account | NotCharged> {
    const entry = entryOf('debit', debit, { transaction: '', node: this.#node });
    // A payment may have been sold before under the very key.
    const isFirst = debit.by === 'signature';
    const kept = { key: debit.id, text: answer, forgetMs: CREDIT.debitMs, isFirst };
    const beside = { sight, answer: kept, journal: [entry], ...watching(debit, this.now()) };
    return this.#step<Account | NotCharged>(debit, beside, ({ account, debit: known }) => {
      if (known && known.owner !== debit.owner) return { verdict: 'running' };
      if (known?.progress === 'captured') return { verdict: account };
      const after = charged(account, debit, this.now());
      if (!after) return { verdict: balanceOf(account) < debit.micros ? 'insufficient' : 'busy' };
      return { verdict: after, account: after, debit: { ...debit, progress: 'captured', untilMs: 0 } };
    });
  }

  /** Gives back what this owner has set aside and not charged; `isCalled` says whether the upstream was asked for it. */
  async release(debit: NewDebit, isCalled: boolean, sight?: Sight): Promise<void> {
    await this.#step(debit, { sight }, ({ account, debit: known }) => {
      if (known?.progress !== 'held' || known.owner !== debit.owner) return { verdict: undefined };
      const rest = released(account, debit.id);
      const after = isCalled ? withUnchargedCall(rest, this.now()) : rest;
      return { verdict: undefined, account: after, debit: 'removed' };
    });
  }

  /** The answer of a debit has reached its wallet. */
  async delivered(debit: AccountHolder & { readonly id: string }, { stored }: Sight = {}): Promise<void> {
    const decide = (account: Account) => {
      const isOwed = account.owed.some(({ id }) => id === debit.id);
      return { verdict: undefined, ...(isOwed && { account: delivered(account, debit.id) }) };
    };
    await this.#changeAccount(debit, decide, stored?.[0]);
  }

  /** Counts a call to the upstream for a debit that is captured and whose answer is gone. */
  async calledAgain(debit: Debit): Promise<void> {
    await this.#step(debit, {}, ({ account, debit: known }) => {
      if (known?.progress !== 'captured') return { verdict: undefined };
      return { verdict: undefined, account, debit: { ...known, callsAgain: (known.callsAgain ?? 0) + 1 } };
    });
  }

  /** Keeps the answer of a debit whose first one is gone. */
  async keep(id: string, answer: string): Promise<void> {
    await this.#documents.commit({ changes: [], answer: { key: id, text: answer, forgetMs: CREDIT.debitMs } });
  }

  /**
   * Notes that credit is being bought, so that nobody else buys meanwhile; at most so much may be left of it together. The step
   * that ends its payment ends it.
   */
  startPurchase(
    holder: AccountHolder,
    purchase: { readonly key: string; readonly micros: number },
    { limitMicros, purchaseMs = CREDIT.purchaseMs, priceMicros, seen }: PurchaseOptions,
  ): Promise<PurchaseVerdict> {
    const decide = (account: Account): Outcome<PurchaseVerdict> => {
      const started = withPurchase(account, { ...purchase, untilMs: this.now() + purchaseMs });
      if (!started) return { verdict: 'under_way' };
      if (priceMicros !== undefined && balanceOf(account) >= priceMicros) return { verdict: 'covered' };
      if (balanceOf(account) + purchase.micros > limitMicros) return { verdict: 'over_limit' };
      return { verdict: account.purchase ? 'joined' : 'started', account: started };
    };
    return this.#changeAccount<PurchaseVerdict>(holder, decide, seen);
  }

  async #read(holder: AccountHolder, id: string): Promise<readonly [Stored, Stored]> {
    return bothOf(await this.#documents.read([accountName(holder), debitName(id)]));
  }

  #seen([account, debit]: readonly [Stored, Stored]): Seen {
    return {
      account: readAccount(account.value as Account | undefined, this.now()),
      debit: readDebit(debit.value as Debit | undefined, this.now()),
    };
  }

  /** One step of a debit. What was seen before may be written over, as the store compares; it is no ground to change nothing. */
  async #step<V>(
    holder: AccountHolder & Pick<Debit, 'id'>,
    { sight = {}, changes = [], ...beside }: Beside,
    decide: (seen: Seen) => Outcome<V>,
  ): Promise<V> {
    let isFresh = sight.stored === undefined;
    sight.stored ??= await this.#read(holder, holder.id);
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const { account, ...outcome } = decide(this.#seen(sight.stored));
      if (account) {
        const { isWritten, now } = await this.#documents.commit({
          changes: [...changesOf(sight.stored, { ...outcome, account }, this.now()), ...changes],
          ...beside,
        });
        sight.stored = bothOf(now);
        if (isWritten) return outcome.verdict;
        await this.#pause(attempt);
      } else if (isFresh) return outcome.verdict;
      else sight.stored = await this.#read(holder, holder.id);
      isFresh = true;
    }
    throw new Error('too many steps at once');
  }

  /** One step of an account alone, which need not outlive the process. */
  async #changeAccount<V>(holder: AccountHolder, decide: (account: Account) => Outcome<V>, seen?: Stored): Promise<V> {
    let [stored] = seen ? [seen] : await this.#documents.read([accountName(holder)]);
    for (let attempt = 1; stored && attempt <= ATTEMPTS; attempt++) {
      const { verdict, account } = decide(readAccount(stored.value as Account | undefined, this.now()));
      if (!account) return verdict;
      const change = accountChange(stored, account, { isLasting: false, nowMs: this.now() });
      const { isWritten, now } = await this.#documents.commit({ changes: [change] });
      if (isWritten) return verdict;
      [stored] = now;
      await this.#pause(attempt);
    }
    throw new Error('too many steps at once');
  }

  async #pause(attempt: number): Promise<void> {
    if (attempt > ATTEMPTS_AT_ONCE) await pause(Math.random() * MOST_PAUSE_MS);
  }
}
