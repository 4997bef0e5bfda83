import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Database, Row } from '../stores/sql/database.ts';
import { append, type JournalEntry, type OnWritten } from '../stores/sql/journal.ts';
import { type Beside, entriesOf, paymentChange, renewLease, walletGuard } from './changes.ts';
import { type PaymentEvent, type Step, step } from './machine.ts';
import { type HeldRecord, PAYMENTS, readRecord } from './record.ts';
import { findByKey, lookAt, recordOfRow, type StoredState, type Subject, stateOf } from './rows.ts';

/** What a step says, and the record after it. */
export interface Outcome {
  readonly verdict: Step['verdict'] | 'covered' | 'fees used up';
  readonly record: HeldRecord | undefined;
  /** The wallet's credit after the step, if the step has changed it. */
  readonly balanceMicros?: number;
}

/** A payment that this process has reserved or is settling. */
interface InHand {
  readonly subject: Subject;
  readonly state: StoredState;
}

const ATTEMPTS = 30;
/** Steps of a wallet that conflict again and again are tried again at different moments. */
const MOST_PAUSE_MS = 10;

const isDone = ({ verdict }: Step): boolean => verdict === 'done' || verdict === 'reserved';

const balanceOf = ({ granted_micro_usdc: granted, spent_micro_usdc: spent }: Row): number =>
  Number(granted) - Number(spent);

/**
 * Takes the steps of payments: the machine decides on what was read, and its step is written if that has not changed meanwhile. The
 * lease of a payment that this process works on is renewed until its last step.
 */
export class PaymentSteps {
  readonly #database: Database;
  readonly #onWritten: OnWritten;
  readonly #inHand = new Map<string, InHand>();
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
    const known = this.#inHand.get(key)?.subject;
    if (known) return known;
    const [row] = await this.#database.read(findByKey(key));
    return row && readRecord(recordOfRow(row), this.#now());
  }

  /** A step of a payment that is known; ignored for any other. If it fails, the lease is not renewed any more. */
  async takeKnown(key: string, event: PaymentEvent, beside: Beside = {}): Promise<Outcome> {
    try {
      const subject = await this.subjectOf(key);
      return subject ? await this.take(subject, event, beside) : { verdict: 'ignored', record: undefined };
    } catch (error) {
      this.#inHand.delete(key);
      throw error;
    }
  }

  /** The last step of this process: if it changes nothing, the outcome is looked up. */
  async takeLast(key: string, event: PaymentEvent): Promise<Outcome> {
    return this.takeKnown(key, event).finally(() => this.#inHand.delete(key));
  }

  async take(subject: Subject, event: PaymentEvent, beside: Beside = {}, seen?: StoredState): Promise<Outcome> {
    const known = this.#inHand.get(subject.key)?.state ?? seen;
    let isFresh = known === undefined;
    let state = known ?? (await this.read(subject));
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const result = step(state, event, this.#now());
      if (isDone(result)) {
        const version = randomBytes(8).toString('hex');
        const row = await this.#write(subject, result, { beside, version, wallet: state.wallet });
        if (row) return this.#taken(subject, result, { version, row, state, beside });
        const before = state;
        state = await this.read(subject);
        // Written, though the reply was lost.
        if (state.wallet?.version === version)
          return this.#taken(subject, result, { version, row: { id: state.wallet.id }, state, beside });
        const refusal = whyNotWritten(before, state, { event, beside });
        if (refusal) return { verdict: refusal, record: state.record };
        await pause(Math.random() * MOST_PAUSE_MS);
      } else if (isFresh) return { verdict: result.verdict, record: result.after.record };
      else state = await this.read(subject);
      isFresh = true;
    }
    throw new Error('too many steps at once');
  }

  #write(subject: Subject, result: Step, { beside, version, wallet }: Writing): Promise<Row | undefined> {
    const nowMs = this.#now();
    const { network, payer } = subject;
    const { dialect } = this.#database;
    const entries = newEntries(result, beside).map((entry) => append(entry, nowMs));
    return this.#database.write({
      guard: walletGuard({ step: result, network, payer, version, nowMs, dialect }, wallet, beside),
      changes: [...paymentChange(result, beside, nowMs), ...entries],
      isDurable: isLasting(result),
    });
  }

  #taken(subject: Subject, result: Step, { version, row, state, beside }: Taken): Outcome {
    const { record } = result.after;
    const { key, network, payer, requestHash } = subject;
    if (record?.progress === 'reserved' || record?.progress === 'settling') {
      const next = { ...state, ...result.after, wallet: { id: Number(row.id), version } };
      this.#inHand.set(key, { subject: { key, network, payer, requestHash }, state: next });
    } else this.#inHand.delete(key);
    this.#onWritten({ network, wallet: payer, entries: newEntries(result, beside) });
    return {
      verdict: result.verdict,
      record,
      ...(row.granted_micro_usdc !== undefined && { balanceMicros: balanceOf(row) }),
    };
  }

  #renewAll(): void {
    for (const [key, inHand] of this.#inHand) this.#renew(key, inHand).catch(() => undefined);
  }

  async #renew(key: string, inHand: InHand): Promise<void> {
    const { record } = inHand.state;
    const leasedUntilMs = this.#now() + PAYMENTS.leaseMs;
    const row = await this.#database.write({ guard: renewLease(key, record?.owner ?? '', leasedUntilMs) });
    if (this.#inHand.get(key) !== inHand) return;
    if (!row || !record) this.#inHand.delete(key);
    else this.#inHand.set(key, { ...inHand, state: { ...inHand.state, record: { ...record, leasedUntilMs } } });
  }

  #now(): number {
    return Math.floor(this.#database.now());
  }
}

interface Writing {
  readonly beside: Beside;
  readonly version: string;
  readonly wallet: StoredState['wallet'];
}

interface Taken {
  readonly beside: Beside;
  readonly version: string;
  readonly row: Row;
  readonly state: StoredState;
}

/** The entries of a step that the journal does not have already. */
const newEntries = (result: Step, { booked = [] }: Beside): readonly JournalEntry[] =>
  entriesOf(result).filter(({ kind }) => !booked.includes(kind));

/** What is only reserved need not survive a power cut: nothing has moved. */
const isLasting = ({ before, after }: Step): boolean =>
  [before.record, after.record].some((record) => record !== undefined && record.progress !== 'reserved');

/** Why a settlement was not begun although its wallet has not changed; undefined if it may be tried again. */
function whyNotWritten(
  before: StoredState,
  now: StoredState,
  { event, beside }: { readonly event: PaymentEvent; readonly beside: Beside },
): 'covered' | 'fees used up' | undefined {
  if (event.kind !== 'settling' || before.wallet?.version !== now.wallet?.version) return undefined;
  if (now.isCovered) return 'covered';
  return beside.fee ? 'fees used up' : undefined;
}
