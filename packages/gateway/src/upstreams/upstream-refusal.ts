import { Refusal, type RefusalCode, type RefusalDetails } from '@asset-gateway/protocol';

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
