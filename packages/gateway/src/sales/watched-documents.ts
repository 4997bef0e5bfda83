import type { JournalEntry } from '../payments/store/journal.ts';
import type { Commit, Committed, OpenQuery, PaymentDocuments, Reach, Stored } from '../payments/store/port.ts';

/** Tells of every entry that this node has appended. */
export class WatchedDocuments implements PaymentDocuments {
  readonly #documents: PaymentDocuments;
  #tell: (entries: readonly JournalEntry[]) => void = () => undefined;

  constructor(documents: PaymentDocuments) {
    this.#documents = documents;
  }

  /** From now on this one is told. */
  watch(tell: (entries: readonly JournalEntry[]) => void): void {
    this.#tell = tell;
  }

  get leaseMs(): number | undefined {
    return this.#documents.leaseMs;
  }

  now(): number {
    return this.#documents.now();
  }

  reach(): Reach {
    return this.#documents.reach();
  }

  read(names: readonly string[]): Promise<readonly Stored[]> {
    return this.#documents.read(names);
  }

  async commit(commit: Commit): Promise<Committed> {
    const committed = await this.#documents.commit(commit);
    if (committed.isWritten && commit.journal) this.#tell(commit.journal);
    return committed;
  }

  answer(key: string): Promise<string | undefined> {
    return this.#documents.answer(key);
  }

  owed(): Promise<ReadonlyMap<string, number>> {
    return this.#documents.owed();
  }

  openKeys(query?: OpenQuery): Promise<readonly string[]> {
    return this.#documents.openKeys(query);
  }

  onLost(restore: Parameters<PaymentDocuments['onLost']>[0]): void {
    this.#documents.onLost(restore);
  }

  close(): void {
    this.#documents.close();
  }
}
