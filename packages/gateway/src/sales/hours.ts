import { type Group, type Grouping, Groups } from './grouping.ts';
import { entriesFrom, type From, type Journal, type ReadEntry } from './journal.ts';
import { NOTHING, sumOf, type Totals, totalsOf } from './totals.ts';

/** The totals of one route and wallet in one hour. */
interface HourTotals extends Totals {
  readonly network: string;
  readonly route: string;
  readonly wallet: string;
  /** When the hour began. */
  readonly atMs: number;
}

/** What was sold since a time, as far as it is known. */
export interface Answered {
  /** From when on: the hour that was asked for, or a later one where no older ones are kept. */
  readonly sinceMs: number;
  /** Whether everything that was appended by now is in it. */
  readonly isComplete: boolean;
  readonly groups: readonly Group[];
}

/** What tests may change. */
export interface HoursOptions {
  /** How many totals are kept: the oldest hours go first. */
  readonly most?: number;
  /** How long somebody waits until the journal has been read, in milliseconds. */
  readonly waitMs?: number;
}

const HOUR_MS = 3_600_000;
const MOST = 50_000;
const WAIT_MS = 4_000;

const hourOf = (atMs: number): number => atMs - (atMs % HOUR_MS);
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The journal by the hour, in memory: each entry is read once, and what a question costs does not grow with the journal. */
export class Hours {
  readonly #journal: Journal;
  readonly #most: number;
  readonly #waitMs: number;
  readonly #hours = new Map<number, Map<string, HourTotals>>();
  #count = 0;
  /** Nothing older is known. */
  #sinceMs = 0;
  #from: From = { sinceMs: 0 };
  #reading: Promise<void> | undefined;

  constructor(journal: Journal, { most = MOST, waitMs = WAIT_MS }: HoursOptions = {}) {
    this.#journal = journal;
    this.#most = most;
    this.#waitMs = waitMs;
  }

  /** Rejects when the journal cannot be read. */
  async since(sinceMs: number, by: Grouping): Promise<Answered> {
    this.#reading ??= this.#catchUp().finally(() => {
      this.#reading = undefined;
    });
    const reading = this.#reading.then(() => true);
    const late = new Promise<boolean>((resolve) => setTimeout(resolve, this.#waitMs, false).unref());
    const isComplete = await Promise.race([reading, late]);
    reading.catch(() => undefined);
    const from = Math.max(hourOf(sinceMs), this.#sinceMs);
    const groups = new Groups(by);
    for (const [hour, totals] of this.#hours) {
      if (hour >= from) for (const each of totals.values()) groups.addTotals(each, each);
    }
    return { sinceMs: from, isComplete, groups: groups.list() };
  }

  async #catchUp(): Promise<void> {
    for await (const entries of entriesFrom(this.#journal, this.#from)) {
      for (const entry of entries) this.#add(entry);
      this.#from = { after: entries.at(-1)?.place ?? '' };
      while (this.#count > this.#most && this.#hours.size > 1) this.#forgetOldest();
      await turn();
    }
  }

  #add(entry: ReadEntry): void {
    const { network, route, wallet } = entry;
    const atMs = hourOf(entry.atMs);
    if (atMs < this.#sinceMs) return;
    const totals = this.#hours.get(atMs) ?? new Map<string, HourTotals>();
    this.#hours.set(atMs, totals);
    const name = `${network} ${route} ${wallet}`;
    const before = totals.get(name);
    if (!before) this.#count++;
    totals.set(name, { network, route, wallet, atMs, ...sumOf(before ?? NOTHING, totalsOf(entry)) });
  }

  #forgetOldest(): void {
    const oldest = Math.min(...this.#hours.keys());
    this.#count -= this.#hours.get(oldest)?.size ?? 0;
    this.#hours.delete(oldest);
    this.#sinceMs = oldest + HOUR_MS;
  }
}
