/** A clock. Returns milliseconds since the Unix epoch. */
export type Clock = () => number;

/** Returns the time of day, which steps when someone sets the clock. */
export const timeOfDay: Clock = () => Date.now();

/** Returns milliseconds since the machine started. This clock never steps, and is the same for every process of the machine. */
export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/** Returns a clock that starts at the present time of day and then follows the monotonic clock, so that it never steps. */
export function steadyClock(): Clock {
  const offset = Date.now() - performance.now();
  return () => performance.now() + offset;
}

/** The longest round trip of an accurate reply, in milliseconds. Slower replies are ignored, unless they are the fastest so far. */
const ACCURATE_MS = 250;

/** Follows a server's clock by its replies. Before the first reply it is this machine's clock. */
export class FollowedClock {
  #aheadMs = Date.now() - monotonicMs();
  isFollowing = false;
  #roundTripMs = Number.POSITIVE_INFINITY;

  now(): number {
    return monotonicMs() + this.#aheadMs;
  }

  /** Adopts a time of the server, which it is assumed to have read halfway between request and reply. */
  follow(theirsMs: number, askedAtMs: number): void {
    const nowMs = monotonicMs();
    const roundTripMs = nowMs - askedAtMs;
    if (roundTripMs > ACCURATE_MS && roundTripMs >= this.#roundTripMs) return;
    this.#roundTripMs = roundTripMs;
    this.#aheadMs = theirsMs - (askedAtMs + nowMs) / 2;
    this.isFollowing = true;
  }
}
