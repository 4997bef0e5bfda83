/** What happened to an amount of money. */
export type Step = 'held' | 'signed' | 'released' | 'paid' | 'refused';

/** One line of the ledger. */
export interface Entry {
  readonly id: string;
  readonly step: Step;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Of what is held: how much, in millionths of a dollar. */
  readonly micros?: number;
  /** Of what is held: the limits that it was to keep to; null where there is none. */
  readonly perDayMicros?: number | null;
  readonly inAllMicros?: number | null;
}

/** An amount that counts against the limits. */
export interface Spent {
  readonly id: string;
  readonly at: number;
  readonly micros: number;
  readonly step: Step;
}

export const DAY_MS = 86_400_000;

/** The entries in the text of a ledger. A line that a crash has torn says nothing: what it would have said has not happened. */
export function* entriesIn(text: string): Generator<Entry> {
  for (const line of text.split('\n')) {
    if (line === '') continue;
    try {
      yield JSON.parse(line) as Entry;
    } catch {}
  }
}

/**
 * What a ledger comes to, read from its beginning. Whether an amount was within its limits follows from what stands before it, so
 * that everybody who reads the file says the same.
 */
export class Account {
  readonly #counted = new Map<string, Spent>();
  readonly #recent: string[] = [];
  #first = 0;
  #day = 0;
  all = 0;

  /** Takes one entry; answers whether what it holds is within the limits. */
  take(entry: Entry): boolean {
    const known = this.#counted.get(entry.id);
    if (entry.step === 'held') return !known && this.#hold(entry);
    if (!known) return false;
    if (entry.step === 'released') this.#free(known);
    else this.#counted.set(entry.id, { ...known, step: entry.step });
    return true;
  }

  /** Millionths of a dollar in the 24 hours before this moment. */
  dayBefore(at: number): number {
    for (; this.#first < this.#recent.length; this.#first++) {
      const spent = this.#counted.get(this.#recent[this.#first] as string);
      if (!spent) continue;
      if (spent.at > at - DAY_MS) break;
      this.#day -= spent.micros;
    }
    return this.#day;
  }

  /** All that counts, the oldest first. */
  get spent(): readonly Spent[] {
    return [...this.#counted.values()];
  }

  #hold({ id, at, micros = 0, perDayMicros, inAllMicros }: Entry): boolean {
    const isWithin =
      this.dayBefore(at) + micros <= (perDayMicros ?? Number.POSITIVE_INFINITY) &&
      this.all + micros <= (inAllMicros ?? Number.POSITIVE_INFINITY);
    if (!isWithin) return false;
    this.#counted.set(id, { id, at, micros, step: 'held' });
    this.#recent.push(id);
    this.#day += micros;
    this.all += micros;
    return true;
  }

  #free({ id, micros }: Spent): void {
    this.#counted.delete(id);
    this.all -= micros;
    if (this.#recent.indexOf(id, this.#first) >= 0) this.#day -= micros;
  }
}
