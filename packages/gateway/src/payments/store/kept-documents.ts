import type { Database, RootDatabase } from 'lmdb';
import type { Clock } from '../../stores/clock.ts';

const FORGET_AT_ONCE = 10_000;

interface KeptDocument {
  readonly value: unknown;
  /** When it may be forgotten; never unless told. */
  readonly untilMs?: number;
}

/** Documents on disk as they are, by their names, each until it may be forgotten. */
export class KeptDocuments {
  readonly #documents: Database<KeptDocument, string>;
  /** When each may be forgotten: nobody reads all of them. */
  readonly #expiries: Database<boolean, [number, string]>;
  readonly #now: Clock;

  constructor(root: RootDatabase, now: Clock) {
    this.#documents = root.openDB<KeptDocument, string>({ name: 'documents' });
    this.#expiries = root.openDB<boolean, [number, string]>({ name: 'document expiries' });
    this.#now = now;
  }

  namesOf(kind: string): string[] {
    return [...this.#documents.getKeys({ start: `${kind}:`, end: `${kind};` })];
  }

  get(name: string): unknown {
    const kept = this.#documents.get(name);
    return kept && (kept.untilMs ?? Number.POSITIVE_INFINITY) > this.#now() ? kept.value : undefined;
  }

  /** In one transaction with whatever else is put in the same turn. Resolves before it is on the disk. */
  async put(name: string, value: unknown, forgetMs: number | undefined): Promise<void> {
    if (value === undefined) return void (await this.#documents.remove(name));
    if (forgetMs === undefined) return void (await this.#documents.put(name, { value }));
    const untilMs = Math.ceil(this.#now() + forgetMs);
    await Promise.all([this.#documents.put(name, { value, untilMs }), this.#expiries.put([untilMs, name], true)]);
  }

  /** Lets go of what is over. */
  forget(nowMs: number): void {
    for (const { key: expiry } of this.#expiries.getRange({ end: [nowMs], limit: FORGET_AT_ONCE })) {
      const isDue = this.#documents.get(expiry[1])?.untilMs === expiry[0];
      if (isDue) this.#documents.remove(expiry[1]).catch(() => undefined);
      this.#expiries.remove(expiry).catch(() => undefined);
    }
  }
}
