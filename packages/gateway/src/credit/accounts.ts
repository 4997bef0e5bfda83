import { type Cluster, clusterOfNetwork, NETWORKS } from '@asset-gateway/protocol';
import { dropLapsedPayment } from '../stores/sql/conditions.ts';
import {
  type AtomicWrite,
  append,
  isDuplicate,
  type JournalEntry,
  keepAnswer,
  MoneyStore,
  type SqlRow,
} from '../stores/sql/database.ts';
import { TIMES } from '../times.ts';
import { type Account, type AccountHolder, balanceOf, type Debit, holdRefusal, type NewDebit } from './account.ts';
import * as rows from './rows.ts';

/**
 * The outcome of an attempt to hold a price.
 *
 * | verdict | means |
 * |---|---|
 * | `held` | the price is held for this request |
 * | `running` | this debit, or this payment's purchase, is in progress |
 * | `captured` | this debit has been charged |
 * | `owed` | an earlier debit has paid for the same request, and its answer is owed |
 * | `due` | a payment for the same request is open or owed |
 * | `insufficient` | the balance is less than the price |
 * | `busy` | other calls hold the credit, or too many calls hold some |
 * | `failing` | too many calls of the wallet were not charged |
 * | `called` | the call may have had its effect, although nothing was charged |
 */
export type HoldVerdict =
  | 'held'
  | 'running'
  | 'captured'
  | 'owed'
  | 'due'
  | 'called'
  | 'busy'
  | 'failing'
  | 'insufficient';

/** A price that was not held. */
export interface NotHeld {
  readonly verdict: Exclude<HoldVerdict, 'held'>;
  readonly account: Account;
  /** The existing debit, with `running`, `captured` and `owed`. */
  readonly debit?: Debit | undefined;
}

type HoldResult = { readonly verdict: 'held'; readonly debit: NewDebit } | NotHeld;

/** Why nothing was captured: the hold had lapsed, and meanwhile other requests took the debit or the credit. */
type NotCharged = 'running' | 'busy' | 'insufficient';

/** Returns the account, the debit with this id, and another debit for the same request whose answer is owed. */
function lookOf(found: readonly SqlRow[], { id, requestHash }: NewDebit, nowMs: number) {
  const debits = found.map((row) => rows.debitOf(row, nowMs));
  const isOwed = (index: number) => found[index]?.owed_until_ms && found[index].request_hash === requestHash;
  const own = debits.find((each) => each?.id === id);
  const owed = debits.find((each, index) => each !== undefined && each.id !== id && isOwed(index));
  return { account: rows.accountOf(found[0]), own, owed };
}

const ATTEMPTS = 5;

function entryOf({ id, by, network, wallet, micros, route, requestId }: NewDebit): JournalEntry {
  const call = { cluster: clusterOfNetwork(network), wallet, route, requestId };
  return { kind: 'debit', ...call, micros, feeLamports: 0, transaction: '', ...(by === 'payment' && { key: id }) };
}

/**
 * Stores balances and debits. A price is first held, and then either captured together with the answer or released. Captures are durable
 * when the promise resolves; holds are not. Methods reject while the database is unavailable.
 */
export class Accounts extends MoneyStore {
  protected readonly paidBy = { table: 'debits', key: 'id' } as const;

  /** Returns the unspent credit of all wallets by network, in millionths of a dollar. */
  async unspent(): Promise<ReadonlyMap<string, number>> {
    const found = await this.database.report(rows.SUM_UNSPENT);
    return new Map(found.map(({ cluster, unspent }) => [NETWORKS[cluster as Cluster], Number(unspent)]));
  }

  async find(holder: AccountHolder): Promise<Account> {
    const [row] = await this.database.read(rows.findAccount(holder, this.now()));
    return rows.accountOf(row);
  }

  /** Returns the latest movements of an account, newest first, as the client gets them. */
  async movements(holder: AccountHolder): Promise<readonly SqlRow[]> {
    const found = await this.database.report(rows.findMovements(holder));
    return found.map(({ transaction = null, ...others }) => ({ ...others, ...(transaction && { transaction }) }));
  }

  async debit(id: string): Promise<Debit | undefined> {
    const [row] = await this.database.read(rows.findDebit(id));
    return row && rows.debitOf(row, this.now());
  }

  /** Holds the price of a call. */
  async hold(debit: NewDebit, options: rows.HoldOptions = {}): Promise<HoldResult> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const write = rows.hold(debit, this.now(), options);
      const row = await this.#write(debit, write).catch((error) => this.#unlessTaken(debit, error));
      const result = row ? ({ verdict: 'held', debit } as const) : await this.#refusedHold(debit, options);
      if (result && (result.verdict !== 'held' || (await this.#isOnlyCall(debit)))) return result;
    }
    return { verdict: 'busy', account: await this.find(debit) };
  }

  /** Captures the held price and stores the answer. Returns the new balance in millionths of a dollar, or why nothing was captured. */
  async capture(debit: NewDebit, answer: string): Promise<number | NotCharged> {
    const nowMs = debit.capturedAtMs ?? this.now();
    const entry = entryOf(debit);
    const stored = keepAnswer(debit.id, answer, nowMs + TIMES.answerMs);
    const write = rows.capture(debit, nowMs, [stored, append(entry, this.database.wallAt(nowMs))]);
    const row = await this.#write(debit, write, [entry]);
    if (row) return Number(row.balance);
    const now = await this.debit(debit.id);
    if (now?.owner === debit.owner && now.progress === 'captured') return balanceOf(await this.find(debit));
    // The hold has lapsed. Hold the price again if the credit still suffices. The noted call of the lapsed hold is this request's own.
    const { verdict } = now
      ? { verdict: 'running' }
      : await this.hold({ ...debit, mayHaveEffect: false }, { isPastOwed: true });
    if (verdict === 'held') return this.capture(debit, answer);
    return verdict === 'busy' || verdict === 'insufficient' ? verdict : 'running';
  }

  /**
   * Releases the price that this owner holds. `isCalled`: whether the upstream was called. If the database fails, tries again until the
   * hold lapses. Never rejects.
   */
  async release(debit: NewDebit, isCalled: boolean, retries = TIMES.leastHoldMs / TIMES.releaseEachMs): Promise<void> {
    try {
      await this.#write(debit, rows.release(debit, isCalled ? this.now() : undefined));
    } catch (error) {
      const again = () => void this.release(debit, isCalled, retries - 1);
      if (retries > 0) setTimeout(again, TIMES.releaseEachMs).unref();
      this.background.failed('releases', error);
    }
  }

  /** Returns how many upstream calls were made for a debit: the first, and those that followed because the answer was lost. */
  async calls(id: string): Promise<number> {
    return 1 + ((await this.debit(id))?.callsAgain ?? 0);
  }

  /** Counts one more upstream call for a captured debit whose answer was lost. */
  async called(id: string): Promise<void> {
    const sql = `update debits set calls_again = calls_again + 1 where id = $1 and state = 'captured' and {in time} returning id`;
    await this.write({ condition: { sql, values: [id] } });
  }

  async #write({ network, wallet }: AccountHolder, write: AtomicWrite, entries: readonly JournalEntry[] = []) {
    const row = await this.write(write);
    if (row) this.events.emit('written', { network, wallet, entries });
    return row;
  }

  /**
   * Ignores the error of a hold that lost against a concurrent hold of the same debit. The other hold's row may be gone by now. Throws
   * other errors.
   */
  async #unlessTaken({ id }: NewDebit, error: unknown): Promise<undefined> {
    if (!isDuplicate(error) && (await this.debit(id)) === undefined) throw error;
  }

  /**
   * Whether the hold is for the only call of its payment or signature. If not, releases the hold. Checks only calls that may have an
   * effect. PostgreSQL does not show a hold that waited for a lock the rows that were written meanwhile, so this checks them again.
   */
  async #isOnlyCall(debit: NewDebit): Promise<boolean> {
    if (!debit.mayHaveEffect) return true;
    let isOnly = false;
    try {
      const [row] = await this.database.read(rows.countCalls(debit.id));
      isOnly = Number(row?.calls) <= 1;
      return isOnly;
    } finally {
      if (!isOnly) await this.release(debit, true);
    }
  }

  /** Returns why a price was not held; undefined if the hold may be tried again. */
  async #refusedHold(debit: NewDebit, { isPastOwed }: rows.HoldOptions): Promise<HoldResult | undefined> {
    const nowMs = this.now();
    const { id, owner, micros, mayHaveEffect = false } = debit;
    const found = await this.database.read(rows.lookAtDebit(debit, nowMs));
    const { account, own, owed } = lookOf(found, debit, nowMs);
    const lapsed = found.filter((row) => row.state === 'held' && Number(row.until_ms) <= nowMs);
    // The database held the price, but its reply was lost.
    if (own?.owner === owner && own.progress === 'held') return { verdict: 'held', debit };
    if (own) return { verdict: own.progress === 'held' ? 'running' : 'captured', account, debit: own };
    if (found[0]?.own_payment === 'bought') return { verdict: 'running', account };
    if (owed && !isPastOwed) return { verdict: 'owed', account, debit: owed };
    if (Number(found[0]?.due_payments) > 0 && !isPastOwed) return { verdict: 'due', account };
    if (mayHaveEffect && Number(found[0]?.own_calls) > 0) return { verdict: 'called', account };
    for (const row of lapsed) await this.write(rows.releaseLapsed(row, nowMs));
    const reason = lapsed.length > 0 ? undefined : holdRefusal(account, micros);
    if (!reason && found[0]?.own_payment === 'lapsed') await this.write(dropLapsedPayment(id, mayHaveEffect, nowMs));
    return reason && { verdict: reason, account };
  }

  /** Releases all lapsed holds. Their processes have died, or their calls take too long. */
  async releaseAllLapsed(): Promise<void> {
    const nowMs = this.now();
    let lapsed: readonly SqlRow[];
    do {
      lapsed = await this.database.read(rows.findLapsed(nowMs));
      for (const row of lapsed) await this.write(rows.releaseLapsed(row, nowMs));
    } while (lapsed.length === rows.LAPSED_AT_ONCE);
  }
}
