import type { Clock } from '../stores/clock.ts';
import { Recent } from '../tallies.ts';
import { TIMES } from '../times.ts';
import type { LeftRecords, LocalRecords } from './local-records.ts';
import { type HeldSlot, SlidingLog } from './sliding-log.ts';
import type { Budget, BudgetView, NonceUse, NonceVerdict, Share, SlotAttempt, SlotVerdict, Store } from './store.ts';

/** Stores the slots and nonces of one process. It decides each step in memory, and stores the step before it answers. */
export class LocalStore implements Store {
  readonly now: Clock;
  readonly wallNow: Clock;
  readonly #records: LocalRecords;
  readonly #epoch: string;
  /** The owners of used nonces. A nonce is accepted from 30 s before its issue until 300 s after it. */
  readonly #nonces = new Recent<string>(TIMES.rememberedMs);
  readonly #held: ReadonlyMap<string, readonly HeldSlot[]>;
  readonly #logs = new Map<string, SlidingLog>();

  /** Continues with the nonces and slots of the last process. `now` never steps. */
  constructor(records: LocalRecords, left: LeftRecords, now: Clock, wallNow: Clock) {
    this.now = now;
    this.wallNow = wallNow;
    this.#records = records;
    this.#epoch = left.epoch;
    this.#held = left.held;
    for (const nonce of left.nonces) this.#nonces.set(nonce, '', now());
  }

  ready(): boolean {
    return this.#records.isReady();
  }

  epoch(): string {
    return this.#epoch;
  }

  async admit({ budget, owner, inFlightLimit, wallet, nonce, share }: SlotAttempt): Promise<SlotVerdict> {
    const now = this.now();
    const log = this.#log(budget);
    if (nonce) {
      const verdict = this.#judge(nonce, owner, now);
      if (verdict !== 'accepted') return { kind: verdict };
    }
    const charged = share && log.chargedTo(owner, [share].flat(), now);
    const admitted = { kind: 'admitted', ...(charged && { charged }) } as const;
    if (log.holds(owner)) return admitted;
    const refusal = log.refusal({ inFlightLimit, wallet }, charged, now);
    if (refusal) return refusal;
    if (nonce) this.#nonces.set(nonce.nonce, owner, now);
    inFlightLimit.enter(owner, wallet);
    const slot = log.take(owner, now, charged);
    await this.#records.save(nonce, budget, slot).catch((error) => {
      inFlightLimit.leave(owner);
      log.release(owner);
      if (nonce) this.#nonces.delete(nonce.nonce);
      throw error;
    });
    return admitted;
  }

  async judge(budget: Budget, share: Share): Promise<SlotVerdict | undefined> {
    return this.#log(budget).limit(share, this.now());
  }

  async useNonce(use: NonceUse, owner: string): Promise<NonceVerdict> {
    const now = this.now();
    const verdict = this.#judge(use, owner, now);
    if (verdict !== 'accepted') return verdict;
    this.#nonces.set(use.nonce, owner, now);
    await this.#records.save(use, undefined).catch((error) => {
      this.#nonces.delete(use.nonce);
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

  /**
   * Returns whether this owner can use the nonce now, or has used it before. `judge` in slot-scripts.ts is the same rule in Lua: change
   * both. `tests/stores/contract.ts` tests both.
   */
  #judge({ nonce, issuedAtSeconds, epoch }: NonceUse, owner: string, nowMs: number): NonceVerdict {
    const ageMs = nowMs - issuedAtSeconds * 1000;
    if (epoch !== this.#epoch) return 'nonce_used';
    if (ageMs > TIMES.challengeMs || ageMs < -TIMES.aheadMs) return 'nonce_expired';
    const user = this.#nonces.get(nonce, nowMs);
    return user === undefined || user === owner ? 'accepted' : 'nonce_used';
  }

  #log(budget: Budget): SlidingLog {
    const known = this.#logs.get(budget.key);
    if (known) return known;
    const log = new SlidingLog(budget, this.#held.get(budget.key));
    this.#logs.set(budget.key, log);
    return log;
  }
}
