import { closeSync, fdatasync, fsyncSync, type NoParamCallback, openSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Background } from '../../background.ts';
import type { Clock } from '../clock.ts';
import { type Database, type Row, SQLITE, type Statement, type Step } from './database.ts';
import { reportSqlite, SqliteConnection } from './sqlite-connection.ts';

export interface SqliteOptions {
  readonly now: Clock;
  readonly background?: Background | undefined;
  /** Replaces `fdatasync`, for tests. */
  readonly flush?: (descriptor: number, callback: NoParamCallback) => void;
}

interface Waiting {
  readonly step: Step;
  readonly resolve: (row: Row | undefined) => void;
  readonly reject: (error: unknown) => void;
}

const FILE = 'gateway.db';
/** How long a note waits for other steps, and the shortest time between commits and between flushes. */
const [NOTE_MS, COMMIT_MS, FLUSH_MS] = [200, 3, 5];
/** The approximate log size that starts a checkpoint, and the size of a step without its answer. */
const [CHECKPOINT_BYTES, STEP_BYTES] = [16 * 1024 * 1024, 4 * 4096];
const CHECKPOINT = 'pragma wal_checkpoint(passive)';
/** A longer log is restarted from its beginning. */
const LONG_LOG_PAGES = 16 * 1024;

/** The database file of a folder. */
export const sqliteIn = (folder: string): string => `${folder}/${FILE}`;

function textLength({ guard, changes = [] }: Step): number {
  let length = 0;
  for (const { values = [] } of [guard, ...changes])
    for (const value of values) if (typeof value === 'string') length += value.length;
  return length;
}

/** Opens the log of a file. Opening and closing the file itself would drop SQLite's locks. */
function openLog(path: string): number {
  const log = openSync(`${path}-wal`, 'r+');
  fsyncSync(log);
  return log;
}

/**
 * The database of a folder, used by one process. Steps that arrive in one turn of the event loop share a transaction. Durable steps
 * share a flush in another thread. Reports and checkpoints run on other connections in other threads.
 */
export class SqliteDatabase implements Database {
  readonly dialect = SQLITE;
  readonly #path: string;
  readonly #now: Clock;
  readonly #background: Background;
  readonly #fdatasync: NonNullable<SqliteOptions['flush']>;
  #connection: SqliteConnection;
  #log: number;
  #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isSoon = false;
  #committedAtMs = 0;
  #unflushed: (Waiting & { readonly row: Row })[] = [];
  #flushing: Promise<void> | undefined;
  #flushedAtMs = 0;
  #logBytes = 0;
  #checkpoint: Promise<unknown> | undefined;
  /** Commits wait for this promise. */
  #held: Promise<unknown> | undefined;
  #isBroken = false;

  /** Opens the file, or makes it, and migrates its schema. Throws if it is unusable. */
  constructor(path: string, { now, flush = fdatasync, background = new Background() }: SqliteOptions) {
    this.#path = path;
    this.#now = now;
    this.#background = background;
    this.#fdatasync = flush;
    this.#connection = new SqliteConnection(path, now());
    this.#log = openLog(path);
  }

  now(): number {
    return this.#now() + this.#connection.aheadMs;
  }

  isReady(): boolean {
    return !this.#isBroken;
  }

  async read(statement: Statement): Promise<readonly Row[]> {
    if (this.#waiting.length > 0) {
      if (this.#held) await this.#held;
      this.#commitWaiting();
    }
    return this.#connection.read(statement);
  }

  report(statement: Statement): Promise<readonly Row[]> {
    return reportSqlite(this.#path, statement);
  }

  write(step: Step): Promise<Row | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ step, resolve, reject });
      this.#commitSoon();
    });
  }

  note(guard: Statement): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ step: { guard }, resolve, reject });
      this.#timer ??= setTimeout(this.#commitWaiting, NOTE_MS).unref();
    });
  }

  async close(): Promise<void> {
    await this.#held;
    this.#commitWaiting();
    await this.#flushing;
    await this.#checkpoint;
    closeSync(this.#log);
    this.#connection.close();
  }

  /** Commits at the end of this turn of the event loop, or later if the last commit was just now. */
  #commitSoon(): void {
    if (this.#isSoon) return;
    this.#isSoon = true;
    clearTimeout(this.#timer);
    if (performance.now() - this.#committedAtMs < COMMIT_MS) this.#timer = setTimeout(this.#commitWaiting, COMMIT_MS);
    else setImmediate(this.#commitWaiting);
  }

  readonly #commitWaiting = (): void => {
    if (this.#held) return;
    const group = this.#waiting;
    this.#waiting = [];
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isSoon = false;
    if (group.length === 0) return;
    this.#committedAtMs = performance.now();
    try {
      if (this.#isBroken) this.#reopen();
      this.#commit(group);
    } catch (error) {
      // The fault of one step must not fail the others. A file that cannot be written fails all.
      const isOfFile = this.#isBroken || (error as { code?: string }).code === 'SQLITE_BUSY';
      for (const each of group) group.length === 1 || isOfFile ? each.reject(error) : this.#commitAlone(each);
    }
  };

  #commitAlone(waiting: Waiting): void {
    try {
      this.#commit([waiting]);
    } catch (error) {
      waiting.reject(error);
    }
  }

  #commit(group: readonly Waiting[]): void {
    const rows = this.#connection.commit(group, this.#now());
    for (const [index, each] of group.entries()) {
      const { step, resolve } = each;
      const row = rows[index];
      this.#logBytes += STEP_BYTES + (step.isDurable ? textLength(step) : 0);
      if (step.isDurable && row) this.#unflushed.push({ ...each, row });
      else resolve(row);
    }
    if (this.#unflushed.length > 0) this.#flushing ??= this.#flush();
    else this.#checkpointIfLarge();
  }

  /** Flushes all commits so far. Later commits share the next flush. */
  async #flush(): Promise<void> {
    while (this.#unflushed.length > 0) {
      const waitMs = this.#flushedAtMs + FLUSH_MS - performance.now();
      if (waitMs > 0) await pause(waitMs);
      this.#flushedAtMs = performance.now();
      const flushed = this.#unflushed.splice(0);
      const error = await new Promise((resolve) => this.#fdatasync(this.#log, resolve));
      // The system may have dropped writes: nothing is durable before the file is opened and flushed again.
      if (error) this.#isBroken = true;
      for (const { resolve, reject, row } of flushed) error ? reject(error) : resolve(row);
    }
    this.#flushing = undefined;
    this.#checkpointIfLarge();
  }

  /** Throws while the file cannot be written. */
  #reopen(): void {
    const log = openLog(this.#path);
    closeSync(this.#log);
    this.#log = log;
    const connection = new SqliteConnection(this.#path, this.#now());
    this.#connection.close();
    this.#connection = connection;
    connection.rewrite();
    this.#isBroken = false;
  }

  #checkpointIfLarge(): void {
    if (this.#checkpoint || this.#logBytes < CHECKPOINT_BYTES) return;
    this.#logBytes = 0;
    this.#checkpoint = this.#background
      .run('checkpoint', () => this.#copyLog())
      .finally(() => {
        this.#checkpoint = undefined;
      });
  }

  /**
   * Copies the log into the database. SQLite restarts a log only after a complete copy without concurrent commits, which is a second,
   * short one.
   */
  async #copyLog(): Promise<void> {
    const [row] = await this.report({ sql: CHECKPOINT });
    if (Number(row?.log) < LONG_LOG_PAGES) return;
    this.#held = this.#background
      .run('checkpoint', () => this.report({ sql: CHECKPOINT }))
      .finally(() => {
        this.#held = undefined;
        this.#commitWaiting();
      });
    await this.#held;
  }
}
