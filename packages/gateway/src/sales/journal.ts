import type { PaymentRecord } from '../payments/record.ts';
import type { KeptEntry } from '../payments/store/journal.ts';

/** Where an entry is in the journal. */
export type Place = string;

/** An entry as it was read. */
export interface ReadEntry extends KeptEntry {
  readonly place: Place;
}

/** What to read next: entries from a time on, in milliseconds since the Unix epoch, or those after an entry. */
export type From = { readonly sinceMs: number } | { readonly after: Place };

/** Reads what every node has appended. Rejects when the store is down. */
export interface Journal {
  /** At most so many entries, in the order in which they were appended. */
  read(from: From, limit: number): Promise<readonly ReadEntry[]>;
}

/** What the store knows of money. Rejects when it is down. */
export interface Books extends Journal {
  /** Payments that may have moved money, and whose outcome is not known. */
  openPayments(): Promise<readonly PaymentRecord[]>;
  /** Documents by their names, in the same order; nothing where there is none. */
  documents(names: readonly string[]): Promise<readonly unknown[]>;
}

/** As many at a time as can be read without keeping others waiting. */
const AT_ONCE = 1_000;

/** Reads all entries from there on, a part at a time. */
export async function* entriesFrom(journal: Journal, from: From): AsyncGenerator<readonly ReadEntry[]> {
  let next = from;
  for (;;) {
    const entries = await journal.read(next, AT_ONCE);
    const last = entries.at(-1);
    if (!last) return;
    yield entries;
    next = { after: last.place };
  }
}
