import type { Share } from './shares.ts';
import { type HeldSlot, SlidingLog } from './sliding-log.ts';
import type { Admit, Budget, BudgetView, NonceUse, NonceVerdict, Store, Verdict } from './store.ts';
import { UsedNonces } from './used-nonces.ts';

/** What the memory store starts from. */
export interface MemoryOptions {
  /** Milliseconds since the Unix epoch, never stepping. */
  readonly now: () => number;
  /** The time of day; the same unless told. */
  readonly wallNow?: () => number;
  /** Fresh for every store: it dies with the used nonces. */
  readonly epoch: string;
  /** Slots that were held before this process started, by budget. */
  readonly held?: ReadonlyMap<string, readonly HeldSlot[]>;
  /** Throws where a slot could not be kept; asked before anything is taken or burnt. */
  readonly assertKeepable?: (budget: Budget) => void;
  /** Called before a slot counts as taken. What it throws refuses the slot, which stays held. */
  readonly keep?: (budget: Budget, slot: HeldSlot) => void;
  /** Called when a slot frees earlier than was said before, as its call is over. */
  readonly keepEnd?: (budget: Budget, slot: HeldSlot) => void;
}

/** Why there is no slot: none is free, or none of this share's is left. */
function refusalOf(log: SlidingLog, share: Share | undefined, nowMs: number): Verdict | undefined {
  const { scope, waitMs = 0 } = share ? log.judge(share, nowMs) : {};
  const untilFreeMs = log.waitMs(nowMs);
  if (untilFreeMs > 0) return { kind: 'limited', retryAfterMs: Math.max(untilFreeMs, waitMs) };
  return scope && { kind: 'limited', scope, retryAfterMs: waitMs };
}

/** The state of one process: nothing of it is shared, and each step is atomic because nothing runs in between. */
export class MemoryStore implements Store {
  readonly #options: MemoryOptions;
  readonly #nonces: UsedNonces;
  readonly #logs = new Map<string, SlidingLog>();

  constructor(options: MemoryOptions) {
    this.#options = options;
    this.#nonces = new UsedNonces(options.epoch);
  }

  now(): number {
    return this.#options.now();
  }

  wallNow(): number {
    const { now, wallNow = now } = this.#options;
    return wallNow();
  }

  ready(): boolean {
    return true;
  }

  epoch(): string {
    return this.#options.epoch;
  }

  async admit({ budget, owner, room, nonce, share }: Admit): Promise<Verdict> {
    const now = this.now();
    const log = this.#log(budget);
    this.#options.assertKeepable?.(budget);
    if (nonce) {
      const verdict = this.#nonces.judge(nonce, owner, now);
      if (verdict !== 'burnt') return { kind: verdict };
    }
    const held = log.find(owner);
    const charged = share && log.chargedTo(owner, [share].flat(), now);
    if (!held) {
      if (log.pauseMs(now) > 0) return { kind: 'paused', retryAfterMs: log.pauseMs(now) };
      if (!room.isFree) return { kind: 'crowded' };
      const refusal = refusalOf(log, charged, now);
      if (refusal) return refusal;
      if (nonce) this.#nonces.remember(nonce, owner, now);
      room.take(owner);
    }
    const slot = held ?? log.take(owner, now, charged);
    this.#options.keep?.(budget, slot);
    return { kind: 'admitted', ...(charged && { charged }) };
  }

  async judge(budget: Budget, share: Share): Promise<Verdict | undefined> {
    return refusalOf(this.#log(budget), share, this.now());
  }

  async burn(use: NonceUse, owner: string): Promise<NonceVerdict> {
    const now = this.now();
    const verdict = this.#nonces.judge(use, owner, now);
    if (verdict === 'burnt') this.#nonces.remember(use, owner, now);
    return verdict;
  }

  complete(budget: Budget, owner: string): void {
    const slot = this.#log(budget).complete(owner, this.now());
    if (slot) this.#options.keepEnd?.(budget, slot);
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
    const log = new SlidingLog(budget, this.#options.held?.get(budget.key));
    this.#logs.set(budget.key, log);
    return log;
  }
}
