import type { Database, RootDatabase } from 'lmdb';
import type { Clock } from '../../stores/clock.ts';
import { PAYMENTS } from '../record.ts';
import type { AnswerChange } from './port.ts';

/** An answer that is to be kept. */
export type KeptText = AnswerChange & { readonly text: string };

interface KeptAnswer {
  readonly text: string;
  readonly atMs: number;
}

/** What is known of an answer without its text. */
interface Size {
  readonly bytes: number;
  readonly atMs: number;
}

/** Removing many at once would hold everybody up. */
const DROP_AT_ONCE = 1_000;
const TOTAL = 'total';

const entriesOf = (table: { getStats(): object }): number => (table.getStats() as { entryCount: number }).entryCount;
const sizeOf = ({ text, atMs }: KeptAnswer): Size => ({ bytes: Buffer.byteLength(text), atMs });

/**
 * The answers that payments have bought, on disk: for ten minutes, and together up to a limit, the oldest dropped first. Their
 * ages are in a table of their own, and so is how many bytes they are: at the start and when some are dropped no text is read.
 */
export class KeptAnswers {
  readonly #texts: Database<KeptAnswer, string>;
  /** From the oldest to the youngest, how many bytes each has. */
  readonly #ages: Database<number, [number, string]>;
  readonly #totals: Database<number, string>;
  readonly #now: Clock;
  readonly #mostBytes: number;
  /** What was put, until the disk has it; where the disk has refused it, as long as it would be kept there. */
  readonly #coming = new Map<string, KeptAnswer>();
  /** What the disk has refused: nothing else that is put leaves memory before it has landed. */
  readonly #refused = new WeakSet<KeptAnswer>();
  /** Ages that are on their way out. */
  readonly #going = new Set<string>();
  #bytes: number;

  constructor(root: RootDatabase, now: Clock, mostBytes: number) {
    this.#texts = root.openDB<KeptAnswer, string>({ name: 'answers' });
    this.#ages = root.openDB<number, [number, string]>({ name: 'ages' });
    this.#totals = root.openDB<number, string>({ name: 'bytes' });
    this.#now = now;
    this.#mostBytes = mostBytes;
    const isWhole = entriesOf(this.#texts) === entriesOf(this.#ages);
    this.#bytes = (isWhole ? this.#totals.get(TOTAL) : undefined) ?? this.#measure();
  }

  get isOverfull(): boolean {
    return this.#bytes > this.#mostBytes;
  }

  async put({ key, text, isFirst = false }: KeptText): Promise<void> {
    const answer = { text, atMs: this.#now() };
    const size = sizeOf(answer);
    const coming = this.#coming.get(key);
    const before = coming ? sizeOf(coming) : isFirst ? undefined : this.#sizeOnDisk(key);
    const writes = before ? [this.#drop(key, before)] : [];
    this.#coming.set(key, answer);
    this.#bytes += size.bytes;
    writes.push(this.#texts.put(key, answer), this.#ages.put([size.atMs, key], size.bytes), this.#noteTotal());
    await Promise.all(writes).catch((error) => {
      this.#refused.add(answer);
      throw error;
    });
    if (this.#coming.get(key) === answer) this.#coming.delete(key);
  }

  /** A young answer, or an old one that is still needed. It can be read as soon as it is put. */
  get(key: string, isNeeded: boolean): string | undefined {
    const coming = this.#coming.get(key);
    const answer = coming ?? this.#read(key);
    if (!answer || (!coming && this.#isGoing(key, answer))) return undefined;
    return isNeeded || this.#isYoung(answer.atMs) ? answer.text : undefined;
  }

  /**
   * Drops what is old and not needed, and the oldest of too many whether needed or not: the upstream can be asked again. No when
   * there may be more of it.
   */
  sweep(isNeeded: (key: string) => boolean): boolean {
    for (const [key, answer] of this.#coming) {
      if (!this.#refused.has(answer)) continue;
      if (!this.isOverfull && this.#isYoung(answer.atMs)) break;
      this.#coming.delete(key);
      this.#bytes -= sizeOf(answer).bytes;
    }
    let dropped = 0;
    for (const { key: age, value: bytes } of this.#ages.getRange()) {
      const [atMs, key] = age;
      if (!this.isOverfull && this.#isYoung(atMs)) break;
      if ((!this.isOverfull && isNeeded(key)) || this.#isGoing(key, { atMs })) continue;
      if (dropped++ === DROP_AT_ONCE) return false;
      const removals = [this.#drop(key, { bytes, atMs }), this.#texts.remove(key), this.#noteTotal()];
      Promise.all(removals).catch(() => undefined);
    }
    return true;
  }

  #isYoung(atMs: number): boolean {
    return this.#now() - atMs < PAYMENTS.answerMs;
  }

  /** What cannot be read any more is as good as gone: the upstream can be asked again. */
  #read(key: string): KeptAnswer | undefined {
    try {
      return this.#texts.get(key);
    } catch {
      return undefined;
    }
  }

  #sizeOnDisk(key: string): Size | undefined {
    const answer = this.#read(key);
    return answer && !this.#isGoing(key, answer) ? sizeOf(answer) : undefined;
  }

  #isGoing(key: string, { atMs }: Pick<Size, 'atMs'>): boolean {
    return this.#going.has([atMs, key].join());
  }

  /** Its text is dropped or written over in the same turn, which is the same transaction. */
  async #drop(key: string, { bytes, atMs }: Size): Promise<boolean> {
    const age: [number, string] = [atMs, key];
    const name = age.join();
    this.#going.add(name);
    this.#bytes -= bytes;
    return this.#ages.remove(age).finally(() => this.#going.delete(name));
  }

  #noteTotal(): Promise<boolean> {
    return this.#totals.put(TOTAL, this.#bytes);
  }

  /** Reads all texts, one after the other: they are from before their ages were kept. */
  #measure(): number {
    const writes = [...this.#ages.getKeys()].map((age) => this.#ages.remove(age));
    let total = 0;
    for (const key of this.#texts.getKeys()) {
      const { bytes, atMs } = this.#sizeOnDisk(key) ?? { bytes: 0, atMs: 0 };
      total += bytes;
      writes.push(this.#ages.put([atMs, key], bytes));
    }
    Promise.all([...writes, this.#totals.put(TOTAL, total)]).catch(() => undefined);
    return total;
  }
}
