import { Background, type Repeated } from '../../background.ts';
import type { Clock } from '../clock.ts';
import { advance, clockIn, READ_CLOCK, wallOf } from './books-clock.ts';
import { type AtomicWrite, type ClockRow, type Database, SQLITE, type SqlRow, type Statement } from './database.ts';
import { isLocked, readSqlite, SqliteConnection } from './sqlite-connection.ts';
import { CHECKPOINT, Checkpoints, FixedFiles, FLUSH_MS, type Flush, LogFlushes, logOf } from './sqlite-files.ts';

/** The clocks of the process, and options for tests. */
export interface SqliteOptions {
  /** A clock that never steps while the process runs. */
  readonly now: Clock;
  /** The time of day; default: `now`. */
  readonly wallNow?: Clock;
  /** Further files that must stay in place, such as the folder's lock. */
  readonly files?: readonly string[];
  readonly background?: Background | undefined;
  /** Replaces `fdatasync`, for tests. */
  readonly flush?: Flush;
}

interface Waiting {
  readonly write: AtomicWrite;
  readonly sinceMs: number;
  readonly resolve: (row: SqlRow | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** How often a commit moves the clocks, in milliseconds. */
const CLOCK_MS = 1_000;
/** How often the files are checked, in milliseconds. */
const CHECK_MS = 1_000;
/** How long a write waits in all for another process to release its lock, in milliseconds. */
const LOCKED_MS = 1_000;
/** The pause between two attempts, in milliseconds. */
const AGAIN_MS = 25;
/** The shortest time between commits, in milliseconds. Flushes are this far apart, so earlier commits would not reach the disk earlier. */
const COMMIT_MS = FLUSH_MS;

/** Returns the path of a folder's database file. */
export const sqliteIn = (folder: string): string => `${folder}/gateway.db`;

/**
 * The database of a folder, used by one process. Writes that arrive in one turn of the event loop share a transaction. Durable writes
 * share a flush in another thread. Reports and checkpoints run on other connections in other threads.
 */
export class SqliteDatabase implements Database {
  readonly dialect = SQLITE;
  readonly #path: string;
  readonly #now: Clock;
  readonly #wallNow: Clock;
  /** The books' clock minus the process's clock. */
  #aheadMs = 0;
  #clockMovedAtMs = 0;
  #connection: SqliteConnection;
  #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isPlanned = false;
  /** The reads that wait for the next commit, because the writes before them must be visible to them. */
  #reads: (() => void)[] = [];
  #committedAtMs = 0;
  readonly #flushes: LogFlushes;
  readonly #checkpoints: Checkpoints;
  /** Files that must stay in place. While one is missing or replaced, nothing may be written. */
  readonly #files: FixedFiles;
  readonly #checking: Repeated;

  /** Opens the file, or makes it, and migrates its schema. Throws if it is unusable. */
  constructor(path: string, { now, wallNow = now, files = [], ...options }: SqliteOptions) {
    const { flush, background = new Background() } = options;
    this.#path = path;
    this.#now = now;
    this.#wallNow = wallNow;
    this.#connection = new SqliteConnection(path);
    // The first write makes the log file.
    this.#moveClock();
    this.#flushes = new LogFlushes(path, flush);
    const copy = () => background.run('checkpoint', () => this.report({ sql: CHECKPOINT }));
    this.#checkpoints = new Checkpoints(copy, this.#commitWaiting);
    this.#files = new FixedFiles([path, logOf(path), ...files]);
    this.#checking = background.every('files', CHECK_MS, async () => this.#files.check());
  }

  now(): number {
    return this.#now() + this.#aheadMs;
  }

  wallAt(nowMs: number): number {
    return wallOf(nowMs, { wallMs: this.#wallNow(), nowMs: this.now() });
  }

  async clock(): Promise<ClockRow> {
    return advance(clockIn(await this.read(READ_CLOCK)), this.#wallNow(), this.now());
  }

  isReady(): boolean {
    return !this.#flushes.haveFailed && this.#files.fault === undefined;
  }

  async read(statement: Statement): Promise<readonly SqlRow[]> {
    if (this.#waiting.length > 0) await new Promise<void>((resolve) => this.#reads.push(resolve));
    return this.#connection.read(statement);
  }

  report(statement: Statement): Promise<readonly SqlRow[]> {
    return readSqlite(this.#path).report(statement);
  }

  write(write: AtomicWrite): Promise<SqlRow | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ write, sinceMs: performance.now(), resolve, reject });
      // Commit at the end of this turn of the event loop, or later if the last commit was just now.
      this.#commitIn(performance.now() - this.#committedAtMs < COMMIT_MS ? COMMIT_MS : 0);
    });
  }

  async close(): Promise<void> {
    await this.#checking.close();
    await this.#checkpoints.held;
    this.#commitWaiting();
    await this.#flushes.running;
    await this.#checkpoints.running;
    this.#flushes.close();
    this.#connection.close();
  }

  #moveClock(expectedMs?: number): void {
    const askedAtMs = this.#now();
    this.#aheadMs = this.#connection.moveClock(this.#wallNow(), expectedMs).nowMs - askedAtMs;
    this.#clockMovedAtMs = askedAtMs;
  }

  /**
   * Schedules a commit of the waiting writes, unless one is scheduled. `milliseconds`: 0 means at the end of this turn of the event loop.
   */
  #commitIn(milliseconds: number): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    if (milliseconds > 0) this.#timer = setTimeout(this.#commitWaiting, milliseconds);
    else setImmediate(this.#commitWaiting);
  }

  readonly #commitWaiting = (): void => {
    if (this.#checkpoints.held) return;
    const group = this.#waiting;
    this.#waiting = [];
    clearTimeout(this.#timer);
    this.#isPlanned = false;
    if (group.length === 0) return;
    this.#committedAtMs = performance.now();
    this.#commit(group);
    for (const read of this.#reads.splice(0)) read();
  };

  /** Commits a group of writes in one transaction. If one of them fails, commits each write alone. */
  #commit(group: readonly Waiting[]): void {
    try {
      // Money must not move in a file that no later process reads.
      if (group.some(({ write }) => write.isDurable)) this.#files.check();
      if (this.#files.fault) throw this.#files.fault;
      if (this.#flushes.haveFailed) this.#reopen();
      const isClockDue = this.#now() - this.#clockMovedAtMs >= CLOCK_MS;
      const rows = this.#connection.commit(group, isClockDue ? () => this.#moveClock(this.now()) : undefined);
      for (const [index, { write, resolve, reject }] of group.entries()) {
        const row = rows[index];
        this.#checkpoints.written(write);
        if (write.isDurable && row) this.#flushes.add({ resolve: () => resolve(row), reject });
        else resolve(row);
      }
      this.#flushes.start();
    } catch (error) {
      // A faulty write must not make the others fail. If the file cannot be written, all fail.
      const isOfFile = this.#flushes.haveFailed || this.#files.fault !== undefined;
      if (isLocked(error)) this.#tryAgain(group, error);
      else for (const each of group) group.length === 1 || isOfFile ? each.reject(error) : this.#commit([each]);
    }
  }

  /**
   * Plans another attempt, because another process has locked the file. This thread does not wait for it, so requests that need no commit
   * go on.
   */
  #tryAgain(group: readonly Waiting[], error: unknown): void {
    const hasWaitedTooLong = ({ sinceMs }: Waiting) => performance.now() - sinceMs > LOCKED_MS;
    for (const each of group) if (hasWaitedTooLong(each)) each.reject(error);
    this.#waiting = [...group.filter((each) => !hasWaitedTooLong(each)), ...this.#waiting];
    if (this.#waiting.length > 0) this.#commitIn(AGAIN_MS);
  }

  /** Opens the file and its log again after a failed flush. Throws while the file cannot be written. */
  #reopen(): void {
    this.#flushes.reopen(this.#path);
    const connection = new SqliteConnection(this.#path);
    this.#connection.close();
    this.#connection = connection;
    connection.rewrite();
    this.#files.accept();
    this.#flushes.haveFailed = false;
  }
}
