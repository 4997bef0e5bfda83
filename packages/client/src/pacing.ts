/** What is left of the shared budget, in the header of an answer. */
const LEFT = /;r=([0-9]{1,9});t=([0-9]{1,6})$/;

/** Keeps a client from asking while the budget of the free routes, which it shares with all callers, is used up. */
export class Pacing {
  #left = Number.POSITIVE_INFINITY;
  #freesAt = 0;

  /** Reads `RateLimit`. */
  learn(response: Response): void {
    const [, left, seconds] = LEFT.exec(response.headers.get('ratelimit') ?? '') ?? [];
    if (left === undefined) return;
    this.#left = Number(left);
    this.#freesAt = performance.now() + Number(seconds) * 1000;
  }

  /** How long the next request should wait, in milliseconds. */
  waitMs(): number {
    return this.#left > 0 ? 0 : Math.max(0, this.#freesAt - performance.now());
  }
}
