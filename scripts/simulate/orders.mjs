/** Calls in order of arrival; serves answers younger than `good(key)` seconds. */
class Queue {
  #queue = new Map();
  #inFlight = new Set();
  #good;
  /** `isShared`: whether one call answers all requests that wait for its key. */
  constructor(good, isShared = true) {
    this.#good = good;
    this.isShared = isShared;
  }
  missing(keys, ages) {
    return keys.filter((key, index) => ages[index] === undefined || ages[index] >= this.#good(key));
  }
  ask(asked) {
    for (const { key, isWaiting } of asked) if (isWaiting && !this.#inFlight.has(key.id)) this.add(key);
  }
  add(key) {
    this.#queue.set(key.id, (this.#queue.get(key.id) ?? 0) + 1);
  }
  leave(key) {
    const left = (this.#queue.get(key.id) ?? 0) - 1;
    if (left > 0) this.#queue.set(key.id, left);
    else this.#queue.delete(key.id);
  }
  next(free) {
    const [id] = this.#queue.keys();
    if (free <= 0 || id === undefined) return { againAtMs: Number.POSITIVE_INFINITY };
    if (this.isShared) this.#queue.delete(id);
    else this.leave({ id });
    if (this.isShared) this.#inFlight.add(id);
    return { ids: [id] };
  }
  completed(ids) {
    for (const id of ids) this.#inFlight.delete(id);
  }
}
/** Each request is a call of its own; nothing is cached. */
export const noCache = () => new Queue(() => 0, false);
export const timeToLive = () => new Queue((key) => key.freshSeconds);

/** Fetches stale answers again while a slot is free, and serves them stale otherwise. */
export class StaleIfLimited extends Queue {
  #free;
  constructor(slots) {
    super((key) => (this.#free > 0 ? key.freshSeconds : key.maxStaleSeconds));
    this.#free = slots;
  }
  next(free) {
    const next = super.next(free);
    this.#free = next.ids ? free - 1 : free;
    return next;
  }
}

/** The gateway's own order. */
export class Ours {
  constructor(CallOrder, { slots, windowSeconds }) {
    this.order = new CallOrder({ slots, windowMs: windowSeconds * 1000, known: 8192, candidates: 256 });
  }
  missing(keys, ages) {
    if (!ages.includes(undefined)) return [];
    return keys.filter((key, index) => ages[index] === undefined || ages[index] > key.maxStaleSeconds - 2);
  }
  ask(asked, { refusesCached }, now) {
    const missing = asked.filter(({ isWaiting }) => isWaiting).length;
    for (const { key, ageSeconds, isWaiting } of asked) {
      const weight = 1 / (isWaiting ? missing : asked.length);
      this.order.enqueue(key, { ageSeconds, isWaiting, weight, refusesCached }, now);
    }
  }
  leave(key, { missing, request }) {
    this.order.dequeue(key.id, { weight: 1 / missing.length, refusesCached: request.refusesCached });
  }
  next(free, now) {
    return this.order.next(free, now);
  }
  completed(ids, now) {
    this.order.completed(ids, true, now);
  }
}
