/** Numbers by name; a name without a number counts 0 and is forgotten. */
export class Counts {
  readonly #counts = new Map<string, number>();

  /** The names with a number. */
  get size(): number {
    return this.#counts.size;
  }

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  add(name: string, by: 1 | -1): void {
    const count = this.of(name) + by;
    if (count > 0) this.#counts.set(name, count);
    else this.#counts.delete(name);
  }
}

/** Values by name that are forgotten some time after they were set. */
export class Recent<Value> {
  readonly #keepMs: number;
  /** In the order in which they were set. */
  readonly #entries = new Map<string, { readonly atMs: number; readonly value: Value }>();

  constructor(keepMs: number) {
    this.#keepMs = keepMs;
  }

  get(name: string, nowMs: number): Value | undefined {
    for (const [known, { atMs }] of this.#entries) {
      if (nowMs - atMs < this.#keepMs) break;
      this.#entries.delete(known);
    }
    return this.#entries.get(name)?.value;
  }

  set(name: string, value: Value, atMs: number): void {
    this.#entries.delete(name);
    this.#entries.set(name, { atMs, value });
  }
}
