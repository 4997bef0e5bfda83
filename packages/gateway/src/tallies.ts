/** Counts by name. A name whose count is 0 takes no memory. */
export class Counts {
  readonly #counts = new Map<string, number>();

  /** The number of names. */
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

interface TimedValue<Value> {
  readonly atMs: number;
  readonly value: Value;
}

/** Stores values by name. Each is forgotten some time after it was set. `lru-cache` would need a maximum, or a timer for each value. */
export class Recent<Value> {
  readonly #keepMs: number;
  /**
   * The values that were set in this period, and in the one before. Whole periods expire, because to delete first entries makes a map slow.
   */
  #present = new Map<string, TimedValue<Value>>();
  #before = new Map<string, TimedValue<Value>>();
  #sinceMs = Number.NEGATIVE_INFINITY;

  constructor(keepMs: number) {
    this.#keepMs = keepMs;
  }

  /** How many values are in memory. */
  get size(): number {
    return this.#present.size + this.#before.size;
  }

  get(name: string, nowMs: number): Value | undefined {
    const entry = this.#present.get(name) ?? this.#before.get(name);
    if (!entry || nowMs - entry.atMs < this.#keepMs) return entry?.value;
    this.delete(name);
    return undefined;
  }

  set(name: string, value: Value, atMs: number): void {
    if (atMs - this.#sinceMs >= this.#keepMs)
      [this.#before, this.#present, this.#sinceMs] = [this.#present, new Map(), atMs];
    this.#present.set(name, { atMs, value });
  }

  delete(name: string): void {
    this.#present.delete(name);
    this.#before.delete(name);
  }
}
