import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { BlockList, isIPv6 } from 'node:net';

/** What a 401 asks for. */
export const BEARER = { 'WWW-Authenticate': 'Bearer' };

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Names and addresses that lead to this machine alone: no page on the web has one of them as its own. */
const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;

const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Whether an address is reached from this machine alone. */
export const isLoopback = (address: string): boolean => loopback.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');

/** Whether the client has asked for a loopback name or address: a page whose name was rebound to this machine has not. */
export const namesLoopback = ({ headers }: IncomingMessage): boolean => LOOPBACK_HOST.test(headers.host ?? '');

const isLocal = (request: IncomingMessage): boolean =>
  isLoopback(request.socket.remoteAddress ?? '') && namesLoopback(request);

/** Why a client may not read sales: 401 without the token; where no token is set, 403 from another machine or for a foreign Host. */
export function whyNoSales(request: IncomingMessage, token: string | undefined): 401 | 403 | undefined {
  if (token === undefined) return isLocal(request) ? undefined : 403;
  const given = hashOf(request.headers.authorization ?? '');
  return timingSafeEqual(given, hashOf(`Bearer ${token}`)) ? undefined : 401;
}
