import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { append, type Database, type JournalEntry, type OnWritten, type Row } from '../stores/sql/database.ts';
import { entriesOf, paymentChange, renewLease, type StepDetails, walletGuard } from './changes.ts';
import { type PaymentEvent, type Step, step } from './machine.ts';
import { PAYMENTS, type PaymentRecord, readRecord } from './record.ts';
import { findByKey, lookAt, recordOfRow, type StoredState, type Subject, stateOf } from './rows.ts';

/** The verdict of a step, and the record after it. */
export interface Outcome {
  readonly verdict: Step['verdict'] | 'covered' | 'fees used up';
  readonly record: PaymentRecord | undefined;
  /** The wallet's credit after a step that was written. */
  readonly balanceMicros?: number;
}

/** A payment that this process has reserved or is settling. */
interface OwnPayment {
  readonly subject: Subject;
  readonly state: StoredState;
}

const ATTEMPTS = 30;
/** Random pauses separate conflicting steps of one wallet. */
const MOST_PAUSE_MS = 10;

const isDone = ({ verdict }: Step): boolean => verdict === 'done' || verdict === 'reserved';

/**
 * Takes the steps of payments: the machine decides on the state that was read, and its step is written if the state has not changed.
 * The lease of a payment is renewed while this process works on it.
 */
export class PaymentSteps {
  readonly #database: Database;
  readonly #onWritten: OnWritten;
  readonly #own = new Map<string, OwnPayment>();
  readonly #renewing: NodeJS.Timeout;

  constructor(database: Database, onWritten: OnWritten) {
    this.#database = database;
    this.#onWritten = onWritten;
    this.#renewing = setInterval(() => this.#renewAll(), PAYMENTS.renewMs).unref();
  }

  close(): void {
    clearInterval(this.#renewing);
  }

  async read(subject: Subject, feePayer?: string): Promise<StoredState> {
    return stateOf(await this.#database.read(lookAt(subject, this.#now(), feePayer)), subject);
  }

  async subjectOf(key: string): Promise<Subject | undefined> {
    const known = this.#own.get(key)?.subject;
    if (known) return known;
    const [row] = await this.#database.read(findByKey(key));
    return row && readRecord(recordOfRow(row), this.#now());
  }

  /** A step of an existing payment; ignored if there is none. After a failure and after the last step the lease is no longer renewed. */
  async takeKnown(key: string, event: PaymentEvent, details: StepDetails = {}): Promise<Outcome> {
    let isLeased = event.kind === 'called' || event.kind === 'settling';
    try {
      const subject = await this.subjectOf(key);
      return subject ? await this.take(subject, event, details) : { verdict: 'ignored', record: undefined };
    } catch (error) {
      isLeased = false;
      throw error;
    } finally {
      if (!isLeased) this.#own.delete(key);
    }
  }

  async take(subject: Subject, event: PaymentEvent, details: StepDetails = {}, seen?: StoredState): Promise<Outcome> {
    const known = this.#own.get(subject.key)?.state ?? seen;
    let isFresh = known === undefined;
    let state = known ?? (await this.read(subject));
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const result = step(state, event, this.#now());
      if (isDone(result)) {
        const version = randomBytes(8).toString('hex');
        const taking = { subject, result, details, version, entries: entriesOf(result, details) };
        const row = await this.#write(taking, state.wallet);
        if (row) return this.#taken(taking, row, state);
        const before = state;
        state = await this.read(subject);
        // It was written, but the reply was lost.
        if (state.wallet?.version === version) return this.#taken(taking, { id: state.wallet.id }, state);
        const refusal = settlingRefusal(before, state, { event, details });
        if (refusal) return { verdict: refusal, record: state.record };
        await pause(Math.random() * MOST_PAUSE_MS);
      } else if (isFresh) return { verdict: result.verdict, record: result.after.record };
      else state = await this.read(subject);
      isFresh = true;
    }
    throw new Error('too many steps at once');
  }

  #write(taking: Taking, wallet: StoredState['wallet']): Promise<Row | undefined> {
    const { subject, result, details, version, entries } = taking;
    const nowMs = this.#now();
    const { network, payer } = subject;
    const { dialect } = this.#database;
    return this.#database.write({
      guard: walletGuard({ step: result, network, payer, version, nowMs, dialect }, wallet, details),
      changes: [...paymentChange(result, details, nowMs), ...entries.map((entry) => append(entry, nowMs))],
      isDurable: isLasting(result),
    });
  }

  #taken({ subject, result, version, entries }: Taking, row: Row, state: StoredState): Outcome {
    const { record } = result.after;
    const { key, network, payer, requestHash } = subject;
    const { granted_micro_usdc: granted, spent_micro_usdc: spent } = row;
    if (record?.progress === 'reserved' || record?.progress === 'settling') {
      const next = { ...state, ...result.after, wallet: { id: Number(row.id), version } };
      this.#own.set(key, { subject: { key, network, payer, requestHash }, state: next });
    } else this.#own.delete(key);
    this.#onWritten({ network, wallet: payer, entries });
    return {
      verdict: result.verdict,
      record,
      ...(granted !== undefined && { balanceMicros: Number(granted) - Number(spent) }),
    };
  }

  #renewAll(): void {
    for (const [key, own] of this.#own) this.#renew(key, own).catch(() => undefined);
  }

  async #renew(key: string, own: OwnPayment): Promise<void> {
    const { record } = own.state;
    const leasedUntilMs = this.#now() + PAYMENTS.leaseMs;
    const row = await this.#database.write({ guard: renewLease(key, record?.owner ?? '', leasedUntilMs) });
    if (this.#own.get(key) !== own) return;
    if (!row || !record) this.#own.delete(key);
    else this.#own.set(key, { ...own, state: { ...own.state, record: { ...record, leasedUntilMs } } });
  }

  #now(): number {
    return Math.floor(this.#database.now());
  }
}

/** A step that is written. */
interface Taking {
  readonly subject: Subject;
  readonly result: Step;
  readonly details: StepDetails;
  readonly version: string;
  readonly entries: readonly JournalEntry[];
}

/** A reservation need not survive a power cut, because nothing has moved. */
const isLasting = ({ before, after }: Step): boolean =>
  [before.record, after.record].some((record) => record !== undefined && record.progress !== 'reserved');

/** Why a settlement was not written although the wallet has not changed; undefined to try again. */
function settlingRefusal(
  before: StoredState,
  now: StoredState,
  { event, details }: { readonly event: PaymentEvent; readonly details: StepDetails },
): 'covered' | 'fees used up' | undefined {
  if (event.kind !== 'settling' || before.wallet?.version !== now.wallet?.version) return undefined;
  if (now.isCovered) return 'covered';
  return details.fee ? 'fees used up' : undefined;
}
