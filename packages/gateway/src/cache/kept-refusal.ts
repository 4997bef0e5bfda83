import type { Refusal } from '@asset-gateway/protocol';
import type { CacheKey } from './call-order.ts';
import { Kept } from './kept.ts';

/** That the upstream has refused what a key asks for. */
export class KeptRefusal extends Kept {
  readonly bytes = 2_048;
  readonly refusal: Refusal;

  constructor(key: CacheKey, fetchedAtMs: number, refusal: Refusal) {
    super(key, fetchedAtMs);
    this.refusal = refusal;
  }
}
