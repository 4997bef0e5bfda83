import { Refusal, type RefusalCode } from '@asset-gateway/protocol';
import type { Gate } from '../call.ts';
import { LIMITS } from '../limits.ts';
import { alreadyUsed } from '../receipts/paid-answers.ts';
import { Recent } from '../tallies.ts';
import { TIMES } from '../times.ts';

/** The codes of calls that made the API work without an answer to sell: it was too large, too late, not JSON, or had another status. */
const WORKED: readonly RefusalCode[] = ['upstream_invalid_response', 'upstream_timeout'];
const MESSAGE =
  'Several calls of this wallet made the API work without an answer that can be sold; ask for less, after Retry-After.';

/** Counts the calls that made an operator's API work without an answer to sell. Counts by route and wallet, in this node's memory. */
export class UnpaidCalls {
  readonly #times = new Recent<readonly number[]>(TIMES.unpaidMs);
  readonly #now: () => number;

  /** `now`: returns monotonic milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  #of(name: string): readonly number[] {
    const nowMs = this.#now();
    return (this.#times.get(name, nowMs) ?? []).filter((atMs) => nowMs - atMs < TIMES.unpaidMs);
  }

  assertFew(name: string): void {
    const first = this.#of(name).at(-LIMITS.failedCallsAtOwnApis);
    if (first === undefined) return;
    const retryAfterSeconds = Math.ceil((first + TIMES.unpaidMs - this.#now()) / 1_000);
    throw new Refusal('rate_limited', { reason: 'unpaid calls that worked', message: MESSAGE, retryAfterSeconds });
  }

  count(name: string): void {
    this.#times.set(name, [...this.#of(name), this.#now()].slice(-LIMITS.failedCallsAtOwnApis), this.#now());
  }
}

/**
 * Returns a gate for an operator's paid route. It refuses the next call of a wallet if too many of its calls made the API work without an
 * answer to sell. A lost answer is not fetched again if the call may have an effect.
 */
export const limitingUnpaid = (gate: Gate, calls: UnpaidCalls): Gate => ({
  serve(call, facts, prepare) {
    const { id, upstream } = call.route;
    return gate.serve(call, facts, (isOwed) => {
      if (isOwed && upstream.mayHaveEffect) throw alreadyUsed('the answer was lost, and the call is not repeated');
      if (isOwed) return prepare(isOwed);
      calls.assertFew(`${id} ${facts.wallet}`);
      const ask = prepare();
      return (admission) =>
        ask(admission).catch((error) => {
          if (error instanceof Refusal && WORKED.includes(error.code)) calls.count(`${id} ${facts.wallet}`);
          throw error;
        });
    });
  },
  challenge: (call, code) => gate.challenge(call, code),
});
