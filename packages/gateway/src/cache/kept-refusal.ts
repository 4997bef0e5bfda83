import type { Refusal } from '@asset-gateway/protocol';
import { Kept } from './kept.ts';
import type { CacheKey } from './known-key.ts';

/** That the upstream has refused what a key asks for. */
export class KeptRefusal extends Kept {
  readonly bytes = 2_048;
  readonly refusal: Refusal;

  constructor(key: CacheKey, fetchedAtMs: number, refusal: Refusal) {
    super(key, fetchedAtMs);
    this.refusal = refusal;
  }
}
