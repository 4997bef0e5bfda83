import type { RootDatabase } from 'lmdb';
import type { Clock } from '../../stores/clock.ts';
import { type HeldRecord, NEW_PAYER, type PayerRecord } from '../state.ts';
import { KeptDocuments } from './kept-documents.ts';
import { PaidPayers } from './paid-payers.ts';
import { PaymentTable } from './payment-table.ts';

/** Found out anew from the records at the start, or of no use then. */
const IN_MEMORY = ['due', 'signature'];
const MOST_ABSENT = 1_000;

/** What kind of document a name is of. */
export const kindOf = (name: string): string => name.slice(0, name.indexOf(':'));
/** The rest of its name. */
export const keyOf = (name: string): string => name.slice(name.indexOf(':') + 1);

/** The documents of one process on disk, each kind in the table that suits it. */
export class DiskDocuments {
  readonly #table: PaymentTable;
  readonly #payers: PaidPayers;
  readonly #documents: KeptDocuments;
  readonly #now: Clock;
  /** Names that the disk has nothing of: what was not there when a step began is not looked for again by its end. */
  readonly #absent = new Set<string>();

  constructor(root: RootDatabase, now: Clock) {
    this.#table = new PaymentTable(root);
    this.#payers = new PaidPayers(root, now);
    this.#documents = new KeptDocuments(root, now);
    this.#now = now;
  }

  /** Records whose outcome is open, or whose answer was still owed. */
  unfinished(): HeldRecord[] {
    return this.#table.unfinished();
  }

  /** The names of all documents of a kind that has no table of its own: for the few that are not over. */
  namesOf(kind: string): string[] {
    return this.#documents.namesOf(kind);
  }

  /** A document; nothing where there is none. */
  get(name: string): unknown {
    if (this.#absent.has(name)) return undefined;
    const value = this.#find(name);
    if (value === undefined) this.#noteAbsent(name);
    return value;
  }

  /** In one transaction with whatever else is put in the same turn. Resolves before it is on the disk. */
  async put(name: string, value: unknown, untilMs: number): Promise<void> {
    this.#absent.delete(name);
    const kind = kindOf(name);
    if (IN_MEMORY.includes(kind)) return;
    if (kind === 'payer') return this.#payers.put(keyOf(name), (value as PayerRecord).paid ?? []);
    const forgetMs = Number.isFinite(untilMs) ? untilMs - this.#now() : undefined;
    if (kind !== 'record') return this.#documents.put(name, value, forgetMs);
    await (value === undefined ? this.#table.remove(keyOf(name)) : this.#table.put(value as HeldRecord));
  }

  /** Resolves when all that was put before is on the disk. */
  flushed(): Promise<void> {
    return this.#table.flushed();
  }

  /** A payment is over, though nobody has fetched its answer. */
  lapse(key: string): void {
    this.#table.lapse(key);
  }

  /** Lets go of what is over. */
  forget(nowMs: number): void {
    this.#payers.sweep();
    this.#table.forget(nowMs);
    this.#documents.forget(nowMs);
  }

  #find(name: string): unknown {
    const kind = kindOf(name);
    if (kind === 'record') return this.#table.get(keyOf(name));
    if (kind !== 'payer') return IN_MEMORY.includes(kind) ? undefined : this.#documents.get(name);
    const paid = this.#payers.get(keyOf(name));
    return paid && { ...NEW_PAYER, paid };
  }

  #noteAbsent(name: string): void {
    const [oldest] = this.#absent.size < MOST_ABSENT ? [] : this.#absent;
    if (oldest !== undefined) this.#absent.delete(oldest);
    this.#absent.add(name);
  }
}
