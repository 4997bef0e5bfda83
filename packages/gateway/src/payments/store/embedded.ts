import type { RootDatabase } from 'lmdb';
import type { Clock } from '../../stores/clock.ts';
import type { FreeSpace } from '../../stores/free-space.ts';
import { dueName, recordName } from '../documents.ts';
import { PAYMENTS } from '../record.ts';
import { type Due, type HeldRecord, isOpen } from '../state.ts';
import { DiskDocuments, keyOf, kindOf } from './disk-documents.ts';
import { JournalTable } from './journal-table.ts';
import { KeptAnswers, type KeptText } from './kept-answers.ts';
import type {
  AnswerChange,
  Change,
  Commit,
  Committed,
  OpenList,
  OpenQuery,
  PaymentDocuments,
  Reach,
  Stored,
} from './port.ts';

/** A document that is not only on disk. */
interface Live {
  readonly version: string;
  readonly value: unknown;
  /** When it may be forgotten. */
  readonly untilMs: number;
  /** Whether the disk has all of it that must last. */
  readonly isKept: boolean;
  readonly changedAtMs: number;
}

/** How much is kept, and how long. */
export interface EmbeddedDocumentsOptions {
  /** How long entries of the journal are kept, in milliseconds. */
  readonly journalKeepMs?: number;
  /** How many bytes all answers may have together. */
  readonly answerBytes?: number;
}

const SWEEP_MS = 30_000;
const hasText = (answer: AnswerChange | undefined): answer is KeptText => answer?.text !== undefined;
/** Whose entries a commit brings. */
const documentOf = ([first]: readonly Change[]): string => first?.was.name ?? '';

/**
 * The documents of one process, in its folder. Each commit decides before its first await, so that nothing runs in between.
 * Records that must last, and who has settled one, are flushed to disk before the step that wrote them goes on; all else lives in
 * memory. Other steps read at once what is being flushed: after a crash the chain says the same again.
 */
export class EmbeddedDocuments implements PaymentDocuments {
  readonly leaseMs = undefined;
  readonly #disk: DiskDocuments;
  readonly #answers: KeptAnswers;
  readonly #journal: JournalTable;
  readonly #now: Clock;
  readonly #space: FreeSpace;
  readonly #live = new Map<string, Live>();
  /** Payments whose outcome may have to be asked for, by from when on. */
  readonly #open: Readonly<Record<OpenList, Map<string, number>>> = { open: new Map(), covered: new Map() };
  /** Until when answers are needed, however old they are. */
  readonly #needed = new Map<string, number>();
  /** What the disk has refused: it goes with whatever is written next, so that no part of a step lasts without the rest. */
  readonly #unwritten = new Set<string>();
  /** Told apart by it: what the disk had before something left memory, and what it has now. */
  #generation = 0;
  /** Whatever is read was written by this process or is on the disk, so that a count tells versions apart. */
  #commits = 0;
  #sweptAtMs = 0;

  constructor(root: RootDatabase, now: Clock, space: FreeSpace, options: EmbeddedDocumentsOptions = {}) {
    this.#disk = new DiskDocuments(root, now);
    this.#answers = new KeptAnswers(root, now, options.answerBytes ?? PAYMENTS.answerBytes);
    this.#journal = new JournalTable(root, now, options.journalKeepMs);
    this.#now = now;
    this.#space = space;
    for (const record of this.#disk.unfinished()) this.#recall(record);
    for (const name of this.#disk.namesOf('covered')) this.#open.covered.set(keyOf(name), 0);
  }

  now(): number {
    return this.#now();
  }

  reach(): Reach {
    return {};
  }

  async read(names: readonly string[]): Promise<readonly Stored[]> {
    return names.map((name) => this.#read(name));
  }

  async commit({ changes, answer, open, journal = [] }: Commit): Promise<Committed> {
    const now = changes.map(({ was }) => this.#read(was.name));
    if (changes.some(({ was }, index) => was.version !== now[index]?.version)) return { isWritten: false, now };
    this.#sweep();
    if (answer?.text !== undefined) this.#space.assertToBegin();
    this.#commits += 1;
    for (const change of changes) this.#enter(change, `commit ${this.#commits}`);
    if (open) this.#note(open);
    if (answer) this.#need(answer);
    this.#journal.append(documentOf(changes), journal);
    await this.#write(changes, answer);
    return { isWritten: true, now: changes.map(({ was }) => this.#read(was.name)) };
  }

  async answer(key: string): Promise<string | undefined> {
    return this.#answers.get(key, this.#isNeeded(key));
  }

  async owed(): Promise<ReadonlyMap<string, number>> {
    return this.#journal.owed;
  }

  async openKeys({ list = 'open', againMs = 0 }: OpenQuery = {}): Promise<readonly string[]> {
    const nowMs = this.#now();
    const found = [...this.#open[list]].filter(([, fromMs]) => fromMs <= nowMs).map(([key]) => key);
    for (const key of found) this.#open[list].set(key, nowMs + againMs);
    return found;
  }

  onLost(): void {
    // What is on disk is not lost while the process lives.
  }

  close(): void {
    // The database is closed by whoever has opened it.
  }

  /** What was not over when the last process ended. */
  #recall(record: HeldRecord): void {
    const { key, payer, requestHash, owed, resolvedAtMs = 0 } = record;
    const untilMs = resolvedAtMs + PAYMENTS.answerMs;
    if (!isOpen(record) && (!owed || untilMs <= this.#now())) return;
    const name = dueName(payer, requestHash);
    const others = this.#live.get(name);
    const due: Due = isOpen(record) ? { key } : { key, untilMs };
    const neededUntilMs = due.untilMs ?? Number.POSITIVE_INFINITY;
    const all = [...((others?.value as readonly Due[] | undefined) ?? []), due];
    this.#set(name, all, { untilMs: Math.max(others?.untilMs ?? 0, neededUntilMs), isKept: false });
    this.#needed.set(key, neededUntilMs);
    if (isOpen(record)) this.#open.open.set(key, 0);
  }

  #read(name: string): Stored {
    const live = this.#live.get(name);
    if (live) return { name, version: live.value === undefined ? undefined : live.version, value: live.value };
    const value = this.#disk.get(name);
    return { name, version: value === undefined ? undefined : `disk ${this.#generation}`, value };
  }

  #enter({ was: { name }, value, forgetMs, isLasting }: Change, version: string): void {
    const before = this.#live.get(name);
    if (value === undefined && !isLasting && !before?.isKept) {
      this.#live.delete(name);
      return;
    }
    const untilMs = this.#now() + (forgetMs ?? Number.POSITIVE_INFINITY);
    this.#set(
      name,
      value,
      { untilMs, isKept: !isLasting && (before?.isKept ?? this.#disk.get(name) !== undefined) },
      version,
    );
  }

  #set(name: string, value: unknown, kept: Pick<Live, 'untilMs' | 'isKept'>, version = 'recalled'): void {
    this.#live.set(name, { version, value, changedAtMs: this.#now(), ...kept });
  }

  #note({ key, fromMs, list = 'open' }: NonNullable<Commit['open']>): void {
    if (fromMs === undefined) this.#open[list].delete(key);
    else this.#open[list].set(key, fromMs);
  }

  #need({ key, forgetMs = Number.POSITIVE_INFINITY }: AnswerChange): void {
    if (forgetMs === 0) this.#needed.delete(key);
    else this.#needed.set(key, this.#now() + forgetMs);
  }

  #isNeeded(key: string): boolean {
    return (this.#needed.get(key) ?? 0) > this.#now();
  }

  /** Where the disk fails, memory goes on with what was to be written. */
  async #write(changes: readonly Change[], answer: AnswerChange | undefined): Promise<void> {
    const document = documentOf(changes);
    const lasting = changes.filter(({ isLasting }) => isLasting).map(({ was: { name } }) => name);
    const isJournaled = this.#journal.isUnwritten(document);
    if (lasting.length === 0 && answer?.text === undefined && !isJournaled) return;
    const names = new Set([...this.#unwritten, ...lasting]);
    this.#unwritten.clear();
    try {
      if (answer?.text === undefined) this.#space.assertToEnd();
      await this.#putAll(names, new Set([...names, document]), answer);
    } catch (error) {
      for (const name of names) this.#unwritten.add(name);
      throw error;
    }
  }

  /** Everything is put in one turn, which is one transaction. */
  async #putAll(names: ReadonlySet<string>, journaled: ReadonlySet<string>, answer: AnswerChange | undefined) {
    const versions = Array.from(names, (name) => ({ name, live: this.#live.get(name) }));
    const puts = versions.map(({ name, live }) => live && this.#disk.put(name, live.value, live.untilMs));
    const entries = Array.from(journaled, (name) => this.#journal.write(name));
    const kept = hasText(answer) ? this.#answers.put(answer) : undefined;
    await Promise.all([kept, ...puts, ...entries]);
    await this.#disk.flushed();
    for (const { name, live } of versions) {
      if (live && this.#live.get(name) === live) this.#live.set(name, { ...live, isKept: true });
    }
  }

  /** Lets go of what is over, and of what the disk has and nobody has changed for a while. */
  #sweep(): void {
    const nowMs = this.now();
    if (nowMs - this.#sweptAtMs < SWEEP_MS && !this.#answers.isOverfull) return;
    if (!this.#space.isEnoughToEnd()) return;
    const isSwept = this.#answers.sweep((key) => this.#isNeeded(key));
    this.#sweptAtMs = isSwept ? nowMs : 0;
    for (const [name, { untilMs, isKept, changedAtMs }] of this.#live) {
      const isIdle = isKept && nowMs - changedAtMs >= PAYMENTS.answerMs;
      if (isIdle || (untilMs <= nowMs && kindOf(name) !== 'record')) this.#live.delete(name);
    }
    this.#generation += 1;
    for (const [key, untilMs] of this.#needed) if (untilMs <= nowMs) this.#lapse(key);
    this.#disk.forget(nowMs);
    this.#journal.forget(nowMs);
  }

  /** What was owed is not any more, though nobody has fetched it. */
  #lapse(key: string): void {
    this.#needed.delete(key);
    const record = this.#read(recordName(key)).value as HeldRecord | undefined;
    if (record?.owed) this.#disk.lapse(key);
  }
}
