import { isIP } from 'node:net';
import { addressBlockOf } from '../ip-address.ts';

/** The budget of an upstream key: a sliding log of `limit` slots. */
export interface Budget {
  readonly key: string;
  readonly limit: number;
  /** How long a slot stays taken after its call has completed, in milliseconds. */
  readonly windowMs: number;
  /** How long a call may take, in milliseconds. */
  readonly inFlightMs: number;
  /**
   * How much later the upstream may still read an abandoned call, in milliseconds; default: 0. If the end of a call is unknown, its slot
   * frees after `windowMs`, `inFlightMs` and `lateMs` together.
   */
  readonly lateMs?: number;
  /** Whether a slot frees one window after it was taken, even if the call takes longer. Such slots are not stored. */
  readonly fromDispatch?: boolean;
}

/** A sign-in nonce to use up, with the epoch under which it was checked. */
export interface NonceUse {
  readonly nonce: string;
  readonly issuedAtSeconds: number;
  readonly epoch: string;
}

/** The room for this node's calls in flight to one upstream. */
export interface InFlightLimit {
  /** Whether there is room for one more call of this wallet. */
  isFreeFor(wallet?: string): boolean;
  /** Counts the call of this owner. A second count of the same owner does nothing. */
  enter(owner: string, wallet?: string): void;
  /** Removes a call that is over or was never made. */
  leave(owner: string): void;
}

/** One attempt to take a slot. */
export interface SlotAttempt {
  readonly budget: Budget;
  /** A fresh random value. The first reply may be lost, so a retry with the same owner gets the same admission. */
  readonly owner: string;
  /** This node's limit, which counts the call with the slot. A refused call does not count. */
  readonly inFlightLimit: InFlightLimit;
  /** The client's wallet. The limit on calls in flight counts them by wallet too. */
  readonly wallet?: string | undefined;
  readonly nonce?: NonceUse | undefined;
  /**
   * The share to which the slot is charged until it frees. It is judged last. Of several shares, the one is charged whose group holds the
   * fewest slots. Undefined: no share is charged.
   */
  readonly share?: Share | readonly Share[] | undefined;
  /** How many milliseconds the first attempt waited for a reply; set on a retry. */
  readonly waitedMs?: number;
}

/** The verdict on a nonce. */
export type NonceVerdict = 'accepted' | 'nonce_used' | 'nonce_expired';

/**
 * The verdict on an attempt. Only `admitted` and `not_given_back` have taken a slot and used up the nonce. After `not_given_back` the call
 * must not be made: the slot should have been given back, and the store did not answer.
 */
export interface SlotVerdict {
  readonly kind: 'admitted' | 'nonce_used' | 'nonce_expired' | 'crowded' | 'limited' | 'paused' | 'not_given_back';
  /** The milliseconds until the next attempt, with `limited` and `paused`. */
  readonly retryAfterMs?: number;
  /** Which kind of share is used up, with `limited` if slots are left. */
  readonly scope?: ShareScope;
  /** The share that is charged, with `admitted`. */
  readonly charged?: Share;
}

/** A budget as this node last saw it. */
export interface BudgetView {
  readonly left: number;
  /** The milliseconds until the next slot frees; 0 if none is held. */
  readonly resetMs: number;
  /** How many milliseconds the upstream's pause still lasts; 0 if there is none. */
  readonly pauseMs: number;
}

/** The budgets of all keys of one upstream together. */
export interface Allowance {
  readonly limit: number;
  readonly windowMs: number;
  view(): BudgetView;
  /** Returns the refusal of this share if no key has a slot for it; undefined if one has, or if this is unknown. */
  judge(share: Share): Promise<SlotVerdict | undefined>;
}

/**
 * Stores used sign-ins and budgets. Methods may reject while the store is unavailable. Implementations pass the suite in
 * tests/stores/contract.ts.
 */
export interface Store {
  /** Returns the store's clock in milliseconds since the Unix epoch, for ages. It never steps. */
  now(): number;
  /**
   * Returns the time of day in milliseconds since the Unix epoch, for dates that are shown or compared. It steps when someone sets the
   * clock.
   */
  wallNow(): number;
  /** Whether the store answered its last request. */
  ready(): boolean;
  /** Returns the id of the set of used nonces; undefined before it was first read. */
  epoch(): string | undefined;
  /**
   * Takes the slot and uses up the nonce, or does neither, in one atomic step. It judges in this order: the nonce (epoch, age from -30 to
   * 300 s, use), a pause, the room, the limit, the share.
   */
  admit(attempt: SlotAttempt): Promise<SlotVerdict>;
  /** Returns the refusal that `admit` would give now because of limit or share; undefined if it would admit. Takes nothing. */
  judge(budget: Budget, share: Share): Promise<SlotVerdict | undefined>;
  /** Uses up a nonce without a slot. */
  useNonce(use: NonceUse, owner: string): Promise<NonceVerdict>;
  /** Notes the end of a call. Its slot frees one window from now. */
  complete(budget: Budget, owner: string): void;
  /** Hands out no slots of a budget for this many milliseconds. */
  pause(budget: Budget, milliseconds: number): Promise<void>;
  view(budget: Budget): BudgetView;
}

/** The share to which a slot is charged: a group of clients, and a wallet in it. */
export interface Share {
  readonly group: string;
  readonly wallet: string;
}

/** Returns a share as the text that Redis stores. */
export const shareNameOf = ({ group, wallet }: Share): string => `${group} ${wallet}`;

/** Which kind of share is used up: the group's, or the wallet's within its group. */
export type ShareScope = 'group' | 'wallet';

/** The kinds of groups: the clients at an address prefix, a wallet that has paid, and the cache's refreshes that no client waits for. */
export type GroupKind = 'address' | 'paid' | 'refresh';

/** The share of refreshes that no client waits for. */
export const REFRESH_SHARE: Share = { group: 'refresh', wallet: '' };

/** The slots of a budget at one moment, as one share sees them. */
export interface Holdings {
  readonly limit: number;
  readonly free: number;
  /** The number of groups that hold a slot. */
  readonly groups: number;
  /** The slots of this share's group, and of this wallet in the group. */
  readonly ofGroup: number;
  readonly ofWallet: number;
}

/**
 * A group may hold at most this many times the number of free slots. The rule is Choudhury and Hahne's dynamic queue length thresholds
 * (IEEE/ACM Transactions on Networking, 1998).
 */
export const THRESHOLD_FACTOR = 4;
/**
 * One slot in this many is reserved for groups below their even part, and as many for wallets that have paid: two slots each of a limit of
 * 30.
 */
export const SLOTS_PER_RESERVED = 15;

/** Returns the prefix of an address: /24 for IPv4, /48 for IPv6. */
function prefixOf(address: string): string {
  if (isIP(address) === 0) return 'unknown';
  const block = addressBlockOf(address);
  return isIP(block) === 4 ? `${block.slice(0, block.lastIndexOf('.'))}.0/24` : block;
}

/** Returns the group of an address. All texts that are not IP addresses share one group. */
export const groupOf = (address: string): string => `address:${prefixOf(address)}`;

/** Returns the share of a client. Wallets at one address prefix share a group. A wallet that has paid is a group of its own. */
export const shareOf = (address: string, wallet: string, hasPaid: boolean): Share => ({
  group: hasPaid ? `paid:${wallet}` : groupOf(address),
  wallet,
});

export const groupKindOf = ({ group }: Share): GroupKind => group.split(':', 1)[0] as GroupKind;

/**
 * Returns how many more slots this group may take if no other group takes any. `slot-scripts.ts` has the same rule in Lua: change both.
 * `tests/stores/shares.test.ts` tests both.
 */
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
 * Returns which kind of share one more slot would exceed; undefined if none. A wallet that is alone in its group may use the whole group's
 * share. `slot-scripts.ts` has the same rule in Lua: change both. `tests/stores/shares.test.ts` tests both.
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

/** How many slots `freesAtMs` looks ahead to compute Retry-After. If none of them suffices, it returns the last one's time. */
export const MAX_SLOTS_AHEAD = 250;

/**
 * Returns when the share may take one more slot, in milliseconds, if no other group takes any. `slots`: in the order in which they free.
 */
export function freesAtMs(share: Share, holdings: Holdings, slots: Iterable<ChargedSlot>): number | undefined {
  const { group, wallet } = share;
  let { free, ofGroup, ofWallet } = holdings;
  let lastMs: number | undefined;
  for (const slot of slots) {
    free++;
    if (slot.share?.group === group) ofGroup--;
    if (slot.share?.group === group && slot.share.wallet === wallet) ofWallet--;
    lastMs = slot.freesAtMs;
    if (!exceededShare({ ...holdings, free, ofGroup, ofWallet }, groupKindOf(share))) break;
  }
  return lastMs;
}
