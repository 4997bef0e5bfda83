import type { Route } from '@asset-gateway/protocol';
import type { Call, Input, Spend, Trail } from './call.ts';
import type { Admission, Gate } from './gates/gate.ts';
import type { Upstream } from './upstreams/upstream.ts';

/** A route with everything that serves it, bound once: a request that has found it looks nothing else up. */
export interface Endpoint {
  readonly route: Route;
  /** Who may pass, and what is asked of those who may not; it holds what describes the route to them. */
  readonly gate: Gate;
  /** Makes an input of a call's raw parameters, or names every violation at once. */
  readonly read: (call: Call) => Input;
  /** Makes the leave to write one call's upstream requests, out of the budget that the route is served from. */
  readonly spending: (admission: Admission, trail: Trail) => Spend;
  readonly upstream: Upstream;
}
