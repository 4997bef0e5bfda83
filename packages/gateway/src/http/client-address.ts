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
