import type { Answer, UpstreamCall } from '../call.ts';

/** Who answers a route. */
export interface Upstream {
  /** Calls `spend` immediately before each request that it writes. Refuses by throwing. */
  answer(call: UpstreamCall): Promise<Answer>;
}
