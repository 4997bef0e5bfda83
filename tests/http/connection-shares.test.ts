import { BlockList, Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { Connections } from '../../packages/gateway/src/http/connections.ts';

/** Eight connections, of which one group may hold two. */
const CAP = 8;

/** A socket that reports this address. */
const socketFrom = (address: string): Socket =>
  Object.defineProperty(new Socket(), 'remoteAddress', { value: address });

/** How many busy connections of these addresses are admitted, one after the other. */
function admitted(addresses: readonly string[]): number {
  const connections = new Connections(CAP, new BlockList());
  return addresses.filter((address) => {
    const socket = socketFrom(address);
    const stays = connections.admit(socket);
    connections.note(socket, false);
    return stays;
  }).length;
}

describe('V14 the share of a client', () => {
  it.each([
    ['one IPv4 address', ['192.0.2.1', '192.0.2.1', '::ffff:192.0.2.1', '64:ff9b::c000:201']],
    ['the IPv6 addresses of one holder', ['2001:db8:1::1', '2001:db8:1:2::3', '2001:db8:1:ffff:a:b:c:d']],
  ])('V14 is that of %s', (_, addresses) => {
    expect(admitted(addresses)).toBe(2);
  });

  it.each([
    ['IPv4 addresses', ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.1']],
    ['IPv4 addresses behind a translator to IPv6', ['64:ff9b::c000:201', '64:ff9b::c000:202', '64:ff9b::cb00:7107']],
    ['IPv6 holders', ['2001:db8:1::1', '2001:db8:2::1', '2001:db8:3::1', '2001:db8:1::2', '::1', 'fe80::1%eth0']],
  ])('V14 is not that of other %s', (_, addresses) => {
    expect(admitted(addresses)).toBe(addresses.length);
  });
});
