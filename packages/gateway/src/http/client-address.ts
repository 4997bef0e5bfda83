import type { IncomingMessage } from 'node:http';
import { type BlockList, isIP } from 'node:net';
import { familyOf } from '../ip-address.ts';

/** Returns an IPv4 address in its own form. A dual-stack socket reports 10.0.0.1 as `::ffff:10.0.0.1`. */
export const unmapped = (address = ''): string => address.replace(/^::ffff:(?=\d+\.)/i, '');

/** Whether the address belongs to a trusted proxy. */
export const isProxy = (address: string, trusted: BlockList): boolean =>
  isIP(address) !== 0 && trusted.check(address, familyOf(address));

/** The most hops that are read. Chains of honest clients are shorter. */
const MAX_HOPS = 32;
const MAX_NODE_LENGTH = 64;
/** Matches a port, or the name that hides one (RFC 7239, section 6). */
const PORT = /^:(?:\d{1,5}|_[\w.-]+)$/;

/** Returns the address of a node such as `203.0.113.7:51234` or `[2001:db8::1]`, without its port; undefined for any other text. */
function addressOf(node: string): string | undefined {
  if (node.length > MAX_NODE_LENGTH) return undefined;
  const isBracketed = node.startsWith('[');
  const colon = node.indexOf(':');
  const isBare = isIP(node) !== 0 || colon < 0;
  const end = isBracketed ? node.indexOf(']') : isBare ? node.length : colon;
  const address = node.slice(isBracketed ? 1 : 0, Math.max(end, 0));
  const rest = node.slice(isBracketed ? end + 1 : end);
  const isGood = isIP(address) === (isBracketed ? 6 : isIP(address) || 4) && (rest === '' || PORT.test(rest));
  return isGood ? unmapped(address) : undefined;
}

/** Returns the `for` parameter of a Forwarded element (RFC 7239, section 4), without quotes. */
function nodeIn(element: string): string {
  const pairs = element.split(';').map((pair) => pair.trim());
  const [node = '', ...others] = pairs.filter((pair) => pair.slice(0, 4).toLowerCase() === 'for=');
  const value = others.length > 0 ? '' : node.slice(4);
  return value.length > 1 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value;
}

const whole = (element: string): string => element;

/**
 * Returns the client's address: the right-most address in X-Forwarded-For that belongs to no trusted proxy. Without X-Forwarded-For, reads
 * Forwarded. Calls `onUnreadable` if the nearest proxy's entry is unreadable.
 */
export function clientAddress(incoming: IncomingMessage, trusted: BlockList, onUnreadable?: () => void): string {
  let client = unmapped(incoming.socket.remoteAddress);
  const { 'x-forwarded-for': listed, forwarded } = incoming.headers;
  const read = listed === undefined ? nodeIn : whole;
  const hops = String(listed ?? forwarded ?? '');
  for (let end = hops.length, count = 0; end > 0 && count < MAX_HOPS && isProxy(client, trusted); count++) {
    const comma = hops.lastIndexOf(',', end - 1);
    const address = addressOf(read(hops.slice(comma + 1, end)).trim());
    if (address === undefined) {
      if (count === 0) onUnreadable?.();
      break;
    }
    client = address;
    end = comma;
  }
  return client;
}
