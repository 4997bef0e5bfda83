import { Refusal, type Route } from '@asset-gateway/protocol';
import { LRUCache } from 'lru-cache';
import type { BudgetView } from '../budget/store.ts';
import type { Input, Spend } from '../call.ts';
import type { CacheReading } from '../metrics/readings.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import { batchInput, itemsOf, KeptItem } from './batches.ts';
import { CallLeadership, NoLeader } from './call-leadership.ts';
import type { CacheKey, CallOrder } from './call-order.ts';
import type { Kept } from './kept.ts';
import { KeptAnswer } from './kept-answer.ts';
import { type Asker, Waiter, Waiters, type Wanted } from './waiters.ts';

/** What is asked of the upstream for a key. */
export interface Plan {
  readonly key: CacheKey;
  readonly route: Route;
  /** What a single answer was asked with. */
  readonly input: Input;
  /** The mint, where the row is kept by mint. */
  readonly mint?: string;
}

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
  /** Told of what an upstream has answered. */
  readonly keep: (kept: Kept) => void;
  /** Told that the upstream has refused a request for what it asks for. */
  readonly refuse: (key: CacheKey, refusal: Refusal) => void;
  /** Milliseconds of a clock that never steps. */
  readonly now: () => number;
}

/** A request that misses waits so long for its calls to go out, and no more than so many do. */
const [WAIT_MS, MAX_WAITING] = [2_000, 256];
/** A slot may free earlier than this node knows. */
const LOOK_AGAIN_MS = 1_000;

/** What an upstream says of a request itself, which is as true for the next one who asks. */
const isVerdict = (error: unknown): error is Refusal => error instanceof Refusal && error.code === 'upstream_rejected';
/** Nothing was asked of the upstream, for a reason that may be over soon: whoever waits waits on. */
const isPassing = (error: unknown): boolean =>
  error instanceof NoLeader || (error instanceof Refusal && ['rate_limited', 'overloaded'].includes(error.code));
/** That the upstream, or what stands for it while it is left alone, did not answer. */
const isOfUpstream = (error: unknown): boolean => error instanceof Refusal && error.code.startsWith('upstream_');

/** There are slots, but none for the shares of those who wait. */
const isOfShares = (error: unknown): boolean => error instanceof Refusal && error.details.scope !== undefined;

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
  /** How the last call for a key has failed: that is why none goes out for a while. */
  readonly #failures = new LRUCache<string, Refusal>({ max: 1_024, ttl: 60_000 });

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
    const isAwaited = waiter.wanted().some(({ key }) => this.#inFlight.has(key.id));
    if (isAwaited) waiter.isLate = true;
    else this.#dismiss(waiter, this.#failureOf(waiter) ?? this.#withoutSlot());
  }

  #failureOf(waiter: Waiter): Refusal | undefined {
    const failures = waiter.wanted().map(({ key }) => this.#failures.get(key.id));
    return failures.find((failure) => failure !== undefined);
  }

  #dismiss(waiter: Waiter, error: unknown): void {
    const wanted = waiter.wanted();
    if (!this.#waiters.refuse(waiter, error)) return;
    for (const { key, refusesCached } of wanted)
      this.#parts.order.leave(key.id, { weight: waiter.weight, refusesCached });
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

  async #call(ids: readonly string[]): Promise<void> {
    const { spendAlone, planOf } = this.#parts;
    for (const id of ids) this.#inFlight.add(id);
    const plans = ids.map(planOf).filter((plan) => plan !== undefined);
    const waiters = () => this.#waiters.of(ids);
    const dismiss = (waiter: Waiter, error: unknown) => this.#dismiss(waiter, error);
    const leadership = new CallLeadership({ waiters, spendAlone, dismiss });
    try {
      const answered = plans.length > 0 ? await this.#ask(plans, leadership) : [];
      this.#over(ids, plans.length > 0);
      for (const kept of answered) {
        this.#failures.delete(kept.key.id);
        this.#waiters.give(kept, leadership.leader);
      }
    } catch (error) {
      if (isOfShares(error)) for (const waiter of leadership.asked) dismiss(waiter, error);
      this.#failed(ids, plans, error);
    }
    for (const waiter of this.#waiters.all()) if (waiter.isLate) this.#giveUp(waiter);
    this.#run();
  }

  /** Makes one call for all of these keys, and keeps what it has answered. */
  async #ask(plans: readonly Plan[], leadership: CallLeadership): Promise<Kept[]> {
    const { upstream, keep, now } = this.#parts;
    const [{ route, input } = missing()] = plans;
    const mints = plans.flatMap(({ mint }) => mint ?? []);
    let [isStarting, sentAtMs] = [true, now()];
    this.#starting++;
    const started = () => {
      if (isStarting) this.#starting--;
      isStarting = false;
    };
    const spend: Spend = async (budget) => {
      const slot = await leadership.spend(budget);
      sentAtMs = now();
      this.#made[leadership.leader ? 'awaited' : 'refresh']++;
      started();
      return slot;
    };
    const asked = mints.length > 0 ? batchInput(route, mints) : input;
    const [waiter] = this.#waiters.of(plans.map(({ key }) => key.id));
    const call = { route, input: asked, wallet: waiter?.asker.wallet, arrival: NOWHERE, spend };
    const { json } = await upstream.answer(call).finally(started);
    const texts = mints.length > 0 ? itemsOf(route, mints, json) : [json];
    const answered = plans.map(({ key, mint }, index) =>
      mint === undefined ? new KeptAnswer(key, sentAtMs, route, json) : new KeptItem(key, sentAtMs, texts[index] ?? ''),
    );
    for (const kept of answered) keep(kept);
    return answered;
  }

  #over(ids: readonly string[], hasAnswered: boolean): void {
    for (const id of ids) this.#inFlight.delete(id);
    this.#parts.order.completed(ids, hasAnswered, this.#parts.now());
  }

  #failed(ids: readonly string[], plans: readonly Plan[], error: unknown): void {
    if (!isOfUpstream(error)) {
      for (const id of ids) this.#inFlight.delete(id);
      this.#parts.order.returned(ids, this.#parts.now());
      if (!isPassing(error)) for (const waiter of this.#waiters.of(ids)) this.#dismiss(waiter, error);
      return;
    }
    const [only, another] = plans;
    if (isVerdict(error) && only && !another) this.#parts.refuse(only.key, error);
    if (error instanceof Refusal && !isVerdict(error)) for (const id of ids) this.#failures.set(id, error);
    this.#over(ids, isVerdict(error));
    for (const waiter of this.#waiters.of(ids)) this.#dismiss(waiter, error);
  }
}

/** Calls of a cache are made for many; where one of them has come from is nobody's business. */
const NOWHERE = { hosts: [], port: 0 } as const;

function missing(): never {
  throw new Error('a call for nothing');
}
