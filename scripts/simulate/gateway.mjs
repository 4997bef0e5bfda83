/** The gateway's limits, and an upstream that takes 0.3 s. */
export const GATEWAY = { slots: 30, windowSeconds: 60, upstreamSeconds: 0.3, waitSeconds: 2, maxWaiting: 256 };

/** A first-in, first-out queue. */
class Queue {
  #items = [];
  #head = 0;
  get first() {
    return this.#items[this.#head];
  }
  push(item) {
    this.#items.push(item);
  }
  shift() {
    const item = this.#items[this.#head++];
    if (this.#head > 1024 && this.#head * 2 > this.#items.length) {
      this.#items.splice(0, this.#head);
      this.#head = 0;
    }
    return item;
  }
}

/** Runs a workload through a gateway with a virtual clock. */
export class SimulatedGateway {
  now = 0;
  free = GATEWAY.slots;
  waiting = 0;
  #entries = new Map();
  #calls = new Queue();
  #slots = new Queue();
  #patience = new Queue();
  #againAtMs = Number.POSITIVE_INFINITY;
  #waiters = new Map();
  #inFlight = new Map();
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

  #until(atMs) {
    while (true) {
      const [call, slot, waiter] = [this.#calls.first, this.#slots.first, this.#patience.first];
      const callAt = call?.atMs ?? Number.POSITIVE_INFINITY;
      const slotAt = slot ?? Number.POSITIVE_INFINITY;
      const waiterAt = waiter?.untilMs ?? Number.POSITIVE_INFINITY;
      const next = Math.min(callAt, slotAt, waiterAt, this.#againAtMs);
      if (next > atMs) return;
      this.now = next;
      if (callAt === next) this.#complete(this.#calls.shift());
      else if (slotAt === next) {
        this.#slots.shift();
        this.free++;
        this.#dispatch();
      } else if (waiterAt === next) this.#giveUp(this.#patience.shift());
      else this.#dispatch();
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
    waiter.untilMs = this.now + GATEWAY.waitSeconds * 1000;
    this.waiting++;
    this.#patience.push(waiter);
    for (const { id } of missing) {
      const others = this.#waiters.get(id);
      if (others) others.push(waiter);
      else this.#waiters.set(id, [waiter]);
    }
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
      const others = this.#waiters.get(key.id)?.filter((other) => other !== waiter) ?? [];
      if (others.length > 0) this.#waiters.set(key.id, others);
      else this.#waiters.delete(key.id);
    }
  }

  #dispatch() {
    while (true) {
      const next = this.#order.next(this.free, this.now);
      if (!next.ids) {
        this.#againAtMs = next.againAtMs > this.now ? next.againAtMs : Number.POSITIVE_INFINITY;
        return;
      }
      this.free--;
      if (this.free < 0) throw new Error('more calls than slots');
      for (const id of next.ids) this.#inFlight.set(id, (this.#inFlight.get(id) ?? 0) + 1);
      this.#calls.push({ atMs: this.now + GATEWAY.upstreamSeconds * 1000, startedAtMs: this.now, ids: next.ids });
    }
  }

  #complete({ ids, startedAtMs }) {
    this.#slots.push(this.now + GATEWAY.windowSeconds * 1000);
    for (const id of ids) {
      this.#entries.set(id, startedAtMs);
      if (this.#inFlight.get(id) === 1) this.#inFlight.delete(id);
      else this.#inFlight.set(id, this.#inFlight.get(id) - 1);
      const waiters = this.#waiters.get(id) ?? [];
      // Without collapsing, a call answers only the first waiter.
      const served = this.#order.isShared === false ? waiters.splice(0, 1) : waiters.splice(0);
      if (waiters.length === 0) this.#waiters.delete(id);
      for (const waiter of served) {
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
