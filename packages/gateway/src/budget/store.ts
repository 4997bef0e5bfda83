import { isIP } from 'node:net';
import { holderOf } from '../ip-address.ts';

/** The budget of an upstream key: a sliding log of `limit` slots. */
export interface Budget {
  readonly key: string;
  readonly limit: number;
  /** How long a slot stays taken after its call has completed. */
  readonly windowMs: number;
  /** How long a call may take. */
  readonly inFlightMs: number;
  /**
   * How much later the upstream may still read an abandoned call; default: 0. If the end of a call is unknown, its slot
   * frees after the sum of `windowMs`, `inFlightMs` and `lateMs`.
   */
  readonly lateMs?: number;
  /** Whether a slot frees one window after it was taken, however long the call takes. Such slots are not stored. */
  readonly fromDispatch?: boolean;
}

/** A sign-in nonce to use up, with the epoch it was checked under. */
export interface NonceUse {
  readonly nonce: string;
  readonly issuedAtSeconds: number;
  readonly epoch: string;
}

/** This node's calls in flight to one upstream. */
export interface InFlightLimit {
  /** Whether there is room for one more call, of this wallet. */
  isFreeFor(wallet?: string): boolean;
  /** Counts the call of this owner, once. */
  enter(owner: string, wallet?: string): void;
  /** Removes a call that is over or was never made. */
  leave(owner: string): void;
}

/** One attempt to take a slot. */
export interface SlotAttempt {
  readonly budget: Budget;
  /** A fresh random value. A retry with the same owner gets the same admission, because the first reply may be lost. */
  readonly owner: string;
  /** This node's room, which is taken with the slot. Refused calls do not count. */
  readonly room: InFlightLimit;
  /** The client's wallet. The room limits how many calls of one wallet it holds. */
  readonly wallet?: string | undefined;
  readonly nonce?: NonceUse | undefined;
  /**
   * The share that the slot is charged to until it frees; judged last. Of several shares, the slot is charged to the
   * one whose group holds the fewest slots. Undefined: no share is charged.
   */
  readonly share?: Share | readonly Share[] | undefined;
  /** Set on a retry: milliseconds already spent waiting for the first reply. */
  readonly waitedMs?: number;
}

/** The verdict on a nonce. */
export type NonceVerdict = 'accepted' | 'nonce_used' | 'nonce_expired';

/**
 * The verdict on an attempt. Only `admitted` and `not_given_back` have taken a slot and used up the nonce; after `not_given_back` the call
 * must not be made.
 */
export interface SlotVerdict {
  readonly kind: 'admitted' | 'nonce_used' | 'nonce_expired' | 'crowded' | 'limited' | 'paused' | 'not_given_back';
  /** With `limited` and `paused`: when to try again. */
  readonly retryAfterMs?: number;
  /** With `limited`: the share that is used up, if slots are left. */
  readonly scope?: ShareScope;
  /** With `admitted`: the share that is charged. */
  readonly charged?: Share;
}

/** A budget as this node last saw it. */
export interface BudgetView {
  readonly left: number;
  /** How long until the next slot frees; 0 if none is held. */
  readonly resetMs: number;
  /** How long the pause that the upstream has asked for lasts; 0 if there is none. */
  readonly pauseMs: number;
}

/** The budgets of one upstream's keys together. */
export interface Allowance {
  readonly limit: number;
  readonly windowMs: number;
  view(): BudgetView;
  /** The refusal of this share if no key has a slot for it; undefined if one has, or if that is unknown. */
  judge(share: Share): Promise<SlotVerdict | undefined>;
}

/**
 * Used sign-ins and budgets. Methods may reject while the store is unavailable. Implementations pass the suite in
 * tests/stores/contract.ts.
 */
export interface Store {
  /** The store's clock in milliseconds since the Unix epoch, for ages. It never steps. */
  now(): number;
  /** The time of day, for dates that are shown and compared. It steps when someone sets the clock. */
  wallNow(): number;
  /** Whether the store answered its last request. */
  ready(): boolean;
  /** The id of the set of used nonces; undefined before the first one is read. */
  epoch(): string | undefined;
  /**
   * One atomic step, judged in this order: the nonce (epoch, age from -30 to 300 s, use), a pause, room, the limit,
   * the share. Takes the slot and uses up the nonce, or does neither.
   */
  admit(attempt: SlotAttempt): Promise<SlotVerdict>;
  /** The refusal that `admit` would give for limit and share now; undefined if it would admit. Takes nothing. */
  judge(budget: Budget, share: Share): Promise<SlotVerdict | undefined>;
  /** Uses up a nonce without a slot. */
  useNonce(use: NonceUse, owner: string): Promise<NonceVerdict>;
  /** Notes the end of a call. Its slot frees one window from now. */
  complete(budget: Budget, owner: string): void;
  /** Stops handing out slots for this many milliseconds. */
  pause(budget: Budget, milliseconds: number): Promise<void>;
  view(budget: Budget): BudgetView;
}

/** The holder of a slot: a group of clients, and the wallet in it. */
export interface Share {
  readonly group: string;
  readonly wallet: string;
}

/** A share as the text that Redis stores. */
export const shareNameOf = ({ group, wallet }: Share): string => `${group} ${wallet}`;

/** Which share is used up: the group's, or the wallet's within its group. */
export type ShareScope = 'group' | 'wallet';

/** Kinds of groups: an address prefix, a wallet that has paid, and refreshes that no client waits for. */
export type GroupKind = 'address' | 'paid' | 'refresh';

/** The share of refreshes that no client waits for. */
export const REFRESH_SHARE: Share = { group: 'refresh', wallet: '' };

/** The slots of a budget at one moment, as one share sees them. */
export interface Holdings {
  readonly limit: number;
  readonly free: number;
  /** The number of groups that hold a slot. */
  readonly groups: number;
  /** Slots of this share's group, and of this wallet in it. */
  readonly ofGroup: number;
  readonly ofWallet: number;
}

/**
 * A group may hold at most this many times the free slots: Choudhury and Hahne's dynamic queue length thresholds (IEEE/ACM
 * Transactions on Networking, 1998).
 */
export const THRESHOLD_FACTOR = 4;
/**
 * One slot in 15 is reserved for groups below their even part, and one in 15 for wallets that have paid. With a limit
 * of 30, that is two slots each.
 */
export const SLOTS_PER_RESERVED = 15;

/** The prefix of an address: IPv4 /24, IPv6 /48. */
function prefixOf(address: string): string {
  if (isIP(address) === 0) return 'unknown';
  const holder = holderOf(address);
  return isIP(holder) === 4 ? `${holder.slice(0, holder.lastIndexOf('.'))}.0/24` : holder;
}

/** The group of an address. All texts that are not IP addresses share one group. */
export const groupOf = (address: string): string => `address:${prefixOf(address)}`;

/** The share of a client. Wallets at one address prefix share a group, except those that have paid. */
export const shareOf = (address: string, wallet: string, hasPaid: boolean): Share => ({
  group: hasPaid ? `paid:${wallet}` : groupOf(address),
  wallet,
});

export const kindOf = ({ group }: Share): GroupKind => group.split(':', 1)[0] as GroupKind;

/** How many more slots this group may take if no other group takes any. `redis-scripts.ts` has the same rule in Lua: change both. */
export function slotsLeftFor({ limit, free, groups, ofGroup }: Holdings, kind: GroupKind): number {
  const belowThreshold = Math.ceil((THRESHOLD_FACTOR * free - ofGroup) / (THRESHOLD_FACTOR + 1));
  if (kind === 'paid') return Math.max(0, Math.min(free, belowThreshold));
  const reserved = Math.floor(limit / SLOTS_PER_RESERVED);
  const unreserved = free - 2 * reserved;
  const evenPart = Math.max(1, Math.floor((limit - 2 * reserved) / (ofGroup > 0 ? groups : groups + 1)));
  const toEvenPart = Math.min(free - reserved, evenPart - ofGroup);
  return Math.max(0, Math.min(free, belowThreshold, Math.max(unreserved, toEvenPart)));
}

/**
 * The share that one more slot would exceed; undefined if none. A wallet that is alone in its group may use all of it. `redis-scripts.ts` has
 * the same rule in Lua: change both.
 */
export function exceededShare(holdings: Holdings, kind: GroupKind): ShareScope | undefined {
  const left = slotsLeftFor(holdings, kind);
  if (left === 0) return 'group';
  const { ofGroup, ofWallet } = holdings;
  const hasOthers = ofGroup > ofWallet;
  return hasOthers && ofWallet >= THRESHOLD_FACTOR * left ? 'wallet' : undefined;
}

/** A held slot: its share, if known, and when it frees. */
interface ChargedSlot {
  readonly share: Share | undefined;
  readonly freesAtMs: number;
}

/** How many slots `freesAtMs` looks ahead to compute Retry-After. Beyond that the answer is the last slot's time. */
export const MAX_SLOTS_AHEAD = 250;

/** When one more slot fits the share, in milliseconds, if no other group takes any. `slots`: in the order in which they free. */
export function freesAtMs(share: Share, holdings: Holdings, slots: Iterable<ChargedSlot>): number | undefined {
  const { group, wallet } = share;
  let { free, ofGroup, ofWallet } = holdings;
  let lastMs: number | undefined;
  for (const slot of slots) {
    free++;
    if (slot.share?.group === group) ofGroup--;
    if (slot.share?.group === group && slot.share.wallet === wallet) ofWallet--;
    lastMs = slot.freesAtMs;
    if (!exceededShare({ ...holdings, free, ofGroup, ofWallet }, kindOf(share))) break;
  }
  return lastMs;
}
