import { randomBytes } from 'node:crypto';
import type { Companion, CompanionChange } from './companion.ts';
import { changesOf, type Documents, documentsOf, namesOf, openFrom, type Subject, stateIn } from './documents.ts';
import { type PaymentEvent, type Step, step } from './machine.ts';
import { isOpen, type Moment } from './state.ts';
import type { AnswerChange, Change, Commit, PaymentDocuments, Stored } from './store/port.ts';

/** A payment that this process has reserved or is settling, or has left open or undelivered. */
interface InHand {
  readonly subject: Subject;
  readonly documents: Documents;
  /** Its answer, written down again when the store has lost it while money may move. */
  readonly answer: string | undefined;
  /** Until when it is of use. */
  readonly untilMs: number;
}

/** What is written beside the documents of a step. */
export interface Beside {
  readonly answer?: AnswerChange;
  /** Documents that are not there yet as a rule, and are written with it. */
  readonly marks?: readonly CompanionChange[];
}

/** So often a step is decided anew when somebody else's came before it. */
const ATTEMPTS = 10;
/** So long after its sending a transaction may yet land, with much to spare. */
const MAY_LAND_MS = 180_000;
/** As many payments may be between being looked at and being reserved. */
const MOST_GUESSES = 1_000;
/** How often a sign of life is given: several times in a lease. */
const BEAT_MS = 2_000;

const absent = (name: string): Stored => ({ name, version: undefined, value: undefined });

const isDone = ({ verdict }: Step): boolean => verdict === 'done' || verdict === 'reserved';

/** Documents as they are, where some of them were looked at again. */
function refreshed(documents: Documents, now: readonly Stored[]): Documents {
  const fresh = (stored: Stored): Stored => now.find(({ name }) => name === stored.name) ?? stored;
  return { record: fresh(documents.record), payer: fresh(documents.payer), due: fresh(documents.due) };
}

/**
 * Takes the steps of payments: the machine decides, and what it was decided by must still be there when it is written. What this
 * process is in the middle of is kept at hand, so that its steps need not be read first; its leases are renewed while the
 * process lives.
 */
export class Steps {
  readonly #store: PaymentDocuments;
  readonly #companions: readonly Companion[];
  readonly #node = randomBytes(8).toString('hex');
  readonly #inHand = new Map<string, InHand>();
  /** What was read last, by its name: a first guess at what is there, which the store would correct. */
  readonly #guesses = new Map<string, Stored>();
  readonly #beat: NodeJS.Timeout | undefined;

  constructor(store: PaymentDocuments, companions: readonly Companion[] = []) {
    this.#store = store;
    this.#companions = companions;
    store.onLost((commit) => this.#restore(commit));
    if (store.leaseMs !== undefined) this.#beat = setInterval(() => this.#renewAll(), BEAT_MS).unref();
  }

  get moment(): Moment {
    return { nowMs: this.#store.now(), node: this.#node, leaseMs: this.#store.leaseMs };
  }

  /** Whose payment this is, where this process is in the middle of it. */
  subjectOf(key: string): Subject | undefined {
    return this.#inHand.get(key)?.subject;
  }

  /** Notes what was read: a reservation that follows need not read it again. */
  noteRead(stored: Stored): void {
    const [oldest] = this.#guesses.size < MOST_GUESSES ? [] : this.#guesses.keys();
    if (oldest !== undefined) this.#guesses.delete(oldest);
    this.#guesses.set(stored.name, stored);
  }

  /** Gives no sign of life any more for what this process was in the middle of. */
  letGo(key: string): void {
    this.#inHand.delete(key);
  }

  /** One step. Rejects when the store is down; it is then not known whether it was taken. */
  async take(subject: Subject, event: PaymentEvent, beside: Beside = {}): Promise<Step> {
    // Only a reservation is written past all three documents, so that none of them can have been guessed wrong.
    const guess = event.kind === 'reserved' ? this.#guess(subject) : undefined;
    const known = this.#inHand.get(subject.key)?.documents ?? guess;
    let isFresh = known === undefined;
    let documents = known ?? (await this.#read(subject));
    const others = new Map<string, Stored>();
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const result = step(stateIn(documents), event, this.moment);
      if (isDone(result)) {
        const changes = await this.#changesBeside(result, beside, others);
        const commit = this.#commitOf(documents, result, { ...(beside.answer && { answer: beside.answer }), changes });
        const { isWritten, now } = await this.#store.commit(commit);
        documents = refreshed(documents, now);
        for (const stored of now) others.set(stored.name, stored);
        if (isWritten) {
          const isOver = event.kind === 'renewed' && !this.#isAtHand(subject, event.owner);
          if (!isOver) this.#keepAtHand(subject, documents, beside.answer?.text);
          return result;
        }
      } else if (isFresh) return result;
      else documents = await this.#read(subject);
      isFresh = true;
    }
    throw new Error('too many steps at once');
  }

  close(): void {
    clearInterval(this.#beat);
  }

  #guess(subject: Subject): Documents | undefined {
    const names = namesOf(subject);
    const guesses = names.flatMap((name) => this.#guesses.get(name) ?? []);
    for (const name of names) this.#guesses.delete(name);
    return guesses.length === names.length ? documentsOf(guesses) : undefined;
  }

  async #read(subject: Subject): Promise<Documents> {
    return documentsOf(await this.#store.read(namesOf(subject)));
  }

  /** What changes beside the payment's own documents. A mark is taken for new; what companions keep is read first. */
  async #changesBeside(result: Step, { marks = [] }: Beside, known: ReadonlyMap<string, Stored>): Promise<Change[]> {
    const kept = this.#companions.flatMap((companion) => companion.changesWith?.(result) ?? []);
    const unread = kept.map(({ name }) => name).filter((name) => !known.has(name));
    const found = new Map(unread.length === 0 ? [] : (await this.#store.read(unread)).map((each) => [each.name, each]));
    return [...marks, ...kept].map(({ name, change }) => change(known.get(name) ?? found.get(name) ?? absent(name)));
  }

  #commitOf(
    documents: Documents,
    result: Step,
    { answer, changes }: { answer?: AnswerChange; changes: readonly Change[] },
  ): Commit {
    const { before, after } = result;
    const { nowMs, leaseMs } = this.moment;
    const fromMs = openFrom(after.record, nowMs);
    const isOrWasOpen = fromMs !== undefined || openFrom(before.record, nowMs) !== undefined;
    const key = (after.record ?? before.record)?.key;
    const journal = this.#companions.flatMap((companion) => companion.entriesOf?.(result, this.#node) ?? []);
    return {
      changes: [...changesOf(documents, result, leaseMs), ...changes],
      ...(answer && { answer }),
      ...(isOrWasOpen && key !== undefined && { open: { key, fromMs } }),
      ...(journal.length > 0 && { journal }),
    };
  }

  #keepAtHand({ key, network, payer, requestHash }: Subject, documents: Documents, answer: string | undefined): void {
    const { node, nowMs, leaseMs } = this.moment;
    const { record } = stateIn(documents);
    const isHeld = record?.progress === 'reserved' || record?.progress === 'settling';
    // It may have to be written down again; or it is delivered next.
    const isLeft = record?.progress === 'unresolved' || record?.owed === true;
    if (record?.node === node && (isHeld || (isLeft && leaseMs !== undefined))) {
      const known = this.#inHand.get(key);
      const untilMs = isHeld ? Number.POSITIVE_INFINITY : nowMs + MAY_LAND_MS;
      const subject = { key, network, payer, requestHash };
      this.#inHand.set(key, { subject, documents, answer: answer ?? known?.answer, untilMs });
    } else this.letGo(key);
  }

  #renewAll(): void {
    const { nowMs } = this.moment;
    for (const [key, { subject, documents, untilMs }] of this.#inHand) {
      const { record } = stateIn(documents);
      if (untilMs < nowMs) this.letGo(key);
      else if (untilMs === Number.POSITIVE_INFINITY) this.#renew(subject, record?.owner ?? '');
    }
  }

  #renew(subject: Subject, owner: string): void {
    this.take(subject, { kind: 'renewed', owner }).then(
      ({ verdict }) => verdict === 'lost' && this.#isAtHand(subject, owner) && this.letGo(subject.key),
      () => undefined,
    );
  }

  /** What was let go while its lease was being renewed stays so: nobody would end it, and it would be renewed for ever. */
  #isAtHand({ key }: Subject, owner: string): boolean {
    const known = this.#inHand.get(key);
    return known !== undefined && stateIn(known.documents).record?.owner === owner;
  }

  /** What is being settled, or was left open, is written down again. */
  async #restore(commit: PaymentDocuments['commit']): Promise<void> {
    await Promise.all(Array.from(this.#inHand.values(), (each) => this.#restoreOne(each, commit)));
  }

  /** What the store has of before the sending gives way; what is known of after it does not. */
  async #restoreOne(inHand: InHand, commit: PaymentDocuments['commit']): Promise<void> {
    const { subject, documents, answer } = inHand;
    const { record } = stateIn(documents);
    if (!isOpen(record)) return;
    const found = await this.#read(subject);
    const progress = stateIn(found).record?.progress;
    if (progress !== undefined && progress !== 'reserved') return;
    const { nowMs, leaseMs } = this.moment;
    const isHeld = record.progress === 'settling' && leaseMs !== undefined;
    const value = isHeld ? { ...record, leasedUntilMs: nowMs + leaseMs } : record;
    const due = [...stateIn(found).due.filter(({ key }) => key !== subject.key), { key: subject.key }];
    const changes = [
      { was: found.record, value, isLasting: true },
      { was: found.due, value: due, isLasting: true },
    ];
    const open = { key: subject.key, fromMs: openFrom(value, nowMs) };
    const kept = answer === undefined ? {} : { answer: { key: subject.key, text: answer } };
    const { isWritten, now } = await commit({ changes, open, ...kept });
    if (!isWritten) throw new Error('somebody else has written in between');
    this.#inHand.set(subject.key, { ...inHand, documents: refreshed(found, now) });
  }
}
