import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway, type TestGatewayOptions } from '../kit/test-gateway.ts';
import { decodeHeader } from '../kit/wallet.ts';
import {
  askFreshly,
  askWith,
  costsNothing,
  HEALTH,
  overHttp,
  refusedWith,
  SEARCH,
  signInFor,
  statusOf,
} from './craft.ts';

const SEARCH_PATH = '/v1/x402/tokens/assets/search';
const WRAPPED_SOL = 'So11111111111111111111111111111111111111112';

const nodes: TestGateway[] = [];
let wide: TestGateway;
async function open(variables = {}, options: TestGatewayOptions = { windowMs: 3_600_000 }): Promise<TestGateway> {
  const gateway = await startTestGateway(variables, options);
  nodes.push(gateway);
  return gateway;
}
beforeAll(async () => {
  wide = await open({ UPSTREAM_TIMEOUT_MS: '300' });
});
afterAll(() => Promise.all(nodes.map((gateway) => gateway.stop())));

const errorOf = async (response: Response): Promise<unknown> => ((await response.json()) as { error?: string }).error;

describe('a header refused with 400', () => {
  it.each([
    ['an unknown parameter', `${SEARCH_PATH}?q=sol&limitt=5`],
    ['a value out of bounds', `${SEARCH_PATH}?q=sol&limit=51`],
    ['a parameter twice', `${SEARCH_PATH}?q=sol&q=sol`],
    ['a missing parameter', SEARCH_PATH],
  ])('for %s is not burnt, and has cost no budget', async (_, target) => {
    const asker = overHttp(wide);
    const header = await signInFor(asker, SEARCH_PATH);
    await costsNothing(wide, asker, async () => {
      const refused = await askWith(asker, header, target);
      expect([refused.status, await errorOf(refused)]).toEqual([400, 'invalid_request']);
      expect(refused.headers.get('replay-nonce')).toMatch(/^[0-9a-f]{32}$/);
    });
    expect(await statusOf(askWith(asker, header, `${SEARCH_PATH}?q=sol&limit=5`))).toBe(200);
    await refusedWith('invalid_siwx_nonce', askWith(asker, header, `${SEARCH_PATH}?q=sol&limit=5`));
  });

  it('for a body that is no JSON, or with 415 for one of another type, is not burnt and costs no budget', async () => {
    const url = `${wide.url}/v1/x402/tokens/assets/market-snapshots`;
    const header = await signInFor({ origin: wide.url, ask: () => fetch(url, { method: 'POST' }) });
    const post = (body: string, type: string) =>
      fetch(url, { method: 'POST', body, headers: { 'SIGN-IN-WITH-X': header, 'Content-Type': type } });
    await costsNothing(wide, overHttp(wide), async () => {
      expect(await statusOf(post('{"mints":', 'application/json'))).toBe(400);
      expect(await statusOf(post('{"mints":["x"]}', 'text/plain'))).toBe(415);
      expect(await statusOf(post('{"mints":1}', 'application/json'))).toBe(400);
    });
    expect(await statusOf(post(JSON.stringify({ mints: [WRAPPED_SOL] }), 'application/json'))).toBe(200);
  });
});

describe('S21 a good header refused for lack of budget', () => {
  it('is not burnt by the 429: it works when the slot frees', async () => {
    const gateway = await open({ TOKENS_RATE_LIMIT_PER_MINUTE: '2' }, { windowMs: 1500 });
    const asker = overHttp(gateway);
    const header = await signInFor(asker);
    for (let used = 0; used < 2; used++) expect(await statusOf(askFreshly(asker))).toBe(200);
    const arrivals = gateway.upstream.arrivals.length;
    const limited = await askWith(asker, header);
    expect([limited.status, await errorOf(limited)]).toEqual([429, 'rate_limited']);
    expect(limited.headers.get('ratelimit')).toMatch(/^"upstream";r=0;t=\d+$/);
    expect(limited.headers.get('replay-nonce')).toMatch(/^[0-9a-f]{32}$/);
    expect(await statusOf(askWith(asker, header))).toBe(429);
    expect(gateway.upstream.arrivals.length).toBe(arrivals);
    await wait(Number(limited.headers.get('retry-after')) * 1000);
    expect(await statusOf(askWith(asker, header))).toBe(200);
    await refusedWith('invalid_siwx_nonce', askWith(asker, header));
  });

  it('is told from a replay, which gets its 402 where the budget is used up', async () => {
    const gateway = await open({ TOKENS_RATE_LIMIT_PER_MINUTE: '1' });
    const asker = overHttp(gateway);
    const [header, unused] = [await signInFor(asker), await signInFor(asker)];
    expect(await statusOf(askWith(asker, header))).toBe(200);
    expect(await statusOf(askWith(asker, unused))).toBe(429);
    await refusedWith('invalid_siwx_nonce', askWith(asker, header));
    expect(gateway.upstream.arrivals).toHaveLength(1);
  });

  it('is not burnt while the upstream has asked for a pause', async () => {
    const gateway = await open();
    const asker = overHttp(gateway);
    Object.assign(gateway.upstream.faults, { status: 429, retryAfter: '1', times: 1 });
    expect(await statusOf(askFreshly(asker))).toBe(503);
    const header = await signInFor(asker);
    const paused = await askWith(asker, header);
    expect([paused.status, await errorOf(paused)]).toEqual([503, 'upstream_rate_limited']);
    expect(paused.headers.get('replay-nonce')).toMatch(/^[0-9a-f]{32}$/);
    expect(gateway.upstream.arrivals).toHaveLength(1);
    await wait(Number(paused.headers.get('retry-after')) * 1000);
    expect(await statusOf(askWith(asker, header))).toBe(200);
  });
});

describe('S21 a good header refused because 64 calls are in flight', () => {
  it('is not burnt and reaches no upstream, and a replay gets its 402', async () => {
    const gateway = await open();
    const asker = overHttp(gateway);
    const used = await signInFor(asker);
    expect(await statusOf(askWith(asker, used))).toBe(200);
    const headers = await Promise.all(Array.from({ length: 65 }, () => signInFor(asker)));
    const last = headers.pop() ?? '';
    gateway.upstream.faults.delayMs = 1000;
    const running = headers.map((header) => statusOf(askWith(asker, header)));
    while (gateway.upstream.arrivals.length < 65) await wait(5);
    const crowded = await askWith(asker, last);
    expect([crowded.status, await errorOf(crowded), crowded.headers.get('retry-after')]).toEqual([
      503,
      'overloaded',
      '1',
    ]);
    await refusedWith('invalid_siwx_nonce', askWith(asker, used));
    expect(new Set(await Promise.all(running))).toEqual(new Set([200]));
    expect(gateway.upstream.arrivals).toHaveLength(65);
    gateway.upstream.faults.reset();
    expect(await statusOf(askWith(asker, last))).toBe(200);
  });
});

describe('S22 an upstream failure after dispatch', () => {
  it.each<[string, object, number]>([
    ['500', { status: 500, times: 1 }, 502],
    ['404', { status: 404, times: 1 }, 404],
    ['two resets', { resetConnection: true, times: 2 }, 502],
    ['nonsense', { body: 'not JSON', times: 1 }, 502],
    ['silence', { hang: true, times: 1 }, 504],
  ])('%s: the nonce is used, and the client has a next one', async (_, knobs, status) => {
    const asker = overHttp(wide);
    const header = await signInFor(asker);
    wide.upstream.faults.reset();
    Object.assign(wide.upstream.faults, knobs);
    const failed = await askWith(asker, header);
    const nonce = failed.headers.get('replay-nonce');
    expect(await statusOf(failed)).toBe(status);
    expect(nonce).toMatch(/^[0-9a-f]{32}$/);
    expect(nonce).not.toBe(decodeHeader(header).nonce);
    const arrivals = wide.upstream.arrivals.length;
    await refusedWith('invalid_siwx_nonce', askWith(asker, header));
    expect(wide.upstream.arrivals.length).toBe(arrivals);
    expect(await statusOf(askFreshly(asker, SEARCH, { nonce }))).toBe(200);
    expect(await statusOf(askFreshly(asker, HEALTH))).toBe(200);
  });
});
