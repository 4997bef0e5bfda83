import { isIP } from 'node:net';
import { hextetsOf } from '../ip-address.ts';

/** Whom a slot is charged to: a group of callers, and the wallet in it. */
export interface Share {
  readonly group: string;
  readonly wallet: string;
}

/** Whose share was used up: that of the group, or that of the wallet in it. */
export type ShareScope = 'group' | 'wallet';

/** What groups there are: an address prefix, a wallet that has paid, and calls that nobody waits for. */
export const GROUP_KINDS = ['address', 'paid', 'refresh'] as const;
export type GroupKind = (typeof GROUP_KINDS)[number];

/** Calls that nobody waits for. */
export const REFRESH: Share = { group: 'refresh', wallet: '' };

/** How the slots of a budget are held at one moment, as far as one share is concerned. */
export interface Holdings {
  readonly limit: number;
  readonly free: number;
  /** Groups that hold a slot. */
  readonly groups: number;
  /** Slots of this share's group, and of this wallet in it. */
  readonly ofGroup: number;
  readonly ofWallet: number;
}

/**
 * A group takes a slot only while it holds fewer than so many times the free ones: Choudhury and Hahne's dynamic queue length
 * thresholds (IEEE/ACM Transactions on Networking, 1998).
 */
export const THRESHOLD_FACTOR = 4;
/** One slot in so many is left to groups below their even part, and as many again to wallets that have paid. */
export const SLOTS_PER_RESERVED = 15;

/** The prefix that an address belongs to, as whoever has been given one has been given all of it: IPv4 /24, IPv6 /48. */
function prefixOf(address: string): string {
  if (isIP(address) === 4) return `${address.slice(0, address.lastIndexOf('.'))}.0/24`;
  if (isIP(address) === 0) return 'unknown';
  const hextets = hextetsOf(address);
  const isMapped = hextets.slice(0, 6).join(':') === '0:0:0:0:0:ffff';
  if (!isMapped) return `${hextets.slice(0, 3).join(':')}::/48`;
  const [high = 0, low = 0] = hextets.slice(6).map((hextet) => Number.parseInt(hextet, 16));
  return `${high >> 8}.${high & 255}.${low >> 8}.0/24`;
}

/** The group of an address. One that is no IP address shares a group with all others such. */
export const groupOf = (address: string): string => `address:${prefixOf(address)}`;

/** The share of a caller: wallets of one address share, but for those that have paid. */
export const shareOf = (address: string, wallet: string, hasPaid: boolean): Share => ({
  group: hasPaid ? `paid:${wallet}` : groupOf(address),
  wallet,
});

export const kindOf = ({ group }: Share): GroupKind =>
  GROUP_KINDS.find((kind) => group === kind || group.startsWith(`${kind}:`)) ?? 'address';

/** How many slots this group may take, one after the other, while nobody else does. */
export function roomOfGroup({ limit, free, groups, ofGroup }: Holdings, kind: GroupKind): number {
  const belowThreshold = Math.ceil((THRESHOLD_FACTOR * free - ofGroup) / (THRESHOLD_FACTOR + 1));
  if (kind === 'paid') return Math.max(0, Math.min(free, belowThreshold));
  const reserved = Math.floor(limit / SLOTS_PER_RESERVED);
  const unreserved = free - 2 * reserved;
  const evenPart = Math.max(1, Math.floor((limit - 2 * reserved) / (ofGroup > 0 ? groups : groups + 1)));
  const toEvenPart = Math.min(free - reserved, evenPart - ofGroup);
  return Math.max(0, Math.min(free, belowThreshold, Math.max(unreserved, toEvenPart)));
}

/** Whose share a further slot would exceed; nothing when it may be taken. A wallet that is alone in its group has all of it. */
export function exceededShare(holdings: Holdings, kind: GroupKind): ShareScope | undefined {
  const room = roomOfGroup(holdings, kind);
  if (room === 0) return 'group';
  const { ofGroup, ofWallet } = holdings;
  const hasOthers = ofGroup > ofWallet;
  return hasOthers && ofWallet >= THRESHOLD_FACTOR * room ? 'wallet' : undefined;
}

/** A slot that is held: by whom, where that is known, and when it frees. */
export interface ChargedSlot {
  readonly share: Share | undefined;
  readonly freesAtMs: number;
}

/** So many slots are looked through for the moment when a share frees; one that needs more is told when the last of them does. */
export const MAX_SLOTS_AHEAD = 250;

/** When a further slot no longer exceeds the share, in milliseconds, if nobody else takes one: slots come in the order in which they free. */
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
