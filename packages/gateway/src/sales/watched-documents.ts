import type { Commit, Committed, OpenQuery, PaymentDocuments, Reach, Stored } from '../payments/store/port.ts';

/** Tells of everything that this node has written. */
export class WatchedDocuments implements PaymentDocuments {
  readonly #documents: PaymentDocuments;
  readonly #watchers: ((commit: Commit) => void)[] = [];

  constructor(documents: PaymentDocuments) {
    this.#documents = documents;
  }

  /** From now on this one is told of each commit that was written. */
  watch(tell: (commit: Commit) => void): void {
    this.#watchers.push(tell);
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
    if (committed.isWritten) for (const tell of this.#watchers) tell(commit);
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
