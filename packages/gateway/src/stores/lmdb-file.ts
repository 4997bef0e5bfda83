import { fstatSync, readFileSync, readSync } from 'node:fs';
import { Damage } from './damage.ts';

/** One tree of pages, as its record says. */
export interface Tree {
  /** Nothing when the tree is empty. */
  readonly root: number | undefined;
  readonly depth: number;
  readonly entries: number;
}

/** A state of the database: what a commit has made of it. */
export interface Snapshot {
  readonly txnId: number;
  readonly lastPage: number;
  readonly freePages: Tree;
  readonly tables: Tree;
}

interface Meta extends Snapshot {
  readonly boot: bigint;
  /** Not known to have been written to the disk. */
  readonly isUnflushed: boolean;
}

/** What comes before the content of each page. */
export const HEADER_BYTES = 24;
/** The size of the record of a tree. */
export const TREE_BYTES = 48;

const META_BYTES = 168;
const MAGIC = 0xbeefc0de;
const VERSION = 2;
const META_PAGE = 8;
const UNFLUSHED = 0x1000;
const SIZES = [4096, 8192, 16_384, 32_768, 65_536];
const NO_PAGE = 0xffff_ffff_ffff_ffffn;
const TWO_32 = 2 ** 32;

/** A number of 64 bits; one that is too large for a page or a count is none of ours, whatever its last digits. */
export const read64 = (bytes: Buffer, at: number): number =>
  bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4) * TWO_32;

/** Reads the record of a tree. */
export function readTree(bytes: Buffer, at: number): Tree {
  const root = bytes.readBigUInt64LE(at + 40);
  return {
    root: root === NO_PAGE ? undefined : Number(root),
    depth: bytes.readUInt16LE(at + 6),
    entries: read64(bytes, at + 32),
  };
}

function readMeta(bytes: Buffer): Meta {
  return {
    txnId: read64(bytes, 152),
    lastPage: read64(bytes, 144),
    freePages: readTree(bytes, 48),
    tables: readTree(bytes, 96),
    boot: bytes.readBigInt64LE(160),
    isUnflushed: (bytes.readUInt16LE(52) & UNFLUSHED) !== 0,
  };
}

/** When the machine was started, as lmdb notes it: the first digits of a random id; 0 where there is none. */
function bootOfMachine(): bigint {
  try {
    const [digits = ''] = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').split('-');
    return BigInt(`0x${digits}`);
  } catch {
    return 0n;
  }
}

/** Of two states the later one, unless the machine has ended since and may not have written it down. */
function later(one: Meta, other: Meta, boot: bigint): Meta {
  if (other.txnId === 0) return one;
  const latest = one.txnId >= other.txnId ? one : other;
  const isSafe = !latest.isUnflushed || (latest.boot !== 0n && latest.boot === boot);
  if (isSafe) return latest;
  return one.txnId > other.txnId ? other : one;
}

/** A database file of lmdb (the one of lmdb-js 3, 64 bits, little-endian), read without lmdb. */
export class LmdbFile {
  readonly #descriptor: number;
  readonly bytes: number;
  readonly pageSize: number;

  /** Of an open file. */
  constructor(descriptor: number) {
    this.#descriptor = descriptor;
    this.bytes = fstatSync(descriptor).size;
    const head = Buffer.alloc(META_BYTES);
    if (this.#read(head, 0) < META_BYTES) throw new Damage(`it has ${this.bytes} bytes`);
    const isDatabase = (head.readUInt16LE(18) & META_PAGE) !== 0 && head.readUInt32LE(24) === MAGIC;
    if (!isDatabase) throw new Damage('it does not begin as a database does');
    if ((head.readUInt32LE(28) & 0xffff) !== VERSION) throw new Damage('its version is not known');
    this.pageSize = head.readUInt32LE(48);
    if (!SIZES.includes(this.pageSize)) throw new Damage('its page size is none');
  }

  /** The state that lmdb takes when nobody else has the file open. */
  snapshot(): Snapshot {
    const [first, flushed, second] = [0, this.pageSize / 2, this.pageSize].map((at) => {
      const bytes = Buffer.alloc(META_BYTES);
      if (this.#read(bytes, at) < META_BYTES) throw new Damage(`it has ${this.bytes} bytes`);
      return readMeta(bytes);
    }) as [Meta, Meta, Meta];
    const boot = bootOfMachine();
    return later(later(first, second, boot), flushed, boot);
  }

  /** Fills these bytes from the beginning of a page. */
  readPage(page: number, into: Buffer): void {
    if (this.#read(into, page * this.pageSize) < into.length) throw new Damage(`page ${page} is not in it`);
  }

  #read(into: Buffer, at: number): number {
    return readSync(this.#descriptor, into, 0, into.length, at);
  }
}
