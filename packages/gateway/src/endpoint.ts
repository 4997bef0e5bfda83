import type { Route } from '@asset-gateway/protocol';
import type { Call, Input, Spend, Trail } from './call.ts';
import type { Admission, Gate } from './gates/gate.ts';
import type { Upstream } from './upstreams/upstream.ts';

/** A route with everything that serves it, bound once at the start. */
export interface Endpoint {
  readonly route: Route;

  readonly gate: Gate;
  /** Validates a call's raw parameters; refuses with every violation at once. */
  readonly read: (call: Call) => Input;
  /** Makes a call's `spend` from the route's budget. */
  readonly spending: (admission: Admission, trail: Trail) => Spend;
  readonly upstream: Upstream;
}
