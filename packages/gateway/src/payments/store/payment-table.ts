import type { Database, RootDatabase } from 'lmdb';
import { type HeldRecord, isOpen } from '../state.ts';

const FORGET_AT_ONCE = 10_000;
/** Among the unfinished: says that all of them are. */
const COMPLETE = 'complete';

const isUnfinished = (record: HeldRecord): boolean => record.owed === true || isOpen(record);

/** Records of payments on disk. What is unfinished is listed, and so is when each may be forgotten: nobody reads all of them. */
export class PaymentTable {
  readonly #records: Database<HeldRecord, string>;
  readonly #unfinished: Database<boolean, string>;
  /** When each record may be forgotten. */
  readonly #expiries: Database<boolean, [number, string]>;

  constructor(root: RootDatabase) {
    this.#records = root.openDB<HeldRecord, string>({ name: 'payments' });
    this.#unfinished = root.openDB<boolean, string>({ name: 'unfinished' });
    this.#expiries = root.openDB<boolean, [number, string]>({ name: 'expiries' });
  }

  get(key: string): HeldRecord | undefined {
    return this.#records.get(key);
  }

  /** Records whose outcome is open, or whose answer was still owed. */
  unfinished(): HeldRecord[] {
    if (!this.#unfinished.get(COMPLETE)) return this.#list();
    const records = [...this.#unfinished.getKeys()].map((key) => this.#records.get(key));
    return records.filter((record) => record !== undefined);
  }

  /** In one transaction, which is what lmdb makes of all that is put in one turn. Resolves before it is on the disk. */
  async put(record: HeldRecord): Promise<void> {
    const { key, forgetAtMs } = record;
    const puts = [this.#records.put(key, record), this.#note(record)];
    if (forgetAtMs !== undefined) puts.push(this.#expiries.put([forgetAtMs, key], true));
    await Promise.all(puts);
  }

  async remove(key: string): Promise<void> {
    await Promise.all([this.#records.remove(key), this.#unfinished.remove(key)]);
  }

  /** Resolves when all that was put before is on the disk. */
  async flushed(): Promise<void> {
    await this.#records.flushed;
  }

  /** It is over, though nobody has fetched its answer. */
  lapse(key: string): void {
    this.#unfinished.remove(key).catch(() => undefined);
  }

  /** Lets go of records that no clock asks for any more. */
  forget(nowMs: number): void {
    for (const { key: expiry } of this.#expiries.getRange({ end: [nowMs], limit: FORGET_AT_ONCE })) {
      const isDue = this.#records.get(expiry[1])?.forgetAtMs === expiry[0];
      if (isDue) this.remove(expiry[1]).catch(() => undefined);
      this.#expiries.remove(expiry).catch(() => undefined);
    }
  }

  #note(record: HeldRecord): Promise<boolean> {
    return isUnfinished(record) ? this.#unfinished.put(record.key, true) : this.#unfinished.remove(record.key);
  }

  /** Reads all records, one after the other, and lists what is unfinished from then on. */
  #list(): HeldRecord[] {
    const found: HeldRecord[] = [];
    for (const { value } of this.#records.getRange()) if (isUnfinished(value)) found.push(value);
    const puts = [...found.map((record) => this.#note(record)), this.#unfinished.put(COMPLETE, true)];
    Promise.all(puts).catch(() => undefined);
    return found;
  }
}
