import type { IncomingMessage } from 'node:http';
import { type BlockList, isIP, type Socket } from 'node:net';
import { familyOf } from '../ip-address.ts';

/** A dual-stack socket reports 10.0.0.1 as `::ffff:10.0.0.1`. */
const plain = (address = ''): string => address.replace(/^::ffff:(?=\d+\.)/i, '');

/** Whether the address belongs to a trusted proxy. */
const isProxy = (address: string, trusted: BlockList): boolean =>
  isIP(address) !== 0 && trusted.check(address, familyOf(address));

/** Longer chains and addresses are not honest ones. */
const MAX_HOPS = 32;
const MAX_ADDRESS_LENGTH = 45;

/** The client's address: the right-most one of X-Forwarded-For that is not a trusted proxy's own. */
export function clientAddress(incoming: IncomingMessage, trusted: BlockList): string {
  let client = plain(incoming.socket.remoteAddress);
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

/** The connections of one address; `idle` in the order in which they became idle. */
interface Group {
  readonly address: string;
  readonly idle: Set<Socket>;
  size: number;
}

/** One address may hold a quarter of all connections. */
const SHARE = 4;

/**
 * Limits connections. A connection is idle while no request on it awaits an answer: it is kept alive, or has sent nothing or half a
 * head. A new connection without room closes the oldest idle one: of the same address if that holds its share, else of any address.
 * Trusted proxies serve many clients and have no share. Each event takes constant time.
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

  /** Admits a new connection or closes it. Returns whether it stays. */
  admit(socket: Socket): boolean {
    const address = plain(socket.remoteAddress);
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

  /** Whether a request on any connection awaits its answer. */
  get hasBusy(): boolean {
    return this.#members.size > this.#idle.size;
  }

  /** Marks a connection as idle or busy. */
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
