import { randomBytes } from 'node:crypto';
import { chmodSync } from 'node:fs';
import { type Database, open, type RootDatabase } from 'lmdb';
import { type Clock, monotonicMs, steadyClock } from './clock.ts';
import { EmbeddedPayments } from './embedded-payments.ts';
import { FreeSpace } from './free-space.ts';
import { MemoryStore } from './memory.ts';
import { MemoryFees } from './memory-fees.ts';
import type { Budget } from './ports.ts';
import type { HeldSlot } from './sliding-log.ts';

/** A slot on disk, by both clocks: a restart frees it only when the two agree that its time is over. */
interface SlotRecord {
  readonly budget: string;
  readonly wallMs: number;
  readonly monotonicMs: number;
  readonly holdMs: number;
}

const MAX_KEPT_LIMIT = 1_000;
const SWEEP_MS = 60_000;

/** The durable state of one process, in a folder. */
export interface Embedded {
  readonly store: MemoryStore;
  readonly payments: EmbeddedPayments;
  readonly fees: MemoryFees;
  /** Made once and kept, for operators who configure none. */
  readonly secret: string;
  close(): Promise<void>;
}

/** Large budgets and those of a second are forgotten with the process. */
const isKept = ({ limit, fromDispatch }: Budget): boolean => limit <= MAX_KEPT_LIMIT && !fromDispatch;

/** Keeps the slots of small budgets on disk, so that a restarted process continues the log of the one before it. */
class SlotFile {
  readonly #records: Database<SlotRecord, string>;
  readonly #kept = new Map<string, number>();
  readonly #now: Clock;
  readonly #space: FreeSpace;
  #sweptAtMs: number;

  constructor(root: RootDatabase, now: Clock, space: FreeSpace) {
    this.#records = root.openDB<SlotRecord, string>({ name: 'slots' });
    this.#now = now;
    this.#space = space;
    this.#sweptAtMs = now();
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

  #sweep(): void {
    const now = this.#now();
    if (now - this.#sweptAtMs < SWEEP_MS || !this.#space.isEnoughToEnd()) return;
    this.#sweptAtMs = now;
    for (const [owner, freesAtMs] of this.#kept) {
      if (freesAtMs > now) continue;
      this.#kept.delete(owner);
      this.#records.remove(owner).catch(() => undefined);
    }
  }
}

async function secretOf(root: RootDatabase): Promise<string> {
  const settings = root.openDB<string, string>({ name: 'settings' });
  const known = settings.get('secret');
  if (known) return known;
  const secret = randomBytes(32).toString('base64url');
  await settings.put('secret', secret);
  await settings.flushed;
  return secret;
}

/** What tests may change. */
export interface EmbeddedOptions {
  readonly space?: FreeSpace;
  readonly now?: Clock;
}

/** Opens the folder's store; the used nonces live in memory only, under an epoch of their own. */
export async function openEmbedded(folder: string, options: EmbeddedOptions = {}): Promise<Embedded> {
  const { space = new FreeSpace(folder), now = steadyClock() } = options;
  const path = `${folder}/gateway.lmdb`;
  const root = open({ path, maxDbs: 8 });
  // The secret in it is nobody else's, whatever the folder's own mode.
  chmodSync(path, 0o600);
  const slots = new SlotFile(root, now, space);
  const store = new MemoryStore({
    now,
    epoch: randomBytes(16).toString('hex'),
    held: slots.load(),
    assertKeepable: (budget) => slots.assertKeepable(budget),
    keep: (budget, slot) => slots.keep(budget, slot),
  });
  const payments = new EmbeddedPayments(root, now, space);
  return { store, payments, fees: new MemoryFees(now), secret: await secretOf(root), close: () => root.close() };
}
