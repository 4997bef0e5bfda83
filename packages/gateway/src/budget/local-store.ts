import type { LocalRecords } from './local-records.ts';
import { type HeldSlot, SlidingLog } from './sliding-log.ts';
import {
  type Admit,
  type Budget,
  type BudgetView,
  NONCE_MAX_AGE_SECONDS,
  NONCE_MAX_AHEAD_SECONDS,
  NONCE_MEMORY_SECONDS,
  type NonceUse,
  type NonceVerdict,
  type Share,
  type Store,
  type Verdict,
} from './store.ts';

const BUCKET_SECONDS = 60;

const bucketOf = (issuedAtSeconds: number): number => Math.floor(issuedAtSeconds / BUCKET_SECONDS);

/** Used nonces and their owners, until they are too old to be accepted. */
export class UsedNonces {
  readonly #epoch: string;
  /** By minute of issue, so that whole buckets expire: a map from which the first entries are deleted is slow to iterate. */
  readonly #buckets = new Map<number, Map<string, string>>();

  constructor(epoch: string) {
    this.#epoch = epoch;
  }

  /** Whether this owner can burn the nonce now, or has burnt it. */
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

  /** Takes back a use that was not stored. */
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

export interface LocalOptions {
  /** Milliseconds since the Unix epoch, never stepping. */
  readonly now: () => number;
  /** The time of day; `now` by default. */
  readonly wallNow?: () => number;
  readonly records: LocalRecords;
}

/** Slots and nonces of one process. Steps are decided in memory and stored before they count. */
export class LocalStore implements Store {
  readonly now: () => number;
  readonly wallNow: () => number;
  readonly #records: LocalRecords;
  readonly #epoch: string;
  readonly #nonces: UsedNonces;
  readonly #held: ReadonlyMap<string, readonly HeldSlot[]>;
  readonly #logs = new Map<string, SlidingLog>();

  private constructor(options: LocalOptions, { epoch, nonces, held }: Awaited<ReturnType<LocalRecords['read']>>) {
    this.now = options.now;
    this.wallNow = options.wallNow ?? options.now;
    this.#records = options.records;
    this.#epoch = epoch;
    this.#nonces = new UsedNonces(epoch);
    for (const each of nonces) this.#nonces.remember(each, '', options.now());
    this.#held = held;
  }

  /** Continues with what the last process has left. */
  static async open(options: LocalOptions): Promise<LocalStore> {
    return new LocalStore(options, await options.records.read());
  }

  ready(): boolean {
    return true;
  }

  epoch(): string {
    return this.#epoch;
  }

  async admit({ budget, owner, room, wallet, nonce, share }: Admit): Promise<Verdict> {
    const now = this.now();
    const log = this.#log(budget);
    if (nonce) {
      const verdict = this.#nonces.judge(nonce, owner, now);
      if (verdict !== 'burnt') return { kind: verdict };
    }
    const charged = share && log.chargedTo(owner, [share].flat(), now);
    const admitted = { kind: 'admitted', ...(charged && { charged }) } as const;
    if (log.holds(owner)) return admitted;
    const refusal = log.refusal({ room, wallet }, charged, now);
    if (refusal) return refusal;
    if (nonce) this.#nonces.remember(nonce, owner, now);
    room.take(owner, wallet);
    const slot = log.take(owner, now, charged);
    await this.#records.save(nonce, budget, slot).catch((error) => {
      log.giveBack(owner);
      if (nonce) this.#nonces.forget(nonce);
      throw error;
    });
    return admitted;
  }

  async judge(budget: Budget, share: Share): Promise<Verdict | undefined> {
    return this.#log(budget).limit(share, this.now());
  }

  async burn(use: NonceUse, owner: string): Promise<NonceVerdict> {
    const now = this.now();
    const verdict = this.#nonces.judge(use, owner, now);
    if (verdict !== 'burnt') return verdict;
    this.#nonces.remember(use, owner, now);
    await this.#records.save(use, undefined).catch((error) => {
      this.#nonces.forget(use);
      throw error;
    });
    return verdict;
  }

  complete(budget: Budget, owner: string): void {
    this.#records.saveEnd(owner, this.#log(budget).complete(owner, this.now()));
  }

  async pause(budget: Budget, milliseconds: number): Promise<void> {
    this.#log(budget).pause(this.now() + milliseconds);
  }

  view(budget: Budget): BudgetView {
    return this.#log(budget).view(this.now());
  }

  #log(budget: Budget): SlidingLog {
    const known = this.#logs.get(budget.key);
    if (known) return known;
    const log = new SlidingLog(budget, this.#held.get(budget.key));
    this.#logs.set(budget.key, log);
    return log;
  }
}
