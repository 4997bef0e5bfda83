import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

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

/** The client's address: the right-most one of X-Forwarded-For that is not a trusted proxy's own. */
export function clientAddress(incoming: IncomingMessage, trusted: BlockList): string {
  const peer = plain(incoming.socket.remoteAddress ?? '');
  const forwarded = incoming.headers['x-forwarded-for'];
  if (forwarded === undefined) return peer;
  const hops = [
    ...String(forwarded)
      .split(',')
      .map((hop) => plain(hop.trim())),
    peer,
  ];
  let client = peer;
  while (hops.length > 0) {
    const hop = hops.pop() ?? '';
    if (isIP(hop) === 0) break;
    client = hop;
    if (!trusted.check(hop, familyOf(hop))) break;
  }
  return client;
}
