import { closeSync, fdatasync, fsyncSync, type NoParamCallback, openSync, statSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { type AtomicWrite, bytesOf, type SqlRow, valuesOf } from './database.ts';

export const logOf = (path: string): string => `${path}-wal`;

/** Opens and flushes the log of a file. Opening and closing the file itself would drop SQLite's locks. */
function openLog(path: string): number {
  const log = openSync(logOf(path), 'r+');
  fsyncSync(log);
  return log;
}

/** Node's `fdatasync`, or a test's. */
export type Flush = (descriptor: number, callback: NoParamCallback) => void;

/** A committed write whose promise waits until it is on disk. */
interface Unflushed {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** The shortest time between flushes. */
export const FLUSH_MS = 5;

/** Flushes the log of a database file in another thread. Commits that arrive during a flush share the next one. */
export class LogFlushes {
  readonly #flush: Flush;
  #log: number;
  #unflushed: Unflushed[] = [];
  #flushedAtMs = 0;
  running: Promise<void> | undefined;
  /** Whether the system may have dropped writes. Then nothing is durable before the file is opened and flushed again. */
  haveFailed = false;

  constructor(path: string, flush: Flush = fdatasync) {
    this.#log = openLog(path);
    this.#flush = flush;
  }

  /** Adds a write that the next flush makes durable. */
  add(committed: Unflushed): void {
    this.#unflushed.push(committed);
  }

  /** Begins a flush if a write waits for one. */
  start(): void {
    if (this.#unflushed.length > 0) this.running ??= this.#run();
  }

  /** Opens and flushes the log again. */
  reopen(path: string): void {
    const log = openLog(path);
    closeSync(this.#log);
    this.#log = log;
  }

  close(): void {
    closeSync(this.#log);
  }

  async #run(): Promise<void> {
    while (this.#unflushed.length > 0) {
      const waitMs = this.#flushedAtMs + FLUSH_MS - performance.now();
      if (waitMs > 0) await pause(waitMs);
      this.#flushedAtMs = performance.now();
      const flushed = this.#unflushed.splice(0);
      const error = await new Promise((resolve) => this.#flush(this.#log, resolve));
      if (error) this.haveFailed = true;
      for (const { resolve, reject } of flushed) error ? reject(error) : resolve();
    }
    this.running = undefined;
  }
}

/** Device and inode of a file; undefined if it is missing. */
function identityOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}

const MOVED =
  'was deleted or replaced while this gateway used it; put it back, or stop the gateway and restore a backup';

/**
 * Files that must stay in place. If one were replaced, this process would keep writing into the old file, which no
 * later process reads.
 */
export class FixedFiles {
  readonly #paths: readonly string[];
  #identities: readonly (string | undefined)[];
  /** The result of the last check; undefined if all files are in place. */
  fault: Error | undefined;

  constructor(paths: readonly string[]) {
    this.#paths = paths;
    this.#identities = paths.map(identityOf);
  }

  /** Accepts the files that exist now. */
  accept(): void {
    this.#identities = this.#paths.map(identityOf);
  }

  /** Throws if a file was deleted or replaced since. */
  check(): void {
    const moved = this.#paths.find((path, index) => identityOf(path) !== this.#identities[index]);
    this.fault = moved === undefined ? undefined : new Error(`${moved} ${MOVED}`);
    if (this.fault) throw this.fault;
  }
}

/** The approximate log size that starts a checkpoint. */
const CHECKPOINT_BYTES = 16 * 1024 * 1024;
export const CHECKPOINT = 'pragma wal_checkpoint(passive)';
/** A longer log is restarted from its beginning. */
const LONG_LOG_PAGES = 16 * 1024;

/** The size of a write in the log without its answer. */
const WRITE_BYTES = 4 * 4096;

/** Copies a log that has become large into its database. */
export class Checkpoints {
  readonly #copy: () => Promise<readonly SqlRow[] | undefined>;
  readonly #onReleased: () => void;
  #bytes = 0;
  running: Promise<unknown> | undefined;
  /** Commits wait for this promise. */
  held: Promise<unknown> | undefined;

  /** `copy`: copies the log, and answers undefined if that failed. `onReleased`: called when commits need no longer wait. */
  constructor(copy: () => Promise<readonly SqlRow[] | undefined>, onReleased: () => void) {
    this.#copy = copy;
    this.#onReleased = onReleased;
  }

  /** Counts a write in the log. */
  written(write: AtomicWrite): void {
    this.#bytes += WRITE_BYTES + (write.isDurable ? bytesOf(valuesOf(write)) : 0);
    if (this.running || this.#bytes < CHECKPOINT_BYTES) return;
    this.#bytes = 0;
    this.running = this.#copyLog().finally(() => {
      this.running = undefined;
    });
  }

  /** SQLite restarts a log only after a complete copy without concurrent commits, which is a second, short one. */
  async #copyLog(): Promise<void> {
    const [row] = (await this.#copy()) ?? [];
    if (Number(row?.log ?? 0) < LONG_LOG_PAGES) return;
    this.held = this.#copy().finally(() => {
      this.held = undefined;
      this.#onReleased();
    });
    await this.held;
  }
}
