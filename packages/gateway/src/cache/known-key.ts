import type { Lifetime } from './lifetimes.ts';

/** A key of the cache: how old its answer may become, and with which other keys one upstream call may ask for it. */
export interface CacheKey extends Lifetime {
  readonly id: string;
  /** Of candles whose range is over: the time of day from which it has been, in Unix seconds. */
  readonly overSinceSeconds?: number;
  readonly batch?: { readonly name: string; readonly size: number };
}

/** One request for a key. `weight`: its part of a request for several keys, at most 1. */
export interface Ask {
  /** Of the answer that is kept; absent when there is none, or none young enough to serve. */
  readonly ageSeconds?: number | undefined;
  /** Whether it waits for a call, until `completed` or `leave`. */
  readonly isWaiting: boolean;
  readonly weight: number;
  /** It wants a newer answer than the one kept (`no-cache`). No cache can serve it, so it is not remembered as demand. */
  readonly refusesCached: boolean;
}

/** What a request that waited had asked for. */
export interface Leave extends Pick<Ask, 'weight' | 'refusesCached'> {
  readonly isVoid?: boolean;
}

/** Demand is remembered for half an hour, or twice as long as an answer may be served. */
const MEMORY_SECONDS = 1_800;
/** Before any of it has been forgotten, what was seen is taken for as much as this time would have shown. */
const LEAST_SEEN_MS = 60_000;

/** What is remembered of a key: who asks for it, what is kept of it, and what became of its calls. */
export class KnownKey {
  readonly key: CacheKey;
  /** The requests that are remembered, as they counted then. */
  #count = 0;
  #countedAtMs: number;
  fetchedAtMs = Number.NEGATIVE_INFINITY;
  calledAtMs = Number.NEGATIVE_INFINITY;
  notBeforeMs = Number.NEGATIVE_INFINITY;
  /** The weights of those who wait, and how many wait who refuse what is kept. */
  waiting = 0;
  insisting = 0;
  isInFlight = false;
  failures = 0;
  /** The upstream has answered for it, and has not rejected it since. */
  hasAnswered = false;

  constructor(key: CacheKey, nowMs: number) {
    this.key = key;
    this.#countedAtMs = nowMs;
  }

  /** How many of the requests that are remembered fall into the time that one answer serves. */
  get reach(): number {
    return this.key.maxStaleSeconds / this.#memorySeconds;
  }

  get isAwaited(): boolean {
    return this.waiting > 1e-9 || this.insisting > 0;
  }

  ask({ ageSeconds, isWaiting, weight, refusesCached }: Ask, nowMs: number): void {
    this.fetchedAtMs = ageSeconds === undefined ? Number.NEGATIVE_INFINITY : nowMs - ageSeconds * 1_000;
    this.hasAnswered ||= ageSeconds !== undefined;
    if (!refusesCached) [this.#count, this.#countedAtMs] = [this.demandAt(nowMs) + weight, nowMs];
    if (isWaiting && refusesCached) this.insisting++;
    else if (isWaiting) this.waiting += weight;
  }

  leave({ weight, refusesCached, isVoid = false }: Leave): void {
    if (refusesCached) this.insisting = Math.max(0, this.insisting - 1);
    else this.waiting = Math.max(0, this.waiting - weight);
    if (isVoid && !refusesCached) this.#count = Math.max(0, this.#count - weight);
  }

  isHeldBack(nowMs: number): boolean {
    return this.isInFlight || this.notBeforeMs > nowMs;
  }

  isStale(nowMs: number): boolean {
    return this.ageAt(nowMs) >= this.key.freshSeconds;
  }

  /** Whether a call may ask for it: a key that could spoil a call for others joins none unless a request waits for it. */
  mayJoin(nowMs: number): boolean {
    return this.isAwaited || (this.isStale(nowMs) && (this.hasAnswered || !this.key.batch));
  }

  /** The requests that are remembered: each counts for less as time goes by. */
  demandAt(nowMs: number): number {
    return this.#count * Math.exp((this.#countedAtMs - nowMs) / 1_000 / this.#memorySeconds);
  }

  /** How much longer the key will be answered for when it is asked for now, in seconds. */
  ageAt(nowMs: number): number {
    return Math.min(this.key.maxStaleSeconds, (nowMs - this.fetchedAtMs) / 1_000);
  }

  /** Requests a second, beside those that wait: what is remembered, over the time that it could be remembered for. */
  rateAt(nowMs: number, startedAtMs: number): number {
    const memory = this.#memorySeconds;
    const seconds = memory * (1 - Math.exp((startedAtMs - nowMs - LEAST_SEEN_MS) / 1_000 / memory));
    return Math.max(0, this.demandAt(nowMs) - this.waiting) / seconds;
  }

  get #memorySeconds(): number {
    return Math.max(MEMORY_SECONDS, 2 * this.key.maxStaleSeconds);
  }
}

/** The most worth first. */
export const richest = (keys: Iterable<KnownKey>, worth: (known: KnownKey) => number): KnownKey[] => {
  const ranked = Array.from(keys, (known) => ({ known, worth: worth(known) })).sort((a, b) => b.worth - a.worth);
  return ranked.map(({ known }) => known);
};

/** Sorting once for as many keys as are kept costs each of them the logarithm of their number. */
export const poorest = (
  keys: Set<KnownKey> | Map<string, KnownKey>,
  kept: number,
  worth: (known: KnownKey) => number,
) => (keys.size <= 2 * kept ? [] : richest(keys.values(), worth).slice(kept));
