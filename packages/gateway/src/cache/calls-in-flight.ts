import { Refusal } from '@asset-gateway/protocol';
import type { Spend, Upstream } from '../call.ts';
import type { CacheReading } from '../metrics/readings.ts';
import { batchInput } from './batches.ts';
import type { CallOrder } from './call-order.ts';
import type { CacheKey } from './key-demand.ts';
import type { CallClaim } from './shared-entries.ts';
import { idsOf, type Kept, KeptRefusal, type KeptText, type Plan } from './stored.ts';
import {
  CallFailures,
  CallLeadership,
  type CallPart,
  entriesIn,
  isDivisible,
  isOfRequest,
  isOfShares,
  isOfUpstream,
  isPassing,
  isVerdict,
  type LeadershipDependencies,
  partsOf,
} from './upstream-call.ts';
import { WAIT_MS, type Waiter, type Waiters } from './waiters.ts';

/** Dependencies of calls in flight. */
export interface InFlightDependencies extends Pick<LeadershipDependencies, 'spendAlone' | 'dismiss'> {
  readonly waiting: Waiters;
  readonly order: CallOrder;
  readonly upstream: Upstream;
  /** The cached entry of a key, if any. */
  readonly keptOf: (id: string) => Kept | undefined;
  /** Called with each answer of an upstream. */
  readonly keep: (kept: Kept) => void;
  /** Called with each rejection of a key by the upstream. */
  readonly refuse: (key: CacheKey, refusal: Refusal) => void;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/** A cache's call serves many requests and has no arrival of its own. */
const NOWHERE = { hosts: [], port: 0 } as const;

/** The call was not made, but may be within the waiting time. */
const mayPassInTime = (error: unknown): boolean =>
  isPassing(error) && !(isOfShares(error) && 1_000 * (error.retryAfterSeconds ?? 0) > WAIT_MS);

const otherItems = (): Refusal =>
  new Refusal('upstream_invalid_response', { reason: 'other items than were asked for' });

/** The calls of a cache, from due to ended, and their effect on the waiting requests. */
export class CallsInFlight {
  readonly failures = new CallFailures();
  readonly made = { awaited: 0, refresh: 0 } satisfies CacheReading['calls'];
  /** Begun calls without a slot. */
  starting = 0;
  readonly #dependencies: InFlightDependencies;
  readonly #ids = new Set<string>();

  constructor(dependencies: InFlightDependencies) {
    this.#dependencies = dependencies;
  }

  begin(ids: readonly string[]): void {
    for (const id of ids) this.#ids.add(id);
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  end(ids: readonly string[], hasAnswered: boolean): void {
    this.#forget(ids);
    this.#dependencies.order.completed(ids, hasAnswered, this.#dependencies.now());
  }

  /** Stores answers and gives them to the waiting requests. */
  take(answered: readonly KeptText[], leader?: Waiter): void {
    this.end(idsOf(answered), true);
    for (const kept of answered) {
      this.#dependencies.keep(kept);
      this.failures.forget(kept.key.id);
      this.#dependencies.waiting.give(kept, leader);
    }
  }

  /** Makes a call. If a shared call is rejected, retries it once for each request. */
  async make(plans: readonly Plan[], claim: CallClaim): Promise<void> {
    const ids = idsOf(plans);
    await this.#attempt(plans, () => this.#dependencies.waiting.of(ids), claim);
    const left = plans.filter(({ key }) => this.#ids.has(key.id));
    if (left.length === 0) return;
    claim.giveBack(left);
    this.#forget(idsOf(left));
    this.#dependencies.order.returned(idsOf(left), this.#dependencies.now());
  }

  async #attempt(plans: readonly Plan[], waiters: () => readonly Waiter[], claim: CallClaim): Promise<void> {
    const leadership = new CallLeadership({ ...this.#dependencies, waiters });
    let unanswered = plans;
    try {
      const answered = await this.#ask(plans, leadership);
      claim.share(answered);
      this.take(answered, leadership.leader);
      const ids = new Set(idsOf(answered));
      unanswered = plans.filter(({ key }) => !ids.has(key.id));
      if (unanswered.length > 0) throw otherItems();
    } catch (error) {
      const wasAnswered = (id: string) => this.#wasAnswered(id);
      const parts = isDivisible(error) ? partsOf({ asked: plans, unanswered, waiters: waiters(), wasAnswered }) : [];
      await Promise.all(parts.map((part) => this.#again(part, claim)));
      if (parts.length > 0) return;
      claim.giveBack(unanswered);
      const waiting = isOfShares(error) ? leadership.asked : waiters();
      this.#failed(unanswered, waiting, error);
    }
  }

  /** Each request gets one call of its own and waits for no other after it. */
  async #again({ plans, waiters }: CallPart, claim: CallClaim): Promise<void> {
    const left = () => waiters.filter((waiter) => this.#dependencies.waiting.has(waiter));
    for (const waiter of waiters) waiter.isRetried = true;
    if (left().length > 0) await this.#attempt(plans, left, claim);
    for (const waiter of waiters) Object.assign(waiter, { isRetried: false, isLate: true });
  }

  /** Makes one upstream call for all these keys. */
  async #ask(plans: readonly Plan[], leadership: CallLeadership): Promise<KeptText[]> {
    const { upstream, now, waiting } = this.#dependencies;
    const [first] = plans;
    if (!first) throw new Error('a call for nothing');
    const { route } = first;
    const mints = plans.flatMap(({ mint }) => mint ?? []);
    const input = mints.length > 0 ? batchInput(route, mints) : first.input;
    // For the log.
    const wallet = waiting.of(idsOf(plans))[0]?.asker.wallet;
    let [sentAtMs, isStarting] = [now(), true];
    this.starting++;
    const started = () => {
      if (isStarting) this.starting--;
      isStarting = false;
    };
    const spend: Spend = async (budget) => {
      const slot = await leadership.spend(budget);
      sentAtMs = now();
      this.made[leadership.leader ? 'awaited' : 'refresh']++;
      started();
      return slot;
    };
    try {
      const { json } = await upstream.answer({ route, input, wallet, arrival: NOWHERE, spend });
      return entriesIn(plans, route, json, sentAtMs);
    } finally {
      started();
    }
  }

  #wasAnswered(id: string): boolean {
    const kept = this.#dependencies.keptOf(id);
    return kept !== undefined && !(kept instanceof KeptRefusal);
  }

  /** Ends failed keys; the others return to the order. */
  #failed(plans: readonly Plan[], waiters: readonly Waiter[], error: unknown): void {
    if (!mayPassInTime(error)) for (const waiter of waiters) this.#dependencies.dismiss(waiter, error);
    const ids = idsOf(plans).filter((id) => this.#ids.has(id));
    if (isOfRequest(error)) {
      this.#blame(plans, waiters, error);
      this.#forget(ids);
      this.#dependencies.order.rejected(ids, this.#dependencies.now());
    } else if (isOfShares(error)) {
      this.#forget(ids);
      this.#dependencies.order.setBack(ids, this.#dependencies.now());
    } else if (isOfUpstream(error)) {
      this.failures.note(ids, error);
      this.end(ids, false);
    }
  }

  /** Notes the keys at fault for a rejection: the only key, or those that the upstream never answered. */
  #blame(plans: readonly Plan[], waiters: readonly Waiter[], error: Refusal): void {
    const { refuse, waiting, dismiss } = this.#dependencies;
    const [ids, unknown] = [idsOf(plans), idsOf(plans).filter((id) => !this.#wasAnswered(id))];
    if (waiters.length > 0) this.failures.noteAlone(unknown.length > 0 ? unknown : ids);
    const [only, another] = plans;
    if (!isVerdict(error) || !only || another) return;
    refuse(only.key, error);
    for (const waiter of waiting.of(ids)) dismiss(waiter, error);
  }

  #forget(ids: readonly string[]): void {
    for (const id of ids) this.#ids.delete(id);
  }
}
