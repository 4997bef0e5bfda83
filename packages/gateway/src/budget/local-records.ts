import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Background, type Repeated } from '../background.ts';
import { type Clock, monotonicMs } from '../stores/clock.ts';
import type { Database, SqlRow, Statement } from '../stores/sql/database.ts';
import { TIMES } from '../times.ts';
import type { HeldSlot } from './sliding-log.ts';
import type { Budget, NonceUse } from './store.ts';

const MAX_KEPT_LIMIT = 1_000;
const BATCH_MS = 500;
/** The largest difference of the clocks, in milliseconds, that does not mean that someone has set the wall clock while no process ran. */
const STEP_MS = 1_000;

/** Whether a budget's slots are stored. Slots of large budgets and of limits per second are not. */
const isKept = ({ limit, fromDispatch }: Budget): boolean => limit <= MAX_KEPT_LIMIT && !fromDispatch;

/** Returns an id that changes whenever the machine starts; undefined if the system has none. */
function bootId(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  } catch {
    return undefined;
  }
}

/** The clocks that slots are stored with. */
export interface LocalClocks {
  /** A clock that never steps. */
  readonly now: Clock;
  /** A clock that starts with the machine. */
  readonly monotonic: Clock;
  /** The id of this start of the machine; undefined if the system has none. */
  readonly boot: string | undefined;
}

export const localClocks = (now: Clock): LocalClocks => ({ now, monotonic: monotonicMs, boot: bootId() });

const SAVE_SLOT = `insert into admissions (nonce, issued_at_seconds, budget, frees_at_ms, frees_at_monotonic_ms, hold_ms)
  select $1, $2, $3, $4, $5, $6 where {in time} returning id`;
const SAVE_NONCE = 'insert into admissions (nonce, issued_at_seconds) select $1, $2 where {in time}';
const MOVE = `update admissions set frees_at_ms = $2, frees_at_monotonic_ms = $3, hold_ms = $4 where id = $1 and {in time} returning id`;
const IS_USED = '(nonce is not null and issued_at_seconds >= $1)';
const IS_HELD = '(budget is not null and (frees_at_ms > $2 or frees_at_monotonic_ms > $3))';
/** SQL that deletes expired admissions: those before the first one that has not expired. Admissions expire about in order. */
const FORGET = `delete from admissions where id < coalesce(
  (select id from admissions where ${IS_USED} or ${IS_HELD} order by id limit 1), ${Number.MAX_SAFE_INTEGER}) and {in time} returning id`;

/** What the last process has stored. */
export interface LeftRecords {
  /** The epoch of the used nonces. */
  readonly epoch: string;
  readonly nonces: readonly string[];
  /** The slots that may still be held, by the key of their budget. */
  readonly held: ReadonlyMap<string, readonly HeldSlot[]>;
}

/** Stores the used nonces and the held slots of small budgets, so that the next process continues with them. */
export class LocalRecords {
  readonly #database: Database;
  readonly #clocks: LocalClocks;
  /** The ids of the rows of slots whose calls are in progress, by owner. */
  readonly #rows = new Map<string, number>();
  /** The ends of calls, which are written in batches. If they are lost, the next process holds these slots longer. */
  #ended: Statement[] = [];
  readonly #batches: Repeated;

  constructor(database: Database, clocks: LocalClocks, background = new Background()) {
    this.#database = database;
    this.#clocks = clocks;
    this.#batches = background.every('slots', BATCH_MS, () => this.#writeBatch());
  }

  isReady(): boolean {
    return this.#database.isReady();
  }

  /** Reads the nonces and slots that the last process has stored. */
  async read(): Promise<LeftRecords> {
    const { epoch, isNew } = await this.#readEpoch();
    const rows = await this.#database.read({ sql: 'select * from admissions order by id' });
    const nonces = isNew ? [] : rows.filter(({ nonce }) => nonce !== null);
    const held = new Map<string, HeldSlot[]>();
    for (const row of rows.filter(({ budget }) => budget !== null)) {
      const slot = { owner: String(row.id), freesAtMs: this.#freesAt(row) };
      if (slot.freesAtMs <= this.#clocks.now()) continue;
      const budget = String(row.budget);
      held.set(budget, [...(held.get(budget) ?? []), slot]);
      // A reboot restarts the monotonic clock. The new times are stored, so that a slot is held longer once and not at each start.
      await this.#database.write({ condition: { sql: MOVE, values: [Number(row.id), ...this.#times(slot)] } });
    }
    return {
      epoch,
      held,
      nonces: nonces.map(({ nonce }) => String(nonce)),
    };
  }

  /** Writes a nonce and a slot in one transaction; both survive the process. */
  async save(use: NonceUse | undefined, budget: Budget | undefined, slot?: HeldSlot): Promise<void> {
    const nonce = [use?.nonce ?? null, use?.issuedAtSeconds ?? null];
    if (budget && slot && isKept(budget)) {
      const values = [...nonce, budget.key, ...this.#times(slot)];
      const row = await this.#database.write({ condition: { sql: SAVE_SLOT, values } });
      this.#rows.set(slot.owner, Number(row?.id));
    } else if (use) await this.#database.write({ condition: { sql: SAVE_NONCE, values: nonce } });
  }

  /** Stores the end of a call. If its slot is still held, it frees earlier than the row says. */
  saveEnd(owner: string, slot: HeldSlot | undefined): void {
    const id = this.#rows.get(owner);
    this.#rows.delete(owner);
    if (id !== undefined && slot) this.#ended.push({ sql: MOVE, values: [id, ...this.#times(slot)] });
  }

  async close(): Promise<void> {
    await this.#batches.close();
    await this.#writeBatch();
  }

  /** Returns when a slot frees by each clock, and how long it is held, in milliseconds. */
  #times({ freesAtMs }: HeldSlot): number[] {
    const holdMs = freesAtMs - this.#clocks.now();
    return [freesAtMs, this.#clocks.monotonic() + holdMs, holdMs];
  }

  /** Returns when a stored slot frees: when its time is over by both clocks, but at most its hold time from now. */
  #freesAt({ frees_at_ms: wallMs, frees_at_monotonic_ms: monotonic, hold_ms: holdMs }: SqlRow): number {
    const nowMs = this.#clocks.now();
    const remainingMs = Math.max(Number(wallMs) - nowMs, Number(monotonic) - this.#clocks.monotonic());
    return nowMs + Math.min(remainingMs, Number(holdMs));
  }

  /**
   * Reads the epoch of the nonces. This process keeps the last one's epoch, except in two cases: the machine has restarted, which may lose
   * the last used nonces, or its time was set, which could make old nonces valid again. Then a new epoch makes all nonces invalid.
   */
  async #readEpoch(): Promise<{ readonly epoch: string; readonly isNew: boolean }> {
    const { now, monotonic, boot } = this.#clocks;
    const startedAtMs = now() - monotonic();
    const [row] = await this.#database.read({ sql: `select value from settings where name = 'epoch'` });
    const known = JSON.parse(String(row?.value ?? '{}')) as { epoch?: string; boot?: string; startedAtMs?: number };
    const isSame =
      boot !== undefined && known.boot === boot && Math.abs(startedAtMs - (known.startedAtMs ?? 0)) < STEP_MS;
    if (isSame && known.epoch !== undefined) return { epoch: known.epoch, isNew: false };
    const epoch = randomBytes(16).toString('hex');
    const sql = `insert into settings (name, value) select 'epoch', $1 where {in time}
  on conflict (name) do update set value = excluded.value returning name as id`;
    const forget = { sql: 'update admissions set nonce = null where {condition holds}' };
    await this.#database.write({
      condition: { sql, values: [JSON.stringify({ epoch, boot, startedAtMs })] },
      changes: [forget],
    });
    return { epoch, isNew: true };
  }

  async #writeBatch(): Promise<void> {
    const { now, monotonic } = this.#clocks;
    const ended = this.#ended.filter(({ values }) => Number(values?.[1]) > now());
    this.#ended = [];
    const oldestSeconds = Math.floor((now() - TIMES.rememberedMs) / 1000);
    const steps = [...ended, { sql: FORGET, values: [oldestSeconds, now(), monotonic()] }];
    await Promise.all(steps.map((condition) => this.#database.write({ condition })));
  }
}
