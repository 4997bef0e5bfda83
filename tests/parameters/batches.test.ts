import { afterEach, describe, expect, it } from 'vitest';
import { stopAfterTests } from '../kit/stop-after-tests.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { Caller, JSON_BODY, refusedForFree, SNAPSHOTS, TOKENS } from '../upstream/caller.ts';
import type { Ask } from '../upstream/exchange.ts';

const gateway = await stopAfterTests(startTestGateway({}, { windowMs: 3_600_000 }));
afterEach(() => gateway.upstream.faults.reset());

const VARIANT_MARKETS = `${TOKENS}/assets/variant-markets`;
const RESOLVE = `${TOKENS}/assets/resolve`;
const WRAPPED_SOL = 'So11111111111111111111111111111111111111112';
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';

const ids = (count: number, prefix = 'm'): string[] => Array.from({ length: count }, (_, index) => `${prefix}${index}`);
const snapshots = (body: unknown): Ask => ({
  method: 'POST',
  target: SNAPSHOTS,
  headers: JSON_BODY,
  body: JSON.stringify(body),
});

async function arrivalOf(ask: Ask) {
  gateway.upstream.faults.body = '[]';
  const before = gateway.upstream.arrivals.length;
  const answer = await new Caller(gateway).ask(ask);
  expect(answer.json).toMatchObject({ ok: true, result: [] });
  const arrivals = gateway.upstream.arrivals.slice(before);
  expect(arrivals).toHaveLength(1);
  return arrivals[0];
}

describe('market-snapshots', () => {
  it.each([
    ['both lists', { mints: ['a', 'b'], addresses: ['c'] }, ['a', 'b', 'c']],
    ['addresses first', { addresses: ['c'], mints: ['a'] }, ['a', 'c']],
    ['addresses alone', { addresses: ['c', 'd'] }, ['c', 'd']],
    ['empty mints beside addresses', { mints: [], addresses: ['c'] }, ['c']],
    ['empty addresses beside mints', { mints: ['a'], addresses: [] }, ['a']],
    ['250 in one', { mints: ids(250) }, ids(250)],
    ['250 together', { mints: ids(249), addresses: ['z'] }, [...ids(249), 'z']],
  ])('sends the upstream one list: %s', async (_, body, mints) => {
    const arrival = await arrivalOf(snapshots(body));
    expect(arrival?.target).toBe('/v1/assets/market-snapshots');
    expect(JSON.parse(arrival?.body ?? '')).toEqual({ mints });
  });

  it('answers for both lists', async () => {
    const answer = await new Caller(gateway).ask(snapshots({ mints: [WRAPPED_SOL], addresses: [USDC] }));
    const rows = answer.json.result as readonly { readonly address: string }[];
    expect(rows.map(({ address }) => address)).toEqual([WRAPPED_SOL, USDC]);
  });

  it('reports only maxItems for a list that is too long', async () => {
    const bodies = [{ mints: ids(251) }, { mints: ids(251), addresses: ['z'] }];
    await refusedForFree(gateway, bodies.map(snapshots), ({ status, json }) => {
      expect(status).toBe(400);
      expect(json.issues).toMatchObject([{ name: 'mints', rule: 'maxItems', message: 'Must have at most 250 items.' }]);
    });
  });
});

describe('variant-markets', () => {
  it.each([
    ['both lists', 'mints=a,b&addresses=c', 'a,b,c'],
    ['addresses first', 'addresses=c&mints=a', 'a,c'],
    ['addresses alone', 'addresses=c,d', 'c,d'],
    ['commas that are escaped', 'mints=a%2Cb', 'a,b'],
    ['50 in one', `mints=${ids(50)}`, ids(50).join()],
    ['50 together', `mints=${ids(25)}&addresses=${ids(25, 'n')}`, [...ids(25), ...ids(25, 'n')].join()],
  ])('sends the upstream one list: %s', async (_, query, mints) => {
    const arrival = await arrivalOf({ target: `${VARIANT_MARKETS}?${query}` });
    expect(arrival?.target).toBe(`/v1/assets/variant-markets?mints=${mints}`);
  });

  it('reports only maxItems for a list that is too long', async () => {
    await refusedForFree(gateway, [{ target: `${VARIANT_MARKETS}?mints=${ids(51)}` }], ({ json }) => {
      expect(json.issues).toMatchObject([{ name: 'mints', rule: 'maxItems', message: 'Must have at most 50 items.' }]);
    });
  });

  it('refuses an empty id anywhere in a list', async () => {
    const lists = ['', ',', 'a,', ',a', 'a,,b', '%2C', 'a,%20,b%00'];
    const asks = lists.flatMap((list) => [
      { target: `${VARIANT_MARKETS}?mints=${list}` },
      { target: `${VARIANT_MARKETS}?mints=a&addresses=${list}` },
    ]);
    await refusedForFree(gateway, asks, ({ status, json }) => {
      expect(status).toBe(400);
      expect(json.error).toBe('invalid_request');
    });
  });
});

describe('resolve', () => {
  it.each([`ref=sol`, `mint=${USDC}`])('takes one of ref and mint: %s', async (query) => {
    expect((await arrivalOf({ target: `${RESOLVE}?${query}` }))?.target).toBe(`/v1/assets/resolve?${query}`);
  });

  it('refuses none and both', async () => {
    const queries = ['', `ref=sol&mint=${USDC}`, 'ref=&mint=a', 'ref=a&mint=', 'ref=', 'mint=', 'ref&mint'];
    const asks = queries.map((query) => ({ target: `${RESOLVE}?${query}` }));
    await refusedForFree(gateway, asks, ({ status, json }, { target }) => {
      expect(status, target).toBe(400);
      expect(json.error).toBe('invalid_request');
    });
  });
});
