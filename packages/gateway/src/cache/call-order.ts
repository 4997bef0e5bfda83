import type { CacheKey } from './cache-key.ts';
import { byWorth, KeyDemand, type KeyRequest, type Withdrawal } from './key-demand.ts';

/**
 * The limits of the order.
 *
 * | name | limits |
 * |---|---|
 * | `slots` | the upstream's slots in one window |
 * | `demands` | the keys whose demand is stored |
 * | `candidates` | the keys among which the next call is chosen |
 *
 * Eviction begins above twice `demands` or `candidates`, and drops the least valuable keys.
 */
export interface OrderLimits {
  readonly slots: number;
  /** How long after its call a slot frees, in milliseconds. */
  readonly windowMs: number;
  readonly demands: number;
  readonly candidates: number;
}

/**
 * What to do next: call these keys now, or call `next` again at this time. A new request, a completed call or a free slot may come before
 * it.
 */
export type NextCall = { readonly ids: readonly string[] } | { readonly againAtMs: number };

const NEVER = Number.POSITIVE_INFINITY;
/** How long before its expiry an answer counts as missing, in seconds. */
const EARLY_SECONDS = 2;
/**
 * The price of a slot stays the same while this many slots are free. Each second it is multiplied by
 * exp(PRICE_STEP * (WANTED_FREE - free slots)).
 */
const WANTED_FREE = 1;
const PRICE_STEP = 0.003;
const LEAST_PRICE = 0.5;
const HIGHEST_PRICE = 1e6;
/** With each free slot after the first, a call needs only this fraction of the price. */
const DISCOUNT = 0.9;
/** The shortest pause between calls while less than half of the slots are free, as a fraction of even spacing. */
const SPACING = 0.25;
/**
 * How long after a batch's call the next one waits, in milliseconds. Requests for other keys of the batch that arrive meanwhile join it.
 */
const GATHER_MS = 1_000;
const LOOK_MS = 200;
const FIRST_RETRY_MS = 2_000;
const LAST_RETRY_MS = 60_000;
/** After this many consecutive failures the upstream counts as down, even if the failed requests differed. */
const OUTAGE_CALLS = 3;

/**
 * Chooses the next upstream call: the one that answers most requests, if they are worth a slot. All times are monotonic. Libraries choose
 * what to evict, but not what to fetch next with few slots.
 */
export class CallOrder {
  readonly #limits: OrderLimits;
  /** The demand for each key, by key id. */
  readonly #demands = new Map<string, KeyDemand>();
  readonly #candidates = new Set<KeyDemand>();
  /** The price of a slot: how many requests a call must answer to be worth the last free slot. */
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

  /** The number of keys whose demand is stored. */
  get size(): number {
    return this.#demands.size;
  }

  isInFlight(id: string): boolean {
    return this.#demands.get(id)?.isInFlight === true;
  }

  enqueue(key: CacheKey, asked: KeyRequest, nowMs: number): void {
    this.#startedAtMs = Math.min(this.#startedAtMs, nowMs);
    const demand = this.#demands.get(key.id) ?? new KeyDemand(key, nowMs);
    this.#demands.set(key.id, demand);
    demand.enqueue(asked, nowMs);
    if (demand.mayJoin(nowMs)) this.#candidates.add(demand);
    this.#forget(nowMs);
  }

  /** Removes a waiting request that gave up. */
  dequeue(id: string, asked: Withdrawal): void {
    const demand = this.#demands.get(id);
    demand?.dequeue(asked);
    if (demand && !demand.isAwaited) this.#candidates.delete(demand);
  }

  /**
   * Chooses the next call. The caller must make this call, and then report its end with `completed`, `rejected`, `returned` or `setBack`.
   */
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
    for (const demand of members) Object.assign(demand, { isInFlight: true, calledAtMs: nowMs });
    for (const demand of members) this.#candidates.delete(demand);
    return { ids: members.map(({ key }) => key.id) };
  }

  /** Ends a call. The keys of a failed call wait before the next attempt, longer after each failure. */
  completed(ids: readonly string[], hasAnswered: boolean, nowMs: number): void {
    if (ids.length === 0) return;
    if (hasAnswered) this.#recover(nowMs);
    else this.#failedInARow++;
    for (const demand of this.#demandsOf(ids)) {
      Object.assign(demand, { isInFlight: false, waiting: 0, noCacheWaiting: 0 });
      this.#candidates.delete(demand);
      if (hasAnswered) Object.assign(demand, { fetchedAtMs: demand.calledAtMs, hasAnswered });
      else demand.notBeforeMs = nowMs + Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** demand.failures);
      demand.failures = hasAnswered ? 0 : demand.failures + 1;
    }
  }

  /** Ends a call that the upstream rejected, which proves that it is up. These keys are fetched again only if a request waits for them. */
  rejected(ids: readonly string[], nowMs: number): void {
    this.#recover(nowMs);
    for (const demand of this.#demandsOf(ids)) {
      Object.assign(demand, { isInFlight: false, hasAnswered: false });
      if (demand.isAwaited) this.#candidates.add(demand);
      else this.#candidates.delete(demand);
    }
  }

  /** Takes back a call that was not made. Its requests keep waiting. */
  returned(ids: readonly string[], nowMs: number): void {
    for (const demand of this.#demandsOf(ids)) {
      demand.isInFlight = false;
      if (demand.mayJoin(nowMs)) this.#candidates.add(demand);
    }
    this.#againAtMs = nowMs + LOOK_MS;
  }

  /** Takes back a call because its requests' shares have no slot. Other keys are called first. */
  setBack(ids: readonly string[], nowMs: number): void {
    this.returned(ids, nowMs);
    this.#againAtMs = nowMs;
    for (const demand of this.#demandsOf(ids)) {
      demand.notBeforeMs = nowMs + LOOK_MS;
      if (demand.key.batch) this.#batchedAtMs.delete(demand.key.batch.name);
    }
  }

  #demandsOf(ids: readonly string[]): KeyDemand[] {
    return ids.map((id) => this.#demands.get(id)).filter((demand) => demand !== undefined);
  }

  /**
   * Ends the pauses of the keys that failed in an outage, when a first call succeeds. They become candidates even before a request for them
   * arrives, because otherwise the key that is requested first would be fetched first, however little it is worth. Runs at most once per
   * LAST_RETRY_MS.
   */
  #recover(nowMs: number): void {
    const wasDown = this.#failedInARow >= OUTAGE_CALLS && nowMs >= this.#recoveredAtMs + LAST_RETRY_MS;
    this.#failedInARow = 0;
    if (!wasDown) return;
    this.#recoveredAtMs = nowMs;
    for (const demand of this.#demands.values()) {
      demand.notBeforeMs = Math.min(demand.notBeforeMs, nowMs);
      if (demand.failures > 0 && !demand.isInFlight && demand.mayJoin(nowMs)) this.#candidates.add(demand);
    }
  }

  /** Returns the value of a refresh now, in requests: those that wait, and those expected while the cache serves the new answer longer. */
  #gain(demand: KeyDemand, nowMs: number): number {
    return (
      demand.waiting +
      Math.sign(demand.noCacheWaiting) +
      demand.rateAt(nowMs, this.#startedAtMs) * demand.gainedSeconds(nowMs)
    );
  }

  /** Returns how many requests only a call now would answer. */
  #worth(demand: KeyDemand, nowMs: number): number {
    const part = demand.gainedSeconds(nowMs) / demand.key.maxStaleSeconds;
    if (part >= 1 - EARLY_SECONDS / demand.key.maxStaleSeconds) return this.#gain(demand, nowMs);
    // The stored answer serves all other requests. So a call now saves only a part of the next call, which costs the price of a slot.
    return demand.isAwaited ? demand.waiting + this.#price * part : 0;
  }

  #best(free: number, nowMs: number): KeyDemand | undefined {
    const mayRefresh = free > this.#limits.slots / 3;
    let [best, stalest]: (KeyDemand | undefined)[] = [];
    let worthOfBest = this.#price * DISCOUNT ** (free - 1);
    let gain = 0;
    const batches = new Map<string | undefined, number>();
    for (const demand of this.#candidates) {
      const name = demand.key.batch?.name;
      const isGathering = name !== undefined && nowMs < (this.#batchedAtMs.get(name) ?? -NEVER) + GATHER_MS;
      if (isGathering || demand.isHeldBack(nowMs)) continue;
      const worth = this.#worth(demand, nowMs) + (batches.get(name) ?? 0);
      if (name !== undefined) batches.set(name, worth);
      if (worth >= worthOfBest) [best, worthOfBest] = [demand, worth];
      const gained = mayRefresh ? this.#gain(demand, nowMs) : 0;
      if (gained > gain) [stalest, gain] = [demand, gained];
    }
    return best ?? stalest;
  }

  /** Returns the most valuable keys of a batch, at most `size`. */
  #members({ name, size }: { readonly name: string; readonly size: number }, nowMs: number): KeyDemand[] {
    const isOfBatch = (demand: KeyDemand) =>
      demand.key.batch?.name === name && !demand.isHeldBack(nowMs) && demand.mayJoin(nowMs);
    return byWorth([...this.#demands.values()].filter(isOfBatch), (demand) => this.#gain(demand, nowMs)).slice(0, size);
  }

  /** Evicts the least valuable keys. Begins only when their number has doubled, so that sorting is rare. */
  #forget(nowMs: number): void {
    const { demands: most, candidates } = this.#limits;
    if (this.#candidates.size > 2 * candidates) {
      const ranked = byWorth(this.#candidates, (demand) => this.#worth(demand, nowMs));
      for (const demand of ranked.slice(candidates)) this.#candidates.delete(demand);
    }
    if (this.#demands.size <= 2 * most) return;
    const value = (demand: KeyDemand) => (demand.isInFlight ? NEVER : demand.demandAt(nowMs) * demand.servedFraction);
    for (const demand of byWorth(this.#demands.values(), value).slice(most)) {
      this.#demands.delete(demand.key.id);
      this.#candidates.delete(demand);
    }
  }
}
