import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupKindOf, groupOf, REFRESH_SHARE, shareOf } from '../../packages/gateway/src/budget/store.ts';
import { Counts, Recent } from '../../packages/gateway/src/tallies.ts';
import { expectRefusal } from '../http/error-table.ts';
import { seen } from '../http/wire.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { askSigned, newSigner } from '../kit/wallet.ts';
import { scrape } from '../operations/scrape.ts';
import { callOf } from '../payments/calls.ts';
import { openWallet } from '../payments/wallets.ts';

describe('the group of an address', () => {
  it.each([
    ['203.0.113.7', 'address:203.0.113.0/24'],
    ['203.0.113.255', 'address:203.0.113.0/24'],
    ['::ffff:203.0.113.7', 'address:203.0.113.0/24'],
    ['::ffff:cb00:7107', 'address:203.0.113.0/24'],
    ['0:0:0:0:0:FFFF:203.0.113.7', 'address:203.0.113.0/24'],
    ['64:ff9b::203.0.113.7', 'address:203.0.113.0/24'],
    ['64:ff9b:1::203.0.113.7', 'address:64:ff9b:1::/48'],
    ['2001:db8:1:2::3', 'address:2001:db8:1::/48'],
    ['2001:0DB8:0001:ffff:ffff:ffff:ffff:ffff', 'address:2001:db8:1::/48'],
    ['2001:db8::', 'address:2001:db8:0::/48'],
    ['::1', 'address:0:0:0::/48'],
    ['fe80::1%eth0', 'address:fe80:0:0::/48'],
    ['', 'address:unknown'],
    ['not an address', 'address:unknown'],
  ])('%s belongs to %s', (address, group) => expect(groupOf(address)).toBe(group));

  it('is the same for all addresses of an IPv6 /48, in any spelling', () => {
    const prefix = fc.tuple(...Array.from({ length: 3 }, () => fc.integer({ min: 1, max: 0xffff })));
    fc.assert(
      fc.property(prefix, fc.ipV6(), (numbers, other) => {
        const hextets = numbers.map((number) => number.toString(16));
        const spelled = `${hextets.map((hextet) => hextet.padStart(4, '0').toUpperCase()).join(':')}:0:0:0:0:1`;
        expect(groupOf(`${hextets.join(':')}::1`)).toBe(groupOf(spelled));
        expect(groupOf(other)).toMatch(/^address:(?:[0-9a-f]+:[0-9a-f]+:[0-9a-f]+::\/48|\d+\.\d+\.\d+\.0\/24)$/);
      }),
    );
  });

  it('of a wallet that has paid is the wallet, at any address', () => {
    expect(shareOf('203.0.113.7', 'W', true)).toEqual(shareOf('2001:db8::1', 'W', true));
    expect(shareOf('203.0.113.7', 'W', false)).toEqual({ group: 'address:203.0.113.0/24', wallet: 'W' });
    const shares = [shareOf('::1', 'W', true), shareOf('::1', 'W', false), REFRESH_SHARE];
    expect(shares.map(groupKindOf)).toEqual(['paid', 'address', 'refresh']);
  });
});

describe('numbers by name', () => {
  it('count 0 for a name that is forgotten, and never less', () => {
    const counts = new Counts();
    for (const [name, by] of [
      ['a', 1],
      ['a', 1],
      ['b', 1],
      ['b', -1],
      ['c', -1],
    ] as const) {
      counts.add(name, by);
    }
    expect([counts.size, counts.of('a'), counts.of('b'), counts.of('c')]).toEqual([1, 2, 0, 0]);
  });
});

describe('values that are forgotten after some time', () => {
  it('are there until that time is over, and not at its end', () => {
    const recent = new Recent<string>(100);
    recent.set('a', 'first', 0);
    expect([recent.get('a', 99), recent.get('a', 100), recent.get('a', 99)]).toEqual(['first', undefined, undefined]);
  });

  it.each([0, 1, 50, 99])('are there until that time is over if they were set after %s ms', (afterMs) => {
    const recent = new Recent<string>(100);
    recent.set('first', '', 0);
    recent.set('a', 'late', afterMs);
    for (let nowMs = afterMs; nowMs < afterMs + 100; nowMs++) {
      recent.set('other', '', nowMs);
      expect(recent.get('a', nowMs)).toBe('late');
    }
  });

  it('last from when they are set again, and do not keep older ones', () => {
    const recent = new Recent<string>(100);
    recent.set('a', 'first', 0);
    recent.set('b', 'other', 10);
    recent.set('a', 'second', 50);
    expect([recent.get('a', 110), recent.get('b', 110)]).toEqual(['second', undefined]);
    expect(recent.get('a', 150)).toBeUndefined();
  });
});

const shared = { FAIR_SHARES: 'on', TRUST_PROXY: '127.0.0.0/8', TOKENS_RATE_LIMIT_PER_MINUTE: '30', METRICS_PORT: '0' };
// A window longer than any test takes.
const fee = { SETTLEMENT_FEE_USD_MICROS: '10000' };
const gateway = await startTestGateway({ ...shared, ...fee }, { windowMs: 600_000, paid: true });

const ask = (address: string, signer = newSigner()) =>
  askSigned(`${gateway.url}/v1/x402/tokens/assets/solana`, { headers: { 'X-Forwarded-For': address } }, signer);
const callsSeen = () => gateway.upstream.arrivals.length;

/** Log lines that say whose share was used up. */
const sharesLogged = () =>
  gateway.logLines.map((line) => JSON.parse(line).share).filter((share) => share !== undefined);

it('W4 with FAIR_SHARES=on a wallet that has paid one cent on mainnet, not on devnet, is served where fifty addresses have taken all', {
  timeout: 120_000,
}, async () => {
  if (!gateway.solana) throw new Error('nothing is sold');
  const wallet = await openWallet(gateway.solana);
  const buy = async (cluster: 'mainnet' | 'devnet') => {
    const { target, init } = callOf(`rpc.${cluster}.helius.getBalance`);
    expect((await wallet.buy(gateway.url + target, init)).status).toBe(200);
    expect(gateway.solana?.[cluster].transfers).toHaveLength(1);
  };
  await buy('devnet');
  await Promise.all(Array.from({ length: 50 }, (_, index) => ask(`10.0.${index}.1`)));
  const before = callsSeen();
  const refused = await seen(await ask('10.0.0.1', wallet.signIn));
  expectRefusal(refused, '429 rate_limited');
  expect(JSON.parse(refused.body).scope).toBe('group');
  expect(callsSeen()).toBe(before);
  await buy('mainnet');
  expect((await ask('10.0.0.1', wallet.signIn)).status).toBe(200);
  expect((await ask('10.0.0.1')).status).toBe(429);
  const scraped = await scrape(gateway.gateway);
  const [slots, refusals] = ['asset_gateway_slots_total', 'asset_gateway_share_refusals_total'];
  expect(scraped.sum(slots, { group: 'address' })).toBe(callsSeen() - 1);
  expect(scraped.sum(slots, { group: 'paid' })).toBe(1);
  expect(scraped.sum(refusals, { scope: 'group' })).toBe(sharesLogged().length);
  const { components } = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as {
    components: { schemas: { Error: { properties: { scope?: { enum: string[] } } } } };
  };
  expect(components.schemas.Error.properties.scope?.enum).toEqual(['group', 'wallet']);
});
