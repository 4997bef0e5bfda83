import type { Route } from '@asset-gateway/protocol';
import type { Answer, Input, Spend } from '../call.ts';

/** Who answers a route. */
export interface Upstream {
  /** Calls `spend` immediately before each request that it writes. Refuses by throwing. */
  answer(route: Route, input: Input, spend: Spend): Promise<Answer>;
}
