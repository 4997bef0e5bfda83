import { Refusal } from '@asset-gateway/protocol';
import type { Share } from '../budget/store.ts';
import type { Slots } from '../call.ts';
import { type CacheCallDependencies, type CacheMemory, CallsInFlight } from './calls-in-flight.ts';
import { AGE_TOLERANCE_MS, CallClaim, type Division } from './shared-entries.ts';
import { type CachedAnswer, type FetchPlan, idsOf } from './stored.ts';
import { type Requester, WAIT_MS, Waiter, Waiters, type WantedKey } from './waiters.ts';

/** How often the scheduler looks for a free slot, in milliseconds. A slot may free earlier than this node knows. */
const LOOK_AGAIN_MS = 1_000;

/** Schedules a cache's upstream calls within the shared budget. */
export class CallScheduler {
  readonly #dependencies: CacheCallDependencies;
  readonly #memory: CacheMemory;
  readonly #waiters: Waiters;
  readonly #inFlight: CallsInFlight;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #forgone = 0;

  constructor(dependencies: CacheCallDependencies, memory: CacheMemory) {
    this.#dependencies = dependencies;
    this.#memory = memory;
    this.#waiters = new Waiters(memory.order);
    this.#inFlight = new CallsInFlight(dependencies, memory, this.#waiters);
  }

  /** Counts a request that was answered at once as demand for its keys. */
  note(served: readonly WantedKey[]): void {
    const now = this.#dependencies.now();
    const weight = 1 / served.length;
    let isRefreshDue = false;
    for (const { key, ageSeconds = 0 } of served) {
      this.#memory.order.enqueue(key, { ageSeconds, isWaiting: false, weight, refusesCached: false }, now);
      isRefreshDue ||= ageSeconds >= key.freshSeconds;
    }
    if (isRefreshDue) this.#run();
  }

  /** Waits for the calls that answer these keys. Rejects with the upstream's refusal, or with `rate_limited` if no slot frees in time. */
  async wait(wanted: readonly WantedKey[], asker: Requester): Promise<Waiter> {
    const share = asker.slots.share && (await this.#shareOf(wanted, asker.slots.share));
    const waiter = new Waiter(wanted, asker, share);
    if (share && this.#giveKept(waiter)) return waiter;
    if (this.#waiters.hasNonce(asker.slots.nonce))
      throw new Refusal('invalid_siwx_nonce', { reason: 'already waiting' });
    const isWaiting = this.#waiters.hasRoomFor(waiter) && !this.#isClosed;
    this.#enqueue(waiter.wanted(), waiter.weight, isWaiting);
    if (!isWaiting) throw this.#withoutSlot();
    this.#waiters.enter(waiter, WAIT_MS, () => this.#giveUp(waiter));
    this.#run();
    await waiter.done;
    return waiter;
  }

  /** Whether the key must be fetched in a call of its own. */
  goesAlone(id: string): boolean {
    return this.#inFlight.suspectIds.has(id);
  }

  /** Returns the client's share. Throws a refusal if the share gets no slot in time. Keys in flight need no slot. */
  async #shareOf(wanted: readonly WantedKey[], shareOf: NonNullable<Slots['share']>): Promise<Share> {
    const isOnItsWay = wanted.every(({ key }) => this.#memory.order.isInFlight(key.id));
    try {
      return await shareOf(isOnItsWay ? undefined : WAIT_MS);
    } catch (error) {
      this.#enqueue(wanted, 1 / wanted.length, false);
      throw error;
    }
  }

  /** Gives the request the entries that arrived while its share was looked up. Returns whether it now has all. */
  #giveKept(waiter: Waiter): boolean {
    for (const { key } of waiter.wanted()) {
      const kept = this.#memory.kept.peek(key.id);
      if (kept && !('refusal' in kept) && waiter.accepts(kept)) waiter.give(kept, true);
    }
    return waiter.wanted().length === 0;
  }

  /** Counts a request as demand for its keys. A request that may not wait causes no call. */
  #enqueue(wanted: readonly WantedKey[], weight: number, isWaiting: boolean): void {
    const { order } = this.#memory;
    const nowMs = this.#dependencies.now();
    for (const { key, refusesCached, ...ask } of wanted) {
      order.enqueue(key, { ...ask, refusesCached, weight, isWaiting: true }, nowMs);
      if (!isWaiting) order.dequeue(key.id, { weight, refusesCached });
    }
  }

  /** Returns the number of calls by reason, and the number of requests that got no call in time. */
  counts() {
    return { calls: { ...this.#inFlight.made }, forgone: this.#forgone };
  }

  /** Refuses all waiting requests. Calls in flight end by themselves. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const waiter of this.#waiters.all()) this.#waiters.refuse(waiter, this.#withoutSlot());
  }

  /** Refuses a request whose waiting time is over. If a call for it is in flight, it waits for that call, which has its own deadline. */
  #giveUp(waiter: Waiter): void {
    const ids = waiter.wanted().map(({ key }) => key.id);
    if (waiter.isRetried || ids.some((id) => this.#memory.order.isInFlight(id))) waiter.isLate = true;
    else {
      const failures = ids.map((id) => this.#inFlight.failureOf(id));
      this.#waiters.refuse(waiter, failures.find((failure) => failure !== undefined) ?? this.#withoutSlot());
    }
  }

  #withoutSlot(): Refusal {
    this.#forgone++;
    const seconds = Math.max(1, Math.ceil(this.#dependencies.allowance.view().resetMs / 1_000));
    return new Refusal('rate_limited', { reason: 'no slot in time', retryAfterSeconds: seconds });
  }

  /** Starts the calls that are worth a slot now, and schedules the next look. */
  #run(): void {
    const { order } = this.#memory;
    const { allowance, now } = this.#dependencies;
    clearTimeout(this.#timer);
    for (;;) {
      const free = allowance.view().left - this.#inFlight.starting;
      const next = order.next(free, now());
      if ('ids' in next) {
        void this.#call(next.ids);
        continue;
      }
      const isWanted = Number.isFinite(next.againAtMs) || this.#waiters.count > 0;
      const milliseconds = Math.min(LOOK_AGAIN_MS, Math.max(1, next.againAtMs - now()));
      if (isWanted && !this.#isClosed) this.#timer = setTimeout(() => this.#run(), milliseconds).unref();
      return;
    }
  }

  /** Makes one due call. For keys that another node is fetching, waits for that node's answer. */
  async #call(ids: readonly string[]): Promise<void> {
    const { order, plans: known } = this.#memory;
    const { shared, randomId, now } = this.#dependencies;
    const plans = ids.map((id) => known.get(id)).filter((plan) => plan !== undefined);
    const forgotten = ids.filter((id) => !known.has(id));
    order.completed(forgotten, false, now());
    const claim = new CallClaim({ entries: shared, owner: randomId(), isEnough: (kept) => this.#isEnough(kept) });
    this.#inFlight.starting++;
    let left: readonly FetchPlan[] = plans;
    let isFirst = true;
    for await (const division of claim.divisions(plans, () => !this.#isClosed)) {
      if (isFirst) this.#inFlight.starting--;
      this.#makePart(division, claim, isFirst);
      left = division.others;
      isFirst = false;
    }
    if (left.length > 0) this.#forgo(left, claim);
  }

  /**
   * Stores what other nodes have fetched, and makes a call for the keys of this node. `isFirst`: no other node has made a call for them.
   */
  #makePart({ fetched, mine }: Division, claim: CallClaim, isFirst: boolean): void {
    this.#inFlight.keep(fetched);
    // If another node has made a call before, a key that no request waits for gets no second call.
    const isWanted = isFirst || this.#waiters.of(idsOf(mine)).length > 0;
    if (mine.length > 0 && isWanted) void this.#inFlight.make(mine, claim).then(() => this.#settle());
    else if (mine.length > 0) this.#forgo(mine, claim);
    if (isFirst ? mine.length === 0 : fetched.length > 0) this.#settle();
  }

  /** Whether another node's entry is new enough for all waiting requests, or, if none waits, newer than the stored entry. */
  #isEnough(kept: CachedAnswer): boolean {
    const { id } = kept.key;
    const waiters = this.#waiters.of([id]);
    if (waiters.length > 0) return waiters.every((waiter) => waiter.accepts(kept));
    return kept.fetchedAtMs > (this.#memory.kept.peek(id)?.fetchedAtMs ?? Number.NEGATIVE_INFINITY) + AGE_TOLERANCE_MS;
  }

  /** Drops keys that no request waits for and that another node has just failed to fetch. */
  #forgo(plans: readonly FetchPlan[], claim: CallClaim): void {
    claim.endLeases(plans);
    this.#memory.order.completed(idsOf(plans), false, this.#dependencies.now());
    this.#settle();
  }

  /** Refuses requests that have waited too long, and looks for the next call. */
  #settle(): void {
    for (const waiter of this.#waiters.all()) if (waiter.isLate) this.#giveUp(waiter);
    this.#run();
  }
}
