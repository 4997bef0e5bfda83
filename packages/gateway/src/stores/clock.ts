/** A clock in milliseconds since the Unix epoch. */
export type Clock = () => number;

/** Milliseconds since the machine started, never stepping, the same for every process on it. */
export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/** The wall clock as it stood when this was called, advanced by the monotonic one, so that a step never reaches it. */
export function steadyClock(): Clock {
  const offset = Date.now() - monotonicMs();
  return () => monotonicMs() + offset;
}

/** A reply that was longer on its way says little about the time, unless it is the quickest so far. */
const TELLING_MS = 250;

/** A clock elsewhere, as far as its replies have told it; until the first of them our own. */
export class FollowedClock {
  #aheadMs = Date.now() - monotonicMs();
  #isFollowing = false;
  #roundTripMs = Number.POSITIVE_INFINITY;

  get isFollowing(): boolean {
    return this.#isFollowing;
  }

  now(): number {
    return monotonicMs() + this.#aheadMs;
  }

  /** Takes the time that it had half-way between the question and its reply. */
  follow(theirsMs: number, askedAtMs: number): void {
    const nowMs = monotonicMs();
    const roundTripMs = nowMs - askedAtMs;
    if (roundTripMs > TELLING_MS && roundTripMs >= this.#roundTripMs) return;
    this.#roundTripMs = roundTripMs;
    this.#aheadMs = theirsMs - (askedAtMs + nowMs) / 2;
    this.#isFollowing = true;
  }
}
