/** The gateway's limits, and an upstream that takes 0.3 s. */
export const GATEWAY = { slots: 30, windowSeconds: 60, upstreamSeconds: 0.3, waitSeconds: 2, maxWaiting: 256 };

/** Runs a workload through a gateway with a virtual clock. */
export class SimulatedGateway {
  now = 0;
  free = GATEWAY.slots;
  waiting = 0;
  #entries = new Map();
  /** What happens later, in order of time. */
  #events = [];
  #againAtMs = Number.POSITIVE_INFINITY;
  #waiters = new Map();
  #inFlight = new Set();
  #order;
  #record;

  constructor(order, record) {
    this.#order = order;
    this.#record = record;
  }

  run(requests) {
    for (const request of requests) {
      this.#until(request.atMs);
      this.now = request.atMs;
      this.#receive(request);
    }
  }

  ageSeconds(key) {
    const fetchedAtMs = this.#entries.get(key.id);
    const age = fetchedAtMs === undefined ? undefined : (this.now - fetchedAtMs) / 1000;
    return age !== undefined && age < key.maxStaleSeconds ? age : undefined;
  }

  #at(atMs, run) {
    const index = this.#events.findLastIndex((event) => event.atMs <= atMs) + 1;
    this.#events.splice(index, 0, { atMs, run });
  }

  #until(atMs) {
    while (this.#events[0]?.atMs <= atMs) {
      const event = this.#events.shift();
      this.now = event.atMs;
      event.run();
    }
  }

  #receive(request) {
    const { keys, refusesCached } = request;
    const ages = keys.map((key) => this.ageSeconds(key));
    const missing = refusesCached ? keys : this.#order.missing(keys, ages);
    if (missing.length > 0 && this.waiting >= GATEWAY.maxWaiting) {
      this.#record(request, undefined);
      return;
    }
    const asked = keys.map((key, index) => ({ key, ageSeconds: ages[index], isWaiting: missing.includes(key) }));
    this.#order.ask(asked, request, this.now);
    if (missing.length === 0) this.#record(request, Math.max(...ages));
    else this.#wait(request, missing, ages);
    this.#dispatch();
  }

  #wait(request, missing, ages) {
    const kept = request.keys.map((key, index) => (missing.includes(key) ? 0 : ages[index]));
    const waiter = { request, missing, left: new Set(missing.map(({ id }) => id)), kept: Math.max(...kept) };
    waiter.atMs = this.now;
    this.waiting++;
    this.#at(this.now + GATEWAY.waitSeconds * 1000, () => this.#giveUp(waiter));
    for (const { id } of missing) this.#waiters.set(id, (this.#waiters.get(id) ?? new Set()).add(waiter));
  }

  #giveUp(waiter) {
    // A call in flight will still answer this waiter.
    if (waiter.isOver || [...waiter.left].every((id) => this.#inFlight.has(id))) return;
    waiter.isOver = true;
    this.waiting--;
    this.#record(waiter.request, undefined);
    for (const key of waiter.missing) {
      if (!waiter.left.has(key.id)) continue;
      this.#order.leave(key, waiter, this.now);
      const waiters = this.#waiters.get(key.id);
      waiters.delete(waiter);
      if (waiters.size === 0) this.#waiters.delete(key.id);
    }
  }

  #dispatch() {
    while (true) {
      const next = this.#order.next(this.free, this.now);
      if (!next.ids) return this.#dispatchAt(next.againAtMs);
      this.free--;
      if (this.free < 0) throw new Error('more calls than slots');
      for (const id of next.ids) this.#inFlight.add(id);
      const call = { startedAtMs: this.now, ids: next.ids };
      this.#at(this.now + GATEWAY.upstreamSeconds * 1000, () => this.#complete(call));
    }
  }

  /** Looks again for a call at this time, unless another time is set meanwhile. */
  #dispatchAt(atMs) {
    const isSet = atMs === this.#againAtMs;
    this.#againAtMs = atMs;
    if (isSet || !(atMs > this.now && atMs < Number.POSITIVE_INFINITY)) return;
    this.#at(atMs, () => {
      if (this.#againAtMs === atMs) this.#dispatch();
    });
  }

  #complete({ ids, startedAtMs }) {
    this.#at(this.now + GATEWAY.windowSeconds * 1000, () => {
      this.free++;
      this.#dispatch();
    });
    for (const id of ids) {
      this.#entries.set(id, startedAtMs);
      this.#inFlight.delete(id);
      const waiters = this.#waiters.get(id) ?? [];
      this.#waiters.delete(id);
      for (const waiter of waiters) {
        waiter.left.delete(id);
        if (waiter.isOver || waiter.left.size > 0) continue;
        waiter.isOver = true;
        this.waiting--;
        const waited = (this.now - waiter.atMs) / 1000;
        this.#record(waiter.request, Math.max(waiter.kept + waited, (this.now - startedAtMs) / 1000));
      }
    }
    this.#order.completed(ids, this.now);
    this.#dispatch();
  }
}
