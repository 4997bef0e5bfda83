import type { CacheKey } from './cache-key.ts';
import { byWorth, KeyDemand, type KeyRequest, type Withdrawal } from './key-demand.ts';

/**
 * `known`: how many keys are stored. `candidates`: how many of them a choice considers. The least valuable keys are
 * evicted first. Both numbers may be exceeded twofold until the next eviction.
 */
export interface OrderLimits {
  readonly slots: number;
  /** A slot frees this long after its call. */
  readonly windowMs: number;
  readonly known: number;
  readonly candidates: number;
}

/** The keys to call now, or when to call `next` again. A request, a completion or a free slot may come earlier. */
export type NextCall = { readonly ids: readonly string[] } | { readonly againAtMs: number };

const NEVER = Number.POSITIVE_INFINITY;
/** An answer counts as missing this long before it expires. */
const EARLY_SECONDS = 2;
/**
 * The price of a slot rises while fewer slots than this are free, and falls while more are. The rate is per second and
 * slot.
 */
const WANTED_FREE = 1;
const PRICE_STEP = 0.003;
const LEAST_PRICE = 0.5;
const HIGHEST_PRICE = 1e6;
/** Each further free slot multiplies the price by this factor. */
const DISCOUNT = 0.9;
/** While less than half of the slots are free, the pause between calls is at least this fraction of even spacing. */
const SPACING = 0.25;
/** Requests for other parts of the batch that arrive meanwhile join the next call. */
const GATHER_MS = 1_000;
const LOOK_MS = 200;
const FIRST_RETRY_MS = 2_000;
const LAST_RETRY_MS = 60_000;
/** This many consecutive failures mean that the upstream is down, whatever was requested. */
const OUTAGE_CALLS = 3;

/**
 * Chooses the next upstream call: the one that answers most requests, if they are worth a slot. All times are monotonic. Libraries choose
 * what to evict, not what to fetch next with few slots.
 */
export class CallOrder {
  readonly #limits: OrderLimits;
  /** By id. */
  readonly #known = new Map<string, KeyDemand>();
  readonly #candidates = new Set<KeyDemand>();
  /** How many requests a call must answer to be worth the last free slot. */
  #price = 1;
  /** When each batch was last called. */
  readonly #batchedAtMs = new Map<string, number>();
  #pricedAtMs = NEVER;
  #startedAtMs = NEVER;
  #againAtMs = -NEVER;
  #failedInARow = 0;
  #recoveredAtMs = -NEVER;

  constructor(limits: OrderLimits) {
    this.#limits = limits;
  }

  /** The number of stored keys. */
  get size(): number {
    return this.#known.size;
  }

  isInFlight(id: string): boolean {
    return this.#known.get(id)?.isInFlight === true;
  }

  enqueue(key: CacheKey, asked: KeyRequest, nowMs: number): void {
    this.#startedAtMs = Math.min(this.#startedAtMs, nowMs);
    const known = this.#known.get(key.id) ?? new KeyDemand(key, nowMs);
    this.#known.set(key.id, known);
    known.enqueue(asked, nowMs);
    if (known.mayJoin(nowMs)) this.#candidates.add(known);
    this.#forget(nowMs);
  }

  /** Removes a waiting request that gave up. */
  dequeue(id: string, asked: Withdrawal): void {
    const known = this.#known.get(id);
    known?.dequeue(asked);
    if (known && !known.isAwaited) this.#candidates.delete(known);
  }

  /** Chooses the next call. The caller must make it and then call `completed`, `rejected`, `returned` or `setBack`. */
  next(free: number, nowMs: number): NextCall {
    const { slots, windowMs } = this.#limits;
    const seconds = Math.min(5, Math.max(0, nowMs - this.#pricedAtMs) / 1_000);
    this.#price *= Math.exp(PRICE_STEP * (WANTED_FREE - free) * seconds);
    this.#price = Math.min(HIGHEST_PRICE, Math.max(LEAST_PRICE, this.#price));
    this.#pricedAtMs = nowMs;
    if (free <= 0 || this.#candidates.size === 0) return { againAtMs: NEVER };
    if (this.#againAtMs > nowMs) return { againAtMs: this.#againAtMs };
    const best = this.#best(free, nowMs);
    // While half of the slots are free, calls need no spacing.
    const spacingMs = free - 1 > slots / 2 ? 0 : (SPACING * windowMs) / slots;
    this.#againAtMs = nowMs + (best ? spacingMs : LOOK_MS);
    if (!best) return { againAtMs: this.#againAtMs };
    const { batch } = best.key;
    const members = batch ? this.#members(batch, nowMs) : [best];
    if (batch) this.#batchedAtMs.set(batch.name, nowMs);
    for (const known of members) Object.assign(known, { isInFlight: true, calledAtMs: nowMs });
    for (const known of members) this.#candidates.delete(known);
    return { ids: members.map(({ key }) => key.id) };
  }

  /** Ends a call. Failed keys back off, longer after each failure. */
  completed(ids: readonly string[], hasAnswered: boolean, nowMs: number): void {
    if (ids.length === 0) return;
    if (hasAnswered) this.#recover(nowMs);
    else this.#failedInARow++;
    for (const known of this.#knownOf(ids)) {
      Object.assign(known, { isInFlight: false, waiting: 0, noCacheWaiting: 0 });
      this.#candidates.delete(known);
      if (hasAnswered) Object.assign(known, { fetchedAtMs: known.calledAtMs, hasAnswered });
      else known.notBeforeMs = nowMs + Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** known.failures);
      known.failures = hasAnswered ? 0 : known.failures + 1;
    }
  }

  /** Ends a call that the upstream, being up, rejected. These keys are fetched again only if a request waits for them. */
  rejected(ids: readonly string[], nowMs: number): void {
    this.#recover(nowMs);
    for (const known of this.#knownOf(ids)) {
      Object.assign(known, { isInFlight: false, hasAnswered: false });
      if (known.isAwaited) this.#candidates.add(known);
      else this.#candidates.delete(known);
    }
  }

  /** Takes back a call that was not made. Its requests keep waiting. */
  returned(ids: readonly string[], nowMs: number): void {
    for (const known of this.#knownOf(ids)) {
      known.isInFlight = false;
      if (known.mayJoin(nowMs)) this.#candidates.add(known);
    }
    this.#againAtMs = nowMs + LOOK_MS;
  }

  /** Takes back a call because the shares of its requests have no slot. Other keys go first. */
  setBack(ids: readonly string[], nowMs: number): void {
    this.returned(ids, nowMs);
    this.#againAtMs = nowMs;
    for (const known of this.#knownOf(ids)) {
      known.notBeforeMs = nowMs + LOOK_MS;
      if (known.key.batch) this.#batchedAtMs.delete(known.key.batch.name);
    }
  }

  #knownOf(ids: readonly string[]): KeyDemand[] {
    return ids.map((id) => this.#known.get(id)).filter((known) => known !== undefined);
  }

  /**
   * After an outage, the keys that failed in it stop backing off. They become candidates before a request for them
   * arrives, because otherwise the first requested key would be fetched first whatever its value. Runs at most once per
   * LAST_RETRY_MS.
   */
  #recover(nowMs: number): void {
    const wasDown = this.#failedInARow >= OUTAGE_CALLS && nowMs >= this.#recoveredAtMs + LAST_RETRY_MS;
    this.#failedInARow = 0;
    if (!wasDown) return;
    this.#recoveredAtMs = nowMs;
    for (const known of this.#known.values()) {
      known.notBeforeMs = Math.min(known.notBeforeMs, nowMs);
      if (known.failures > 0 && !known.isInFlight && known.mayJoin(nowMs)) this.#candidates.add(known);
    }
  }

  /** The value of a refresh now: the waiting requests, and the requests expected over the time that the refresh gains. */
  #gain(known: KeyDemand, nowMs: number): number {
    return (
      known.waiting +
      Math.sign(known.noCacheWaiting) +
      known.rateAt(nowMs, this.#startedAtMs) * known.gainedSeconds(nowMs)
    );
  }

  /** The number of requests that only this call would answer. */
  #worth(known: KeyDemand, nowMs: number): number {
    const part = known.gainedSeconds(nowMs) / known.key.maxStaleSeconds;
    if (part >= 1 - EARLY_SECONDS / known.key.maxStaleSeconds) return this.#gain(known, nowMs);
    // The stored answer serves all other requests, so a call now only saves part of the next one.
    return known.isAwaited ? known.waiting + this.#price * part : 0;
  }

  #best(free: number, nowMs: number): KeyDemand | undefined {
    const mayRefresh = free > this.#limits.slots / 3;
    let [best, stalest]: (KeyDemand | undefined)[] = [];
    let worthOfBest = this.#price * DISCOUNT ** (free - 1);
    let gain = 0;
    const batches = new Map<string | undefined, number>();
    for (const known of this.#candidates) {
      const name = known.key.batch?.name;
      const isGathering = name !== undefined && nowMs < (this.#batchedAtMs.get(name) ?? -NEVER) + GATHER_MS;
      if (isGathering || known.isHeldBack(nowMs)) continue;
      const worth = this.#worth(known, nowMs) + (batches.get(name) ?? 0);
      if (name !== undefined) batches.set(name, worth);
      if (worth >= worthOfBest) [best, worthOfBest] = [known, worth];
      const gained = mayRefresh ? this.#gain(known, nowMs) : 0;
      if (gained > gain) [stalest, gain] = [known, gained];
    }
    return best ?? stalest;
  }

  /** The most valuable keys of a batch, at most `size`. */
  #members({ name, size }: { readonly name: string; readonly size: number }, nowMs: number): KeyDemand[] {
    const isOfBatch = (known: KeyDemand) =>
      known.key.batch?.name === name && !known.isHeldBack(nowMs) && known.mayJoin(nowMs);
    return byWorth([...this.#known.values()].filter(isOfBatch), (known) => this.#gain(known, nowMs)).slice(0, size);
  }

  /** Evicts the least valuable keys. Waits until their number has doubled, to amortise the sorting. */
  #forget(nowMs: number): void {
    const { known: most, candidates } = this.#limits;
    if (this.#candidates.size > 2 * candidates) {
      const ranked = byWorth(this.#candidates, (known) => this.#worth(known, nowMs));
      for (const known of ranked.slice(candidates)) this.#candidates.delete(known);
    }
    if (this.#known.size <= 2 * most) return;
    const demand = (known: KeyDemand) => (known.isInFlight ? NEVER : known.demandAt(nowMs) * known.servedFraction);
    for (const known of byWorth(this.#known.values(), demand).slice(most)) {
      this.#known.delete(known.key.id);
      this.#candidates.delete(known);
    }
  }
}
