import { closeSync, constants, fdatasync, type NoParamCallback, openSync, readFileSync, writeSync } from 'node:fs';
import type { Clock } from '../stores/clock.ts';
import { SlotDamage } from '../stores/damage.ts';
import type { FreeSpace } from '../stores/free-space.ts';
import type { HeldSlot } from './sliding-log.ts';
import type { Budget } from './store.ts';

/** A slot on disk, by both clocks: a restart frees it only when the two agree that its time is over. */
interface SlotRecord {
  readonly budget: string;
  readonly owner: string;
  readonly wallMs: number;
  readonly monotonicMs: number;
  readonly holdMs: number;
}

type Flush = (descriptor: number, callback: NoParamCallback) => void;

const MAX_KEPT_LIMIT = 1_000;
/** A sector of a disk, which is written as a whole or not at all, has two lines exactly. */
const LINE_BYTES = 256;
/** What was written so long before a power cut is on the disk. */
const FLUSH_MS = 1_000;
/** Nobody else's. */
const MODE = 0o600;

/** The file of a folder's slots. */
export const slotsIn = (folder: string): string => `${folder}/slots.jsonl`;

/** Large budgets and those of a second are forgotten with the process. */
const isKept = ({ limit, fromDispatch }: Budget): boolean => limit <= MAX_KEPT_LIMIT && !fromDispatch;

const isRecord = ({ budget, owner, wallMs, monotonicMs, holdMs }: SlotRecord): boolean =>
  [budget, owner].every((name) => typeof name === 'string') && [wallMs, monotonicMs, holdMs].every(Number.isFinite);

/** The record of a line. Throws where it is none. */
function recordIn(line: string): SlotRecord {
  const record: SlotRecord = JSON.parse(line);
  if (!isRecord(record)) throw new Error('no record');
  return record;
}

/** What tells the time to a file of slots, in milliseconds. */
export interface SlotClocks {
  /** Since the Unix epoch. */
  readonly now: Clock;
  /** Since the machine started. */
  readonly monotonic: () => number;
}

/**
 * Keeps the slots of small budgets on disk, so that a restarted process continues the log of the one before it. Every slot has a
 * line of the same length, which another one takes when it is over: a write is one system call, and the file does not grow.
 */
export class SlotFile {
  /** The slots that were still held when this was opened, by budget. */
  readonly held: ReadonlyMap<string, readonly HeldSlot[]>;
  #descriptor: number;
  readonly #clocks: SlotClocks;
  readonly #space: FreeSpace;
  readonly #flush: Flush;
  readonly #lines: HeldSlot[] = [];
  readonly #lineOf = new Map<string, number>();
  /** Where to look first for a line. */
  #next = 0;
  #isFlushed = true;
  #flushing: NodeJS.Timeout | undefined;

  /** Throws the damage of a line that was not written here. */
  constructor(folder: string, clocks: SlotClocks, space: FreeSpace, flush: Flush = fdatasync) {
    this.#descriptor = openSync(slotsIn(folder), constants.O_RDWR | constants.O_CREAT, MODE);
    this.#clocks = clocks;
    this.#space = space;
    this.#flush = flush;
    try {
      this.held = this.#load();
    } catch (error) {
      this.close();
      throw error;
    }
  }

  assertKeepable(budget: Budget): void {
    if (isKept(budget)) this.#space.assertToBegin();
  }

  /** Throws where the disk is full. */
  keep(budget: Budget, slot: HeldSlot): void {
    if (!isKept(budget)) return;
    this.#space.assertToEnd();
    const line = this.#lineOf.get(slot.owner) ?? this.#freeLine();
    this.#write(budget.key, slot, line);
    this.#place(slot, line);
  }

  /** Keeps the earlier end that a slot has since its call is over. Without it a restart only holds the slot for longer. */
  keepEnd(budget: Budget, slot: HeldSlot): void {
    try {
      this.keep(budget, slot);
    } catch {}
  }

  /** May be called again. */
  close(): void {
    clearTimeout(this.#flushing);
    const descriptor = this.#descriptor;
    // The end of a call that is late must not be written to another file that has the same number by then.
    this.#descriptor = -1;
    if (descriptor >= 0) closeSync(descriptor);
  }

  #load(): Map<string, HeldSlot[]> {
    const held = new Map<string, HeldSlot[]>();
    const text = readFileSync(this.#descriptor, 'latin1');
    // A line that was cut off belongs to a call that was refused, as the disk was full.
    for (let line = 0; (line + 1) * LINE_BYTES <= text.length; line++) {
      const { budget, slot } = this.#read(text.slice(line * LINE_BYTES, (line + 1) * LINE_BYTES), line);
      this.#place(slot, line);
      if (slot.freesAtMs <= this.#clocks.now()) continue;
      const known = held.get(budget);
      if (known) known.push(slot);
      else held.set(budget, [slot]);
      this.#renew(budget, slot, line);
    }
    return held;
  }

  /** After a reboot the machine's clock begins anew: a slot that was held for longer because of it is so once, not at each start. */
  #renew(budget: string, slot: HeldSlot, line: number): void {
    try {
      this.#write(budget, slot, line);
    } catch {}
  }

  #read(text: string, line: number): { readonly budget: string; readonly slot: HeldSlot } {
    // The machine's power failed before the line was on the disk.
    if (text.startsWith('\0')) return { budget: '', slot: { owner: '', freesAtMs: 0 } };
    try {
      const { budget, owner, wallMs, monotonicMs, holdMs } = recordIn(text);
      const { now, monotonic } = this.#clocks;
      const remainingMs = Math.max(wallMs - now(), monotonicMs - monotonic());
      return { budget, slot: { owner, freesAtMs: now() + Math.min(remainingMs, holdMs) } };
    } catch {
      throw new SlotDamage(`line ${line + 1} is no slot`);
    }
  }

  /** A line whose slot is over; a new one only where there is none, so that there are no more than slots are held at once. */
  #freeLine(): number {
    const now = this.#clocks.now();
    const count = this.#lines.length;
    for (let step = 0; step < count; step++) {
      const line = (this.#next + step) % count;
      if ((this.#lines[line]?.freesAtMs ?? 0) > now) continue;
      this.#next = (line + 1) % count;
      return line;
    }
    return count;
  }

  #place(slot: HeldSlot, line: number): void {
    const before = this.#lines[line];
    if (before) this.#lineOf.delete(before.owner);
    this.#lines[line] = slot;
    this.#lineOf.set(slot.owner, line);
  }

  #write(budget: string, { owner, freesAtMs }: HeldSlot, line: number): void {
    const { now, monotonic } = this.#clocks;
    const holdMs = freesAtMs - now();
    const record: SlotRecord = { budget, owner, wallMs: freesAtMs, monotonicMs: monotonic() + holdMs, holdMs };
    const bytes = `${JSON.stringify(record).padEnd(LINE_BYTES - 1)}\n`;
    if (bytes.length > LINE_BYTES) throw new Error('a slot is too long to be kept');
    const written = writeSync(this.#descriptor, bytes, line * LINE_BYTES, 'latin1');
    if (written < LINE_BYTES) throw new Error('DATA_DIR is full; make room there');
    this.#flushSoon();
  }

  #flushSoon(): void {
    this.#isFlushed = false;
    this.#flushing ??= setTimeout(() => {
      this.#isFlushed = true;
      this.#flush(this.#descriptor, () => {
        this.#flushing = undefined;
        if (!this.#isFlushed && this.#descriptor >= 0) this.#flushSoon();
      });
    }, FLUSH_MS).unref();
  }
}
