import { findAnswer, keepAgain } from '../stores/sql/answers.ts';
import type { Database, Statement } from '../stores/sql/database.ts';
import type { JournalKind, OnWritten } from '../stores/sql/journal.ts';
import { noteDelivered } from './changes.ts';
import type { CreditLimits } from './cover.ts';
import {
  callsOf,
  dueOf,
  type HeldRecord,
  isKnownPayer,
  NEW_PAYER,
  type NewPayment,
  PAYMENTS,
  type PaymentRecord,
  type Proof,
  type ReserveVerdict,
  readDue,
  readRecord,
  type SettlementAttempt,
} from './record.ts';
import { FIND_ALL_OPEN, findByKey, findOpen, recordOfRow, type StoredState, type Subject } from './rows.ts';
import { PaymentSteps } from './steps.ts';

/** What is known before a payment is judged. */
export interface Look {
  /** The record of this very payment. */
  readonly record: PaymentRecord | undefined;
  /** The key of a payment of this payer for this request that is open, or whose answer is owed. */
  readonly dueKey: string | undefined;
  readonly isKnownPayer: boolean;
  readonly fees: StoredState['fees'];
  /** For the reservation that follows. */
  readonly state: StoredState;
}

const OPEN_AT_ONCE = 100;
/** A repair that could not read the transaction has booked it under a key of its own. */
const FIND_BOOKED = `select kind from journal_entries where kind in ('settlement', 'grant')
  and key in ($1, (select key from journal_entries where kind = 'settlement' and signature = $2))`;

/** A record without what only the machine needs. */
function recordOf(held: HeldRecord | undefined): PaymentRecord | undefined {
  if (!held) return undefined;
  const { leasedUntilMs: _leasedUntilMs, calls: _calls, ...record } = held;
  return record;
}

/**
 * What the gateway remembers about payments. Each step is decided by the machine on what was read, and written if that has not
 * changed meanwhile. What may have moved money is on disk when a promise resolves. Every method may reject while the database cannot
 * be used, except `release`.
 */
export class Payments {
  readonly #database: Database;
  readonly #steps: PaymentSteps;

  constructor(database: Database, onWritten: OnWritten = () => undefined) {
    this.#database = database;
    this.#steps = new PaymentSteps(database, onWritten);
  }

  /** The database's clock in whole milliseconds since the Unix epoch. It never steps. */
  now(): number {
    return Math.floor(this.#database.now());
  }

  async find(key: string): Promise<PaymentRecord | undefined> {
    const [row] = await this.#database.read(findByKey(key));
    return recordOf(row && readRecord(recordOfRow(row), this.now()));
  }

  /** Everything about a payment that a request needs before it is judged, in one query. `feePayer`: whose fees are summed up. */
  async look(subject: Subject, feePayer?: string): Promise<Look> {
    const state = await this.#steps.read(subject, feePayer);
    const nowMs = this.now();
    return {
      record: recordOf(readRecord(state.record, nowMs)),
      dueKey: dueOf(readDue(state.due, nowMs))?.key,
      isKnownPayer: isKnownPayer({ ...NEW_PAYER, paid: state.paidOnMainnet }, nowMs),
      fees: state.fees,
      state,
    };
  }

  /** Whether this wallet's mainnet payments of the last 30 days make it a known payer. */
  async isKnownPayer(payer: string): Promise<boolean> {
    if (!this.#database.isReady()) return false;
    const sql = `select paid from wallets where cluster = 'mainnet' and address = $1`;
    const [row] = await this.#database.read({ sql, values: [payer] });
    return row !== undefined && isKnownPayer({ ...NEW_PAYER, paid: JSON.parse(String(row.paid)) }, this.now());
  }

  /** The answer that a payment has bought, while it is kept. */
  async answer(key: string): Promise<string | undefined> {
    const [row] = await this.#database.read(findAnswer(key, this.now()));
    return row && String(row.answer);
  }

  /** Reserves a payment for its request, whose upstream call it counts. */
  async reserve(payment: NewPayment, { state, credit }: ReserveOptions = {}): Promise<ReserveVerdict> {
    const { verdict } = await this.#steps.take(payment, { kind: 'reserved', payment, credit }, {}, state);
    return verdict as ReserveVerdict;
  }

  /**
   * Notes a payment as settled by a transaction that the chain shows and no record knows. What a repair of the journal has booked
   * of it is not booked again. Answers false if another payment has settled with that signature.
   */
  async adopt(payment: NewPayment, signature: string): Promise<boolean> {
    const sql = `select key from payments where signature = $1 and state = 'settled'`;
    const [other] = await this.#database.read({ sql, values: [signature] });
    if (other && other.key !== payment.key) return false;
    const booked = await this.#database.read({ sql: FIND_BOOKED, values: [payment.key, signature] });
    const beside = { booked: booked.map(({ kind }) => kind as JournalKind) };
    await this.#steps.take(payment, { kind: 'adopted', payment, signature }, beside);
    return true;
  }

  /** Keeps the answer of a settled payment whose first one is gone. */
  async keep(key: string, answer: string): Promise<void> {
    const untilMs = this.now() + PAYMENTS.answerMs;
    await this.#database.write({ guard: keepAgain({ key, answer, untilMs }), isDurable: true });
  }

  /** Counts one more upstream call for a payment. */
  async called(key: string): Promise<void> {
    await this.#steps.takeKnown(key, { kind: 'called' });
  }

  /** How many upstream calls there have been for a payment. */
  async calls(key: string): Promise<number> {
    const subject = await this.#steps.subjectOf(key);
    return subject ? callsOf(await this.#steps.read(subject), key) : 0;
  }

  /**
   * Notes everything that a crash must not lose; from now on money may move. Nothing is noted if the answer is `owed` (this payer has
   * an open or owed payment for the same request), `covered` (credit pays for this very payment) or `fees used up`. Rejects if
   * the reservation is no longer this owner's.
   */
  async settling(
    key: string,
    owner: string,
    { answer, fee, ...sent }: SettlementAttempt,
  ): Promise<'settling' | 'owed' | 'covered' | 'fees used up'> {
    const { verdict } = await this.#steps.takeKnown(key, { kind: 'settling', owner, sent }, { answer, fee });
    if (verdict === 'owed' || verdict === 'covered' || verdict === 'fees used up') return verdict;
    if (verdict !== 'done') throw new Error('the reservation is lost');
    return 'settling';
  }

  /** The outcome is not known. */
  async unresolved(key: string, signature?: string): Promise<void> {
    await this.#steps.takeLast(key, { kind: 'unresolved', signature });
  }

  /**
   * Moves the record as the proof says. A refusal on an owner's word counts only while the payment is that owner's. Answers the record
   * as it is then, and the wallet's credit.
   */
  async resolve(key: string, proof: Proof, owner?: string): Promise<Resolved> {
    const { record, balanceMicros } = await this.#steps.takeLast(key, { kind: 'resolved', proof, owner });
    return { record: recordOf(record), balanceMicros };
  }

  /** Nothing was sent, because of a fault of ours: the payment is unused again. */
  async withdraw(key: string, owner: string): Promise<void> {
    await this.#steps.takeLast(key, { kind: 'withdrawn', owner, from: 'settling', isCalled: true });
  }

  /** Releases what this owner has only reserved; does nothing otherwise. `isCalled`: whether the upstream was called. Never rejects. */
  async release(key: string, owner: string, isCalled: boolean): Promise<void> {
    const event = { kind: 'withdrawn', owner, from: 'reserved', isCalled } as const;
    await this.#steps.takeLast(key, event).catch(() => undefined);
  }

  /** The answer has reached the payer. */
  delivered(key: string): void {
    this.#database.note(noteDelivered(key));
  }

  /** Payments whose outcome must be looked up on the chain. */
  async open(): Promise<readonly PaymentRecord[]> {
    return this.#recordsOf(findOpen(this.now(), OPEN_AT_ONCE));
  }

  /** Payments that may have moved money, whichever process works on them. */
  allOpen(): Promise<readonly PaymentRecord[]> {
    return this.#recordsOf(FIND_ALL_OPEN);
  }

  close(): void {
    this.#steps.close();
  }

  async #recordsOf(statement: Statement): Promise<readonly PaymentRecord[]> {
    const nowMs = this.now();
    const records = (await this.#database.read(statement)).map((row) => readRecord(recordOfRow(row), nowMs));
    return records.flatMap((record) => recordOf(record) ?? []);
  }
}

/** What `look` has found, and up to where credit is bought. */
export interface ReserveOptions {
  readonly state?: StoredState | undefined;
  readonly credit?: CreditLimits | undefined;
}

/** What became of a payment, and the wallet's credit then, if this step has changed it. */
export interface Resolved {
  readonly record: PaymentRecord | undefined;
  readonly balanceMicros: number | undefined;
}
