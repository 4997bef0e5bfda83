import { Refusal, type Route } from '@asset-gateway/protocol';
import type { Allowance, BudgetView, Share, Verdict } from '../budget/store.ts';
import type { Answer, Upstream, UpstreamCall } from '../call.ts';
import type { Breaker } from './breaker.ts';
import { UpstreamRefusal } from './upstream.ts';

/** One of several upstreams with the same routes. */
export interface FailoverPlace {
  readonly upstream: Breaker;
  readonly keys: Allowance;
}

/** Whether the next upstream may be asked: this one is down, and the request had no effect or may have it twice. */
function isNextAllowed(error: Refusal, isRepeatable: boolean): boolean {
  // The circuit breaker refused before the call.
  if (!(error instanceof UpstreamRefusal)) return error.code === 'upstream_unavailable';
  return error.ending === 'unsent' || (error.ending === 'down' && isRepeatable);
}

/**
 * Several upstreams with the same routes: the first one that is up answers. Each has its own keys, budget and circuit breaker, and each
 * call takes a slot of its own. If all are down, the last call's refusal is thrown.
 */
export class Failover implements Upstream, Allowance {
  readonly #places: readonly [FailoverPlace, ...FailoverPlace[]];
  readonly #isRepeatable: (route: Route) => boolean;

  constructor(places: readonly [FailoverPlace, ...FailoverPlace[]], isRepeatable: (route: Route) => boolean) {
    this.#places = places;
    this.#isRepeatable = isRepeatable;
  }

  async answer(call: UpstreamCall): Promise<Answer> {
    let refusal: Refusal | undefined;
    for (const { upstream } of this.#places) {
      try {
        return await upstream.answer(call);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        // A call that was made says more than a refusal without one.
        if (!(refusal instanceof UpstreamRefusal) || error instanceof UpstreamRefusal) refusal = error;
        if (!isNextAllowed(error, this.#isRepeatable(call.route))) throw refusal;
      }
    }
    throw refusal;
  }

  get limit(): number {
    return this.#current().limit;
  }

  get windowMs(): number {
    return this.#current().windowMs;
  }

  view(): BudgetView {
    return this.#current().view();
  }

  judge(share: Share): Promise<Verdict | undefined> {
    return this.#current().judge(share);
  }

  /** The keys of the first upstream that is not known to be down. */
  #current(): Allowance {
    const [first] = this.#places;
    return (this.#places.find(({ upstream }) => !upstream.isOpen) ?? first).keys;
  }
}
