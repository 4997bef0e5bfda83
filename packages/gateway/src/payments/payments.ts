import type { CreditLimits } from '../credit/account.ts';
import { type Database, findAnswer, type JournalKind, keepAgain, type OnWritten } from '../stores/sql/database.ts';
import { noteDelivered } from './changes.ts';
import {
  callsOf,
  dueOf,
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
import { findByKey, findOpen, recordOfRow, type StoredState, type Subject } from './rows.ts';
import { PaymentSteps } from './steps.ts';

/** What is known of a payment before it is checked. */
export interface Look {
  /** The record of this very payment. */
  readonly record: PaymentRecord | undefined;
  /** The key of this payer's payment for the same request that is open or owed. */
  readonly dueKey: string | undefined;
  readonly isKnownPayer: boolean;
  /** For the reservation that follows. */
  readonly state: StoredState;
}

const OPEN_AT_ONCE = 100;
/** A repair that could not read the transaction has used another key. */
const FIND_BOOKED = `select kind from journal_entries where kind in ('settlement', 'grant')
  and key in ($1, (select key from journal_entries where kind = 'settlement' and signature = $2))`;

/**
 * The stored payments. Steps after a reservation are durable when the promise resolves. Methods reject while the database is
 * unavailable, except `release`.
 */
export class Payments {
  readonly #database: Database;
  readonly #steps: PaymentSteps;

  constructor(database: Database, onWritten: OnWritten = () => undefined) {
    this.#database = database;
    this.#steps = new PaymentSteps(database, onWritten);
  }

  /** The database's clock in milliseconds since the Unix epoch. It never steps. */
  now(): number {
    return Math.floor(this.#database.now());
  }

  async find(key: string): Promise<PaymentRecord | undefined> {
    const [row] = await this.#database.read(findByKey(key));
    return row && readRecord(recordOfRow(row), this.now());
  }

  /** Reads everything that decides about a payment, in one query. `feePayer`: whose fees are summed. */
  async look(subject: Subject, feePayer?: string): Promise<Look> {
    const state = await this.#steps.read(subject, feePayer);
    const nowMs = this.now();
    return {
      record: readRecord(state.record, nowMs),
      dueKey: dueOf(readDue(state.due, nowMs))?.key,
      isKnownPayer: isKnownPayer({ ...NEW_PAYER, paid: state.paidOnMainnet }, nowMs),
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

  /** The stored answer of a payment. */
  async answer(key: string): Promise<string | undefined> {
    const [row] = await this.#database.read(findAnswer(key, this.now()));
    return row && String(row.answer);
  }

  /** Reserves a payment for its request, and counts the first upstream call. */
  async reserve(payment: NewPayment, { state, credit }: ReserveOptions = {}): Promise<ReserveVerdict> {
    const { verdict } = await this.#steps.take(payment, { kind: 'reserved', payment, credit }, {}, state);
    return verdict as ReserveVerdict;
  }

  /**
   * Records a payment as settled that the chain shows but no record has. Entries that a repair of the journal has appended are not
   * appended again. Answers false if another payment has settled with that signature.
   */
  async adopt(payment: NewPayment, signature: string): Promise<boolean> {
    const sql = `select key from payments where signature = $1 and state = 'settled'`;
    const [other] = await this.#database.read({ sql, values: [signature] });
    if (other && other.key !== payment.key) return false;
    const booked = await this.#database.read({ sql: FIND_BOOKED, values: [payment.key, signature] });
    const details = { booked: booked.map(({ kind }) => kind as JournalKind) };
    await this.#steps.take(payment, { kind: 'adopted', payment, signature }, details);
    return true;
  }

  /** Stores an answer that was fetched again. */
  async keep(key: string, answer: string): Promise<void> {
    const untilMs = this.now() + PAYMENTS.answerMs;
    await this.#database.write({ guard: keepAgain({ key, answer, untilMs }), isDurable: true });
  }

  /** Counts one more upstream call for a payment. */
  async called(key: string): Promise<void> {
    await this.#steps.takeKnown(key, { kind: 'called' });
  }

  /** Upstream calls for a payment so far. */
  async calls(key: string): Promise<number> {
    const subject = await this.#steps.subjectOf(key);
    return subject ? callsOf(await this.#steps.read(subject), key) : 0;
  }

  /**
   * Stores everything that a crash must not lose; from now on money may move. Stores nothing if the payer has an open or owed payment
   * for the same request (`owed`), if credit has covered this payment (`covered`), or if the `fees` are `used up`. Rejects if another
   * owner has the reservation.
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

  /** The outcome is unknown. */
  async unresolved(key: string, signature?: string): Promise<void> {
    await this.#steps.takeKnown(key, { kind: 'unresolved', signature });
  }

  /** Records a proof. A refusal by an owner counts only while the payment is that owner's. */
  async resolve(key: string, proof: Proof, owner?: string): Promise<Resolved> {
    const { record, balanceMicros } = await this.#steps.takeKnown(key, { kind: 'resolved', proof, owner });
    return { record, balanceMicros };
  }

  /** Nothing was sent because of a fault of the gateway: the payment is unused again. */
  async withdraw(key: string, owner: string): Promise<void> {
    await this.#steps.takeKnown(key, { kind: 'withdrawn', owner, from: 'settling', isCalled: true });
  }

  /** Releases this owner's reservation, if there is one. `isCalled`: whether the upstream was called. Never rejects. */
  async release(key: string, owner: string, isCalled: boolean): Promise<void> {
    const event = { kind: 'withdrawn', owner, from: 'reserved', isCalled } as const;
    await this.#steps.takeKnown(key, event).catch(() => undefined);
  }

  /** Notes that the answer has reached the payer. */
  delivered(key: string): void {
    this.#database.note(noteDelivered(key));
  }

  /** Payments whose outcome must be looked up on the chain, a hundred at a time. */
  async open(): Promise<readonly PaymentRecord[]> {
    const nowMs = this.now();
    const rows = await this.#database.read(findOpen(nowMs, OPEN_AT_ONCE));
    return rows.flatMap((row) => readRecord(recordOfRow(row), nowMs) ?? []);
  }

  close(): void {
    this.#steps.close();
  }
}

/** The state that `look` has read, and the limits of credit. */
interface ReserveOptions {
  readonly state?: StoredState | undefined;
  readonly credit?: CreditLimits | undefined;
}

/** The record after a step, and the wallet's credit if the step has changed it. */
interface Resolved {
  readonly record: PaymentRecord | undefined;
  readonly balanceMicros: number | undefined;
}
