import type { Route } from '@asset-gateway/protocol';
import type { Answer, UpstreamCall } from '../call.ts';
import type { Upstream } from './upstream.ts';

/** What the gateway answers by itself. */
export type OwnAnswer = (call: UpstreamCall) => Answer | Promise<Answer>;

/** A row with its answer: what a gateway serves to everybody beside the table. */
export interface OwnRoute {
  readonly route: Route;
  readonly answer: OwnAnswer;
}

/** The gateway as the upstream of one of its own routes; it costs nobody's budget. */
export const selfUpstream = (answer: OwnAnswer): Upstream => ({ answer: async (call) => answer(call) });
