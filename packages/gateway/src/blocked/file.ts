import { type BigIntStats, readFileSync, statSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { BlockedList, ListFault, linesInto, readList } from './list.ts';

export { ListFault };

const MAX_BYTES = 16 * 1024 * 1024;
const LOOK_MS = 1_000;
/** How many lines are read in one turn of the event loop. */
const LINES_A_TURN = 200;

function assertReadable(stats: BigIntStats): void {
  if (!stats.isFile()) throw new ListFault('is not a file');
  if (stats.size > MAX_BYTES) throw new ListFault('is larger than 16 MiB');
}

/** Returns a fault in reading as a message for the operator. */
function listFaultOf(path: string, error: unknown): ListFault {
  if (error instanceof ListFault) return new ListFault(`${path} ${error.message}`);
  const { code = 'unknown' } = error as NodeJS.ErrnoException;
  return new ListFault(`${path} ${code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`}`);
}

/** Returns a text that changes with the file's content. */
const versionOf = ({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string => [ino, size, mtimeNs, ctimeNs].join(' ');

/** The text of a list file. */
export interface ListFile {
  readonly path: string;
  readonly list: BlockedList;
  /** A text that changes with the file's content. */
  readonly version: string;
}

/** Reads a list file synchronously. Throws a ListFault that names the file. */
export function readListFile(path: string): ListFile {
  try {
    const stats = statSync(path, { bigint: true });
    assertReadable(stats);
    return { path, list: readList(readFileSync(path, 'utf8')), version: versionOf(stats) };
  } catch (error) {
    throw listFaultOf(path, error);
  }
}

async function listIn(path: string): Promise<BlockedList> {
  const list = new BlockedList();
  for (const index of linesInto(list, await readFile(path, 'utf8'))) if (index % LINES_A_TURN === 0) await nextTurn();
  return list;
}

const summary = ({ counts: { wallets, ranges } }: BlockedList): string =>
  `blocked wallets: ${wallets}; address ranges: ${ranges}`;

/**
 * Watches a list file. Checks it once a second, and reads it when two checks agree, so that it reads no half-written file. Reports a fault
 * once, and keeps the last good list.
 */
export class BlockedFile {
  readonly #path: string;
  readonly #notice: (message: string) => void;
  /** The last good list. */
  list: BlockedList;
  /** The file's version at the last check, and at the last read. */
  #seen: string;
  #read: string;
  #timer: NodeJS.Timeout | undefined;

  constructor({ path, list, version }: ListFile, notice: (message: string) => void) {
    this.#path = path;
    this.#notice = (message) => notice(`BLOCKED_FILE: ${message}`);
    this.list = list;
    this.#seen = this.#read = version;
    this.#notice(summary(list));
    this.#lookLater();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #lookLater(): void {
    this.#timer = setTimeout(() => void this.#look(), LOOK_MS).unref();
  }

  async #look(): Promise<void> {
    const before = this.#timer;
    await this.#readChange();
    if (this.#timer === before) this.#lookLater();
  }

  async #readChange(): Promise<void> {
    const found = await stat(this.#path, { bigint: true }).catch((error: NodeJS.ErrnoException) => error);
    const version = found instanceof Error ? String(found.code) : versionOf(found);
    const isSettled = version === this.#seen;
    this.#seen = version;
    if (!isSettled || version === this.#read) return;
    this.#read = version;
    try {
      if (found instanceof Error) throw found;
      assertReadable(found);
      this.list = await listIn(this.#path);
      this.#notice(summary(this.list));
    } catch (error) {
      this.#notice(`${listFaultOf(this.#path, error).message}; the last good list stays in force`);
    }
  }
}
