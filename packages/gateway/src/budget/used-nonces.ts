import {
  NONCE_MAX_AGE_SECONDS,
  NONCE_MAX_AHEAD_SECONDS,
  NONCE_MEMORY_SECONDS,
  type NonceUse,
  type NonceVerdict,
} from './store.ts';

const BUCKET_SECONDS = 60;

/** Which nonces were used, and by whom; forgets each when it can no longer be accepted. Pure but for its own memory. */
export class UsedNonces {
  readonly #epoch: string;
  /** By minute of issue, so that forgetting is dropping whole buckets. */
  readonly #buckets = new Map<number, Map<string, string>>();

  constructor(epoch: string) {
    this.#epoch = epoch;
  }

  /** Whether the nonce could be burnt now by this owner. A nonce that this owner has burnt already counts as burnt. */
  judge(use: NonceUse, owner: string, nowMs: number): NonceVerdict {
    const age = nowMs / 1000 - use.issuedAtSeconds;
    if (use.epoch !== this.#epoch) return 'nonce_used';
    if (age > NONCE_MAX_AGE_SECONDS || age < -NONCE_MAX_AHEAD_SECONDS) return 'nonce_expired';
    const user = this.#buckets.get(this.#bucketOf(use))?.get(use.nonce);
    return user === undefined || user === owner ? 'burnt' : 'nonce_used';
  }

  remember(use: NonceUse, owner: string, nowMs: number): void {
    this.#forget(nowMs);
    const key = this.#bucketOf(use);
    const bucket = this.#buckets.get(key) ?? new Map<string, string>();
    this.#buckets.set(key, bucket.set(use.nonce, owner));
  }

  get size(): number {
    return [...this.#buckets.values()].reduce((total, bucket) => total + bucket.size, 0);
  }

  #bucketOf(use: NonceUse): number {
    return Math.floor(use.issuedAtSeconds / BUCKET_SECONDS);
  }

  #forget(nowMs: number): void {
    const oldest = (nowMs / 1000 - NONCE_MEMORY_SECONDS) / BUCKET_SECONDS - 1;
    for (const key of this.#buckets.keys()) if (key < oldest) this.#buckets.delete(key);
  }
}
