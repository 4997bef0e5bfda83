import { isIP } from 'node:net';
import { hextetsOf } from '../ip-address.ts';

/** The holder of a slot: a group of clients, and the wallet in it. */
export interface Share {
  readonly group: string;
  readonly wallet: string;
}

/** The share that is used up: the group's, or the wallet's in it. */
export type ShareScope = 'group' | 'wallet';

/** Kinds of groups: an address prefix, a wallet that has paid, and refreshes that no client waits for. */
export const GROUP_KINDS = ['address', 'paid', 'refresh'] as const;
export type GroupKind = (typeof GROUP_KINDS)[number];

/** The share of refreshes that no client waits for. */
export const REFRESH: Share = { group: 'refresh', wallet: '' };

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
/** One of this many slots is reserved for groups below their even part, and another one for wallets that have paid. */
export const SLOTS_PER_RESERVED = 15;

/** The prefix of an address, because one holder usually has all of it: IPv4 /24, IPv6 /48. */
function prefixOf(address: string): string {
  if (isIP(address) === 4) return `${address.slice(0, address.lastIndexOf('.'))}.0/24`;
  if (isIP(address) === 0) return 'unknown';
  const hextets = hextetsOf(address);
  const isMapped = hextets.slice(0, 6).join(':') === '0:0:0:0:0:ffff';
  if (!isMapped) return `${hextets.slice(0, 3).join(':')}::/48`;
  const [high = 0, low = 0] = hextets.slice(6).map((hextet) => Number.parseInt(hextet, 16));
  return `${high >> 8}.${high & 255}.${low >> 8}.0/24`;
}

/** The group of an address. All texts that are not IP addresses share one group. */
export const groupOf = (address: string): string => `address:${prefixOf(address)}`;

/** The share of a client. Wallets at one address prefix share a group, except those that have paid. */
export const shareOf = (address: string, wallet: string, hasPaid: boolean): Share => ({
  group: hasPaid ? `paid:${wallet}` : groupOf(address),
  wallet,
});

export const kindOf = ({ group }: Share): GroupKind =>
  GROUP_KINDS.find((kind) => group === kind || group.startsWith(`${kind}:`)) ?? 'address';

/** How many more slots this group may take if no other group takes any. */
export function roomOfGroup({ limit, free, groups, ofGroup }: Holdings, kind: GroupKind): number {
  const belowThreshold = Math.ceil((THRESHOLD_FACTOR * free - ofGroup) / (THRESHOLD_FACTOR + 1));
  if (kind === 'paid') return Math.max(0, Math.min(free, belowThreshold));
  const reserved = Math.floor(limit / SLOTS_PER_RESERVED);
  const unreserved = free - 2 * reserved;
  const evenPart = Math.max(1, Math.floor((limit - 2 * reserved) / (ofGroup > 0 ? groups : groups + 1)));
  const toEvenPart = Math.min(free - reserved, evenPart - ofGroup);
  return Math.max(0, Math.min(free, belowThreshold, Math.max(unreserved, toEvenPart)));
}

/** The share that one more slot would exceed; undefined if none. A wallet that is alone in its group may use all of it. */
export function exceededShare(holdings: Holdings, kind: GroupKind): ShareScope | undefined {
  const room = roomOfGroup(holdings, kind);
  if (room === 0) return 'group';
  const { ofGroup, ofWallet } = holdings;
  const hasOthers = ofGroup > ofWallet;
  return hasOthers && ofWallet >= THRESHOLD_FACTOR * room ? 'wallet' : undefined;
}

/** A held slot: its share, if known, and when it frees. */
export interface ChargedSlot {
  readonly share: Share | undefined;
  readonly freesAtMs: number;
}

/** The most slots that are read to find when a share frees. After more, the answer is when the last of these frees. */
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
