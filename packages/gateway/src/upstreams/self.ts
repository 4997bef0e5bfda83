import type { Answer, UpstreamCall } from '../call.ts';
import type { Upstream } from './upstream.ts';

/** What the gateway answers by itself. */
export type OwnAnswer = (call: UpstreamCall) => Answer;

/** The gateway as the upstream of one of its own routes; it costs nobody's budget. */
export const selfUpstream = (answer: OwnAnswer): Upstream => ({ answer: async (call) => answer(call) });
