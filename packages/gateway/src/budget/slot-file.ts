import type { Database, RootDatabase } from 'lmdb';
import { type Clock, monotonicMs } from '../stores/clock.ts';
import type { FreeSpace } from '../stores/free-space.ts';
import type { HeldSlot } from './sliding-log.ts';
import type { Budget } from './store.ts';

/** A slot on disk, by both clocks: a restart frees it only when the two agree that its time is over. */
interface SlotRecord {
  readonly budget: string;
  readonly wallMs: number;
  readonly monotonicMs: number;
  readonly holdMs: number;
}

const MAX_KEPT_LIMIT = 1_000;
/** Fewer records are not worth looking through for those that are over. */
const MIN_SWEPT = 100;
/** Ends of calls within this are one write: until it has happened a restart only holds their slots for longer. */
const ENDS_MS = 1_000;

/** Large budgets and those of a second are forgotten with the process. */
const isKept = ({ limit, fromDispatch }: Budget): boolean => limit <= MAX_KEPT_LIMIT && !fromDispatch;

/** Keeps the slots of small budgets on disk, so that a restarted process continues the log of the one before it. */
export class SlotFile {
  readonly #records: Database<SlotRecord, string>;
  readonly #kept = new Map<string, number>();
  readonly #now: Clock;
  readonly #space: FreeSpace;
  #sweepAt = MIN_SWEPT;
  readonly #ends: [Budget, HeldSlot][] = [];
  #writing: NodeJS.Timeout | undefined;

  constructor(root: RootDatabase, now: Clock, space: FreeSpace) {
    this.#records = root.openDB<SlotRecord, string>({ name: 'slots' });
    this.#now = now;
    this.#space = space;
  }

  /** The slots that are still held, by budget. */
  load(): Map<string, HeldSlot[]> {
    const [wall, monotonic] = [this.#now(), monotonicMs()];
    const held = new Map<string, HeldSlot[]>();
    for (const { key, value } of this.#records.getRange()) {
      const remaining = Math.max(value.wallMs - wall, value.monotonicMs - monotonic);
      const freesAtMs = wall + Math.min(remaining, value.holdMs);
      this.#kept.set(key, freesAtMs);
      if (freesAtMs > wall) held.set(value.budget, [...(held.get(value.budget) ?? []), { owner: key, freesAtMs }]);
    }
    return held;
  }

  assertKeepable(budget: Budget): void {
    if (isKept(budget)) this.#space.assertToBegin();
  }

  async keep(budget: Budget, { owner, freesAtMs }: HeldSlot): Promise<void> {
    if (!isKept(budget)) return;
    const holdMs = freesAtMs - this.#now();
    this.#sweep();
    this.#kept.set(owner, freesAtMs);
    const record = { budget: budget.key, wallMs: freesAtMs, monotonicMs: monotonicMs() + holdMs, holdMs };
    this.#space.assertToEnd();
    await this.#records.put(owner, record);
  }

  /** Keeps the earlier end that a slot has since its call is over, together with others' a moment later. */
  keepEnd(budget: Budget, slot: HeldSlot): void {
    if (!isKept(budget)) return;
    this.#ends.push([budget, slot]);
    this.#writing ??= setTimeout(() => this.writeEnds(), ENDS_MS).unref();
  }

  async writeEnds(): Promise<void> {
    clearTimeout(this.#writing);
    this.#writing = undefined;
    await Promise.allSettled(this.#ends.splice(0).map(([budget, slot]) => this.keep(budget, slot)));
  }

  /** Removes what is over whenever twice as much has come together as was left the last time: few pages, few of them written. */
  #sweep(): void {
    if (this.#kept.size < this.#sweepAt || !this.#space.isEnoughToEnd()) return;
    const now = this.#now();
    for (const [owner, freesAtMs] of this.#kept) {
      if (freesAtMs > now) continue;
      this.#kept.delete(owner);
      this.#records.remove(owner).catch(() => undefined);
    }
    this.#sweepAt = Math.max(MIN_SWEPT, 2 * this.#kept.size);
  }
}
