import { Refusal } from '@asset-gateway/protocol';
import type { BudgetView } from '../budget/store.ts';
import type { Spend } from '../call.ts';
import type { CacheReading } from '../metrics/readings.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import { CallClaim, NOISE_MS } from './call-claim.ts';
import { CallFailures, isOfShares, isOfUpstream, isPassing, isVerdict } from './call-failures.ts';
import { CallLeadership, isOwn } from './call-leadership.ts';
import { makeCall } from './call-making.ts';
import type { CallOrder } from './call-order.ts';
import type { Kept } from './kept.ts';
import type { CacheKey } from './known-key.ts';
import type { KeptText, Plan } from './plan.ts';
import type { SharedEntries } from './shared-entries.ts';
import { type Asker, Waiter, Waiters, type Wanted } from './waiters.ts';

/** What calls are made with. */
export interface CallsParts {
  readonly order: CallOrder;
  readonly upstream: Upstream;
  /** What is left of the budget, as this node knows. */
  readonly view: () => BudgetView;
  /** Takes a slot for a call that nobody waits for. */
  readonly spendAlone: Spend;
  /** The plan of a key, as long as it is remembered. */
  readonly planOf: (id: string) => Plan | undefined;
  /** What other nodes have fetched, or are fetching. */
  readonly shared: SharedEntries;
  /** A fresh random text. */
  readonly randomId: () => string;
  /** What is kept of a key. */
  readonly keptOf: (id: string) => Kept | undefined;
  /** Told of what an upstream has answered. */
  readonly keep: (kept: Kept) => void;
  /** Told that the upstream has refused a request for what it asks for. */
  readonly refuse: (key: CacheKey, refusal: Refusal) => void;
  /** Milliseconds of a clock that never steps. */
  readonly now: () => number;
}

/**
 * A request that misses waits so long for its calls to go out, and no more than so many do. A slot may free earlier than this node
 * knows, so that it looks again.
 */
const [WAIT_MS, MAX_WAITING, LOOK_AGAIN_MS] = [2_000, 256, 1_000];
const idsOf = (keyed: readonly { readonly key: CacheKey }[]): string[] => keyed.map(({ key }) => key.id);

/** Makes the upstream calls of a cache, in the order that answers most, out of the budget that everybody shares. */
export class Calls {
  readonly #parts: CallsParts;
  readonly #waiters = new Waiters();
  /** Calls that have been begun and have no slot yet. */
  #starting = 0;
  readonly #inFlight = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  readonly #made = { awaited: 0, refresh: 0 };
  #forgone = 0;
  readonly #failures = new CallFailures();

  constructor(parts: CallsParts) {
    this.#parts = parts;
  }

  /** Tells of a request that is answered without waiting, whose keys may be worth a call all the same. */
  note(kept: readonly { readonly key: CacheKey; readonly ageSeconds: number }[]): void {
    const [now, weight] = [this.#parts.now(), 1 / kept.length];
    for (const { key, ageSeconds } of kept)
      this.#parts.order.ask(key, { ageSeconds, isWaiting: false, weight, refusesCached: false }, now);
    if (kept.some(({ key, ageSeconds }) => ageSeconds >= key.freshSeconds)) this.#run();
  }

  /** Waits for the calls that answer these keys. Rejects with a refusal: the upstream's, or that there was no slot in time. */
  async wait(wanted: readonly Wanted[], asker: Asker): Promise<Waiter> {
    const { order, now } = this.#parts;
    const waiter = new Waiter(wanted, asker);
    const isWaiting = this.#waiters.count < MAX_WAITING && !this.#isClosed;
    for (const { key, ...ask } of wanted) order.ask(key, { ...ask, weight: waiter.weight, isWaiting }, now());
    if (!isWaiting) throw this.#withoutSlot();
    this.#waiters.enter(waiter, WAIT_MS, () => this.#giveUp(waiter));
    this.#run();
    await waiter.done;
    return waiter;
  }

  /** Calls that were made, by why, and requests for which none went out in time. */
  counts(): Pick<CacheReading, 'calls' | 'forgone'> {
    return { calls: { ...this.#made }, forgone: this.#forgone };
  }

  /** Ends the waiting of all; calls that are out end by themselves. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const waiter of this.#waiters.all()) this.#dismiss(waiter, this.#withoutSlot());
  }

  /** A call that is out has a deadline of its own. */
  #giveUp(waiter: Waiter): void {
    const ids = waiter.wanted().map(({ key }) => key.id);
    if (ids.some((id) => this.#inFlight.has(id))) waiter.isLate = true;
    else this.#dismiss(waiter, this.#failures.of(ids) ?? this.#withoutSlot());
  }

  #dismiss(waiter: Waiter, error: unknown): void {
    const wanted = waiter.wanted();
    if (!this.#waiters.refuse(waiter, error)) return;
    const asked = { weight: waiter.weight, isVoid: isOwn(error) };
    for (const { key, refusesCached } of wanted) this.#parts.order.leave(key.id, { ...asked, refusesCached });
  }

  #withoutSlot(): Refusal {
    this.#forgone++;
    const seconds = Math.max(1, Math.ceil(this.#parts.view().resetMs / 1_000));
    return new Refusal('rate_limited', { reason: 'no slot in time', retryAfterSeconds: seconds });
  }

  /** Lets out the calls that are worth their slot now, and looks again when another may be. */
  #run(): void {
    const { order, view, now } = this.#parts;
    clearTimeout(this.#timer);
    for (;;) {
      const free = view().left - this.#starting;
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

  /** Sees to one call that is due: what other nodes have fetched or are fetching is not asked for. */
  async #call(ids: readonly string[]): Promise<void> {
    const { planOf, shared, randomId } = this.#parts;
    for (const id of ids) this.#inFlight.add(id);
    const plans = ids.map(planOf).filter((plan) => plan !== undefined);
    const forgotten = ids.filter((id) => !planOf(id));
    this.#over(forgotten, false);
    const claim = new CallClaim({ entries: shared, owner: randomId(), isEnough: (kept) => this.#isEnough(kept) });
    this.#starting++;
    const { taken, mine, others } = await claim.divide(plans);
    this.#starting--;
    this.#take(taken);
    if (mine.length > 0) void this.#make(mine, claim);
    if (others.length > 0) void this.#follow(others, claim);
    if (mine.length === 0) this.#settle();
  }

  /** Whether what another node has fetched will do for all who wait, or is newer than what is kept here. */
  #isEnough(kept: Kept): boolean {
    const { id } = kept.key;
    if (this.#waiters.of([id]).length > 0) return kept.fetchedAtMs >= this.#waiters.notBeforeMs(id);
    return kept.fetchedAtMs > (this.#parts.keptOf(id)?.fetchedAtMs ?? Number.NEGATIVE_INFINITY) + NOISE_MS;
  }

  /** Waits for another node's call. When it ends without an answer that is shared, those who wait get a call of their own. */
  async #follow(plans: readonly Plan[], claim: CallClaim): Promise<void> {
    let left = plans;
    for await (const { taken, mine, others } of claim.follow(plans, () => !this.#isClosed)) {
      left = others;
      this.#take(taken);
      const isAwaited = this.#waiters.of(idsOf(mine)).length > 0;
      if (isAwaited) void this.#make(mine, claim);
      else if (mine.length > 0) this.#forgo(mine, claim);
      if (taken.length > 0) this.#settle();
    }
    if (left.length > 0) this.#forgo(left, claim);
  }

  /** Nobody waits for these any more; another node has failed to fetch them just now. */
  #forgo(plans: readonly Plan[], claim: CallClaim): void {
    claim.giveBack(plans);
    this.#over(idsOf(plans), false);
    this.#settle();
  }

  #take(answered: readonly KeptText[], leader?: Waiter): void {
    this.#over(idsOf(answered), true);
    for (const kept of answered) {
      this.#parts.keep(kept);
      this.#failures.forget(kept.key.id);
      this.#waiters.give(kept, leader);
    }
  }

  async #make(plans: readonly Plan[], claim: CallClaim): Promise<void> {
    const ids = idsOf(plans);
    const dismiss = (waiter: Waiter, error: unknown) => this.#dismiss(waiter, error);
    const leadership = new CallLeadership({ ...this.#parts, waiters: () => this.#waiters.of(ids), dismiss });
    try {
      const answered = await this.#ask(plans, leadership);
      claim.share(answered);
      this.#take(answered, leadership.leader);
    } catch (error) {
      claim.giveBack(plans);
      if (isOfShares(error)) for (const waiter of leadership.asked) dismiss(waiter, error);
      this.#failed(ids, plans, error);
    }
    this.#settle();
  }

  /** Lets go of those who have waited too long, and looks for the next call. */
  #settle(): void {
    for (const waiter of this.#waiters.all()) if (waiter.isLate) this.#giveUp(waiter);
    this.#run();
  }

  async #ask(plans: readonly Plan[], leadership: CallLeadership): Promise<KeptText[]> {
    const { upstream, now } = this.#parts;
    const [waiter] = this.#waiters.of(idsOf(plans));
    let isStarting = true;
    this.#starting++;
    const started = () => {
      if (isStarting) this.#starting--;
      isStarting = false;
    };
    const sent = () => {
      this.#made[leadership.leader ? 'awaited' : 'refresh']++;
      started();
    };
    return makeCall(plans, { upstream, leadership, wallet: waiter?.asker.wallet, sent, now }).finally(started);
  }

  #over(ids: readonly string[], hasAnswered: boolean): void {
    for (const id of ids) this.#inFlight.delete(id);
    this.#parts.order.completed(ids, hasAnswered, this.#parts.now());
  }

  #return(ids: readonly string[]): void {
    for (const id of ids) this.#inFlight.delete(id);
    this.#parts.order.returned(ids, this.#parts.now());
  }

  #failed(ids: readonly string[], plans: readonly Plan[], error: unknown): void {
    if (!isOfUpstream(error)) {
      this.#return(ids);
      if (!isPassing(error)) for (const waiter of this.#waiters.of(ids)) this.#dismiss(waiter, error);
      return;
    }
    const [only, another] = plans;
    if (isVerdict(error) && only && !another) this.#parts.refuse(only.key, error);
    this.#failures.note(ids, error);
    this.#over(ids, isVerdict(error));
    for (const waiter of this.#waiters.of(ids)) this.#dismiss(waiter, error);
  }
}
