import {
  NONCE_MAX_AGE_SECONDS,
  NONCE_MAX_AHEAD_SECONDS,
  NONCE_MEMORY_SECONDS,
  type NonceUse,
  type NonceVerdict,
} from './store.ts';

const BUCKET_SECONDS = 60;

const bucketOf = (issuedAtSeconds: number): number => Math.floor(issuedAtSeconds / BUCKET_SECONDS);

/** Which nonces were used, and by which owner. Each is forgotten when no clock can accept it any more. */
export class UsedNonces {
  readonly #epoch: string;
  /** By minute of issue, so that forgetting drops whole buckets. */
  readonly #buckets = new Map<number, Map<string, string>>();

  constructor(epoch: string) {
    this.#epoch = epoch;
  }

  /** Whether this owner could burn the nonce now, or has burnt it already. */
  judge(use: NonceUse, owner: string, nowMs: number): NonceVerdict {
    const age = nowMs / 1000 - use.issuedAtSeconds;
    if (use.epoch !== this.#epoch) return 'nonce_used';
    if (age > NONCE_MAX_AGE_SECONDS || age < -NONCE_MAX_AHEAD_SECONDS) return 'nonce_expired';
    const user = this.#buckets.get(bucketOf(use.issuedAtSeconds))?.get(use.nonce);
    return user === undefined || user === owner ? 'burnt' : 'nonce_used';
  }

  remember(
    { nonce, issuedAtSeconds }: Pick<NonceUse, 'nonce' | 'issuedAtSeconds'>,
    owner: string,
    nowMs: number,
  ): void {
    this.#forgetOld(nowMs);
    const key = bucketOf(issuedAtSeconds);
    const bucket = this.#buckets.get(key) ?? new Map<string, string>();
    this.#buckets.set(key, bucket.set(nonce, owner));
  }

  /** The nonce was not used after all. */
  forget({ nonce, issuedAtSeconds }: NonceUse): void {
    this.#buckets.get(bucketOf(issuedAtSeconds))?.delete(nonce);
  }

  get size(): number {
    return [...this.#buckets.values()].reduce((total, bucket) => total + bucket.size, 0);
  }

  #forgetOld(nowMs: number): void {
    const oldest = (nowMs / 1000 - NONCE_MEMORY_SECONDS) / BUCKET_SECONDS - 1;
    for (const key of this.#buckets.keys()) if (key < oldest) this.#buckets.delete(key);
  }
}
