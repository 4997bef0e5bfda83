import { randomUUID } from 'node:crypto';
import { type Cluster, clusterOfNetwork, NETWORKS } from '@asset-gateway/protocol';
import { findAnswer, keepAgain, keepAnswer } from '../stores/sql/answers.ts';
import type { Database, Row, Statement } from '../stores/sql/database.ts';
import { append, type JournalEntry, type OnWritten } from '../stores/sql/journal.ts';
import {
  type Account,
  type AccountHolder,
  balanceOf,
  CREDIT,
  type Debit,
  type NewDebit,
  whyNotHeld,
  withUnchargedCall,
} from './account.ts';
import * as rows from './rows.ts';

/**
 * The outcome of an attempt to hold a price. `running` and `captured` concern this very debit or payment; `owed` is an answer to the
 * same request that was charged before; `due` is a payment for it that is open or owed; `failing` is a wallet whose calls come to nothing.
 */
export type HoldVerdict = 'held' | 'running' | 'captured' | 'owed' | 'due' | 'busy' | 'failing' | 'insufficient';

/** Why a price was not held. */
export interface NotHeld {
  readonly verdict: Exclude<HoldVerdict, 'held'>;
  readonly account: Account;
  /** With `running`, `captured` and `owed`: the debit that is there already. */
  readonly debit?: Debit | undefined;
}

export type HoldResult = { readonly verdict: 'held'; readonly debit: NewDebit } | NotHeld;

/** Why nothing was charged: it took so long that another request has the debit, or what was held. */
export type NotCharged = 'running' | 'busy' | 'insufficient';

/** One movement of a balance. */
export interface Movement {
  readonly kind: 'grant' | 'debit';
  readonly micros: number;
  readonly at: string;
  /** The route that was bought or, of a grant, with which it came. */
  readonly route: string;
  /** The transaction that a grant came with. */
  readonly transaction?: string;
}

const ATTEMPTS = 5;

const entryOf = ({ id, by, network, wallet, micros, route, requestId }: NewDebit): JournalEntry => {
  const key = by === 'payment' ? { key: id } : {};
  return {
    kind: 'debit',
    cluster: clusterOfNetwork(network),
    wallet,
    micros,
    feeLamports: 0,
    transaction: '',
    route,
    requestId,
    ...key,
  };
};

/**
 * Balances and debits. A price is held, and then captured together with the answer or released. Grants and captures are on disk when
 * a promise resolves. Every method may reject while the database cannot be used.
 */
export class Accounts {
  readonly #database: Database;
  readonly #onWritten: OnWritten;

  constructor(database: Database, onWritten: OnWritten = () => undefined) {
    this.#database = database;
    this.#onWritten = onWritten;
  }

  /** The database's clock in whole milliseconds since the Unix epoch. */
  now(): number {
    return Math.floor(this.#database.now());
  }

  /** What all wallets together have paid and not spent, by network, in millionths of a dollar. */
  async owed(): Promise<ReadonlyMap<string, number>> {
    const found = await this.#database.report(rows.SUM_CREDIT);
    return new Map(found.map(({ cluster, owed }) => [NETWORKS[cluster as Cluster], Number(owed)]));
  }

  async find(holder: AccountHolder): Promise<Account> {
    const [row] = await this.#database.read(rows.findAccount(holder, this.now()));
    return rows.accountOf(row);
  }

  /** The latest movements of an account, the newest first. */
  async movements(holder: AccountHolder): Promise<readonly Movement[]> {
    const found = await this.#database.read(rows.findMovements(holder));
    return found.map(({ kind, micro_usdc: micros, at, route, signature }) => ({
      kind: kind as Movement['kind'],
      micros: Number(micros),
      at: String(at),
      route: String(route),
      ...(signature !== null && { transaction: String(signature) }),
    }));
  }

  async debit(id: string): Promise<Debit | undefined> {
    const [row] = await this.#database.read(rows.findDebit(id));
    return row && rows.debitOf(row, rows.holderOf(row), this.now());
  }

  /** The answer that a debit has bought, while it is kept. */
  async answer(id: string): Promise<string | undefined> {
    const [row] = await this.#database.read(findAnswer(id, this.now()));
    return row && String(row.answer);
  }

  /** Holds the price of a call for `leaseMs`. With `isPastOwed` although the same request was paid for before. */
  async hold(debit: NewDebit, { leaseMs = CREDIT.leaseMs, isPastOwed }: HoldOptions = {}): Promise<HoldResult> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const nowMs = this.now();
      const [guard, ...changes] = rows.hold(debit, { nowMs, untilMs: nowMs + leaseMs, isPastOwed });
      const row = await this.#write(debit, guard, changes).catch((error) => this.#unlessTaken(debit, error));
      if (row) return { verdict: 'held', debit };
      const found = await this.#whyNotHeld(debit, isPastOwed);
      if (found) return found;
    }
    return { verdict: 'busy', account: await this.find(debit) };
  }

  /** Charges what was held, together with its answer. Answers the balance as it is then, or why nothing was charged. */
  async capture(debit: NewDebit, answer: string): Promise<number | NotCharged> {
    const nowMs = debit.capturedAtMs ?? this.now();
    const [guard, charge] = rows.capture(debit, nowMs);
    const entry = entryOf(debit);
    const kept = keepAnswer({ key: debit.id, answer, untilMs: nowMs + CREDIT.debitMs });
    const step = { guard, changes: [charge, kept, append(entry, nowMs)], isDurable: true };
    const row = await this.#database.write(step);
    if (row) {
      this.#onWritten({ network: debit.network, wallet: debit.wallet, entries: [entry] });
      return Number(row.balance);
    }
    const now = await this.debit(debit.id);
    if (now?.owner === debit.owner && now.progress === 'captured') return balanceOf(await this.find(debit));
    // A lapsed hold can be taken again while the credit is there.
    const { verdict } = now ? { verdict: 'running' } : await this.hold(debit, { isPastOwed: true });
    if (verdict === 'held') return this.capture(debit, answer);
    return verdict === 'busy' || verdict === 'insufficient' ? verdict : 'running';
  }

  /** Releases what this owner holds; `isCalled` says whether the upstream was called for it. */
  async release(debit: NewDebit, isCalled: boolean): Promise<void> {
    const [guard, ...changes] = rows.release(debit);
    const row = await this.#write(debit, guard, changes);
    if (row && isCalled) await this.#noteUncharged(debit);
  }

  /** The answer of a debit has reached its wallet. */
  delivered(id: string): void {
    this.#database.note(rows.noteDelivered(id));
  }

  /** Upstream calls for a debit so far: the first, and those for a captured debit whose answer was lost. */
  async calls(id: string): Promise<number> {
    return 1 + ((await this.debit(id))?.callsAgain ?? 0);
  }

  /** Counts one more upstream call for a captured debit whose answer was lost. */
  async called(id: string): Promise<void> {
    await this.#database.write({ guard: rows.noteCallAgain(id) });
  }

  /** Keeps the answer of a debit whose first one is gone. */
  async keep(id: string, answer: string): Promise<void> {
    await this.#database.write({ guard: keepAgain({ key: id, answer, untilMs: this.now() + CREDIT.debitMs }) });
  }

  async #write(holder: AccountHolder, guard: Statement, changes: readonly Statement[]): Promise<Row | undefined> {
    const row = await this.#database.write({ guard, changes });
    if (row) this.#onWritten({ network: holder.network, wallet: holder.wallet, entries: [] });
    return row;
  }

  /** Two holds of one debit at once: the second one's row was there already. */
  async #unlessTaken({ id }: NewDebit, error: unknown): Promise<undefined> {
    if ((await this.debit(id)) === undefined) throw error;
  }

  /** Why a price was not held; undefined if it can be tried again. */
  async #whyNotHeld(debit: NewDebit, isPastOwed: boolean | undefined): Promise<HoldResult | undefined> {
    const nowMs = this.now();
    const { id, owner, requestHash, micros } = debit;
    const found = await this.#database.read(rows.lookAt(debit, { id, requestHash }, nowMs));
    const account = rows.accountOf(found[0]);
    const debitIn = (isIt: (row: Row) => boolean) => rows.debitOf(found.find(isIt), debit, nowMs);
    const own = debitIn((row) => row.id === id);
    // Held, though the reply was lost.
    if (own?.owner === owner && own.progress === 'held') return { verdict: 'held', debit };
    if (own) return { verdict: own.progress === 'held' ? 'running' : 'captured', account, debit: own };
    if (found[0]?.own_payment === 'bought') return { verdict: 'running', account };
    const owed = debitIn((row) => row.owed_until_ms !== null && row.request_hash === requestHash);
    if (owed && !isPastOwed) return { verdict: 'owed', account, debit: owed };
    if (Number(found[0]?.due_payments) > 0 && !isPastOwed) return { verdict: 'due', account };
    const lapsed = found.filter((row) => row.state === 'held' && Number(row.until_ms) <= nowMs);
    for (const row of lapsed) await this.#releaseLapsed(String(row.id), Number(row.micro_usdc), nowMs);
    const reason = lapsed.length > 0 ? undefined : whyNotHeld(account, micros, nowMs);
    if (!reason && found[0]?.own_payment === 'lapsed') await this.#dropLapsedPayment(id, nowMs);
    return reason && { verdict: reason, account };
  }

  /** Releases holds that have lapsed: their processes have died, or their calls take too long. */
  async releaseAllLapsed(): Promise<void> {
    const nowMs = this.now();
    const lapsed = await this.#database.read(rows.findLapsed(nowMs));
    for (const { id, micro_usdc: micros } of lapsed) await this.#releaseLapsed(String(id), Number(micros), nowMs);
  }

  /** As many calls as a wallet may have under way may come to nothing at once. */
  async #noteUncharged(holder: AccountHolder): Promise<void> {
    for (let attempt = 1; attempt <= CREDIT.holdsPerWallet; attempt++) {
      const [wallet] = await this.#database.read(rows.findUncharged(holder));
      const before = String(wallet?.uncharged_at_ms);
      const uncharged = withUnchargedCall(JSON.parse(before), this.now());
      if (await this.#database.write({ guard: rows.noteUncharged(holder, before, uncharged) })) return;
    }
  }

  async #dropLapsedPayment(key: string, nowMs: number): Promise<void> {
    const [guard, ...changes] = rows.dropLapsedPayment(key, nowMs, randomUUID());
    await this.#database.write({ guard, changes });
  }

  async #releaseLapsed(id: string, micros: number, nowMs: number): Promise<void> {
    const [guard, ...changes] = rows.releaseLapsed(id, micros, nowMs);
    await this.#database.write({ guard, changes });
  }
}

/** How a price is held. */
export interface HoldOptions {
  /** How long the call may take, in milliseconds. */
  readonly leaseMs?: number;
  readonly isPastOwed?: boolean;
}
