import { Counts } from '../tallies.ts';
import {
  type Budget,
  type BudgetView,
  exceededShare,
  freesAtMs,
  groupKindOf,
  MAX_SLOTS_AHEAD,
  type Share,
  type SlotAttempt,
  type SlotVerdict,
  shareNameOf,
} from './store.ts';

/** A held slot, and when it frees. */
export interface HeldSlot {
  readonly owner: string;
  readonly freesAtMs: number;
}

/**
 * A sliding log of slots. A slot is held while its call runs and for one window after the call. The window counts from the end of a call
 * and not from its admission, so the upstream sees at most `limit` calls in any window. It can see more if it stalls for longer than the
 * slot of an abandoned call is held (docs/decisions/0011-abandoned-upstream-calls.md).
 */
export class SlidingLog {
  readonly #budget: Budget;
  /**
   * When each slot frees, by owner. Each map is in the order in which its slots free, because all slots of `running` are held equally long,
   * and so are those of `completed`.
   */
  readonly #restored = new Map<string, number>();
  readonly #running = new Map<string, number>();
  readonly #completed = new Map<string, number>();
  readonly #maps = [this.#restored, this.#running, this.#completed];
  /** The share of each held slot by owner, and the number of slots of each group and of each wallet in a group. */
  readonly #shares = new Map<string, Share>();
  readonly #ofGroups = new Counts();
  readonly #ofWallets = new Counts();
  #pausedUntilMs = 0;

  /** `held`: slots of an earlier process, in any order and of unknown shares. */
  constructor(budget: Budget, held: readonly HeldSlot[] = []) {
    this.#budget = budget;
    for (const slot of [...held].sort((a, b) => a.freesAtMs - b.freesAtMs)) {
      this.#restored.set(slot.owner, slot.freesAtMs);
    }
  }

  /** Returns the milliseconds until a slot is free; 0 if one is free now. */
  waitMs(nowMs: number): number {
    this.#expire(nowMs);
    return this.#held() < this.#budget.limit ? 0 : this.#nextFree() - nowMs;
  }

  /** Returns the share to which the owner's slot is or would be charged: the one whose group holds the fewest slots. */
  chargedTo(owner: string, shares: readonly Share[], nowMs: number): Share | undefined {
    this.#expire(nowMs);
    const heldBy = ({ group }: Share) => this.#ofGroups.of(group);
    const [first, ...others] = shares;
    const least = first && others.reduce((least, share) => (heldBy(least) <= heldBy(share) ? least : share), first);
    return this.#shares.get(owner) ?? least;
  }

  /** Returns why this node may not make a call now; undefined if it may. */
  refusal(
    { inFlightLimit, wallet }: Pick<SlotAttempt, 'inFlightLimit' | 'wallet'>,
    share: Share | undefined,
    nowMs: number,
  ): SlotVerdict | undefined {
    const pauseMs = this.pauseMs(nowMs);
    if (pauseMs > 0) return { kind: 'paused', retryAfterMs: pauseMs };
    return inFlightLimit.isFreeFor(wallet) ? this.limit(share, nowMs) : { kind: 'crowded' };
  }

  /** Returns why no slot can be taken: none is free, or the share is used up. Undefined if one can be taken. */
  limit(share: Share | undefined, nowMs: number): SlotVerdict | undefined {
    const untilFreeMs = this.waitMs(nowMs);
    const { scope, waitMs = 0 } = share ? this.#judge(share, nowMs) : {};
    if (untilFreeMs > 0) return { kind: 'limited', retryAfterMs: Math.max(untilFreeMs, waitMs) };
    return scope && { kind: 'limited', scope, retryAfterMs: waitMs };
  }

  /** Whether this owner holds a slot. */
  holds(owner: string): boolean {
    return this.#running.has(owner) || this.#completed.has(owner) || this.#restored.has(owner);
  }

  /** Takes a slot. It is held until one window after the last moment at which the upstream may read the call. */
  take(owner: string, nowMs: number, share?: Share): HeldSlot {
    const { inFlightMs, lateMs = 0, windowMs } = this.#budget;
    const freesAtMs = nowMs + inFlightMs + lateMs + windowMs;
    this.#running.set(owner, freesAtMs);
    if (share) {
      this.#shares.set(owner, share);
      this.#charge(share, 1);
    }
    return { owner, freesAtMs };
  }

  /** Notes the end of a call, whose slot then frees one window from now. Returns undefined if the slot has freed already. */
  complete(owner: string, nowMs: number): HeldSlot | undefined {
    if (this.#budget.fromDispatch || !this.#running.delete(owner)) return undefined;
    const freesAtMs = nowMs + this.#budget.windowMs;
    this.#completed.set(owner, freesAtMs);
    return { owner, freesAtMs };
  }

  /** Frees the slot of a call that was not made. */
  release(owner: string): void {
    this.#running.delete(owner);
    this.#discharge(owner);
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
    const resetMs = held === 0 ? 0 : this.#nextFree() - nowMs;
    return { left: Math.max(0, this.#budget.limit - held), resetMs, pauseMs: this.pauseMs(nowMs) };
  }

  /** Returns which kind of share allows no further slot, and for how long, if no other group takes slots meanwhile. */
  #judge(share: Share, nowMs: number) {
    const { limit } = this.#budget;
    const holdings = {
      limit,
      free: Math.max(0, limit - this.#held()),
      groups: this.#ofGroups.size,
      ofGroup: this.#ofGroups.of(share.group),
      ofWallet: this.#ofWallets.of(shareNameOf(share)),
    };
    const scope = exceededShare(holdings, groupKindOf(share));
    return scope ? { scope, waitMs: (freesAtMs(share, holdings, this.#ahead()) ?? nowMs) - nowMs } : {};
  }

  /** Returns the slots that free next, in this order. */
  #ahead() {
    const next = this.#maps.flatMap((slots) => firstOf(slots, MAX_SLOTS_AHEAD));
    next.sort(([, a], [, b]) => a - b);
    return next.slice(0, MAX_SLOTS_AHEAD).map(([owner, freesAtMs]) => ({ share: this.#shares.get(owner), freesAtMs }));
  }

  #charge(share: Share, by: 1 | -1): void {
    this.#ofGroups.add(share.group, by);
    this.#ofWallets.add(shareNameOf(share), by);
  }

  /** Removes the charge of an owner's slot, which has freed. */
  #discharge(owner: string): void {
    const share = this.#shares.get(owner);
    if (share) this.#charge(share, -1);
    this.#shares.delete(owner);
  }

  #held(): number {
    return this.#restored.size + this.#running.size + this.#completed.size;
  }

  #nextFree(): number {
    let earliest = Number.POSITIVE_INFINITY;
    for (const slots of this.#maps) earliest = Math.min(earliest, slots.values().next().value ?? earliest);
    return earliest;
  }

  #expire(nowMs: number): void {
    for (const slots of this.#maps) {
      for (const [owner, freesAtMs] of slots) {
        if (freesAtMs > nowMs) break;
        slots.delete(owner);
        this.#discharge(owner);
      }
    }
  }
}

function firstOf<T>(items: Iterable<T>, count: number): T[] {
  const first: T[] = [];
  for (const item of items) if (first.push(item) >= count) break;
  return first;
}
