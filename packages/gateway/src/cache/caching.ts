import { Refusal } from '@asset-gateway/protocol';
import { LRUCache } from 'lru-cache';
import type { Answer, Input, Upstream, UpstreamCall } from '../call.ts';
import { decodeBase58 } from '../gates/crypto.ts';
import { assembled, mintKeyOf, mintsOf } from './batches.ts';
import { cacheKeyOf, oldestSeconds, type RequestFreshness, requestFreshness } from './cache-key.ts';
import { CallOrder } from './call-order.ts';
import { Calls, type CallsDependencies } from './calls.ts';
import { BATCH_SIZES, type Lifetime } from './lifetimes.ts';
import { ALONE } from './shared-entries.ts';
import { type Kept, KeptAnswer, type KeptItem, KeptRefusal, keptFor, OVERHEAD_BYTES, type Plan } from './stored.ts';
import type { Wanted } from './waiters.ts';

/** Dependencies of a cache. */
interface CacheDependencies extends Omit<CallsDependencies, 'order' | 'kept' | 'plans'> {
  /** By the row's id; other rows are not cached. */
  readonly lifetimes: Readonly<Record<string, Lifetime>>;
  readonly maxBytes: number;
  /** Unix seconds. */
  readonly wallSeconds: () => number;
}

/** Keys whose demand is stored, and candidates for the next call. */
const [KNOWN, CANDIDATES] = [8_192, 256];
/** Memory for plans, each up to 8 KiB. */
const PLAN_BYTES = 16 * 1024 * 1024;

/** Caches an upstream's answers, and makes its calls in the order that answers most requests. */
export class CachingUpstream implements Upstream {
  readonly #dependencies: CacheDependencies;
  readonly #calls: Calls;
  readonly #kept: LRUCache<string, Kept>;
  readonly #plans: LRUCache<string, Plan>;

  constructor(dependencies: CacheDependencies) {
    const { maxBytes, allowance } = dependencies;
    const { limit, windowMs } = allowance;
    this.#dependencies = dependencies;
    this.#kept = new LRUCache({ maxSize: maxBytes, sizeCalculation: ({ bytes }) => bytes });
    this.#plans = new LRUCache({ maxSize: PLAN_BYTES, sizeCalculation: planBytes });
    const order = new CallOrder({ slots: limit, windowMs, known: KNOWN, candidates: CANDIDATES });
    this.#calls = new Calls({ ...dependencies, order, kept: this.#kept, plans: this.#plans });
  }

  answer(call: UpstreamCall): Promise<Answer> {
    const { id } = call.route;
    const lifetime = this.#dependencies.lifetimes[id];
    if (!lifetime) return this.#dependencies.upstream.answer(call);
    return id in BATCH_SIZES ? this.#batch(call, lifetime) : this.#single(call, lifetime);
  }

  /** Counts and memory, for metrics. */
  reading() {
    return { bytes: this.#kept.calculatedSize, ...this.#calls.counts() };
  }

  close(): void {
    this.#calls.close();
  }

  async #single(call: UpstreamCall, lifetime: Lifetime): Promise<Answer> {
    const { route, input } = call;
    const key = cacheKeyOf(route, input, lifetime, this.#dependencies.wallSeconds());
    const wanted = requestFreshness(call.arrival.headers?.['cache-control']);
    const plan = { key, route, input };
    let found = this.#find(plan, wanted);
    if (!found.kept && (await this.#readShared([plan], wanted))) found = this.#find(plan, wanted);
    const { kept, ageSeconds = 0 } = found;
    if (kept instanceof KeptRefusal) throw kept.refusal;
    if (kept instanceof KeptAnswer) {
      // A request with a used sign-in does not count as demand.
      return kept.answer(this.#dependencies.now(), undefined, () => this.#calls.note([{ key, ageSeconds }]));
    }
    const waiter = await this.#calls.wait([found], call);
    const given = waiter.given.get(key.id) as KeptAnswer;
    return given.answer(this.#dependencies.now(), { forwarded: found.forwarded, isCollapsed: waiter.isCollapsed });
  }

  async #batch(call: UpstreamCall, lifetime: Lifetime): Promise<Answer> {
    const { route, input } = call;
    const mints = mintsOf(route, input);
    const wanted = requestFreshness(call.arrival.headers?.['cache-control']);
    const plans = mints.map((mint) => ({ key: mintKeyOf(route, mint, lifetime), route, input: NO_INPUT, mint }));
    let found = plans.map((plan) => this.#find(plan, wanted));
    const lacking = plans.filter((_, index) => !found[index]?.kept);
    if (lacking.some(({ key, mint }) => !isAddress(mint) || this.#calls.goesAlone(key.id)))
      return this.#single(call, lifetime);
    if (await this.#readShared(lacking, wanted)) found = plans.map((plan) => this.#find(plan, wanted));
    for (const { kept } of found) if (kept instanceof KeptRefusal) throw kept.refusal;
    const items = new Map(found.map(({ key, kept }) => [key.id, kept]));
    const isWhole = found.every(({ kept }) => kept);
    // Items that would be too old when the others arrive are fetched with them.
    const lasts = ({ kept, key, ageSeconds = 0 }: Found) =>
      kept && (isWhole || ageSeconds < key.maxStaleSeconds - SOON);
    const [here, absent] = [found.filter(lasts), found.filter((each) => !lasts(each))];
    const note = () => this.#calls.note(here.map(({ key, ageSeconds = 0 }) => ({ key, ageSeconds })));
    if (isWhole)
      return { ...assembled(route, [...items.values()] as KeptItem[], this.#dependencies.now()), onSettled: note };
    const waiter = await this.#calls.wait(absent, call);
    for (const [id, kept] of waiter.given) items.set(id, kept);
    const [given, now] = [[...items.values()] as KeptItem[], this.#dependencies.now()];
    if (given.some((item) => item.ageSeconds(now) > item.key.maxStaleSeconds)) throw tooOldByNow();
    const forwarded = absent.some((each) => each.forwarded === 'miss') ? 'miss' : 'stale';
    return { ...assembled(route, given, now, { forwarded, isCollapsed: waiter.isCollapsed }), onSettled: note };
  }

  /** Stores newer shared entries of these keys. Returns whether shared entries were read. */
  async #readShared(plans: readonly Plan[], { noCache }: RequestFreshness): Promise<boolean> {
    const { shared } = this.#dependencies;
    if (plans.length === 0 || noCache || shared === ALONE) return false;
    const { entries } = await shared.claim(plans);
    for (const plan of plans) {
      const entry = entries.get(plan.key.id);
      const fetchedAtMs = this.#kept.peek(plan.key.id)?.fetchedAtMs ?? Number.NEGATIVE_INFINITY;
      if (entry && entry.fetchedAtMs > fetchedAtMs)
        this.#kept.set(plan.key.id, keptFor(plan, entry.fetchedAtMs, entry.json));
    }
    return true;
  }

  /** A key's cached entry if it is good enough, and what to fetch otherwise. Stores the plan if a call is due. */
  #find(plan: Plan, { noCache, maxAgeSeconds }: RequestFreshness): Found {
    const { key } = plan;
    const [kept, now] = [this.#kept.get(key.id), this.#dependencies.now()];
    const age = kept?.ageSeconds(now) ?? Number.POSITIVE_INFINITY;
    const oldest = oldestSeconds(key, this.#dependencies.wallSeconds);
    const isRefusal = kept instanceof KeptRefusal;
    const isServable = age <= (isRefusal ? Math.min(oldest, key.freshSeconds) : oldest);
    const isWanted = !noCache && age <= (maxAgeSeconds ?? age);
    const isDue = age >= key.freshSeconds || !isWanted;
    if (isDue && !this.#plans.get(key.id)) this.#plans.set(key.id, plan);
    const forwarded = kept ? 'stale' : 'miss';
    const notBeforeMs = noCache ? now : now - Math.min(oldest, maxAgeSeconds ?? oldest) * 1_000;
    const ageSeconds = isServable && !isRefusal ? age : undefined;
    const asked = { key, ageSeconds, refusesCached: isServable, notBeforeMs, forwarded } as const;
    return isServable && isWanted ? { ...asked, kept } : asked;
  }
}

const ADDRESS_BYTES = 32;

/** Longer than a wait plus the usual call, in seconds. */
const SOON = 15;

const tooOldByNow = (): Refusal =>
  new Refusal('rate_limited', { reason: 'a part became too old while waiting', retryAfterSeconds: 1 });

/** Whether a mint is well-formed; others are fetched alone: only the upstream knows how it answers them. */
const isAddress = (mint: string): boolean => decodeBase58(mint, ADDRESS_BYTES) !== undefined;

const planBytes = ({ key, input }: Plan): number =>
  OVERHEAD_BYTES + 2 * key.id.length + 2 * JSON.stringify(input).length;

/** The plan of a mint contains no other values of its request. */
const NO_INPUT = { path: {}, query: {}, body: {} } as unknown as Input;

/** A requested key, with its cached entry if that is good enough. */
interface Found extends Wanted {
  readonly kept?: Kept | undefined;
  readonly forwarded: 'miss' | 'stale';
}
