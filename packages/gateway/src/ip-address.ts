import { BlockList, isIP } from 'node:net';

export const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Whether a host name or an address is this machine's. IPv6 addresses may have the brackets of a URL. */
export function isLoopbackHost(host: string): boolean {
  const address = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
  return address === 'localhost' || (isIP(address) !== 0 && loopback.check(address, familyOf(address)));
}

const PREFIX = /^(?:0|[1-9]\d{0,2})$/;

/** Returns the proxies whose X-Forwarded-For is trusted, from CIDR ranges such as `10.0.0.0/8`. Throws a RangeError for other texts. */
export function trustedProxies(cidrs: readonly string[]): BlockList {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [address = '', prefix = '', ...rest] = cidr.split('/');
    if (isIP(address) === 0 || !PREFIX.test(prefix) || rest.length > 0) throw new RangeError(cidr);
    list.addSubnet(address, Number(prefix), familyOf(address));
  }
  return list;
}

const HEXTETS = 8;
const HEX_DIGITS = 4;

/** Returns the eight 16-bit groups of an IPv6 address. `ipaddr.js` would replace little more than this function. */
function hextetsOf(address: string): string[] {
  const [plain = ''] = address.split('%', 1);
  const [head = '', tail] = new URL(`http://[${plain}]`).hostname.slice(1, -1).split('::');
  const [before, after] = [head, tail ?? ''].map((text) => text.split(':').filter((hextet) => hextet !== ''));
  const zeros = HEXTETS - (before?.length ?? 0) - (after?.length ?? 0);
  return [...(before ?? []), ...Array<string>(zeros).fill('0'), ...(after ?? [])];
}

const BLOCK_HEXTETS = 3;
/** The prefixes of IPv6 addresses that stand for an IPv4 address: mapped (RFC 4291, 2.5.5.2), and of translators (RFC 6052, 2.1). */
const FOR_IPV4 = ['0:0:0:0:0:ffff', '64:ff9b:0:0:0:0'];

/**
 * Returns the address that tells clients apart: an IPv4 address, or the /48 of an IPv6 address, because one holder usually has all of it.
 */
export function addressBlockOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const hextets = hextetsOf(address);
  if (!FOR_IPV4.includes(hextets.slice(0, 6).join(':'))) return `${hextets.slice(0, BLOCK_HEXTETS).join(':')}::/48`;
  const [high = 0, low = 0] = hextets.slice(6).map((hextet) => Number.parseInt(hextet, 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** The prefix of IPv4-mapped IPv6 addresses (RFC 4291, 2.5.5.2). */
const MAPPED = 0xffffn << 32n;

/** Returns an address as a 128-bit number; undefined for other text. IPv4 addresses are mapped to IPv6. */
export function addressBits(address: string): bigint | undefined {
  const family = isIP(address);
  if (family === 0) return undefined;
  if (family === 4) return MAPPED | BigInt(address.split('.').reduce((bits, part) => bits * 256 + Number(part), 0));
  const digits = hextetsOf(address).map((hextet) => hextet.padStart(HEX_DIGITS, '0'));
  return BigInt(`0x${digits.join('')}`);
}
