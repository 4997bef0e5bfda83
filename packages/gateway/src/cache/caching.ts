import type { Refusal } from '@asset-gateway/protocol';
import { LRUCache } from 'lru-cache';
import type { BudgetView } from '../budget/store.ts';
import type { Answer, Spend, UpstreamCall } from '../call.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import { cacheKeyOf } from './cache-key.ts';
import { CallOrder } from './call-order.ts';
import { Calls, type Plan } from './calls.ts';
import type { KeptAnswer } from './kept-answer.ts';
import type { Lifetime } from './lifetimes.ts';
import { type RequestFreshness, requestFreshness } from './request-freshness.ts';

/** What a cache is made from. */
export interface CacheParts {
  readonly upstream: Upstream;
  /** By the method of the row; a row that is not here is never kept. */
  readonly lifetimes: Readonly<Record<string, Lifetime>>;
  readonly limit: number;
  readonly windowMs: number;
  readonly view: () => BudgetView;
  /** Takes a slot for a call that nobody waits for. */
  readonly spendAlone: Spend;
  readonly maxBytes: number;
  /** Milliseconds of a clock that never steps. */
  readonly now: () => number;
  /** Seconds since the Unix epoch. */
  readonly wallSeconds: () => number;
}

/** So many keys' demand is remembered, so many are considered for the next call. */
const [KNOWN, CANDIDATES] = [4_096, 256];
/** What has been asked lately is remembered with its words, which are up to 8 KiB each. */
const PLAN_BYTES = 16 * 1024 * 1024;

/** That the upstream has refused what a key asks for. */
class KeptRefusal {
  readonly refusal: Refusal;
  readonly atMs: number;
  readonly bytes = 1_024;

  constructor(refusal: Refusal, atMs: number) {
    this.refusal = refusal;
    this.atMs = atMs;
  }
}

/** An upstream whose answers are kept, and asked for in the order that answers most. */
export class CachingUpstream implements Upstream {
  readonly #parts: CacheParts;
  readonly #calls: Calls;
  readonly #kept: LRUCache<string, KeptAnswer | KeptRefusal>;
  readonly #plans: LRUCache<string, Plan>;

  constructor(parts: CacheParts) {
    const { limit, windowMs, upstream, view, spendAlone, now, maxBytes } = parts;
    this.#parts = parts;
    this.#kept = new LRUCache({ maxSize: maxBytes, sizeCalculation: ({ bytes }) => bytes });
    this.#plans = new LRUCache({ maxSize: PLAN_BYTES, sizeCalculation: ({ key }) => 3 * key.id.length + 512 });
    const order = new CallOrder({ slots: limit, windowMs, known: KNOWN, candidates: CANDIDATES });
    const keep = (kept: KeptAnswer) => void this.#kept.set(kept.key.id, kept);
    const refuse = (id: string, refusal: Refusal) => void this.#kept.set(id, new KeptRefusal(refusal, now()));
    const planOf = (id: string) => this.#plans.get(id);
    this.#calls = new Calls({ order, upstream, view, spendAlone, now, keep, refuse, planOf });
  }

  async answer(call: UpstreamCall): Promise<Answer> {
    const lifetime = this.#parts.lifetimes[call.route.method];
    if (!lifetime) return this.#parts.upstream.answer(call);
    const key = cacheKeyOf(call.route, call.input, lifetime, this.#parts.wallSeconds());
    const now = this.#parts.now();
    const wanted = requestFreshness(call.cacheControl);
    const kept = this.#kept.get(key.id);
    if (kept instanceof KeptRefusal && isGood(kept, key, wanted, now)) throw kept.refusal;
    const answer = kept instanceof KeptRefusal ? undefined : kept;
    const plan = { key, route: call.route, input: call.input };
    this.#plans.set(key.id, plan);
    const age = answer?.ageSeconds(now);
    if (answer && age !== undefined && isYoung(age, key, wanted)) {
      this.#calls.note(key, age);
      return answer.answer(now);
    }
    return this.#fetched(plan, age, call);
  }

  close(): void {
    this.#calls.close();
  }

  async #fetched(plan: Plan, age: number | undefined, call: UpstreamCall): Promise<Answer> {
    const isServable = age !== undefined && age <= plan.key.maxStaleSeconds;
    const ask = { ageSeconds: isServable ? age : undefined, refusesCached: isServable };
    const { kept, isCollapsed } = await this.#calls.wait(plan, ask, call);
    return kept.answer(this.#parts.now(), { forwarded: age === undefined ? 'miss' : 'stale', isCollapsed });
  }
}

const isYoung = (age: number, { maxStaleSeconds }: Lifetime, { maxAgeSeconds = age, noCache }: RequestFreshness) =>
  !noCache && age <= maxStaleSeconds && age <= maxAgeSeconds;

function isGood({ atMs }: KeptRefusal, key: Lifetime, wanted: RequestFreshness, nowMs: number): boolean {
  const age = (nowMs - atMs) / 1_000;
  return age < key.freshSeconds && isYoung(age, key, wanted);
}
