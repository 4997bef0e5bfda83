import { type Cluster, clusterOfNetwork, NETWORKS } from '@asset-gateway/protocol';
import { dropLapsedPayment } from '../stores/sql/conditions.ts';
import {
  type AtomicWrite,
  append,
  isDuplicate,
  type JournalEntry,
  keepAnswer,
  Ledger,
  type SqlRow,
} from '../stores/sql/database.ts';
import { TIMES } from '../times.ts';
import { type Account, type AccountHolder, balanceOf, type Debit, holdRefusal, type NewDebit } from './account.ts';
import * as rows from './rows.ts';

/**
 * The outcome of an attempt to hold a price. `running` and `captured`: this debit or payment is in progress or done. `owed`: an
 * earlier debit has paid for the same request. `due`: a payment for it is open or owed. `failing`: the wallet's calls keep failing.
 * `called`: the call may have had its effect, although nothing was charged.
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
  /** With `running`, `captured` and `owed`: the existing debit. */
  readonly debit?: Debit | undefined;
}

export type HoldResult = { readonly verdict: 'held'; readonly debit: NewDebit } | NotHeld;

/** Why nothing was captured. The hold had lapsed, and other requests have taken the debit or the credit. */
type NotCharged = 'running' | 'busy' | 'insufficient';

/** An account, the debit with this id, and another debit for the same request whose answer is owed. */
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
 * Balances and debits. A price is held, and then captured together with the answer or released. Captures are durable when the
 * promise resolves; holds are not. Methods reject while the database is unavailable.
 */
export class Accounts extends Ledger {
  protected readonly paidBy = { table: 'debits', key: 'id' } as const;

  /** The unspent credit of all wallets by network, in millionths of a dollar. */
  async unspent(): Promise<ReadonlyMap<string, number>> {
    const found = await this.database.report(rows.SUM_UNSPENT);
    return new Map(found.map(({ cluster, unspent }) => [NETWORKS[cluster as Cluster], Number(unspent)]));
  }

  async find(holder: AccountHolder): Promise<Account> {
    const [row] = await this.database.read(rows.findAccount(holder, this.now()));
    return rows.accountOf(row);
  }

  /** The latest movements of an account, newest first, with the members that clients get. */
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

  /** Captures what was held and stores its answer. Answers the new balance, or why nothing was captured. */
  async capture(debit: NewDebit, answer: string): Promise<number | NotCharged> {
    const nowMs = debit.capturedAtMs ?? this.now();
    const entry = entryOf(debit);
    const stored = keepAnswer(debit.id, answer, nowMs + TIMES.answerMs);
    const write = rows.capture(debit, nowMs, [stored, append(entry, this.database.wallAt(nowMs))]);
    const row = await this.#write(debit, write, [entry]);
    if (row) return Number(row.balance);
    const now = await this.debit(debit.id);
    if (now?.owner === debit.owner && now.progress === 'captured') return balanceOf(await this.find(debit));
    // A lapsed hold can be taken again while the credit suffices. The noted call of that hold is this request's own.
    const { verdict } = now
      ? { verdict: 'running' }
      : await this.hold({ ...debit, isOnce: false }, { isPastOwed: true });
    if (verdict === 'held') return this.capture(debit, answer);
    return verdict === 'busy' || verdict === 'insufficient' ? verdict : 'running';
  }

  /**
   * Releases what this owner holds. `isCalled`: whether the upstream was called. If the database fails, the release is tried again
   * until the hold lapses. Never rejects.
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

  /** Upstream calls for a debit so far: the first, and those for a captured debit whose answer was lost. */
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

  /** Ignores the error of a hold that lost against a concurrent hold of the same debit, whose row may be gone by now. Throws others. */
  async #unlessTaken({ id }: NewDebit, error: unknown): Promise<undefined> {
    if (!isDuplicate(error) && (await this.debit(id)) === undefined) throw error;
  }

  /**
   * Whether the hold is for the only call of its payment or signature. Only a call that may have an effect is checked. Releases the hold if
   * there was another call. PostgreSQL shows a hold that waited no rows that were written after it began, so this checks them again.
   */
  async #isOnlyCall(debit: NewDebit): Promise<boolean> {
    if (!debit.isOnce) return true;
    let isOnly = false;
    try {
      const [row] = await this.database.read(rows.countCalls(debit.id));
      isOnly = Number(row?.calls) <= 1;
      return isOnly;
    } finally {
      if (!isOnly) await this.release(debit, true);
    }
  }

  /** Why a price was not held; undefined to try again. */
  async #refusedHold(debit: NewDebit, { isPastOwed }: rows.HoldOptions): Promise<HoldResult | undefined> {
    const nowMs = this.now();
    const { id, owner, micros, isOnce = false } = debit;
    const found = await this.database.read(rows.lookAtDebit(debit, nowMs));
    const { account, own, owed } = lookOf(found, debit, nowMs);
    const lapsed = found.filter((row) => row.state === 'held' && Number(row.until_ms) <= nowMs);
    // The database has held the price, but its reply was lost.
    if (own?.owner === owner && own.progress === 'held') return { verdict: 'held', debit };
    if (own) return { verdict: own.progress === 'held' ? 'running' : 'captured', account, debit: own };
    if (found[0]?.own_payment === 'bought') return { verdict: 'running', account };
    if (owed && !isPastOwed) return { verdict: 'owed', account, debit: owed };
    if (Number(found[0]?.due_payments) > 0 && !isPastOwed) return { verdict: 'due', account };
    if (isOnce && Number(found[0]?.own_calls) > 0) return { verdict: 'called', account };
    for (const row of lapsed) await this.write(rows.releaseLapsed(row, nowMs));
    const reason = lapsed.length > 0 ? undefined : holdRefusal(account, micros);
    if (!reason && found[0]?.own_payment === 'lapsed') await this.write(dropLapsedPayment(id, isOnce, nowMs));
    return reason && { verdict: reason, account };
  }

  /** Releases lapsed holds, whose processes have died or whose calls take too long. */
  async releaseAllLapsed(): Promise<void> {
    const nowMs = this.now();
    let lapsed: readonly SqlRow[];
    do {
      lapsed = await this.database.read(rows.findLapsed(nowMs));
      for (const row of lapsed) await this.write(rows.releaseLapsed(row, nowMs));
    } while (lapsed.length === rows.LAPSED_AT_ONCE);
  }
}
