import { randomBytes } from 'node:crypto';
import type { Database, RootDatabase } from 'lmdb';
import type { Clock } from '../../stores/clock.ts';
import { JOURNAL_KEEP_MS, type JournalEntry, owedBy } from './journal.ts';

/** Milliseconds, how many this process has appended before, and which process it was. */
export type JournalKey = [number, number, string];

export type JournalRows = Database<JournalEntry, JournalKey>;

const FORGET_AT_ONCE = 10_000;

export const openJournal = (root: RootDatabase): JournalRows =>
  root.openDB<JournalEntry, JournalKey>({ name: 'journal' });

/** What is owed as credit, by network. */
type OwedRows = Database<number, string>;

interface Appended {
  readonly key: JournalKey;
  readonly entry: JournalEntry;
}

/** The journal of one process on disk, in the order in which it was written. */
export class JournalTable {
  readonly #rows: JournalRows;
  readonly #now: Clock;
  readonly #keepMs: number;
  readonly #process = randomBytes(4).toString('hex');
  /** What is not on the disk yet, by the document that it is to be written with. */
  readonly #unwritten = new Map<string, readonly Appended[]>();
  /** Kept beside the entries, which are let go of after a time, and on disk in the transaction that brings them. */
  readonly #owedRows: OwedRows;
  readonly #owed: Map<string, number>;
  #count = 0;

  constructor(root: RootDatabase, now: Clock, keepMs = JOURNAL_KEEP_MS) {
    this.#rows = openJournal(root);
    this.#owedRows = root.openDB<number, string>({ name: 'owed' });
    this.#owed = new Map(Array.from(this.#owedRows.getRange(), ({ key, value }) => [key, value]));
    this.#now = now;
    this.#keepMs = keepMs;
  }

  /** Takes entries that belong to a document: they are on the disk when, and only when, that one's change is. */
  append(document: string, entries: readonly JournalEntry[]): void {
    if (entries.length === 0) return;
    const atMs = Math.floor(this.#now());
    const appended = entries.map((entry): Appended => ({ key: [atMs, this.#count++, this.#process], entry }));
    this.#unwritten.set(document, [...this.#of(document), ...appended]);
    for (const entry of entries) this.#owed.set(entry.network, (this.#owed.get(entry.network) ?? 0) + owedBy(entry));
  }

  /** What is owed as credit, by network, in millionths of a dollar. */
  get owed(): ReadonlyMap<string, number> {
    return this.#owed;
  }

  isUnwritten(document: string): boolean {
    return this.#unwritten.has(document);
  }

  /** In one transaction with whatever else is put in the same turn; where that fails, the write that brings its document brings them. */
  async write(document: string): Promise<void> {
    const written = this.#of(document);
    const changed = new Set(written.flatMap(({ entry }) => (owedBy(entry) === 0 ? [] : [entry.network])));
    const totals = Array.from(changed, (network) => this.#owedRows.put(network, this.#owed.get(network) ?? 0));
    await Promise.all([...written.map(({ key, entry }) => this.#rows.put(key, entry)), ...totals]);
    const left = this.#of(document).filter((each) => !written.includes(each));
    if (left.length === 0) this.#unwritten.delete(document);
    else this.#unwritten.set(document, left);
  }

  /** Lets go of what is older than it is to be kept. */
  forget(nowMs: number): void {
    for (const key of this.#rows.getKeys({ end: [nowMs - this.#keepMs, 0, ''], limit: FORGET_AT_ONCE })) {
      this.#rows.remove(key).catch(() => undefined);
    }
  }

  #of(document: string): readonly Appended[] {
    return this.#unwritten.get(document) ?? [];
  }
}
