import type { CacheKey } from './known-key.ts';

/** What an entry weighs beside its text: what JavaScript needs for it, roughly. */
export const OVERHEAD_BYTES = 512;

/** What an upstream has answered for a key, of which all that is kept is made. */
export abstract class Kept {
  readonly key: CacheKey;
  /** Its part of the memory that all of them share. */
  abstract readonly bytes: number;
  /** When its call went out, by the clock that ages are asked with. */
  readonly fetchedAtMs: number;

  constructor(key: CacheKey, fetchedAtMs: number) {
    this.key = key;
    this.fetchedAtMs = fetchedAtMs;
  }

  ageSeconds(nowMs: number): number {
    return Math.max(0, nowMs - this.fetchedAtMs) / 1_000;
  }
}
