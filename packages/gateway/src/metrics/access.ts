import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { BlockList } from 'node:net';

/** What a 401 asks for. */
export const BEARER = { 'WWW-Authenticate': 'Bearer' };

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Names that no page on the web can have led here. */
const LOCAL_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/i;

const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Whether a request comes from this machine, and was meant for it. */
function isLocal({ socket, headers }: IncomingMessage): boolean {
  const { remoteAddress = '', remoteFamily } = socket;
  const isNear = loopback.check(remoteAddress, remoteFamily === 'IPv6' ? 'ipv6' : 'ipv4');
  return isNear && LOCAL_HOST.test(headers.host ?? '');
}

/** Why somebody is not told of money: 401 without the token; where there is none, 403 beyond this machine. */
export function whyNotTold(request: IncomingMessage, token: string | undefined): 401 | 403 | undefined {
  if (token === undefined) return isLocal(request) ? undefined : 403;
  const given = hashOf(request.headers.authorization ?? '');
  return timingSafeEqual(given, hashOf(`Bearer ${token}`)) ? undefined : 401;
}
