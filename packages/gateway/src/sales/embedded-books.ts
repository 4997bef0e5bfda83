import type { RootDatabase } from 'lmdb';
import type { PaymentRecord } from '../payments/record.ts';
import { isOpen } from '../payments/state.ts';
import { type JournalKey, type JournalRows, openJournal } from '../payments/store/journal-table.ts';
import { KeptDocuments } from '../payments/store/kept-documents.ts';
import { PaymentTable } from '../payments/store/payment-table.ts';
import type { Books, From, ReadEntry } from './journal.ts';

/** The books in a folder, as another process may read them while the gateway writes. */
export class EmbeddedBooks implements Books {
  readonly #root: RootDatabase;
  #rows: JournalRows | undefined;

  constructor(root: RootDatabase) {
    this.#root = root;
  }

  async read(from: From, limit: number): Promise<readonly ReadEntry[]> {
    // A reader cannot make the table: it is not there before a gateway has served from this folder.
    this.#rows ??= openJournal(this.#root);
    const isAfter = 'after' in from;
    const start = isAfter ? (JSON.parse(from.after) as JournalKey) : [from.sinceMs, 0, ''];
    const found = this.#rows?.getRange({ start, exclusiveStart: isAfter, limit }) ?? [];
    return Array.from(found, ({ key, value }) => ({ ...value, atMs: key[0], place: JSON.stringify(key) }));
  }

  async openPayments(): Promise<readonly PaymentRecord[]> {
    // A reader cannot make this one either.
    const hasPayments = this.#root.openDB({ name: 'unfinished' }) !== undefined;
    if (!hasPayments) return [];
    return new PaymentTable(this.#root).unfinished().filter(isOpen);
  }

  async documents(names: readonly string[]): Promise<readonly unknown[]> {
    const kept = new KeptDocuments(this.#root, Date.now);
    return names.map((name) => kept.get(name));
  }
}
