import type { JournalEntry } from './journal.ts';

/** One document as it is stored now. */
export interface Stored {
  readonly name: string;
  /** Another one after every write; nothing where there is no document. */
  readonly version: string | undefined;
  /** What JSON can say; never changed in place. */
  readonly value: unknown;
}

/** What a document is to become. */
export interface Change {
  /** As it was read, and must still be. */
  readonly was: Stored;
  /** Nothing removes it; the value that was read leaves it as it is. */
  readonly value: unknown;
  /** When it may be forgotten, in milliseconds from now; never unless told. */
  readonly forgetMs?: number;
  /** Whether it must outlive the process. */
  readonly isLasting: boolean;
}

/** What becomes of the answer that a payment has bought. */
export interface AnswerChange {
  readonly key: string;
  /** The answer; the one that is kept already, unless told. */
  readonly text?: string;
  /** None can be kept for this key yet, which spares a look. */
  readonly isFirst?: boolean;
  /** When it may be forgotten, in milliseconds from now: 0 is at once, and without it it is needed for as long as that is not said. */
  readonly forgetMs?: number;
}

/** Payments that the chain is to be asked about: those that are open, unless told, or those that credit has covered. */
export type OpenList = 'open' | 'covered';

/** Which of them. */
export interface OpenQuery {
  readonly list?: OpenList;
  /** None of those that are found is found again for so many milliseconds; 0 unless told. */
  readonly againMs?: number;
}

/** What is written in one step. */
export interface Commit {
  readonly changes: readonly Change[];
  readonly answer?: AnswerChange;
  /** A payment whose outcome may have to be asked for, and from when on; nothing when it need not. */
  readonly open?: { readonly key: string; readonly fromMs: number | undefined; readonly list?: OpenList };
  /** What it does to money: appended once, and lasting like the first of the changes. */
  readonly journal?: readonly JournalEntry[];
}

/** What became of a commit. */
export interface Committed {
  /** Nothing is written unless all of it is. */
  readonly isWritten: boolean;
  /** The documents of its changes as they are now. */
  readonly now: readonly Stored[];
}

/** How far back documents go, by the store's clock in milliseconds. */
export interface Reach {
  /** Nothing is known of what was before; nothing where documents last. */
  readonly sinceMs?: number;
  /** When a node saw that earlier ones were lost. */
  readonly lostAtMs?: number;
}

/**
 * Documents that change by compare-and-set, several in one step, and the answers that payments have bought. What is in them, and
 * what may become of it, is not decided here. Every method may reject when the store is down; it is then not known whether a
 * commit was written.
 */
export interface PaymentDocuments {
  /** How long whoever holds something keeps it without a sign of life, in milliseconds; nothing where there is one process only. */
  readonly leaseMs: number | undefined;
  /** The store's clock, in milliseconds since the Unix epoch; it never steps. */
  now(): number;
  /** As this node knew after its last commit. */
  reach(): Reach;
  read(names: readonly string[]): Promise<readonly Stored[]>;
  /** Writes where every document is as it was read. What lasts is on disk when the promise resolves. */
  commit(commit: Commit): Promise<Committed>;
  /** The text that is kept for a payment. */
  answer(key: string): Promise<string | undefined>;
  /** What all entries that were ever appended have left owing as credit, by network, in millionths of a dollar. */
  owed(): Promise<ReadonlyMap<string, number>>;
  /** Payments that are open and whose time has come; those first that were not asked about for longest. */
  openKeys(query?: OpenQuery): Promise<readonly string[]>;
  /** What is done, by a way to write that is open by then, when documents were lost: until it has succeeded nothing else is written. */
  onLost(restore: (commit: PaymentDocuments['commit']) => Promise<void>): void;
  close(): void;
}
