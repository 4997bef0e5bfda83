import type { Lifetime } from './lifetimes.ts';

/** A key of the cache: how old its answer may become, and with which other keys one upstream call may ask for it. */
export interface CacheKey extends Lifetime {
  readonly id: string;
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

/** `known` keys are remembered and `candidates` among them considered, the poorest dropped first; either may double for a moment. */
export interface Limits {
  readonly slots: number;
  /** A slot is free again so long after its call. */
  readonly windowMs: number;
  readonly known: number;
  readonly candidates: number;
}

/** The keys of the call that goes out now, or when to ask again unless an ask, a completion or a free slot comes first. */
export type Next = { readonly ids: readonly string[] } | { readonly againAtMs: number };

const NEVER = Number.POSITIVE_INFINITY;
/** Demand is remembered for half an hour, or twice as long as an answer may be served. */
const MEMORY_SECONDS = 1_800;
/** An answer counts as missing so long before it is too old. */
const EARLY_SECONDS = 2;
/** The price rises while fewer slots are free than wanted and falls while more are: by this much a second for each slot. */
const [WANTED_FREE, PRICE_STEP, LEAST_PRICE, HIGHEST_PRICE] = [1, 0.003, 0.5, 1e6];
/** What each further free slot is sold for. */
const DISCOUNT = 0.9;
/** While less than half of the slots is free, calls are this part of an even spacing apart. */
const SPACING = 0.25;
/** Whoever asks for another part of a batch meanwhile shares the next call. */
const GATHER_MS = 1_000;
const [LOOK_MS, FIRST_RETRY_MS, LAST_RETRY_MS] = [200, 2_000, 60_000];
/** So many calls that fail one after the other say that the upstream is down, and nothing about what they asked for. */
const OUTAGE_CALLS = 3;

const made = (key: CacheKey, atMs: number) => ({
  ...{ key, count: 0, countedAtMs: atMs, fetchedAtMs: -NEVER, calledAtMs: -NEVER, notBeforeMs: -NEVER },
  /** The weights of those who wait, and how many wait who refuse what is kept. */
  ...{ waiting: 0, insisting: 0, isInFlight: false, failures: 0 },
});
type Known = ReturnType<typeof made>;

const memoryOf = ({ key }: Known): number => Math.max(MEMORY_SECONDS, 2 * key.maxStaleSeconds);
/** How many of the requests that are remembered fall into the time that one answer serves. */
const reachOf = (known: Known): number => known.key.maxStaleSeconds / memoryOf(known);
const decayed = (known: Known, nowMs: number): number =>
  known.count * Math.exp((known.countedAtMs - nowMs) / 1_000 / memoryOf(known));
/** How much longer the key will be answered for when it is asked for now, in seconds. */
const ageOf = ({ key, fetchedAtMs }: Known, nowMs: number): number =>
  Math.min(key.maxStaleSeconds, (nowMs - fetchedAtMs) / 1_000);

const isAwaited = ({ waiting, insisting }: Known): boolean => waiting > 1e-9 || insisting > 0;
const isHeldBack = ({ isInFlight, notBeforeMs }: Known, nowMs: number): boolean => isInFlight || notBeforeMs > nowMs;

const richest = (keys: Iterable<Known>, worth: (known: Known) => number): Known[] => {
  const ranked = Array.from(keys, (known) => ({ known, worth: worth(known) })).sort((a, b) => b.worth - a.worth);
  return ranked.map(({ known }) => known);
};
/** Sorting once for as many keys as are kept costs each of them the logarithm of their number. */
const poorest = (keys: Set<Known> | Map<string, Known>, kept: number, worth: (known: Known) => number) =>
  keys.size <= 2 * kept ? [] : richest(keys.values(), worth).slice(kept);

/** Which upstream call goes out next: the one that answers most, if that is worth its slot. Times are of one monotonic clock. */
export class CallOrder {
  readonly #limits: Limits;
  /** By id. */
  readonly #known = new Map<string, Known>();
  readonly #candidates = new Set<Known>();
  /** How many requests a call must answer that takes the last free slot. */
  #price = 1;
  /** When each batch was last called. */
  readonly #batchedAtMs = new Map<string, number>();
  #pricedAtMs = NEVER;
  #startedAtMs = NEVER;
  #againAtMs = -NEVER;
  #failedInARow = 0;
  #recoveredAtMs = -NEVER;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** How many keys are remembered. */
  get size(): number {
    return this.#known.size;
  }

  ask(key: CacheKey, { ageSeconds, isWaiting, weight, refusesCached }: Ask, nowMs: number): void {
    this.#startedAtMs = Math.min(this.#startedAtMs, nowMs);
    const known = this.#known.get(key.id) ?? made(key, nowMs);
    this.#known.set(key.id, known);
    known.fetchedAtMs = ageSeconds === undefined ? -NEVER : nowMs - ageSeconds * 1_000;
    if (!refusesCached) [known.count, known.countedAtMs] = [decayed(known, nowMs) + weight, nowMs];
    if (isWaiting && refusesCached) known.insisting++;
    else if (isWaiting) known.waiting += weight;
    if (isWaiting || ageOf(known, nowMs) >= key.freshSeconds) this.#candidates.add(known);
    this.#forget(nowMs);
  }

  /** A request that waited has given up. One whose sign-in was not good has been no demand. */
  leave(id: string, { weight, refusesCached, isVoid = false }: Leave): void {
    const known = this.#known.get(id);
    if (!known) return;
    if (refusesCached) known.insisting = Math.max(0, known.insisting - 1);
    else known.waiting = Math.max(0, known.waiting - weight);
    if (isVoid && !refusesCached) known.count = Math.max(0, known.count - weight);
    if (!isAwaited(known)) this.#candidates.delete(known);
  }

  /** A call that is given must be made, and `completed` told of it, whatever becomes of it. */
  next(free: number, nowMs: number): Next {
    const { slots, windowMs } = this.#limits;
    const seconds = Math.min(5, Math.max(0, nowMs - this.#pricedAtMs) / 1_000);
    this.#price *= Math.exp(PRICE_STEP * (WANTED_FREE - free) * seconds);
    this.#price = Math.min(HIGHEST_PRICE, Math.max(LEAST_PRICE, this.#price));
    this.#pricedAtMs = nowMs;
    if (free <= 0 || this.#candidates.size === 0) return { againAtMs: NEVER };
    if (this.#againAtMs > nowMs) return { againAtMs: this.#againAtMs };
    const best = this.#best(free, nowMs);
    this.#againAtMs = nowMs + (!best ? LOOK_MS : free - 1 > slots / 2 ? 0 : (SPACING * windowMs) / slots);
    if (!best) return { againAtMs: this.#againAtMs };
    const { batch } = best.key;
    const members = batch ? this.#members(batch, nowMs) : [best];
    if (batch) this.#batchedAtMs.set(batch.name, nowMs);
    for (const known of members) Object.assign(known, { isInFlight: true, calledAtMs: nowMs });
    for (const known of members) this.#candidates.delete(known);
    return { ids: members.map(({ key }) => key.id) };
  }

  /** A call is over. What failed is not asked for again at once, and for longer after each failure. */
  completed(ids: readonly string[], hasAnswered: boolean, nowMs: number): void {
    if (ids.length === 0) return;
    if (hasAnswered) this.#recover(nowMs);
    else this.#failedInARow++;
    for (const id of ids) {
      const known = this.#known.get(id);
      if (!known) continue;
      Object.assign(known, { isInFlight: false, waiting: 0, insisting: 0 });
      this.#candidates.delete(known);
      if (hasAnswered) known.fetchedAtMs = known.calledAtMs;
      else known.notBeforeMs = nowMs + Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** known.failures);
      known.failures = hasAnswered ? 0 : known.failures + 1;
    }
  }

  /** A call that was given has not been made, for there was no slot: whoever waited waits on. */
  returned(ids: readonly string[], nowMs: number): void {
    for (const id of ids) {
      const known = this.#known.get(id);
      if (!known) continue;
      known.isInFlight = false;
      if (isAwaited(known) || ageOf(known, nowMs) >= known.key.freshSeconds) this.#candidates.add(known);
    }
    this.#againAtMs = nowMs + LOOK_MS;
  }

  /**
   * After an outage nothing is held back for having failed in it, and what failed is considered before anybody asks for it
   * again: else whoever asks first would come first. As rarely as a key that always fails is asked for.
   */
  #recover(nowMs: number): void {
    const wasDown = this.#failedInARow >= OUTAGE_CALLS && nowMs >= this.#recoveredAtMs + LAST_RETRY_MS;
    this.#failedInARow = 0;
    if (!wasDown) return;
    this.#recoveredAtMs = nowMs;
    for (const known of this.#known.values()) {
      known.notBeforeMs = Math.min(known.notBeforeMs, nowMs);
      if (known.failures > 0 && !known.isInFlight) this.#candidates.add(known);
    }
  }

  /** Requests a second, beside those that wait: what is remembered, over the time that it could be remembered for. */
  #rate(known: Known, nowMs: number): number {
    const seconds = memoryOf(known) * (1 - Math.exp((this.#startedAtMs - nowMs - 60_000) / 1_000 / memoryOf(known)));
    return Math.max(0, decayed(known, nowMs) - known.waiting) / seconds;
  }

  /** What a call gives a key: the answers for whoever waits, and life for as long as the kept answer is old. */
  #gain(known: Known, nowMs: number): number {
    return known.waiting + Math.sign(known.insisting) + this.#rate(known, nowMs) * ageOf(known, nowMs);
  }

  /** How many requests a call answers that would not be answered without it. */
  #worth(known: Known, nowMs: number): number {
    const part = ageOf(known, nowMs) / known.key.maxStaleSeconds;
    if (part >= 1 - EARLY_SECONDS / known.key.maxStaleSeconds) return this.#gain(known, nowMs);
    // The kept answer serves everybody else: a call now only saves a part of the next one.
    return isAwaited(known) ? known.waiting + this.#price * part : 0;
  }

  #best(free: number, nowMs: number): Known | undefined {
    const mayRefresh = free > this.#limits.slots / 3;
    let [best, stalest]: (Known | undefined)[] = [];
    let [worthOfBest, gain] = [this.#price * DISCOUNT ** (free - 1), 0];
    const batches = new Map<string | undefined, number>();
    for (const known of this.#candidates) {
      const name = known.key.batch?.name;
      const isGathering = name !== undefined && nowMs < (this.#batchedAtMs.get(name) ?? -NEVER) + GATHER_MS;
      if (isGathering || isHeldBack(known, nowMs)) continue;
      const worth = this.#worth(known, nowMs) + (batches.get(name) ?? 0);
      if (name !== undefined) batches.set(name, worth);
      if (worth >= worthOfBest) [best, worthOfBest] = [known, worth];
      const gained = mayRefresh ? this.#gain(known, nowMs) : 0;
      if (gained > gain) [stalest, gain] = [known, gained];
    }
    return best ?? stalest;
  }

  /** Whoever waits, and in the room that is left those of the same batch who gain most by coming along. */
  #members({ name, size }: { readonly name: string; readonly size: number }, nowMs: number): Known[] {
    const wants = (known: Known) => isAwaited(known) || ageOf(known, nowMs) >= known.key.freshSeconds;
    const isOfBatch = (known: Known) => known.key.batch?.name === name && !isHeldBack(known, nowMs) && wants(known);
    return richest([...this.#known.values()].filter(isOfBatch), (known) => this.#gain(known, nowMs)).slice(0, size);
  }

  #forget(nowMs: number): void {
    const worth = (known: Known): number => this.#worth(known, nowMs);
    for (const known of poorest(this.#candidates, this.#limits.candidates, worth)) this.#candidates.delete(known);
    const demand = (known: Known) => (known.isInFlight ? NEVER : decayed(known, nowMs) * reachOf(known));
    for (const known of poorest(this.#known, this.#limits.known, demand)) {
      this.#known.delete(known.key.id);
      this.#candidates.delete(known);
    }
  }
}
