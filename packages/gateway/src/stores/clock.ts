/** A clock in milliseconds since the Unix epoch. */
export type Clock = () => number;

/** The time of day, which steps when someone sets the clock. */
export const timeOfDay: Clock = () => Date.now();

/** Milliseconds since the machine started, never stepping, the same for every process on it. */
export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/** A clock that starts at the present time of day and then follows the monotonic clock, so that it never steps. */
export function steadyClock(): Clock {
  const offset = Date.now() - performance.now();
  return () => performance.now() + offset;
}

/** Slower replies are too inaccurate, unless they are the fastest so far. */
const ACCURATE_MS = 250;

/** Follows the clock of a server by its replies. Before the first reply it is this machine's clock. */
export class FollowedClock {
  #aheadMs = Date.now() - monotonicMs();
  isFollowing = false;
  #roundTripMs = Number.POSITIVE_INFINITY;

  now(): number {
    return monotonicMs() + this.#aheadMs;
  }

  /** Takes a time that the server read halfway between request and reply. */
  follow(theirsMs: number, askedAtMs: number): void {
    const nowMs = monotonicMs();
    const roundTripMs = nowMs - askedAtMs;
    if (roundTripMs > ACCURATE_MS && roundTripMs >= this.#roundTripMs) return;
    this.#roundTripMs = roundTripMs;
    this.#aheadMs = theirsMs - (askedAtMs + nowMs) / 2;
    this.isFollowing = true;
  }
}
