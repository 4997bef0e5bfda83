import type { CacheKey } from './cache-key.ts';

/** One request for a key. `weight`: 1 divided by the number of keys that the request wants. */
export interface KeyRequest {
  /** The age of the stored answer in seconds; undefined if no answer may be served. */
  readonly ageSeconds?: number | undefined;
  /** Whether the request waits for a call, until `completed` or `dequeue`. */
  readonly isWaiting: boolean;
  readonly weight: number;
  /**
   * Whether the request refuses a stored answer that could be served (`no-cache`). Such a request is no demand, because no cache can serve
   * it.
   */
  readonly refusesCached: boolean;
}

/** A waiting request that gives up. `isVoid`: its sign-in was invalid, so it does not count as demand. */
export interface Withdrawal extends Pick<KeyRequest, 'weight' | 'refusesCached'> {
  readonly isVoid?: boolean;
}

/** Demand decays over this many seconds, or over twice the time that an answer may be served if that is longer. */
const MEMORY_SECONDS = 1_800;
/** For its rate, younger demand counts as this old, in milliseconds. */
const LEAST_SEEN_MS = 60_000;

/** The demand for a key, its stored answer and its calls. */
export class KeyDemand {
  readonly key: CacheKey;
  readonly #memorySeconds: number;
  /** The number of requests, decayed to `#countedAtMs`. */
  #count = 0;
  #countedAtMs: number;
  fetchedAtMs = Number.NEGATIVE_INFINITY;
  calledAtMs = Number.NEGATIVE_INFINITY;
  notBeforeMs = Number.NEGATIVE_INFINITY;
  /** The total weight of the waiting requests, and how many of them refuse a stored answer. */
  waiting = 0;
  noCacheWaiting = 0;
  isInFlight = false;
  failures = 0;
  /** Whether the upstream answered the last call for this key. */
  hasAnswered = false;

  constructor(key: CacheKey, nowMs: number) {
    this.key = key;
    this.#memorySeconds = Math.max(MEMORY_SECONDS, 2 * key.maxStaleSeconds);
    this.#countedAtMs = nowMs;
  }

  /** Returns the fraction of the stored demand that one answer serves. */
  get servedFraction(): number {
    return this.key.maxStaleSeconds / this.#memorySeconds;
  }

  get isAwaited(): boolean {
    return this.waiting > 1e-9 || this.noCacheWaiting > 0;
  }

  enqueue({ ageSeconds, isWaiting, weight, refusesCached }: KeyRequest, nowMs: number): void {
    this.fetchedAtMs = ageSeconds === undefined ? Number.NEGATIVE_INFINITY : nowMs - ageSeconds * 1_000;
    this.hasAnswered ||= ageSeconds !== undefined;
    if (!refusesCached) [this.#count, this.#countedAtMs] = [this.demandAt(nowMs) + weight, nowMs];
    if (isWaiting && refusesCached) this.noCacheWaiting++;
    else if (isWaiting) this.waiting += weight;
  }

  dequeue({ weight, refusesCached, isVoid = false }: Withdrawal): void {
    if (refusesCached) this.noCacheWaiting = Math.max(0, this.noCacheWaiting - 1);
    else this.waiting = Math.max(0, this.waiting - weight);
    if (isVoid && !refusesCached) this.#count = Math.max(0, this.#count - weight);
  }

  isHeldBack(nowMs: number): boolean {
    return this.isInFlight || this.notBeforeMs > nowMs;
  }

  /** Whether a call may include this key. A key that the upstream might reject may join a shared call only if a request waits for it. */
  mayJoin(nowMs: number): boolean {
    if (this.isAwaited) return true;
    return (this.hasAnswered || !this.key.batch) && this.gainedSeconds(nowMs) >= this.key.freshSeconds;
  }

  /** Returns the number of requests, each weighted less as time passes. */
  demandAt(nowMs: number): number {
    return this.#count * Math.exp((this.#countedAtMs - nowMs) / 1_000 / this.#memorySeconds);
  }

  /**
   * Returns how many seconds longer the cache could serve this key after a call now. That is the age of the stored answer, at most its
   * lifetime.
   */
  gainedSeconds(nowMs: number): number {
    return Math.min(this.key.maxStaleSeconds, (nowMs - this.fetchedAtMs) / 1_000);
  }

  /** Returns the expected requests per second, without those that wait. */
  rateAt(nowMs: number, startedAtMs: number): number {
    const memory = this.#memorySeconds;
    const seconds = memory * (1 - Math.exp((startedAtMs - nowMs - LEAST_SEEN_MS) / 1_000 / memory));
    return Math.max(0, this.demandAt(nowMs) - this.waiting) / seconds;
  }
}

/** Returns the keys ordered by worth, highest first. */
export const byWorth = (demands: Iterable<KeyDemand>, worth: (demand: KeyDemand) => number): KeyDemand[] => {
  const ranked = Array.from(demands, (demand) => ({ demand, worth: worth(demand) })).sort((a, b) => b.worth - a.worth);
  return ranked.map(({ demand }) => demand);
};
