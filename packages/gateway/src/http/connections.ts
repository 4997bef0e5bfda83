import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, type Socket } from 'node:net';

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** `::ffff:10.0.0.1`, as a dual-stack socket says it, is 10.0.0.1. */
const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '');

/** The proxies that may say whom they speak for, from CIDR texts such as `10.0.0.0/8`. Throws on anything else. */
export function trustedProxies(cidrs: readonly string[]): BlockList {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [address = '', prefix] = cidr.split('/');
    if (isIP(address) === 0 || prefix === undefined || !/^(?:0|[1-9]\d{0,2})$/.test(prefix)) throw new RangeError(cidr);
    list.addSubnet(address, Number(prefix), familyOf(address));
  }
  return list;
}

/** The address of the other end. */
export const peerAddress = ({ remoteAddress = '' }: Socket): string => plain(remoteAddress);

/** Whether this is the address of a trusted proxy. */
export const isProxy = (address: string, trusted: BlockList): boolean =>
  isIP(address) !== 0 && trusted.check(address, familyOf(address));

/** No chain of honest proxies is longer, and no address has more characters. */
const MAX_HOPS = 32;
const MAX_ADDRESS_LENGTH = 45;

/** The client's address: the right-most one of X-Forwarded-For that is not a trusted proxy's own. */
export function clientAddress(incoming: IncomingMessage, trusted: BlockList): string {
  let client = peerAddress(incoming.socket);
  const hops = String(incoming.headers['x-forwarded-for'] ?? '');
  for (let end = hops.length, count = 0; end > 0 && count < MAX_HOPS && isProxy(client, trusted); count++) {
    const comma = hops.lastIndexOf(',', end - 1);
    const hop = hops.slice(comma + 1, end).trim();
    if (hop.length > MAX_ADDRESS_LENGTH || isIP(plain(hop)) === 0) break;
    client = plain(hop);
    end = comma;
  }
  return client;
}

/** The connections of one address, those that are idle in the order in which they became so. */
interface Group {
  readonly address: string;
  readonly idle: Set<Socket>;
  size: number;
}

/** Which part of all connections one address may hold. */
const SHARE = 4;

/**
 * Who may stay connected. Idle is a connection that has nothing to be answered: one that is kept alive, has sent nothing yet, or
 * half a head. Where there is no room for a new connection, the oldest idle one makes it: of its own address when that holds its
 * share, else of anybody. Trusted proxies speak for many, and have no share. Each event takes the same time, however many there are.
 */
export class Connections {
  readonly #maximum: number;
  readonly #share: number;
  readonly #trusted: BlockList;
  readonly #groups = new Map<string, Group>();
  readonly #members = new Map<Socket, Group>();
  readonly #idle = new Set<Socket>();

  constructor(maximum: number, trusted: BlockList) {
    this.#maximum = maximum;
    this.#share = Math.max(1, Math.floor(maximum / SHARE));
    this.#trusted = trusted;
  }

  /** Takes a new connection, or closes it; whether it stays. */
  admit(socket: Socket): boolean {
    const address = peerAddress(socket);
    const group = this.#groups.get(address) ?? { address, idle: new Set(), size: 0 };
    const isCrowded = group.size >= this.#share && !isProxy(address, this.#trusted);
    const hasRoom = (!isCrowded || this.#closeOldest(group.idle)) && (!this.#isFull || this.#closeOldest(this.#idle));
    if (!hasRoom) {
      socket.destroy();
      return false;
    }
    this.#groups.set(address, group);
    this.#members.set(socket, group);
    group.size++;
    this.note(socket, true);
    socket.once('close', () => this.#leave(socket));
    return true;
  }

  /** Notes that a connection has something to be answered, or has nothing any more. */
  note(socket: Socket, isIdle: boolean): void {
    const group = this.#members.get(socket);
    for (const idle of group ? [this.#idle, group.idle] : []) {
      idle.delete(socket);
      if (isIdle) idle.add(socket);
    }
  }

  get #isFull(): boolean {
    return this.#members.size >= this.#maximum;
  }

  #closeOldest(idle: ReadonlySet<Socket>): boolean {
    const [oldest] = idle;
    if (!oldest) return false;
    this.#leave(oldest);
    oldest.destroy();
    return true;
  }

  #leave(socket: Socket): void {
    const group = this.#members.get(socket);
    if (!group) return;
    this.note(socket, false);
    this.#members.delete(socket);
    group.size--;
    if (group.size === 0) this.#groups.delete(group.address);
  }
}
