import { Refusal, type RefusalCode, type RefusalDetails, type Route } from '@asset-gateway/protocol';
import type { Answer, KeyedCall, UpstreamCall } from '../call.ts';

/** An upstream as it is called with one of its keys. */
export interface KeyedUpstream {
  answer(call: KeyedCall): Promise<Answer>;
}

/** An upstream that holds connections. */
export type Connection = KeyedUpstream & { close(): Promise<void> };

/** A function that gives an answer of the gateway itself. */
export type OwnAnswer = (call: UpstreamCall) => Answer | Promise<Answer>;

/** A public route outside the table, with its answer. */
export interface OwnRoute {
  readonly route: Route;
  readonly answer: OwnAnswer;
}

/**
 * How a call without a usable answer ended.
 *
 * | ending | means |
 * |---|---|
 * | `answered` | the upstream rejected this request |
 * | `failed` | the upstream failed |
 * | `down` | the upstream said that it is down (502 to 504) |
 * | `lost` | the connection broke before the first byte of the answer |
 * | `unsent` | the request was not written |
 */
export type Ending = 'answered' | 'failed' | 'down' | 'lost' | 'unsent';

/** A refusal that the upstream caused. Other errors tell nothing about the upstream. */
export class UpstreamRefusal extends Refusal {
  readonly ending: Ending;

  constructor(code: RefusalCode, ending: Ending, details: RefusalDetails) {
    super(code, details);
    this.ending = ending;
  }
}
