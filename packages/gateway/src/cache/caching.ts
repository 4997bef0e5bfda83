import { decodeBase58, Refusal } from '@asset-gateway/protocol';
import { LRUCache } from 'lru-cache';
import type { Answer, Input, Upstream, UpstreamCall } from '../call.ts';
import { batchText, mintKeyOf, mintsOf } from './batches.ts';
import { cacheKeyOf, oldestSeconds, type RequestFreshness, requestFreshness } from './cache-key.ts';
import { CallOrder } from './call-order.ts';
import { CallScheduler } from './call-scheduler.ts';
import type { CacheCallDependencies } from './calls-in-flight.ts';
import { BATCH_SIZES, type Lifetime } from './lifetimes.ts';
import {
  ageOf,
  type CachedAnswer,
  type CachedOutcome,
  cachedAnswerOf,
  entryFor,
  type FetchPlan,
  OVERHEAD_BYTES,
  wholeAnswerOf,
} from './stored.ts';
import type { WantedKey } from './waiters.ts';

/** Dependencies of a cache. */
interface CacheDependencies extends CacheCallDependencies {
  /** The lifetimes by row id. Rows without a lifetime are not cached. */
  readonly lifetimes: Readonly<Record<string, Lifetime>>;
  readonly maxBytes: number;
  /** Returns the time of day in Unix seconds. */
  readonly wallSeconds: () => number;
}

/** The number of keys whose demand is stored. */
const MAX_DEMANDS = 8_192;
/** The number of keys that are candidates for the next call. */
const CANDIDATES = 256;
/** The bytes of memory for plans, each of up to 8 KiB. */
const PLAN_BYTES = 16 * 1024 * 1024;

/** Caches an upstream's answers, and chooses its calls so that they answer most requests. */
export class CachingUpstream implements Upstream {
  readonly #dependencies: CacheDependencies;
  readonly #calls: CallScheduler;
  readonly #kept: LRUCache<string, CachedOutcome>;
  readonly #plans: LRUCache<string, FetchPlan>;

  constructor(dependencies: CacheDependencies) {
    const { maxBytes, allowance } = dependencies;
    const { limit, windowMs } = allowance;
    this.#dependencies = dependencies;
    this.#kept = new LRUCache({ maxSize: maxBytes, sizeCalculation: ({ bytes }) => bytes });
    this.#plans = new LRUCache({ maxSize: PLAN_BYTES, sizeCalculation: planBytes });
    const order = new CallOrder({ slots: limit, windowMs, demands: MAX_DEMANDS, candidates: CANDIDATES });
    this.#calls = new CallScheduler(dependencies, { order, kept: this.#kept, plans: this.#plans });
  }

  async answer(call: UpstreamCall): Promise<Answer> {
    const { route } = call;
    const { lifetimes, upstream, now } = this.#dependencies;
    const lifetime = lifetimes[route.id];
    if (!lifetime) return upstream.answer(call);
    const found = await this.#findAll(call, lifetime);
    for (const { kept } of found) if (kept && 'refusal' in kept) throw kept.refusal;
    const isAllCached = !found.some(isMissing);
    const here = isAllCached ? found : found.filter(isLasting);
    const absent = isAllCached ? [] : found.filter((each) => !isLasting(each));
    const waiter = isAllCached ? undefined : await this.#calls.wait(absent, call);
    const entries = found.map(({ key, kept }) => waiter?.given.get(key.id) ?? kept) as CachedAnswer[];
    const nowMs = now();
    const isTooOld = (entry: CachedAnswer) => !entry.ready && ageOf(entry, nowMs) > entry.key.maxStaleSeconds;
    if (waiter && entries.some(isTooOld))
      throw new Refusal('rate_limited', { reason: 'a part became too old while waiting', retryAfterSeconds: 1 });
    const forwarded = absent.some((each) => each.forwarded === 'miss') ? 'miss' : 'stale';
    const ready = entries[0]?.ready ?? wholeAnswerOf(route, batchText(route, entries));
    const answer = cachedAnswerOf(ready, entries, nowMs, waiter && { forwarded, isCollapsed: waiter.isCollapsed });
    // Demand counts only after the sign-in was used up, so that a request with a used sign-in adds none.
    const charged: Pick<Answer, 'onCharged'> = { onCharged: () => this.#calls.note(here) };
    return Object.assign(answer, charged);
  }

  /** Returns counts and memory sizes, for metrics. */
  reading() {
    return { bytes: this.#kept.calculatedSize, ...this.#calls.counts() };
  }

  close(): void {
    this.#calls.close();
  }

  /** Returns the keys of a request: one per mint if its batch can be divided, otherwise one for the whole answer. */
  async #findAll({ route, input, arrival }: UpstreamCall, lifetime: Lifetime): Promise<readonly RequestedKey[]> {
    const freshness = requestFreshness(arrival.headers?.['cache-control']);
    const mints = route.id in BATCH_SIZES ? mintsOf(route, input) : [];
    let found = mints.map((mint) =>
      this.#find({ key: mintKeyOf(route, mint, lifetime), route, input: NO_INPUT, mint }, freshness),
    );
    const goesAlone = ({ kept, plan: { key, mint = '' } }: RequestedKey) =>
      !kept && (!isAddress(mint) || this.#calls.goesAlone(key.id));
    if (found.length === 0 || found.some(goesAlone)) {
      const key = cacheKeyOf(route, input, lifetime, this.#dependencies.wallSeconds());
      found = [this.#find({ key, route, input }, freshness)];
    }
    const missing = found.filter(isMissing);
    if (missing.length === 0 || freshness.refusesCached) return found;
    await this.#readShared(missing);
    return found.map(({ plan }) => this.#find(plan, freshness));
  }

  /** Reads shared entries of these keys, and stores those that are newer. */
  async #readShared(missing: readonly RequestedKey[]): Promise<void> {
    const { entries } = await this.#dependencies.shared.claim(missing);
    for (const { key, plan } of missing) {
      const entry = entries.get(key.id);
      const fetchedAtMs = this.#kept.peek(key.id)?.fetchedAtMs ?? Number.NEGATIVE_INFINITY;
      if (entry && entry.fetchedAtMs > fetchedAtMs)
        this.#kept.set(key.id, entryFor(plan, entry.fetchedAtMs, entry.json));
    }
  }

  /**
   * Returns the key with its cached entry if the request accepts that, and otherwise with what to fetch. Stores the plan if a call is due.
   */
  #find(plan: FetchPlan, freshness: RequestFreshness): RequestedKey {
    const { key } = plan;
    const { now, wallSeconds } = this.#dependencies;
    const nowMs = now();
    const kept = this.#kept.get(key.id);
    const age = kept ? ageOf(kept, nowMs) : Number.POSITIVE_INFINITY;
    // A stored refusal is served only while fresh.
    const isRefusal = kept !== undefined && 'refusal' in kept;
    const oldest = oldestSeconds(key, wallSeconds);
    const mayServe = age <= (isRefusal ? Math.min(oldest, key.freshSeconds) : oldest);
    const clientAccepts = !freshness.refusesCached && age <= (freshness.maxAgeSeconds ?? age);
    if ((age >= key.freshSeconds || !clientAccepts) && !this.#plans.get(key.id)) this.#plans.set(key.id, plan);
    const acceptedSeconds = freshness.refusesCached ? 0 : Math.min(oldest, freshness.maxAgeSeconds ?? oldest);
    const refusesCached = mayServe && !clientAccepts;
    const asked = { plan, key, refusesCached, notBeforeMs: nowMs - acceptedSeconds * 1_000 };
    const ageSeconds = mayServe && !isRefusal ? age : undefined;
    return { ...asked, ageSeconds, forwarded: kept ? 'stale' : 'miss', ...(mayServe && clientAccepts && { kept }) };
  }
}

const ADDRESS_BYTES = 32;

const isMissing = ({ kept }: RequestedKey): boolean => !kept;

/** Longer than a wait for a slot plus a usual call, in seconds. */
const SOON_SECONDS = 15;
/** Whether an item may still be served when the missing items arrive. If not, it is fetched together with them. */
const isLasting = ({ kept, key, ageSeconds = 0 }: RequestedKey): boolean =>
  kept !== undefined && ageSeconds < key.maxStaleSeconds - SOON_SECONDS;

/** Whether a mint is well-formed. Malformed mints are fetched alone, because only the upstream knows how it answers them. */
const isAddress = (mint: string): boolean => decodeBase58(mint, ADDRESS_BYTES) !== undefined;

const planBytes = ({ key, input }: FetchPlan): number =>
  OVERHEAD_BYTES + 2 * key.id.length + 2 * JSON.stringify(input).length;

/** The input in the plan of a mint, which has none of the request's other values. */
const NO_INPUT = { path: {}, query: {}, body: {} } as Input;

/** A requested key, with its cached entry if the request accepts that. */
interface RequestedKey extends WantedKey {
  readonly plan: FetchPlan;
  readonly kept?: CachedOutcome | undefined;
  readonly forwarded: 'miss' | 'stale';
}
