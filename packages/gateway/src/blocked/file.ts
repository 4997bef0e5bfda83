import { type BigIntStats, readFileSync, statSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type BlockedList, ListFault, readingList, readList } from './list.ts';

export { ListFault };

/** Longer lines than any that names something are comments. */
const MAX_BYTES = 16 * 1024 * 1024;
const LOOK_MS = 1_000;
/** After so many lines others have a turn. */
const LINES_A_TURN = 200;

function assertReadable(stats: BigIntStats): void {
  if (!stats.isFile()) throw new ListFault('is no file');
  if (stats.size > MAX_BYTES) throw new ListFault('is longer than 16 MiB');
}

/** What is wrong with a file, in words that an operator can act on. */
function faultOf(path: string, error: unknown): ListFault {
  if (error instanceof ListFault) return new ListFault(`${path} ${error.message}`);
  const { code = 'unknown' } = error as NodeJS.ErrnoException;
  return new ListFault(`${path} ${code === 'ENOENT' ? 'is not there' : `cannot be read (${code})`}`);
}

/** A list, and the state of its file that it was read in. */
export interface ListFile {
  readonly path: string;
  readonly list: BlockedList;
  readonly version: string;
}

/** What tells one content of a file from another without reading it. */
const versionOf = ({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string => [ino, size, mtimeNs, ctimeNs].join(' ');

/** Reads the list in a file, at once. Throws a ListFault that names it. */
export function readListFile(path: string): ListFile {
  try {
    const stats = statSync(path, { bigint: true });
    assertReadable(stats);
    return { path, list: readList(readFileSync(path, 'utf8')), version: versionOf(stats) };
  } catch (error) {
    throw faultOf(path, error);
  }
}

async function listIn(path: string): Promise<BlockedList> {
  const reading = readingList(await readFile(path, 'utf8'));
  for (let line = 1; ; line++) {
    const { done, value } = reading.next();
    if (done) return value;
    if (line % LINES_A_TURN === 0) await nextTurn();
  }
}

const summary = ({ counts: { wallets, ranges } }: BlockedList): string =>
  `wallets that are blocked: ${wallets}; ranges of addresses: ${ranges}`;

/**
 * The list in a file that may change: it is looked at once a second, and read when it has been the same twice, so that nobody is
 * caught writing. Whatever is wrong with it then is said once, and the last good list stays.
 */
export class BlockedFile {
  readonly #path: string;
  readonly #notice: (message: string) => void;
  #list: BlockedList;
  /** The file as it was when it was looked at last, and when a list was taken from it. */
  #seen: string;
  #taken: string;
  #timer: NodeJS.Timeout | undefined;

  constructor({ path, list, version }: ListFile, notice: (message: string) => void) {
    this.#path = path;
    this.#notice = (message) => notice(`BLOCKED_FILE: ${message}`);
    this.#list = list;
    this.#seen = this.#taken = version;
    this.#notice(summary(list));
    this.#lookLater();
  }

  /** The last good list. */
  get list(): BlockedList {
    return this.#list;
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
    await this.#takeChange();
    if (this.#timer === before) this.#lookLater();
  }

  async #takeChange(): Promise<void> {
    const found = await stat(this.#path, { bigint: true }).catch((error: NodeJS.ErrnoException) => error);
    const version = found instanceof Error ? String(found.code) : versionOf(found);
    const isSettled = version === this.#seen;
    this.#seen = version;
    if (!isSettled || version === this.#taken) return;
    this.#taken = version;
    try {
      if (found instanceof Error) throw found;
      assertReadable(found);
      this.#list = await listIn(this.#path);
      this.#notice(summary(this.#list));
    } catch (error) {
      this.#notice(`${faultOf(this.#path, error).message}; the last good list stays`);
    }
  }
}
