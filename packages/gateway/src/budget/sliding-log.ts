import type { Budget, BudgetView } from './store.ts';

/** A slot that is taken, and when it frees by itself. */
export interface HeldSlot {
  readonly owner: string;
  readonly freesAtMs: number;
}

/**
 * A sliding log of slots. A slot is held while its call runs and for one window after the call has completed; that,
 * not the moment of admission, is what keeps the upstream from seeing more than `limit` calls in any window.
 */
export class SlidingLog {
  readonly #budget: Budget;
  /** Each in the order in which its slots free: every slot of one map is held equally long, but for the first. */
  readonly #restored = new Map<string, number>();
  readonly #running = new Map<string, number>();
  readonly #completed = new Map<string, number>();
  readonly #maps = [this.#restored, this.#running, this.#completed];
  #pausedUntilMs = 0;

  /** Continues with slots that were held before, in any order. */
  constructor(budget: Budget, held: readonly HeldSlot[] = []) {
    this.#budget = budget;
    for (const slot of [...held].sort((a, b) => a.freesAtMs - b.freesAtMs)) {
      this.#restored.set(slot.owner, slot.freesAtMs);
    }
  }

  /** How long until a slot is free; 0 when there is one now. */
  waitMs(nowMs: number): number {
    this.#expire(nowMs);
    return this.#held() < this.#budget.limit ? 0 : this.#nextFree() - nowMs;
  }

  /** The slot that this owner holds. */
  find(owner: string): HeldSlot | undefined {
    const freesAtMs = this.#running.get(owner) ?? this.#completed.get(owner) ?? this.#restored.get(owner);
    return freesAtMs === undefined ? undefined : { owner, freesAtMs };
  }

  /** Holds a slot for as long as the upstream may read a call, and one window. */
  take(owner: string, nowMs: number): HeldSlot {
    const { inFlightMs, lateMs = 0, windowMs } = this.#budget;
    const freesAtMs = nowMs + inFlightMs + lateMs + windowMs;
    this.#running.set(owner, freesAtMs);
    return { owner, freesAtMs };
  }

  /** The call is over: one window from now its slot frees. Nothing when the slot has freed already. */
  complete(owner: string, nowMs: number): HeldSlot | undefined {
    if (this.#budget.fromDispatch || !this.#running.delete(owner)) return undefined;
    const freesAtMs = nowMs + this.#budget.windowMs;
    this.#completed.set(owner, freesAtMs);
    return { owner, freesAtMs };
  }

  pause(untilMs: number): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, untilMs);
  }

  pauseMs(nowMs: number): number {
    return Math.max(0, this.#pausedUntilMs - nowMs);
  }

  view(nowMs: number): BudgetView {
    this.#expire(nowMs);
    const held = this.#held();
    return { left: Math.max(0, this.#budget.limit - held), resetMs: held === 0 ? 0 : this.#nextFree() - nowMs };
  }

  #held(): number {
    return this.#restored.size + this.#running.size + this.#completed.size;
  }

  #nextFree(): number {
    return Math.min(...this.#maps.map((slots) => slots.values().next().value ?? Number.POSITIVE_INFINITY));
  }

  #expire(nowMs: number): void {
    for (const slots of this.#maps) {
      for (const [owner, freesAtMs] of slots) {
        if (freesAtMs > nowMs) break;
        slots.delete(owner);
      }
    }
  }
}
