import { closeSync, fdatasync, fsyncSync, type NoParamCallback, openSync, statSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { type AtomicWrite, bytesOf, type SqlRow, valuesOf } from './database.ts';

export const logOf = (path: string): string => `${path}-wal`;

/** Opens and flushes the log of a database file. Opening and closing the database file itself would drop SQLite's locks. */
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

/** The shortest time between flushes, in milliseconds. */
export const FLUSH_MS = 5;

/** Flushes the log of a database file in another thread. Commits that arrive during a flush share the next one. */
export class LogFlushes {
  readonly #flush: Flush;
  #log: number;
  #unflushed: Unflushed[] = [];
  #flushedAtMs = 0;
  running: Promise<void> | undefined;
  /**
   * Whether a flush has failed, so that the system may have dropped writes. Then nothing is durable until the file is opened and flushed
   * again.
   */
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

/** Returns device and inode of a file; undefined if it is missing. */
function identityOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}

const MOVED =
  'was deleted or replaced while this gateway used it; put it back, or stop the gateway and restore a backup';

/**
 * Watches files that must stay in place. If one were replaced, this process would write on into the old file, which no later process reads.
 */
export class FixedFiles {
  readonly #paths: readonly string[];
  #identities: readonly (string | undefined)[];
  /** The fault that the last check found; undefined if all files are in place. */
  fault: Error | undefined;

  constructor(paths: readonly string[]) {
    this.#paths = paths;
    this.#identities = paths.map(identityOf);
  }

  /** Accepts the files that exist now. */
  accept(): void {
    this.#identities = this.#paths.map(identityOf);
  }

  /** Throws if a file was deleted or replaced since it was accepted. */
  check(): void {
    const moved = this.#paths.find((path, index) => identityOf(path) !== this.#identities[index]);
    this.fault = moved === undefined ? undefined : new Error(`${moved} ${MOVED}`);
    if (this.fault) throw this.fault;
  }
}

/** The approximate size of the log that starts a checkpoint. */
const CHECKPOINT_BYTES = 16 * 1024 * 1024;
export const CHECKPOINT = 'pragma wal_checkpoint(passive)';
/** The length, in pages, beyond which a log is restarted from its beginning. */
const LONG_LOG_PAGES = 16 * 1024;

/** The bytes that a write takes in the log, without its answer. */
const WRITE_BYTES = 4 * 4096;

/** Copies a log that has become large into its database. */
export class Checkpoints {
  readonly #copy: () => Promise<readonly SqlRow[] | undefined>;
  readonly #onReleased: () => void;
  #bytes = 0;
  running: Promise<unknown> | undefined;
  /** While this promise is pending, commits wait for it. */
  held: Promise<unknown> | undefined;

  /** `copy`: copies the log; returns undefined if that failed. `onReleased`: called when commits need no longer wait. */
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

  /**
   * Copies the log. If it is long, copies it once more while commits wait, because SQLite restarts a log only after a complete copy without
   * concurrent commits.
   */
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
