import {
  exceededShare,
  freesAtMs,
  type Holdings,
  kindOf,
  MAX_SLOTS_AHEAD,
  type Share,
  type ShareScope,
} from './shares.ts';
import type { Budget, BudgetView } from './store.ts';

/** What one group holds. */
interface HeldByGroup {
  slots: number;
  readonly byWallet: Map<string, number>;
}

/** Who holds the slots of one budget, for as long as they are held: no more entries than slots. */
class SlotHolders {
  readonly #shares = new Map<string, Share>();
  readonly #groups = new Map<string, HeldByGroup>();

  shareOf(owner: string): Share | undefined {
    return this.#shares.get(owner);
  }

  add(owner: string, share: Share): void {
    const group = this.#groups.get(share.group) ?? { slots: 0, byWallet: new Map<string, number>() };
    group.slots++;
    group.byWallet.set(share.wallet, (group.byWallet.get(share.wallet) ?? 0) + 1);
    this.#groups.set(share.group, group);
    this.#shares.set(owner, share);
  }

  /** The owner's slot is free. */
  remove(owner: string): void {
    const share = this.#shares.get(owner);
    const group = share && this.#groups.get(share.group);
    if (!share || !group) return;
    this.#shares.delete(owner);
    group.slots--;
    const left = (group.byWallet.get(share.wallet) ?? 0) - 1;
    if (left > 0) group.byWallet.set(share.wallet, left);
    else group.byWallet.delete(share.wallet);
    if (group.slots === 0) this.#groups.delete(share.group);
  }

  holdings({ group, wallet }: Share): Omit<Holdings, 'limit' | 'free'> {
    const held = this.#groups.get(group);
    return { groups: this.#groups.size, ofGroup: held?.slots ?? 0, ofWallet: held?.byWallet.get(wallet) ?? 0 };
  }

  /** Of several that wait for one call, the one whose group holds the fewest slots. */
  leastOf(shares: readonly Share[]): Share | undefined {
    const heldBy = ({ group }: Share) => this.#groups.get(group)?.slots ?? 0;
    return shares.reduce<Share | undefined>(
      (least, share) => (least && heldBy(least) <= heldBy(share) ? least : share),
      undefined,
    );
  }
}

/** A slot that is taken, and when it frees by itself. */
export interface HeldSlot {
  readonly owner: string;
  readonly freesAtMs: number;
}

/** What a share says to one more slot: whose is used up, if one is, and how long that lasts when nobody else takes a slot. */
interface ShareVerdict {
  readonly scope?: ShareScope;
  readonly waitMs: number;
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
  readonly #holders = new SlotHolders();
  #pausedUntilMs = 0;

  /** Continues with slots that were held before, in any order; whose share they were is not known. */
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

  /** Whom this owner's slot is charged to, or would be: of several the one whose group holds the fewest slots. */
  chargedTo(owner: string, shares: readonly Share[], nowMs: number): Share | undefined {
    this.#expire(nowMs);
    return this.#holders.shareOf(owner) ?? this.#holders.leastOf(shares);
  }

  /** Whether a share has a slot left, free ones provided. */
  judge(share: Share, nowMs: number): ShareVerdict {
    this.#expire(nowMs);
    const { limit } = this.#budget;
    const holdings = { limit, free: Math.max(0, limit - this.#held()), ...this.#holders.holdings(share) };
    const scope = exceededShare(holdings, kindOf(share));
    if (!scope) return { waitMs: 0 };
    return { scope, waitMs: (freesAtMs(share, holdings, this.#ahead()) ?? nowMs) - nowMs };
  }

  /** The slot that this owner holds. */
  find(owner: string): HeldSlot | undefined {
    const freesAtMs = this.#running.get(owner) ?? this.#completed.get(owner) ?? this.#restored.get(owner);
    return freesAtMs === undefined ? undefined : { owner, freesAtMs };
  }

  /** Holds a slot for as long as the upstream may read a call, and one window; charged to a share until it frees. */
  take(owner: string, nowMs: number, share?: Share): HeldSlot {
    const { inFlightMs, lateMs = 0, windowMs } = this.#budget;
    const freesAtMs = nowMs + inFlightMs + lateMs + windowMs;
    this.#running.set(owner, freesAtMs);
    if (share) this.#holders.add(owner, share);
    return { owner, freesAtMs };
  }

  /** The call is over: one window from now its slot frees. Nothing when the slot has freed already. */
  complete(owner: string, nowMs: number): HeldSlot | undefined {
    if (this.#budget.fromDispatch || !this.#running.delete(owner)) return undefined;
    const freesAtMs = nowMs + this.#budget.windowMs;
    this.#completed.set(owner, freesAtMs);
    return { owner, freesAtMs };
  }

  /** The call was never made. */
  giveBack(owner: string): void {
    this.#running.delete(owner);
    this.#holders.remove(owner);
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

  /** The slots that free next, in that order. */
  #ahead() {
    const next = this.#maps.flatMap((slots) => firstOf(slots, MAX_SLOTS_AHEAD));
    next.sort(([, a], [, b]) => a - b);
    return next
      .slice(0, MAX_SLOTS_AHEAD)
      .map(([owner, freesAtMs]) => ({ share: this.#holders.shareOf(owner), freesAtMs }));
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
        this.#holders.remove(owner);
      }
    }
  }
}

function firstOf<T>(items: Iterable<T>, count: number): T[] {
  const first: T[] = [];
  for (const item of items) if (first.push(item) >= count) break;
  return first;
}
