import { Refusal, type RefusalCode, type RefusalDetails, type Route } from '@asset-gateway/protocol';
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

/** What the gateway answers by itself. */
export type OwnAnswer = (call: UpstreamCall) => Answer | Promise<Answer>;

/** A row with its answer: what a gateway serves to everybody beside the table. */
export interface OwnRoute {
  readonly route: Route;
  readonly answer: OwnAnswer;
}

/** The gateway as the upstream of one of its own routes; it costs nobody's budget. */
export const selfUpstream = (answer: OwnAnswer): Upstream => ({ answer: async (call) => answer(call) });

/**
 * How an upstream call without a usable answer ended: the upstream `answered` and said no to this one request, it
 * `failed`, or the connection was `lost` before a byte of its answer had come.
 */
export type Ending = 'answered' | 'failed' | 'lost';

/** A refusal that the upstream is the cause of; whatever else is thrown around a call says nothing about the upstream. */
export class UpstreamRefusal extends Refusal {
  readonly ending: Ending;

  constructor(code: RefusalCode, ending: Ending, details: RefusalDetails) {
    super(code, details);
    this.ending = ending;
  }
}
