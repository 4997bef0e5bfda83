import type { Answer, KeyedCall, UpstreamCall } from '../call.ts';

/** Who answers a route. */
export interface Upstream {
  /** Calls `spend` immediately before each request that it writes. Refuses by throwing. */
  answer(call: UpstreamCall): Promise<Answer>;
}

/** The same, as it is asked with one of its keys. */
export interface KeyedUpstream {
  answer(call: KeyedCall): Promise<Answer>;
}
