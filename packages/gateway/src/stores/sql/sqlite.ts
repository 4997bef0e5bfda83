import { closeSync, fdatasync, fsyncSync, type NoParamCallback, openSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { type Clock, monotonicMs } from '../clock.ts';
import type { Database, Row, Statement, Step } from './database.ts';
import { SQLITE } from './dialect.ts';
import { reportSqlite, SqliteConnection } from './sqlite-connection.ts';

/** What tests may change. */
export interface SqliteOptions {
  readonly now: Clock;
  /** Makes what was written to a file durable. */
  readonly flush?: (descriptor: number, callback: NoParamCallback) => void;
}

interface Waiting {
  readonly step: Step;
  readonly resolve: (row: Row | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** A step that was committed. */
type Committed = Waiting & { readonly row: Row | undefined };

const FILE = 'gateway.db';
/** How long a note waits for other steps, and how far commits and flushes are apart while there are many. */
const [NOTE_MS, COMMIT_MS, FLUSH_MS] = [200, 3, 5];
/** The write-ahead log is copied into the database after about so many bytes, of which a step writes a few pages and its answer. */
const [CHECKPOINT_BYTES, STEP_BYTES] = [16 * 1024 * 1024, 4 * 4096];
const CHECKPOINT = 'pragma wal_checkpoint(passive)';
/** A log of so many pages is used from its beginning again. */
const LONG_LOG_PAGES = 16 * 1024;

/** The database file of a folder. */
export const sqliteIn = (folder: string): string => `${folder}/${FILE}`;

const textLength = ({ guard, changes = [] }: Step): number => {
  const values = [guard, ...changes].flatMap((statement) => statement.values ?? []);
  return values.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0);
};

/** Opens the log of a file. To open and close the file itself would drop SQLite's locks. */
function openLog(path: string): number {
  const log = openSync(`${path}-wal`, 'r+');
  fsyncSync(log);
  return log;
}

/**
 * A folder's database, used by one process. Steps that arrive in one turn of the event loop share a transaction, and those that must
 * be durable share a flush, which runs in another thread. Reports and checkpoints run on other connections in other threads.
 */
export class SqliteDatabase implements Database {
  readonly dialect = SQLITE;
  readonly #path: string;
  readonly #now: Clock;
  readonly #fdatasync: NonNullable<SqliteOptions['flush']>;
  #connection: SqliteConnection;
  #log: number;
  #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isSoon = false;
  #committedAtMs = 0;
  #unflushed: Committed[] = [];
  #flushing: Promise<void> | undefined;
  #flushedAtMs = 0;
  #logBytes = 0;
  #checkpoint: Promise<unknown> | undefined;
  /** Nothing is committed before this. */
  #held: Promise<unknown> | undefined;
  #isBroken = false;

  /** Opens the file, makes it if it is missing, and brings its schema up to date. Throws if it cannot be used. */
  constructor(path: string, { now, flush = fdatasync }: SqliteOptions) {
    this.#path = path;
    this.#now = now;
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

  /** It is committed with what is written next. */
  note(guard: Statement): void {
    this.#waiting.push({ step: { guard }, resolve: () => undefined, reject: () => undefined });
    this.#timer ??= setTimeout(() => this.#commitWaiting(), NOTE_MS).unref();
  }

  async close(): Promise<void> {
    await this.#held;
    this.#commitWaiting();
    await this.#flushing;
    await this.#checkpoint;
    closeSync(this.#log);
    this.#connection.close();
  }

  /** At the end of this turn of the event loop, or when the last commit is long enough ago. */
  #commitSoon(): void {
    if (this.#isSoon) return;
    this.#isSoon = true;
    const commit = () => this.#commitWaiting();
    clearTimeout(this.#timer);
    if (monotonicMs() - this.#committedAtMs < COMMIT_MS) this.#timer = setTimeout(commit, COMMIT_MS);
    else setImmediate(commit);
  }

  #commitWaiting(): void {
    if (this.#held) return;
    const group = this.#waiting;
    this.#waiting = [];
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isSoon = false;
    if (group.length === 0) return;
    this.#committedAtMs = monotonicMs();
    try {
      if (this.#isBroken) this.#reopen();
      this.#commit(group);
    } catch (error) {
      // One step's fault must not fail the others; a file that cannot be written fails all of them, and once.
      const isOfFile = this.#isBroken || (error as { code?: string }).code === 'SQLITE_BUSY';
      for (const each of group) group.length === 1 || isOfFile ? each.reject(error) : this.#commitAlone(each);
    }
  }

  #commitAlone(waiting: Waiting): void {
    try {
      this.#commit([waiting]);
    } catch (error) {
      waiting.reject(error);
    }
  }

  #commit(group: readonly Waiting[]): void {
    const rows = this.#connection.commit(
      group.map(({ step }) => step),
      this.#now(),
    );
    this.#settle(group.map((each, index) => ({ ...each, row: rows[index] })));
  }

  #settle(committed: readonly Committed[]): void {
    for (const each of committed) {
      this.#logBytes += STEP_BYTES + (each.step.isDurable ? textLength(each.step) : 0);
      if (each.step.isDurable && each.row) this.#unflushed.push(each);
      else each.resolve(each.row);
    }
    this.#flushing ??= this.#flush().finally(() => {
      this.#flushing = undefined;
    });
  }

  /** Flushes what was committed by now. Commits that arrive meanwhile share the next flush. */
  async #flush(): Promise<void> {
    while (this.#unflushed.length > 0) {
      const waitMs = this.#flushedAtMs + FLUSH_MS - monotonicMs();
      if (waitMs > 0) await pause(waitMs);
      this.#flushedAtMs = monotonicMs();
      const flushed = this.#unflushed.splice(0);
      const error = await new Promise((resolve) => this.#fdatasync(this.#log, resolve));
      // What the system could not write it may have forgotten: nothing is durable before the file was opened and flushed anew.
      if (error) this.#isBroken = true;
      for (const { resolve, reject, row } of flushed) error ? reject(error) : resolve(row);
    }
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
    this.#checkpoint = this.#copyLog()
      .catch(() => undefined)
      .finally(() => {
        this.#checkpoint = undefined;
      });
  }

  /**
   * Copies the log into the database. SQLite uses a log from its beginning again after a copy of all of it, during which nothing was
   * committed: that is a second, short one.
   */
  async #copyLog(): Promise<void> {
    const [row] = await this.report({ sql: CHECKPOINT });
    if (Number(row?.log) < LONG_LOG_PAGES) return;
    this.#held = this.report({ sql: CHECKPOINT })
      .catch(() => undefined)
      .finally(() => {
        this.#held = undefined;
        this.#commitWaiting();
      });
    await this.#held;
  }
}
