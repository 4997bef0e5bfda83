const FIRST = 2;

/** Pages of a file by number, one bit each; the first two are not among them. */
export class PageSet {
  readonly #last: number;
  readonly #bits: Uint8Array;

  constructor(last: number) {
    this.#last = last;
    this.#bits = new Uint8Array(Math.max(0, (last >> 3) + 1));
  }

  /** Adds so many from this one on; no when they are not in the file, or one of them is in the set. */
  add(first: number, count: number): boolean {
    const last = first + count - 1;
    if (!Number.isSafeInteger(last) || first < FIRST || last > this.#last) return false;
    for (let page = first; page <= last; page++) {
      const [at, bit] = [page >> 3, 1 << (page & 7)];
      const bits = this.#bits[at] ?? 0;
      if ((bits & bit) !== 0) return false;
      this.#bits[at] = bits | bit;
    }
    return true;
  }

  /** Whether a page is in both. */
  meets(other: PageSet): boolean {
    return this.#bits.some((bits, at) => (bits & (other.#bits[at] ?? 0)) !== 0);
  }
}
