import type { CacheKey } from '../../packages/gateway/src/cache/cache-key.ts';
import { CallOrder } from '../../packages/gateway/src/cache/call-order.ts';
import type { KeyRequest } from '../../packages/gateway/src/cache/key-demand.ts';
import { GATEWAY, type SimulatedRequest } from './workloads.ts';

/** A key of a request: the age of its answer, if there is one, and whether the request waits for a call. */
interface Asked extends Pick<KeyRequest, 'isWaiting'> {
  readonly key: CacheKey;
  readonly ageSeconds: number | undefined;
}

interface Waiter {
  readonly request: SimulatedRequest;
  readonly missing: readonly CacheKey[];
  readonly left: Set<string>;
  readonly atMs: number;
  /** The age of the oldest answer that it has already. */
  readonly kept: number;
  isOver: boolean;
}

const NEVER = Number.POSITIVE_INFINITY;

/** Which upstream call is made next. */
interface Order {
  /** The keys for which a request has to wait. */
  missing(keys: readonly CacheKey[], ages: readonly (number | undefined)[]): readonly CacheKey[];
  ask(asked: readonly Asked[], request: SimulatedRequest, nowMs: number): void;
  leave(key: CacheKey, waiter: Pick<Waiter, 'missing' | 'request'>): void;
  next(free: number, nowMs: number): { readonly ids?: readonly string[]; readonly againAtMs?: number };
  completed(ids: readonly string[], nowMs: number): void;
}

/** Calls in order of arrival. Fetches stale answers again while a slot is free, and serves them stale otherwise. */
export function staleIfLimited(): Order {
  const queue = new Map<string, number>();
  const inFlight = new Set<string>();
  let left = GATEWAY.slots;
  return {
    missing: (keys, ages) => {
      const isGood = (key: CacheKey, age = NEVER) => age < (left > 0 ? key.freshSeconds : key.maxStaleSeconds);
      return keys.filter((key, index) => !isGood(key, ages[index]));
    },
    ask: (asked) => {
      const wanted = asked.filter(({ key, isWaiting }) => isWaiting && !inFlight.has(key.id));
      for (const { key } of wanted) queue.set(key.id, (queue.get(key.id) ?? 0) + 1);
    },
    leave: ({ id }) => {
      const waiting = (queue.get(id) ?? 0) - 1;
      if (waiting > 0) queue.set(id, waiting);
      else queue.delete(id);
    },
    next: (free) => {
      const [id] = queue.keys();
      const isCalled = free > 0 && id !== undefined;
      left = isCalled ? free - 1 : free;
      if (!isCalled) return {};
      queue.delete(id);
      inFlight.add(id);
      return { ids: [id] };
    },
    completed: (ids) => {
      for (const id of ids) inFlight.delete(id);
    },
  };
}

/** The gateway's own order. */
export function ours(): Order {
  const { slots, windowSeconds } = GATEWAY;
  const order = new CallOrder({ slots, windowMs: windowSeconds * 1_000, demands: 8_192, candidates: 256 });
  return {
    missing: (keys, ages) =>
      ages.includes(undefined) ? keys.filter((key, index) => !((ages[index] ?? NEVER) <= key.maxStaleSeconds - 2)) : [],
    ask: (asked, { refusesCached }, nowMs) => {
      const missing = asked.filter(({ isWaiting }) => isWaiting).length;
      for (const { key, ageSeconds, isWaiting } of asked) {
        const weight = 1 / (isWaiting ? missing : asked.length);
        order.enqueue(key, { ageSeconds, isWaiting, weight, refusesCached }, nowMs);
      }
    },
    leave: ({ id }, { missing, request: { refusesCached } }) =>
      order.dequeue(id, { weight: 1 / missing.length, refusesCached }),
    next: (free, nowMs) => order.next(free, nowMs),
    completed: (ids, nowMs) => order.completed(ids, true, nowMs),
  };
}

/** Runs requests through a gateway with a virtual clock; `record` gets the age of each answer, undefined if there was none. */
export class SimulatedGateway {
  #nowMs = 0;
  #free = GATEWAY.slots;
  #waiting = 0;
  readonly #fetchedAtMs = new Map<string, number>();
  /** What happens later, in order of time. */
  readonly #events: { readonly atMs: number; readonly run: () => void }[] = [];
  #againAtMs = NEVER;
  readonly #waiters = new Map<string, Set<Waiter>>();
  readonly #inFlight = new Set<string>();
  readonly #order: Order;
  readonly #record: (request: SimulatedRequest, ageSeconds: number | undefined) => void;

  constructor(order: Order, record: (request: SimulatedRequest, ageSeconds: number | undefined) => void) {
    this.#order = order;
    this.#record = record;
  }

  run(requests: Iterable<SimulatedRequest>): void {
    for (const request of requests) {
      for (let event = this.#events[0]; event && event.atMs <= request.atMs; event = this.#events[0]) {
        this.#events.shift();
        this.#nowMs = event.atMs;
        event.run();
      }
      this.#nowMs = request.atMs;
      this.#receive(request);
    }
  }

  #ageOf({ id, maxStaleSeconds }: CacheKey): number | undefined {
    const age = (this.#nowMs - (this.#fetchedAtMs.get(id) ?? -NEVER)) / 1_000;
    return age < maxStaleSeconds ? age : undefined;
  }

  #after(seconds: number, run: () => void): void {
    const atMs = this.#nowMs + seconds * 1_000;
    const index = this.#events.findLastIndex((event) => event.atMs <= atMs) + 1;
    this.#events.splice(index, 0, { atMs, run });
  }

  #receive(request: SimulatedRequest): void {
    const { keys, refusesCached } = request;
    const ages = keys.map((key) => this.#ageOf(key));
    const missing = refusesCached ? keys : this.#order.missing(keys, ages);
    if (missing.length > 0 && this.#waiting >= GATEWAY.maxWaiting) {
      this.#record(request, undefined);
      return;
    }
    const asked = keys.map((key, index) => ({ key, ageSeconds: ages[index], isWaiting: missing.includes(key) }));
    this.#order.ask(asked, request, this.#nowMs);
    const kept = Math.max(0, ...asked.map(({ ageSeconds = 0, isWaiting }) => (isWaiting ? 0 : ageSeconds)));
    const left = new Set(missing.map(({ id }) => id));
    if (missing.length === 0) this.#record(request, kept);
    else this.#wait({ request, missing, left, atMs: this.#nowMs, kept, isOver: false });
    this.#dispatch();
  }

  #wait(waiter: Waiter): void {
    this.#waiting++;
    this.#after(GATEWAY.waitSeconds, () => this.#giveUp(waiter));
    for (const { id } of waiter.missing) this.#waiters.set(id, (this.#waiters.get(id) ?? new Set()).add(waiter));
  }

  #giveUp(waiter: Waiter): void {
    // A call in flight will still answer this waiter.
    if (waiter.isOver || [...waiter.left].every((id) => this.#inFlight.has(id))) return;
    this.#end(waiter, undefined);
    for (const key of waiter.missing.filter(({ id }) => waiter.left.has(id))) {
      this.#order.leave(key, waiter);
      this.#waiters.get(key.id)?.delete(waiter);
    }
  }

  #end(waiter: Waiter, ageSeconds: number | undefined): void {
    waiter.isOver = true;
    this.#waiting--;
    this.#record(waiter.request, ageSeconds);
  }

  #dispatch(): void {
    for (;;) {
      const { ids, againAtMs = NEVER } = this.#order.next(this.#free, this.#nowMs);
      if (!ids) {
        this.#dispatchAt(againAtMs);
        return;
      }
      this.#free--;
      if (this.#free < 0) throw new Error('more calls than slots');
      for (const id of ids) this.#inFlight.add(id);
      const startedAtMs = this.#nowMs;
      this.#after(GATEWAY.upstreamSeconds, () => this.#complete(ids, startedAtMs));
    }
  }

  /** Looks again for a call at this time, unless another time is set meanwhile. */
  #dispatchAt(atMs: number): void {
    const isSet = atMs === this.#againAtMs;
    this.#againAtMs = atMs;
    if (isSet || !(atMs > this.#nowMs && atMs < NEVER)) return;
    this.#after((atMs - this.#nowMs) / 1_000, () => {
      if (this.#againAtMs === atMs) this.#dispatch();
    });
  }

  #complete(ids: readonly string[], startedAtMs: number): void {
    this.#after(GATEWAY.windowSeconds, () => {
      this.#free++;
      this.#dispatch();
    });
    const age = (this.#nowMs - startedAtMs) / 1_000;
    for (const id of ids) {
      this.#fetchedAtMs.set(id, startedAtMs);
      this.#inFlight.delete(id);
      const waiters = this.#waiters.get(id) ?? [];
      this.#waiters.delete(id);
      for (const waiter of waiters) {
        waiter.left.delete(id);
        if (waiter.isOver || waiter.left.size > 0) continue;
        this.#end(waiter, Math.max(waiter.kept + (this.#nowMs - waiter.atMs) / 1_000, age));
      }
    }
    this.#order.completed(ids, this.#nowMs);
    this.#dispatch();
  }
}
