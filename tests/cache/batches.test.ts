import type { Route } from '@asset-gateway/protocol';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { batchInput, batchText, itemsOf, mintKeyOf, mintsOf } from '../../packages/gateway/src/cache/batches.ts';
import { CallOrder } from '../../packages/gateway/src/cache/call-order.ts';
import { LIFETIMES } from '../../packages/gateway/src/cache/lifetimes.ts';
import { cachedAnswerOf, wholeAnswerOf } from '../../packages/gateway/src/cache/stored.ts';
import type { Input } from '../../packages/gateway/src/call.ts';
import { marketSnapshots, variantMarkets } from '../../packages/sandbox/src/tokens/answers/batch.ts';
import type { RouteRequest } from '../../packages/sandbox/src/tokens/answers/request.ts';
import { KNOWN_MINTS } from '../../packages/sandbox/src/tokens/catalogue.ts';
import { jsonInit, rowOf } from '../http/targets.ts';
import { rounds } from '../kit/rounds.ts';
import { standIn } from '../kit/stand-in.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { askSigned, newSigner, signedHeader } from '../kit/wallet.ts';
import { cacheFile } from './file.ts';

const NOW = 1_795_000_000_000;
const LIFETIME = LIFETIMES['tokens.marketSnapshots'] ?? { freshSeconds: 0, maxStaleSeconds: 0 };

/** The upstream's own answer for this input. */
function upstreamText(route: Route, input: Input): string {
  const { query, body } = route.upstream.forward(input);
  const asked = standIn<RouteRequest>({
    query: new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])),
    body: JSON.stringify(body),
    now: NOW,
  });
  return JSON.stringify(route.method === 'variantMarkets' ? variantMarkets(asked) : marketSnapshots(asked));
}

/** Known and unknown mints. */
const anyMint = fc.oneof(fc.constantFrom(...KNOWN_MINTS), fc.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/));

describe.each([
  ['marketSnapshots', 'body', 250],
  ['variantMarkets', 'query', 50],
] as const)('%s, assembled from cached mints', (method, place, most) => {
  const route = rowOf(`tokens.${method}`);
  const list = fc.array(anyMint, { maxLength: most / 2 });

  it('equals the answer of the upstream byte for byte', () => {
    fc.assert(
      fc.property(list, list, fc.boolean(), (mints, addresses, hasAddresses) => {
        fc.pre(mints.length + (hasAddresses ? addresses.length : 0) > 0);
        const values = hasAddresses ? { mints, addresses } : { mints };
        const input = standIn<Input>({ path: {}, query: {}, body: {}, [place]: values });
        const asked = mintsOf(route, input);
        // Each mint from its own call.
        const kept = asked.map((mint) => {
          const items = itemsOf(route, upstreamText(route, batchInput(route, [mint])));
          return { json: items.get(mint) ?? '' };
        });
        expect(wholeAnswerOf(route, batchText(route, kept)).json).toBe(upstreamText(route, input));
      }),
      { numRuns: Math.max(100, rounds(10_000)) },
    );
  }, 600_000);

  it('is as old as its oldest item', () => {
    const key = mintKeyOf(route, 'mint', LIFETIME);
    const items = [5_000, 1_000, 3_000].map((fetchedAtMs) => ({ key, fetchedAtMs, bytes: 0 }));
    expect(cachedAnswerOf(wholeAnswerOf(route, '[]'), items, 9_000).headers).toMatchObject({ Age: '8' });
  });

  it('is split into the items of one call', () => {
    const mints = KNOWN_MINTS.slice(0, most);
    const text = upstreamText(route, batchInput(route, mints));
    const items = itemsOf(route, text);
    expect([...items.keys()]).toEqual(mints);
    expect([...items.values()].map((item) => JSON.parse(item))).toEqual(
      [JSON.parse(text)].flatMap((value) => value.variants ?? value),
    );
  });

  it('has no items if the answer has another shape', () => {
    const [one = ''] = KNOWN_MINTS;
    const text = upstreamText(route, batchInput(route, [one]));
    const answers = [
      ...['{}', '[]', '"text"', `${text} `, text.slice(1)],
      ...['],"more":[]$1', '],[]$1'].map((more) => text.replace(/\](\}?)$/, more)),
    ];
    for (const answer of answers) expect([answer, itemsOf(route, answer).size]).toEqual([answer, 0]);
  });
});

const gateway = await startTestGateway({ RESPONSE_CACHE: 'on', TOKENS_RATE_LIMIT_PER_MINUTE: '30' });

describe('batches over HTTP', () => {
  const url = () => `${gateway.url}/v1/x402/tokens/assets/market-snapshots`;
  const initOf = (mints: readonly string[], signIn = {}) => {
    const { headers, ...init } = jsonInit({ mints });
    return { ...init, headers: { ...headers, ...signIn } };
  };
  const ask = (mints: readonly string[]) => askSigned(url(), initOf(mints));
  const addressesIn = async (response: Response) =>
    ((await response.json()) as { result: { address: string }[] }).result.map(({ address }) => address);

  it('requests of 250 wallets for one mint each share one call a second', async () => {
    const mints = Array.from({ length: 250 }, () => newSigner().address);
    const headers = await Promise.all(mints.map((mint) => signedHeader(url(), initOf([mint]))));
    const startedAt = performance.now();
    const answers = await Promise.all(
      mints.map((mint, index) => fetch(url(), initOf([mint], { 'SIGN-IN-WITH-X': headers[index] }))),
    );
    expect(await Promise.all(answers.map(addressesIn))).toEqual(mints.map((mint) => [mint]));
    // All come within the second, unless this machine is busy.
    const seconds = Math.ceil((performance.now() - startedAt) / 1_000);
    expect(gateway.upstream.arrivals.length).toBeLessThanOrEqual(1 + seconds);
  });

  it('only missing mints are requested', async () => {
    const [known, fresh] = [KNOWN_MINTS.slice(0, 5), newSigner().address];
    await ask(known);
    const before = gateway.upstream.arrivals.length;
    const answer = await ask([fresh, ...known]);
    expect(await addressesIn(answer)).toEqual([fresh, ...known]);
    expect(gateway.upstream.arrivals.length).toBe(before + 1);
    expect(JSON.parse(gateway.upstream.arrivals.at(-1)?.body ?? '')).toEqual({ mints: [fresh] });
  });

  it("each mint has its own item, in any order of the upstream's answer", async () => {
    const mints = Array.from({ length: 3 }, () => newSigner().address);
    gateway.upstream.faults.body = JSON.stringify(mints.toReversed().map((address) => ({ address })));
    const together = await ask(mints);
    gateway.upstream.faults.body = undefined;
    expect(await addressesIn(together)).toEqual(mints);
    for (const mint of mints) expect(await addressesIn(await ask([mint]))).toEqual([mint]);
  });

  it('an item that expires soon is fetched again with a missing one, and its request counts as demand', async () => {
    const file = cacheFile('marketSnapshots', 10, 15);
    const { url: origin, upstream } = await startTestGateway({ RESPONSE_CACHE: 'on', APIS_FILE: file });
    const enqueue = vi.spyOn(CallOrder.prototype, 'enqueue');
    const [old, fresh] = [newSigner().address, newSigner().address];
    const askFor = (mints: readonly string[]) =>
      askSigned(`${origin}/v1/x402/tokens/assets/market-snapshots`, initOf(mints));
    await askFor([old]);
    enqueue.mockClear();
    expect((await askFor([old, fresh])).status).toBe(200);
    expect(JSON.parse(upstream.arrivals.at(-1)?.body ?? '').mints.toSorted()).toEqual([old, fresh].toSorted());
    const requests = enqueue.mock.calls.map(([{ id }, { isWaiting, weight, refusesCached }]) => ({
      ...{ mint: id.split(' ').at(-1), isWaiting, weight, refusesCached },
    }));
    const demand = { isWaiting: true, weight: 0.5, refusesCached: false };
    expect(requests).toEqual([old, fresh].map((mint) => ({ mint, ...demand })));
    // A stored answer that the client refuses is no demand, because no cache could serve it.
    enqueue.mockClear();
    await askSigned(`${origin}/v1/x402/tokens/assets/market-snapshots`, {
      ...initOf([old]),
      headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-cache' },
    });
    expect(enqueue.mock.calls.map(([, { refusesCached }]) => refusesCached)).toEqual([true]);
    enqueue.mockRestore();
  });
});
