import { Refusal, type Route } from '@asset-gateway/protocol';
import type { BudgetView } from '../budget/store.ts';
import type { Input, Spend } from '../call.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import type { Ask, CacheKey, CallOrder } from './call-order.ts';
import { KeptAnswer } from './kept-answer.ts';
import { CallLeadership, type Served, type Waiter } from './waiters.ts';

/** What is asked of the upstream for a key. */
export interface Plan {
  readonly key: CacheKey;
  readonly route: Route;
  readonly input: Input;
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
  readonly keep: (kept: KeptAnswer) => void;
  /** Told that the upstream has refused a request for what it asks for. */
  readonly refuse: (id: string, refusal: Refusal) => void;
  /** Milliseconds of a clock that never steps. */
  readonly now: () => number;
}

/** A request that misses waits so long for a slot, and no more than so many do. */
const [WAIT_MS, MAX_WAITING] = [2_000, 256];
/** A slot may free earlier than this node knows. */
const LOOK_AGAIN_MS = 1_000;

/** What an upstream says of a request itself, which is as true for the next one who asks. */
const isVerdict = (error: unknown): boolean => error instanceof Refusal && error.code === 'upstream_rejected';
/** Nothing was asked of the upstream, because there was no slot. */
const isWithoutSlot = (error: unknown): boolean =>
  error instanceof Refusal && (error.code === 'rate_limited' || error.code === 'overloaded');

/** Makes the upstream calls of a cache, in the order that answers most, out of the budget that everybody shares. */
export class Calls {
  readonly #parts: CallsParts;
  readonly #waiters = new Map<string, Set<Waiter>>();
  #waiting = 0;
  /** Calls that have been begun and have no slot yet. */
  #starting = 0;
  readonly #inFlight = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(parts: CallsParts) {
    this.#parts = parts;
  }

  /** Tells of a request that is answered without waiting, whose key may be worth a call all the same. */
  note(key: CacheKey, ageSeconds: number): void {
    this.#parts.order.ask(key, { ageSeconds, isWaiting: false, weight: 1, refusesCached: false }, this.#parts.now());
    if (ageSeconds >= key.freshSeconds) this.#run();
  }

  /** Waits for a call that answers this key. Rejects with a refusal: the upstream's, or that there was no slot in time. */
  wait(
    plan: Plan,
    ask: Pick<Ask, 'ageSeconds' | 'refusesCached'>,
    from: Pick<Waiter, 'wallet' | 'spend'>,
  ): Promise<Served> {
    const { order, now } = this.#parts;
    const isWaiting = this.#waiting < MAX_WAITING && !this.#isClosed;
    order.ask(plan.key, { ...ask, weight: 1, isWaiting }, now());
    if (!isWaiting) return Promise.reject(this.#withoutSlot());
    return new Promise((resolve, reject) => {
      const untilMs = now() + WAIT_MS;
      this.#enter(plan.key.id, { ...from, refusesCached: ask.refusesCached, untilMs, resolve, reject });
      this.#run();
    });
  }

  /** Ends the waiting of all; calls that are out end by themselves. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const [id, waiters] of this.#waiters) for (const waiter of [...waiters]) this.#dismiss(id, waiter);
  }

  #enter(id: string, waiter: Waiter): void {
    const waiters = this.#waiters.get(id) ?? new Set();
    this.#waiters.set(id, waiters.add(waiter));
    this.#waiting++;
    // A call that is out has its own deadline.
    const giveUp = () => void (this.#inFlight.has(id) || this.#dismiss(id, waiter));
    const timer = setTimeout(giveUp, WAIT_MS).unref();
    const { resolve, reject } = waiter;
    Object.assign(waiter, {
      resolve: (served: Served) => this.#left(id, waiter, timer) && resolve(served),
      reject: (error: unknown) => this.#left(id, waiter, timer) && reject(error),
    });
  }

  /** Whether it was still there. */
  #left(id: string, waiter: Waiter, timer: NodeJS.Timeout): boolean {
    clearTimeout(timer);
    const waiters = this.#waiters.get(id);
    if (!waiters?.delete(waiter)) return false;
    this.#waiting--;
    if (waiters.size === 0) this.#waiters.delete(id);
    return true;
  }

  #dismissIfLate(id: string, waiter: Waiter): void {
    if (this.#parts.now() >= waiter.untilMs) this.#dismiss(id, waiter);
  }

  #dismiss(id: string, waiter: Waiter, error: unknown = this.#withoutSlot()): void {
    this.#parts.order.leave(id, { weight: 1, refusesCached: waiter.refusesCached });
    waiter.reject(error);
  }

  #withoutSlot(): Refusal {
    const seconds = Math.max(1, Math.ceil(this.#parts.view().resetMs / 1_000));
    return new Refusal('rate_limited', { reason: 'no slot in time', retryAfterSeconds: seconds });
  }

  /** Lets out the calls that are worth their slot now, and looks again when another may be. */
  #run(): void {
    const { order, view, now } = this.#parts;
    clearTimeout(this.#timer);
    for (;;) {
      const { left, resetMs } = view();
      const free = left - this.#starting;
      const next = order.next(free, now());
      if ('ids' in next) {
        void this.#call(next.ids);
        continue;
      }
      const untilFree = free > 0 ? Number.POSITIVE_INFINITY : Math.min(LOOK_AGAIN_MS, resetMs || LOOK_AGAIN_MS);
      const milliseconds = Math.min(next.againAtMs - now(), untilFree);
      const isWanted = Number.isFinite(next.againAtMs) || this.#waiting > 0;
      if (isWanted && !this.#isClosed) {
        this.#timer = setTimeout(() => this.#run(), Math.max(1, Math.min(milliseconds, LOOK_AGAIN_MS))).unref();
      }
      return;
    }
  }

  async #call(ids: readonly string[]): Promise<void> {
    const { order, now } = this.#parts;
    const [id = ''] = ids;
    const plan = this.#parts.planOf(id);
    if (!plan) return order.completed(ids, false, now());
    this.#inFlight.add(id);
    const leadership = new CallLeadership(
      () => this.#waiters.get(id) ?? [],
      this.#parts.spendAlone,
      (waiter, error) => this.#dismiss(id, waiter, error),
    );
    try {
      const kept = await this.#ask(plan, leadership);
      this.#over(ids, true);
      for (const waiter of [...(this.#waiters.get(id) ?? [])])
        waiter.resolve({ kept, isCollapsed: waiter !== leadership.leader });
    } catch (error) {
      this.#failed(ids, error);
    }
    this.#run();
  }

  async #ask({ key, route, input }: Plan, leadership: CallLeadership): Promise<KeptAnswer> {
    const { upstream, keep, now } = this.#parts;
    let [isStarting, sentAtMs] = [true, now()];
    this.#starting++;
    const started = () => {
      if (isStarting) this.#starting--;
      isStarting = false;
    };
    const spend: Spend = async () => {
      const slot = await leadership.spend();
      sentAtMs = now();
      started();
      return slot;
    };
    try {
      const wallet = leadership.leader?.wallet;
      const arrival = { hosts: [], port: 0 };
      const { json } = await upstream.answer({ route, input, wallet, arrival, spend });
      const kept = new KeptAnswer(key, route, json, sentAtMs);
      keep(kept);
      return kept;
    } finally {
      started();
    }
  }

  #over(ids: readonly string[], hasAnswered: boolean): void {
    for (const id of ids) this.#inFlight.delete(id);
    this.#parts.order.completed(ids, hasAnswered, this.#parts.now());
  }

  #failed(ids: readonly string[], error: unknown): void {
    if (isWithoutSlot(error)) {
      for (const id of ids) this.#inFlight.delete(id);
      this.#parts.order.returned(ids, this.#parts.now());
      for (const id of ids) for (const waiter of [...(this.#waiters.get(id) ?? [])]) this.#dismissIfLate(id, waiter);
      return;
    }
    if (isVerdict(error)) for (const id of ids) this.#parts.refuse(id, error as Refusal);
    this.#over(ids, isVerdict(error));
    for (const id of ids) for (const waiter of [...(this.#waiters.get(id) ?? [])]) waiter.reject(error);
  }
}
