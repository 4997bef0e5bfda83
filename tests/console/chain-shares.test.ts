import { newKeypair } from '@asset-gateway/client/node';
import bs58 from 'bs58';
import { beforeEach, describe, expect, it } from 'vitest';
import { chainAnswer } from '../../packages/gateway/src/console/chain.ts';

const RESULT = '{"result":{"value":[]}}';

let nowMs: number;
/** The reads that reached the RPC. Held reads wait for their release. */
let reads: number;
let held: (() => void)[] | undefined;
let answer: ReturnType<typeof chainAnswer>;

beforeEach(() => {
  [nowMs, reads, held] = [100_000, 0, undefined];
  const post = async () => {
    reads++;
    if (held) await new Promise<void>((resolve) => held?.push(resolve));
    return RESULT;
  };
  answer = chainAnswer({ mainnet: { payments: { post }, balances: { post } } }, () => nowMs);
});

const newAddress = (): string => bs58.encode(newKeypair().subarray(32));

/** Reads for a client, by default the balance of a new address. Returns the refusal's code; undefined if it is answered. */
async function refusalOf(
  client: string,
  method = 'getMultipleAccounts',
  params: readonly unknown[] = [[newAddress()]],
): Promise<string | undefined> {
  const input = { path: { cluster: 'mainnet' }, query: {}, body: { id: 1, method, params } };
  const call = { input, arrival: { hosts: [], port: 0, client } };
  try {
    await answer(call as never);
    return undefined;
  } catch (error) {
    return (error as { code: string }).code;
  }
}

const several = async (client: string, count: number): Promise<unknown[]> => {
  const refusals: unknown[] = [];
  for (let each = 0; each < count; each++) refusals.push(await refusalOf(client));
  return refusals;
};

const LIMITED = 'rate_limited';

describe('X25 the chain reads of the console', () => {
  it('of a client that floods leave two a second to others', async () => {
    for (let second = 0; second < 20; second++) {
      const flood = await several('192.0.2.1', 10);
      expect(flood.filter((refusal) => refusal === undefined)).toHaveLength(3);
      expect(await several(`198.51.100.${second}`, 3)).toEqual([undefined, undefined, LIMITED]);
      nowMs += 1_000;
    }
    expect(reads).toBe(20 * 5);
  });

  it.each([
    ['one IPv4 address', ['192.0.2.1', '::ffff:192.0.2.1', '64:ff9b::c000:201']],
    ['the IPv6 addresses of one holder', ['2001:db8:1::1', '2001:db8:1:2::3', '2001:db8:1:ffff::5']],
  ])('of %s count together', async (_, addresses) => {
    for (const address of addresses) expect(await refusalOf(address)).toBeUndefined();
    expect(await refusalOf(addresses[0] ?? '')).toBe(LIMITED);
    expect(await refusalOf('203.0.113.7')).toBeUndefined();
  });

  it('of a frequent client leave one of the two at once to others', async () => {
    await several('192.0.2.1', 3);
    nowMs += 1_000;
    held = [];
    const slow = refusalOf('192.0.2.1');
    expect(await refusalOf('192.0.2.1')).toBe(LIMITED);
    const other = refusalOf('198.51.100.1');
    await expect.poll(() => held).toHaveLength(2);
    for (const release of held) release();
    expect(await Promise.all([slow, other])).toEqual([undefined, undefined]);
  });

  it('of a client are unlimited by its past ten seconds later', async () => {
    await several('192.0.2.1', 3);
    nowMs += 10_000;
    expect(await several('192.0.2.1', 3)).toEqual([undefined, undefined, undefined]);
    expect(await several('192.0.2.2', 3)).toEqual([undefined, undefined, LIMITED]);
  });
});

describe('the console does not ask a node about', () => {
  const slot = { minContextSlot: 1 };
  it.each<[what: string, method: string, params: readonly unknown[]]>([
    ['an address of 44 bytes', 'getMultipleAccounts', [['1'.repeat(44)]]],
    ['31 bytes beside an address', 'getMultipleAccounts', [[newAddress(), bs58.encode(new Uint8Array(31))]]],
    ['the history of 33 bytes', 'getSignaturesForAddress', [bs58.encode(new Uint8Array(33).fill(9)), slot]],
    ['a slot below 0', 'getSignaturesForAddress', [newAddress(), { minContextSlot: -1 }]],
  ])('%s, which every node refuses', async (_, method, params) => {
    expect(await refusalOf('192.0.2.1', method, params)).toBe('invalid_request');
    expect(reads).toBe(0);
    expect(await refusalOf('192.0.2.1', 'getSignaturesForAddress', [newAddress(), slot])).toBeUndefined();
  });
});
