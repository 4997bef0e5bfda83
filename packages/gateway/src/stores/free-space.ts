import { statfsSync } from 'node:fs';

const MIB = 1024 * 1024;

/** How many bytes must be free on the disk. */
export interface SpaceNeeded {
  /** For something new: the database's own way with a full disk can end the process. */
  readonly toBegin: number;
  /** For even the small last write of something that was begun. */
  readonly toEnd: number;
}

const NEEDED: SpaceNeeded = { toBegin: 64 * MIB, toEnd: 8 * MIB };

/** Keeps writes away from a disk that has no room for them. */
export class FreeSpace {
  readonly #folder: string;
  readonly #needed: SpaceNeeded;

  constructor(folder: string, needed = NEEDED) {
    this.#folder = folder;
    this.#needed = needed;
  }

  /** Throws where a new purchase or a new slot must not be begun. */
  assertToBegin(): void {
    this.#assert(this.#needed.toBegin);
  }

  /** Throws where not even a small last write is safe. */
  assertToEnd(): void {
    this.#assert(this.#needed.toEnd);
  }

  isEnoughToEnd(): boolean {
    return this.#bytes() >= this.#needed.toEnd;
  }

  #assert(needed: number): void {
    if (this.#bytes() >= needed) return;
    throw new Error(`DATA_DIR has less than ${needed / MIB} MiB free; make room there`);
  }

  #bytes(): number {
    const { bavail, bsize } = statfsSync(this.#folder);
    return bavail * bsize;
  }
}
