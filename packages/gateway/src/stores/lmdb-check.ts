import { closeSync, openSync } from 'node:fs';
import { endianness } from 'node:os';
import { Damage } from './damage.ts';
import { HEADER_BYTES, LmdbFile, read64, readTree, type Snapshot, TREE_BYTES, type Tree } from './lmdb-file.ts';
import { PageSet } from './page-set.ts';

const BRANCH = 1;
const LEAF = 2;
const OVERFLOW = 4;
/** What of a page's flags says of which kind it is; the rest are marks of a transaction. */
const KINDS = 0x1fff;
const MAX_DEPTH = 32;

const ENTRY_BYTES = 8;
/** What the value of a leaf's entry is: pages of its own, or the tree of a table. */
const ELSEWHERE = 1;
const TABLE = 2;
/** Of a value that has pages of its own: the first of them, a transaction, and how many they are. */
const PLACE_BYTES = 24;

/** An entry of a page: sizes and flags, its key, and in a leaf its value. */
interface Entry {
  readonly page: Buffer;
  readonly at: number;
}

type OnEntry = (entry: Entry) => void;

const flagsOf = ({ page, at }: Entry): number => page.readUInt16LE(at + 4);
const valueAt = ({ page, at }: Entry): number => at + ENTRY_BYTES + page.readUInt16LE(at + 6);
const valueBytes = ({ page, at }: Entry): number => page.readUInt32LE(at);
/** In a branch, the page that it leads to is where a leaf has its value's size and flags. */
const childOf = (entry: Entry): number => valueBytes(entry) + flagsOf(entry) * 2 ** 32;
const isElsewhere = (entry: Entry): boolean => (flagsOf(entry) & ELSEWHERE) !== 0;

function endOf(entry: Entry, isLeaf: boolean): number {
  if (!isLeaf) return valueAt(entry);
  return valueAt(entry) + (isElsewhere(entry) ? PLACE_BYTES : valueBytes(entry));
}

/** Entries lie between a page's upper bound and its end; where each begins is said before its lower bound. */
function* entriesOf(page: Buffer, isLeaf: boolean): Generator<Entry> {
  const [lower, upper, room] = [page.readUInt16LE(20), page.readUInt16LE(22), page.length - HEADER_BYTES];
  if (lower === 0 || lower % 2 !== 0 || lower > upper || upper > room)
    throw new Damage('the bounds of a page are none');
  for (let index = 0; index < lower; index += 2) {
    const place = page.readUInt16LE(HEADER_BYTES + index);
    const entry = { page, at: HEADER_BYTES + place };
    const begins = place >= upper && place + ENTRY_BYTES <= room;
    if (!begins || endOf(entry, isLeaf) > page.length) throw new Damage('an entry lies beyond its page');
    yield entry;
  }
}

/** In the order of the file, for a disk that has to be asked for each. */
const inOrder = (pages: readonly number[]): number[] => [...pages].sort((one, other) => one - other);

/** Follows every page that a state of the database uses, and every one that it lists as free. */
class Walk {
  readonly #file: LmdbFile;
  readonly #snapshot: Snapshot;
  readonly #used: PageSet;
  readonly #free: PageSet;
  readonly #page: Buffer;
  readonly #header = Buffer.alloc(HEADER_BYTES);
  /** How many pages the values have that have pages of their own, by the first of them. */
  readonly #large = new Map<number, number>();

  constructor(file: LmdbFile, snapshot: Snapshot) {
    this.#file = file;
    this.#snapshot = snapshot;
    const written = Math.floor(file.bytes / file.pageSize);
    this.#used = new PageSet(Math.min(written - 1, snapshot.lastPage));
    this.#free = new PageSet(snapshot.lastPage);
    this.#page = Buffer.alloc(file.pageSize);
  }

  check(): void {
    const tables: Tree[] = [];
    this.#walk(this.#snapshot.freePages, (entry) => this.#freeList(entry));
    this.#walk(this.#snapshot.tables, (entry) => {
      if (flagsOf(entry) !== TABLE || valueBytes(entry) !== TREE_BYTES) throw new Damage('a table is nowhere');
      tables.push(readTree(entry.page, valueAt(entry)));
    });
    for (const table of tables) this.#walk(table, (entry) => this.#value(entry));
    for (const number of inOrder([...this.#large.keys()])) {
      this.#read(number, OVERFLOW, this.#header);
      if (this.#header.readUInt32LE(20) !== this.#large.get(number))
        throw new Damage(`page ${number} has another length`);
    }
    if (this.#used.meets(this.#free)) throw new Damage('a page is used and free at once');
  }

  /** Level by level, down to the leaves. */
  #walk({ root, depth, entries }: Tree, onEntry: OnEntry): void {
    if (depth > MAX_DEPTH || (depth === 0) !== (root === undefined)) throw new Damage('a table has no depth');
    let count = 0;
    let pages = root === undefined ? [] : [root];
    for (let level = depth; level > 0; level--) {
      const isLeaf = level === 1;
      const below: number[] = [];
      for (const number of inOrder(pages)) {
        this.#use(number, 1);
        this.#read(number, isLeaf ? LEAF : BRANCH, this.#page);
        for (const entry of entriesOf(this.#page, isLeaf)) {
          if (!isLeaf) below.push(childOf(entry));
          else {
            onEntry(entry);
            count++;
          }
        }
      }
      pages = below;
    }
    if (count !== entries) throw new Damage(`a table has ${count} entries, not ${entries}`);
  }

  #use(number: number, pages: number): void {
    if (!this.#used.add(number, pages)) throw new Damage(`page ${number} is not in it, or used twice`);
  }

  #read(number: number, kind: number, into: Buffer): void {
    this.#file.readPage(number, into);
    const isIt = read64(into, 0) === number && (into.readUInt16LE(18) & KINDS) === kind;
    if (!isIt || read64(into, 8) > this.#snapshot.txnId) throw new Damage(`page ${number} is another one`);
  }

  #value(entry: Entry): void {
    if (flagsOf(entry) === 0) return;
    if (flagsOf(entry) !== ELSEWHERE) throw new Damage('a value is of no kind');
    const number = read64(entry.page, valueAt(entry));
    const pages = read64(entry.page, valueAt(entry) + 16);
    const hasRoom = pages * this.#file.pageSize >= HEADER_BYTES + valueBytes(entry);
    if (pages < 1 || !hasRoom) throw new Damage('a value has no room');
    this.#use(number, pages);
    this.#large.set(number, pages);
  }

  /** How many numbers follow; each is a page, or so many pages, negative, whose first one is next. */
  #freeList(entry: Entry): void {
    this.#value(entry);
    const list = this.#valueOf(entry);
    const last = list.length < 8 ? -1 : Number(list.readBigInt64LE(0)) * 8;
    if (last < 0 || last + 8 > list.length) throw new Damage('a list of free pages is cut off');
    let pages = 1;
    for (let at = 8; at <= last; at += 8) {
      const number = Number(list.readBigInt64LE(at));
      if (number > 0 && !this.#free.add(number, pages)) throw new Damage('a free page is not in it, or free twice');
      pages = number < 0 ? -number : 1;
    }
  }

  #valueOf(entry: Entry): Buffer {
    const [at, bytes] = [valueAt(entry), valueBytes(entry)];
    if (!isElsewhere(entry)) return entry.page.subarray(at, at + bytes);
    const pages = Buffer.alloc(HEADER_BYTES + bytes);
    this.#file.readPage(read64(entry.page, at), pages);
    return pages.subarray(HEADER_BYTES);
  }
}

/** Other machines have another layout, which is not known here. */
const isKnown = endianness() === 'LE' && !['arm', 'ia32', 'mipsel'].includes(process.arch);

/**
 * What is wrong with a database file that nobody has open; nothing when every page that it uses is what it was written as. lmdb
 * itself trusts what it reads, and on a file that was cut off or written over it ends the process.
 */
export function damageOf(path: string): string | undefined {
  if (!isKnown) return undefined;
  const descriptor = openSync(path, 'r');
  try {
    const file = new LmdbFile(descriptor);
    new Walk(file, file.snapshot()).check();
    return undefined;
  } catch (error) {
    if (error instanceof Damage) return error.message;
    throw error;
  } finally {
    closeSync(descriptor);
  }
}
