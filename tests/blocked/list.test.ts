import { BlockList, isIP } from 'node:net';
import { newKeypair } from '@asset-gateway/client/node';
import bs58 from 'bs58';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ListFault, MAX_LINES, readList } from '../../packages/gateway/src/blocked/list.ts';
import { samples } from '../kit/rounds.ts';
import { addresses } from './kit.ts';

const newWallet = (): string => bs58.encode(newKeypair().subarray(32));

describe('a list', () => {
  it('has one wallet, address or range a line, and # comments', () => {
    const [one, other] = [newWallet(), newWallet()];
    const list = readList(
      [
        '\uFEFF# who',
        '',
        one,
        `  ${other}\t# since May`,
        '192.0.2.7',
        '198.51.100.0/24#x',
        '2001:db8::/32',
        ' \r',
      ].join('\r\n'),
    );
    expect(list.counts).toEqual({ wallets: 2, ranges: 3 });
    expect([one, other, newWallet()].map((wallet) => list.hasWallet(wallet))).toEqual([true, true, false]);
    const addresses = ['192.0.2.7', '192.0.2.8', '198.51.100.255', '198.51.101.0', '2001:db8:ffff::1', '2001:db9::'];
    expect(addresses.map((address) => list.hasAddress(address))).toEqual([true, false, true, false, true, false]);
  });

  it('with a range of no bits contains every address of its family', () => {
    const [four, six] = [readList('0.0.0.0/0'), readList('2001:db8::/0')];
    expect([four.hasAddress('203.0.113.1'), four.hasAddress('2001:db8::1')]).toEqual([true, false]);
    expect(six.hasAddress('2001:db8::1')).toBe(true);
  });

  it('contains IPv4 addresses in IPv6 notation', () => {
    const list = readList('203.0.113.0/24\n::ffff:198.51.100.0/120');
    for (const address of ['::ffff:203.0.113.9', '::ffff:cb00:7109', '0:0:0:0:0:FFFF:203.0.113.9', '198.51.100.3'])
      expect([address, list.hasAddress(address)]).toEqual([address, true]);
  });

  it('is empty for an empty file', () => {
    const list = readList('');
    expect(list.counts).toEqual({ wallets: 0, ranges: 0 });
    expect([list.hasAddress('127.0.0.1'), list.hasWallet('')]).toEqual([false, false]);
  });

  it.each(['', '1.2.3.4.5', '::g', '203.0.113.9, 1.2.3.4'])('does not contain %j, which is not an address', (address) =>
    expect(readList('0.0.0.0/0\n::/0').hasAddress(address)).toBe(false),
  );

  it('agrees with the BlockList of node:net', () => {
    const ranges = fc.oneof(
      fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 32 })),
      fc.tuple(
        fc.ipV6().filter((text) => isIP(text) === 6 && !text.includes('.')),
        fc.integer({ min: 97, max: 128 }),
      ),
    );
    fc.assert(
      fc.property(
        fc.array(ranges, { minLength: 1, maxLength: 8 }),
        fc.array(fc.oneof(fc.ipV4(), fc.ipV6())),
        (entries, others) => {
          const theirs = new BlockList();
          for (const [address, length] of entries)
            theirs.addSubnet(address, length, isIP(address) === 6 ? 'ipv6' : 'ipv4');
          const ours = readList(entries.map((entry) => entry.join('/')).join('\n'));
          for (const address of [...others, ...entries.map(([text]) => text)])
            expect(ours.hasAddress(address)).toBe(theirs.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4'));
        },
      ),
      { numRuns: samples(2_000) },
    );
  });
});

describe('an invalid line', () => {
  const wallet = newWallet();
  it.each([
    `${wallet}11111`,
    `${wallet} ${wallet}`,
    '0'.repeat(44),
    bs58.encode(newKeypair()),
    '192.0.2.256',
    '0x7f.0.0.1',
    '192.0.2.0/33',
    '192.0.2.0/',
    '192.0.2.0/024',
    '2001:db8::/129',
    '2001:db8:::/32',
    'gateway.example',
    '１９２.0.2.1',
    '1'.repeat(1_000_000),
    '/'.repeat(1_000_000),
    ':'.repeat(1_000_000),
  ])('is named by its number, not quoted (%#)', (line) => {
    const read = () => readList(`# two\n192.0.2.1\n${line}\nwallet`);
    expect(read).toThrow(ListFault);
    expect(read).toThrow(/^line 3 is not a wallet, address or CIDR such as 192\.0\.2\.0\/24$/);
  });
});

it('a list has at most 100,000 lines', () => {
  const lines = addresses(MAX_LINES);
  const list = readList(`${lines.join('\n')}\n`);
  expect(list.counts.ranges).toBe(100_000);
  expect(list.hasAddress(lines.at(-1) ?? '')).toBe(true);
  expect(() => readList([...lines, '#', ''].join('\n'))).toThrow('has more than 100,000 lines');
  expect(() => readList('\n'.repeat(20_000_000))).toThrow('has more than 100,000 lines');
});
