import { GATEWAY } from './gateway.mjs';

/** Calls in order of arrival. Fetches stale answers again while a slot is free, and serves them stale otherwise. */
export class StaleIfLimited {
  #queue = new Map();
  #inFlight = new Set();
  #free = GATEWAY.slots;
  missing(keys, ages) {
    const isGood = (key, age) => age < (this.#free > 0 ? key.freshSeconds : key.maxStaleSeconds);
    return keys.filter((key, index) => !isGood(key, ages[index]));
  }
  ask(asked) {
    for (const { key, isWaiting } of asked)
      if (isWaiting && !this.#inFlight.has(key.id)) this.#queue.set(key.id, (this.#queue.get(key.id) ?? 0) + 1);
  }
  leave({ id }) {
    const left = (this.#queue.get(id) ?? 0) - 1;
    if (left > 0) this.#queue.set(id, left);
    else this.#queue.delete(id);
  }
  next(free) {
    const [id] = this.#queue.keys();
    const isCalled = free > 0 && id !== undefined;
    this.#free = isCalled ? free - 1 : free;
    if (!isCalled) return { againAtMs: Number.POSITIVE_INFINITY };
    this.#queue.delete(id);
    this.#inFlight.add(id);
    return { ids: [id] };
  }
  completed(ids) {
    for (const id of ids) this.#inFlight.delete(id);
  }
}

/** The gateway's own order. */
export class Ours {
  #order;
  constructor(CallOrder) {
    const { slots, windowSeconds } = GATEWAY;
    this.#order = new CallOrder({ slots, windowMs: windowSeconds * 1000, known: 8192, candidates: 256 });
  }
  missing(keys, ages) {
    if (!ages.includes(undefined)) return [];
    return keys.filter((key, index) => ages[index] === undefined || ages[index] > key.maxStaleSeconds - 2);
  }
  ask(asked, { refusesCached }, now) {
    const missing = asked.filter(({ isWaiting }) => isWaiting).length;
    for (const { key, ageSeconds, isWaiting } of asked) {
      const weight = 1 / (isWaiting ? missing : asked.length);
      this.#order.enqueue(key, { ageSeconds, isWaiting, weight, refusesCached }, now);
    }
  }
  leave({ id }, { missing, request }) {
    this.#order.dequeue(id, { weight: 1 / missing.length, refusesCached: request.refusesCached });
  }
  next(free, now) {
    return this.#order.next(free, now);
  }
  completed(ids, now) {
    this.#order.completed(ids, true, now);
  }
}
