import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Repeated } from '../background.ts';
import type { CreditLimits } from '../credit/account.ts';
import { mayDelete } from '../stores/sql/books-clock.ts';
import { dropLapsedPayment, IS_SEARCHED } from '../stores/sql/conditions.ts';
import { isDuplicate, type JournalKind, MoneyStore, type SqlRow } from '../stores/sql/database.ts';
import { TIMES } from '../times.ts';
import * as changes from './changes.ts';
import type { Settlement } from './facilitator/facilitator.ts';
import * as machine from './machine.ts';
import {
  isKnownPayer,
  type NewPayment,
  type PaymentRecord,
  type ReserveVerdict,
  readRecord,
  readState,
  type SettlementAttempt,
} from './record.ts';
import {
  findByKey,
  findOpen,
  lookAtPayment,
  paidOf,
  recordOfRow,
  type StoredState,
  type Subject,
  stateOf,
} from './rows.ts';

/** The verdict of a step, and the record after it. */
interface StepOutcome {
  readonly verdict: machine.TransitionResult['verdict'] | 'fees_used_up';
  readonly record: PaymentRecord | undefined;
  /** The wallet's credit after a step that was written. */
  readonly balanceMicros?: number | undefined;
}

type OwnState = StoredState & { readonly record: PaymentRecord };

const OPEN_AT_ONCE = 100;
/** SQL for the pause before the next look-up, in milliseconds: a quarter of the payment's age, at most a minute. */
const LOOK_UP_PAUSE =
  'case when $2 - settling_since_ms < 240000 then cast(($2 - settling_since_ms) / 4 as bigint) else 60000 end';
const ATTEMPTS = 30;
/**
 * The longest pause between attempts, in milliseconds. Pauses are random, because two steps of one wallet would otherwise conflict again.
 */
const MOST_PAUSE_MS = 10;
/**
 * SQL for the kinds of journal entries that a payment has. If a repair could not read the transaction, its entry has the same signature but
 * another key.
 */
const FIND_BOOKED = `select kind from journal_entries where kind in ('settlement', 'grant')
  and key in ($1, (select key from journal_entries where kind = 'settlement' and signature = $2))`;

/**
 * Stores the payments. Each step reads the state, lets machine.ts decide, and writes only if the wallet has not changed since. Every step
 * after a reservation is durable when the promise resolves. Methods reject while the database is unavailable, except `release`.
 */
export class Payments extends MoneyStore {
  protected readonly paidBy = { table: 'payments', key: 'key' } as const;
  /** The payments that this process has reserved or is settling, whose leases it renews. */
  readonly #own = new Map<string, OwnState>();
  readonly #renewing: Repeated;

  constructor(...parts: ConstructorParameters<typeof MoneyStore>) {
    super(...parts);
    const renew = ([key, own]: [string, OwnState]) => this.background.run('leases', () => this.#renew(key, own));
    this.#renewing = this.background.every('leases', TIMES.renewMs, () => Promise.all([...this.#own].map(renew)));
  }

  close(): Promise<void> {
    return this.#renewing.close();
  }

  /** Returns the record of a payment. `nowMs`: the time at which its lease is judged. */
  async find(key: string, nowMs = this.now()): Promise<PaymentRecord | undefined> {
    const [row] = await this.database.read(findByKey(key));
    return row && readRecord(recordOfRow(row), nowMs);
  }

  /** Reads everything that decides about a payment, in one query. `feePayer`: the fee payer whose fees of the last hour are summed. */
  async look(subject: Subject, feePayer?: string): Promise<StoredState> {
    const nowMs = this.now();
    return readState(stateOf(await this.database.read(lookAtPayment(subject, nowMs, feePayer)), subject.key), nowMs);
  }

  /** Whether this wallet's mainnet payments of the last 30 days make it a known payer. */
  async isKnownPayer(payer: string): Promise<boolean> {
    if (!this.database.isReady()) return false;
    const sql = `select paid from wallets where cluster = 'mainnet' and address = $1`;
    const [row] = await this.database.read({ sql, values: [payer] });
    return isKnownPayer(paidOf(row?.paid), this.now());
  }

  /** Reserves a payment for its request, and counts the first upstream call. `seen`: a state that `look` has returned. */
  async reserve(payment: NewPayment, credit?: CreditLimits, seen?: StoredState): Promise<ReserveVerdict> {
    const reserving = this.#advance(payment, machine.reserve(payment, credit), {}, seen);
    // The database may have written the reservation of a request that is refused then.
    if (this.mayWriteLater) reserving.catch(() => this.release(payment.key, payment.owner, false));
    const { verdict } = await reserving;
    // The node whose reservation has lapsed must not settle a payment that this node refuses now.
    if (verdict === 'called') await this.write(dropLapsedPayment(payment.key, true, this.now()));
    if (verdict === 'done') return 'reserved';
    if (verdict === 'ignored' || verdict === 'lost' || verdict === 'fees_used_up')
      throw new Error(`a reservation ended with: ${verdict}`);
    return verdict;
  }

  /**
   * Records that a payment without a record has settled, as the chain shows. Does not append an entry again that a repair of the journal
   * has appended. Returns false if another payment has settled with that signature.
   */
  async adopt(payment: NewPayment, signature: string): Promise<boolean> {
    const sql = `select key from payments where signature = $1 and state = 'settled'`;
    const [other] = await this.database.read({ sql, values: [signature] });
    if (other && other.key !== payment.key) return false;
    const booked = await this.#booked(payment.key, signature);
    await this.#advance(payment, machine.adopt(payment, signature), { booked });
    return true;
  }

  /** Returns the kinds of entries that the journal has for a payment. */
  async #booked(key: string, signature: string): Promise<readonly JournalKind[]> {
    const booked = await this.database.read({ sql: FIND_BOOKED, values: [key, signature] });
    return booked.map(({ kind }) => kind as JournalKind);
  }

  /** Counts one more upstream call for a payment. */
  async called(key: string): Promise<void> {
    await this.#next(key, machine.countCall);
  }

  /** Returns how many upstream calls were made for a payment so far. */
  async calls(key: string): Promise<number> {
    return (await this.find(key))?.calls ?? 0;
  }

  /**
   * Stores everything that a crash must not lose. From then on money may move. Stores nothing and returns why, if the payer has an open or
   * owed payment for the same request (`due`), if credit has covered this payment (`covered`), or if the fee budget is used up
   * (`fees_used_up`). Rejects if another owner has the reservation.
   */
  async beginSettlement(key: string, owner: string, { answer, fee, ...attempt }: SettlementAttempt) {
    const { verdict } = await this.#next(key, machine.beginSettlement(owner, attempt), { answer, fee, owner });
    if (verdict === 'done') return 'settling';
    if (verdict === 'due' || verdict === 'covered' || verdict === 'fees_used_up') return verdict;
    throw new Error('the reservation is lost');
  }

  /** Records a settlement's outcome. The outcome that nothing was sent counts only if `owner` still owns the payment. */
  async resolve(key: string, settlement: Settlement, owner?: string): Promise<StepOutcome> {
    const transition = machine.resolve(settlement, owner);
    return this.#next(key, transition, { owner }).catch(async (error) => {
      if (settlement.outcome !== 'settled' || !isDuplicate(error)) throw error;
      // The write failed because a repair of the journal has appended the same entry first.
      return this.#next(key, transition, { booked: await this.#booked(key, settlement.signature) });
    });
  }

  /**
   * Releases this owner's reservation, even one that has lapsed. The payer may then use the payment again, for at most
   * `LIMITS.callsPerAnswer` upstream calls in all. `isCalled`: whether the upstream was called. If it was not, the count of calls is
   * reduced by one. Never rejects.
   */
  async release(key: string, owner: string, isCalled: boolean): Promise<void> {
    await this.background.run('releases', async () => {
      const { verdict } = await this.#next(key, machine.release(owner, isCalled), { owner });
      if (verdict === 'ignored') await this.write(dropLapsedPayment(key, isCalled, this.now(), owner));
    });
  }

  /**
   * Returns at most a hundred open payments, in the order of their next look-up. `dueMs`: includes only payments whose look-up is due by
   * then.
   */
  async openPayments(dueMs = Number.MAX_SAFE_INTEGER): Promise<readonly PaymentRecord[]> {
    const nowMs = this.now();
    const rows = await this.database.read(findOpen(nowMs, dueMs, OPEN_AT_ONCE));
    return rows.flatMap((row) => readRecord(recordOfRow(row), nowMs) ?? []);
  }

  /**
   * Returns the open payments whose look-up is due, and sets when each is looked up next. With an RPC, the next look-up is due at once but
   * queued behind the others. Without an RPC, it is due after a pause that grows with the payment's age.
   */
  async nextOpen(hasChain: (network: string) => boolean): Promise<readonly PaymentRecord[]> {
    const nowMs = this.now();
    const records = await this.openPayments(nowMs);
    const recordKeys = (isOnChain: boolean) =>
      records.flatMap(({ key, network }) => (hasChain(network) === isOnChain ? [key] : []));
    for (const [keys, waitMs] of [[recordKeys(true), '0'] as const, [recordKeys(false), LOOK_UP_PAUSE] as const]) {
      const sql = `update payments set search_from_ms = cast($2 as bigint) + ${waitMs} where key in (${this.database.dialect.textsIn('$1')})
  and ${IS_SEARCHED} and {in time} returning key`;
      if (keys.length > 0) await this.write({ condition: { sql, values: [JSON.stringify(keys), nowMs] } });
    }
    return records;
  }

  /**
   * Ends the search for a payment that can no longer land. Its row stays for the operator, and its payer may buy the answer again. Does
   * nothing if the clock has just jumped.
   */
  async endSearch({ key, settlingSinceMs = this.now() }: PaymentRecord): Promise<void> {
    const isSearchOver = this.now() - settlingSinceMs > TIMES.searchMs;
    if (isSearchOver && mayDelete(await this.database.clock())) await this.#next(key, machine.endSearch);
  }

  /**
   * Takes a step of an existing payment. Returns `ignored` if the payment has no record. Afterwards renews the lease only if the payment is
   * reserved or settling. The lease of another request stays.
   */
  async #next(key: string, transition: machine.Transition, details: changes.StepDetails = {}): Promise<StepOutcome> {
    const known = this.#own.get(key);
    const own = known?.record.owner === (details.owner ?? known?.record.owner) ? known : undefined;
    if (own) this.#own.delete(key);
    const record = own?.record ?? (await this.find(key));
    return record ? this.#advance(record, transition, details, own) : { verdict: 'ignored', record };
  }

  /** Reads the state, decides and writes. Repeats this if another process has written in between. `seen`: a state that was read earlier. */
  async #advance(
    subject: Subject,
    transition: machine.Transition,
    details: changes.StepDetails,
    seen?: StoredState,
  ): Promise<StepOutcome> {
    let state = seen ?? (await this.look(subject));
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const nowMs = this.now();
      const step = machine.apply(state, transition, nowMs);
      if (step.verdict !== 'done') {
        // The state that was read earlier may be out of date, so a refusal needs a fresh one.
        if (state !== seen) return { verdict: step.verdict, record: step.after.record };
        state = await this.look(subject);
        continue;
      }
      const entries = changes.entriesOf(step, details);
      const version = randomBytes(8).toString('hex');
      const pending = { subject, state, step, details, entries, version, nowMs, wallMs: this.database.wallAt(nowMs) };
      const row = await this.write(changes.statementsOf(pending, this.database.dialect));
      if (row) return this.#written(pending, row);
      state = await this.look(subject);
      const outcome = this.#unwritten(pending, state);
      if (outcome) return outcome;
      await pause(Math.random() * MOST_PAUSE_MS);
    }
    throw new Error('too many steps at once');
  }

  /**
   * Returns the outcome of a step whose write the database has not confirmed; undefined if the step may be tried again on the present
   * state.
   */
  #unwritten(pending: changes.PendingStep, present: StoredState): StepOutcome | undefined {
    const { state, step, details, version } = pending;
    const { wallet, record } = present;
    // The database wrote the step, but its reply was lost.
    if (wallet?.version === version) return this.#written(pending, { id: wallet.id });
    if (!changes.beginsSettling(step) || wallet?.version !== state.wallet?.version) return undefined;
    if (present.isCovered) return { verdict: 'covered', record };
    return details.fee ? { verdict: 'fees_used_up', record } : undefined;
  }

  #written({ subject, state, step, entries, version }: changes.PendingStep, row: SqlRow): StepOutcome {
    const { record } = step.after;
    const { granted_micro_usdc: granted, spent_micro_usdc: spent } = row;
    if (record?.progress === 'reserved' || record?.progress === 'settling')
      this.#own.set(record.key, { ...state, ...step.after, record, wallet: { id: Number(row.id), version } });
    this.events.emit('written', { network: subject.network, wallet: subject.payer, entries });
    return {
      verdict: 'done',
      record,
      ...(granted !== undefined && { balanceMicros: Number(granted) - Number(spent) }),
    };
  }

  async #renew(key: string, own: OwnState): Promise<void> {
    const nowMs = this.now();
    const row = await this.write({ condition: changes.renewLease(key, own.record.owner, nowMs) });
    if (this.#own.get(key) !== own) return;
    if (row) this.#own.set(key, { ...own, record: { ...own.record, leasedUntilMs: nowMs + TIMES.leaseMs } });
    else this.#own.delete(key);
  }
}
