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
/** So much is not filled within that time: a disk that has it is not looked at again so soon. */
const [PLENTY, GOOD_MS] = [2048 * MIB, 250];

/** How many bytes are free on the disk of a folder. */
function bytesFree(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** Keeps writes away from a disk that has no room for them. */
export class FreeSpace {
  readonly #folder: string;
  readonly #needed: SpaceNeeded;
  readonly #look: typeof bytesFree;
  #plentyUntilMs = Number.NEGATIVE_INFINITY;

  constructor(folder: string, needed = NEEDED, look = bytesFree) {
    this.#folder = folder;
    this.#needed = needed;
    this.#look = look;
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
    return this.#has(this.#needed.toEnd);
  }

  #assert(needed: number): void {
    if (this.#has(needed)) return;
    throw new Error(`DATA_DIR has less than ${needed / MIB} MiB free; make room there`);
  }

  /** A look is a system call, and a request needs to know several times. */
  #has(needed: number): boolean {
    const nowMs = performance.now();
    if (needed < PLENTY && nowMs < this.#plentyUntilMs) return true;
    const bytes = this.#look(this.#folder);
    this.#plentyUntilMs = bytes >= PLENTY ? nowMs + GOOD_MS : Number.NEGATIVE_INFINITY;
    return bytes >= needed;
  }
}
