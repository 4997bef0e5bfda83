import { statfsSync } from 'node:fs';

const MIB = 1024 * 1024;
/** With fewer free bytes nothing new is begun: the database's own way with a full disk can end the process. */
const TO_BEGIN = 64 * MIB;
/** With fewer than these, not even the end of something is written. */
const TO_END = 8 * MIB;

/** Keeps writes away from a disk that has no room for them. */
export class FreeSpace {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Throws where a new purchase or a new slot must not be begun. */
  assertToBegin(): void {
    if (this.#bytes() < TO_BEGIN) throw new Error(`DATA_DIR has less than ${TO_BEGIN / MIB} MiB free; make room there`);
  }

  /** Throws where not even a small last write is safe. */
  assertToEnd(): void {
    if (!this.isEnoughToEnd()) throw new Error(`DATA_DIR has less than ${TO_END / MIB} MiB free; make room there`);
  }

  isEnoughToEnd(): boolean {
    return this.#bytes() >= TO_END;
  }

  #bytes(): number {
    const { bavail, bsize } = statfsSync(this.#folder);
    return bavail * bsize;
  }
}
