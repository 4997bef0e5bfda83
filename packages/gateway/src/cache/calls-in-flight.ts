import { Refusal } from '@asset-gateway/protocol';
import { LRUCache } from 'lru-cache';
import { type Allowance, type Budget, REFRESH_SHARE } from '../budget/store.ts';
import type { Slot, Slots, Upstream } from '../call.ts';
import { batchInput, entriesIn } from './batches.ts';
import type { CallOrder } from './call-order.ts';
import type { CallClaim, SharedEntries } from './shared-entries.ts';
import { type CachedAnswer, type CachedOutcome, type FetchPlan, idsOf } from './stored.ts';
import {
  type CallPart,
  isDivisible,
  isOfRequest,
  isOfSignIn,
  isOfUpstream,
  isRejection,
  isTemporary,
  lacksShare,
  NoLeader,
  partsByRequest,
  WAIT_MS,
  type Waiter,
  type Waiters,
} from './waiters.ts';

/** Dependencies of a cache's calls. */
export interface CacheCallDependencies {
  readonly upstream: Upstream;
  /** Takes the slots of refreshes that no request waits for. */
  readonly refreshSlots: Slots;
  readonly allowance: Allowance;
  /** The entries and leases that nodes share. */
  readonly shared: SharedEntries;
  readonly randomId: () => string;
  /** Returns monotonic milliseconds. */
  readonly now: () => number;
}

/** What a cache stores. */
export interface CacheMemory {
  readonly order: CallOrder;
  /** The cached entries, by key id. */
  readonly kept: LRUCache<string, CachedOutcome>;
  /** How to fetch each key, by key id. */
  readonly plans: LRUCache<string, FetchPlan>;
}

/** One attempt at a call. */
interface Attempt {
  readonly plans: readonly FetchPlan[];
  /** Returns the requests that wait for the call now. */
  readonly waiters: () => readonly Waiter[];
  /** The requests that waited when a slot was last asked for. */
  asked: readonly Waiter[];
  /** The request whose sign-in took the slot. */
  leader?: Waiter;
}

/** Why the last call for a key failed. */
interface Failure {
  readonly refusal: Refusal;
  readonly failedAtMs: number;
}

/** How long a failure is remembered, in milliseconds. The longest pause before another attempt is one minute. */
const MEMORY_MS = 90_000;

/** The approximate bytes of memory that a cached rejection takes. */
const REFUSAL_BYTES = 2_048;

/** The arrival of a cache's call. The call serves many requests, so it belongs to no host or port. */
const NOWHERE = { hosts: [], port: 0 } as const;

/** Whether a refused call may succeed while its requests still wait. */
const mayPassInTime = (error: unknown): boolean =>
  isTemporary(error) && !(lacksShare(error) && 1_000 * (error.retryAfterSeconds ?? 0) > WAIT_MS);

/** Makes a cache's calls, and gives their results to the waiting requests. */
export class CallsInFlight {
  /** Recent failures, by key id. */
  readonly #failures = new LRUCache<string, Failure>({ max: 1_024, ttl: MEMORY_MS });
  /** The rejected keys. Each is fetched in its own call until the upstream answers it. */
  readonly suspectIds = new LRUCache<string, true>({ max: 8_192, ttl: MEMORY_MS });
  readonly made = { awaited: 0, refresh: 0 };
  /** How many begun calls have no slot yet. */
  starting = 0;
  readonly #dependencies: Pick<CacheCallDependencies, 'upstream' | 'refreshSlots' | 'now'>;
  readonly #order: CallOrder;
  readonly #kept: CacheMemory['kept'];
  readonly #waiting: Waiters;

  constructor(
    dependencies: Pick<CacheCallDependencies, 'upstream' | 'refreshSlots' | 'now'>,
    { order, kept }: Pick<CacheMemory, 'order' | 'kept'>,
    waiting: Waiters,
  ) {
    this.#dependencies = dependencies;
    this.#order = order;
    this.#kept = kept;
    this.#waiting = waiting;
  }

  /** Returns the recent failure of a key, if any. Its Retry-After is reduced by the time that has passed. */
  failureOf(id: string): Refusal | undefined {
    const { refusal, failedAtMs } = this.#failures.get(id) ?? {};
    if (refusal?.retryAfterSeconds === undefined || failedAtMs === undefined) return refusal;
    const leftSeconds = refusal.retryAfterSeconds - (this.#dependencies.now() - failedAtMs) / 1_000;
    return new Refusal(refusal.code, { ...refusal.details, retryAfterSeconds: Math.max(1, Math.ceil(leftSeconds)) });
  }

  /** Stores answers, and gives them to the waiting requests. */
  keep(answered: readonly CachedAnswer[], leader?: Waiter): void {
    this.#order.completed(idsOf(answered), true, this.#dependencies.now());
    for (const kept of answered) {
      const { id } = kept.key;
      this.#kept.set(id, kept);
      this.#failures.delete(id);
      this.suspectIds.delete(id);
      this.#waiting.give(kept, leader);
    }
  }

  /** Makes a call. If the upstream rejects a call that several requests share, makes one call for each request. */
  async make(plans: readonly FetchPlan[], claim: CallClaim): Promise<void> {
    const ids = idsOf(plans);
    await this.#attempt(plans, () => this.#waiting.of(ids), claim);
    const left = plans.filter(({ key }) => this.#order.isInFlight(key.id));
    if (left.length === 0) return;
    claim.endLeases(left);
    this.#order.returned(idsOf(left), this.#dependencies.now());
  }

  async #attempt(plans: readonly FetchPlan[], waiters: () => readonly Waiter[], claim: CallClaim): Promise<void> {
    const attempt: Attempt = { plans, waiters, asked: [] };
    let unanswered = plans;
    try {
      const answered = await this.#ask(attempt);
      claim.publish(answered);
      this.keep(answered, attempt.leader);
      const ids = new Set(idsOf(answered));
      unanswered = plans.filter(({ key }) => !ids.has(key.id));
      const reason = 'other items than requested';
      if (unanswered.length > 0) throw new Refusal('upstream_invalid_response', { reason });
    } catch (error) {
      const left = { plans: unanswered, waiters: waiters() };
      const parts = isDivisible(error) ? partsByRequest(plans, left, (id) => this.#wasAnswered(id)) : [];
      await Promise.all(parts.map((part) => this.#again(part, claim)));
      if (parts.length > 0) return;
      claim.endLeases(unanswered);
      this.#failed(unanswered, lacksShare(error) ? attempt.asked : waiters(), error);
    }
  }

  /** Makes one more call for these waiting requests alone. If it fails too, refuses them. */
  async #again({ plans, waiters }: CallPart, claim: CallClaim): Promise<void> {
    const left = () => waiters.filter((waiter) => this.#waiting.has(waiter));
    for (const waiter of waiters) waiter.isRetried = true;
    if (left().length > 0) await this.#attempt(plans, left, claim);
    for (const waiter of waiters) Object.assign(waiter, { isRetried: false, isLate: true });
  }

  /** Makes one upstream call for all these keys. */
  async #ask(attempt: Attempt): Promise<CachedAnswer[]> {
    const { upstream, now } = this.#dependencies;
    const { plans, waiters } = attempt;
    const [first] = plans;
    if (!first) throw new Error('a call for nothing');
    const { route } = first;
    const mints = plans.flatMap(({ mint }) => mint ?? []);
    const input = mints.length > 0 ? batchInput(route, mints) : first.input;
    // The circuit breaker counts failures by wallet.
    const wallet = waiters()[0]?.asker.wallet;
    let sentAtMs = now();
    let isStarting = true;
    this.starting++;
    const started = () => {
      if (isStarting) this.starting--;
      isStarting = false;
    };
    const take = async (budget: Budget) => {
      const slot = await this.#take(attempt, budget);
      sentAtMs = now();
      this.made[attempt.leader ? 'awaited' : 'refresh']++;
      started();
      return slot;
    };
    try {
      const { json } = await upstream.answer({ route, input, wallet, arrival: NOWHERE, slots: { take } });
      return entriesIn(plans, route, json, sentAtMs);
    } finally {
      started();
    }
  }

  /** Takes a slot with the first valid sign-in among the waiting requests. Charges the slot to the waiting group that holds the fewest. */
  async #take(attempt: Attempt, budget: Budget): Promise<Slot> {
    const { leader } = attempt;
    attempt.asked = attempt.waiters();
    const shares = attempt.asked.flatMap(({ share }) => share ?? []);
    for (const waiter of leader ? [leader] : attempt.asked) {
      try {
        const slot = await waiter.asker.slots.take(budget, shares.length > 0 ? shares : undefined);
        attempt.leader = waiter;
        return slot;
      } catch (error) {
        if (leader || !isOfSignIn(error)) throw error;
        this.#waiting.refuse(waiter, error);
      }
    }
    if (attempt.asked.length > 0) throw new NoLeader();
    return this.#dependencies.refreshSlots.take(budget, REFRESH_SHARE);
  }

  #wasAnswered(id: string): boolean {
    const kept = this.#kept.peek(id);
    return kept !== undefined && !('refusal' in kept);
  }

  /** Refuses requests for failed keys. Gives the other keys back to `CallOrder`. */
  #failed(plans: readonly FetchPlan[], waiters: readonly Waiter[], error: unknown): void {
    const nowMs = this.#dependencies.now();
    if (!mayPassInTime(error)) for (const waiter of waiters) this.#waiting.refuse(waiter, error);
    const ids = idsOf(plans).filter((id) => this.#order.isInFlight(id));
    if (isOfRequest(error)) {
      this.#blame(plans, waiters, error);
      this.#order.rejected(ids, nowMs);
    } else if (lacksShare(error)) this.#order.setBack(ids, nowMs);
    else if (isOfUpstream(error)) {
      for (const id of ids) this.#failures.set(id, { refusal: error, failedAtMs: nowMs });
      this.#order.completed(ids, false, nowMs);
    }
  }

  /** Remembers the keys that may have caused a rejection: the call's only key, or the keys that the upstream has never answered. */
  #blame(plans: readonly FetchPlan[], waiters: readonly Waiter[], error: Refusal): void {
    const ids = idsOf(plans);
    const unknown = ids.filter((id) => !this.#wasAnswered(id));
    if (waiters.length > 0) for (const id of unknown.length > 0 ? unknown : ids) this.suspectIds.set(id, true);
    const [only, another] = plans;
    if (!isRejection(error) || !only || another) return;
    const fetchedAtMs = this.#dependencies.now();
    this.#kept.set(only.key.id, { key: only.key, fetchedAtMs, bytes: REFUSAL_BYTES, refusal: error });
    for (const waiter of this.#waiting.of(ids)) this.#waiting.refuse(waiter, error);
  }
}
