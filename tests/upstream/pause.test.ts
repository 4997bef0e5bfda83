import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { pauseSeconds } from '../../packages/gateway/src/upstreams/exchange.ts';
import { startTestGateway, type TestGateway } from '../kit/test-gateway.ts';
import { Caller, HEALTH, TOKENS } from './caller.ts';
import { type Answered, slotsLeft } from './exchange.ts';

const nodes: TestGateway[] = [];
afterAll(() => Promise.all(nodes.map((gateway) => gateway.stop())));

async function limitedNode(retryAfter: string | undefined): Promise<TestGateway> {
  const gateway = await startTestGateway();
  nodes.push(gateway);
  Object.assign(gateway.upstream.faults, { status: 429, retryAfter, times: 1 });
  return gateway;
}

function secondsOf({ status, json, headers }: Answered): number {
  expect([status, json.error]).toEqual([503, 'upstream_rate_limited']);
  expect(headers.get('retry-after')).toBe(String(json.retryAfterSeconds));
  return json.retryAfterSeconds ?? 0;
}

describe.each([
  ['seconds', () => '7', 7, 7],
  ['a date', () => new Date(Date.now() + 20_000).toUTCString(), 1, 20],
  ['a date of another century', () => 'Fri, 31 Dec 2199 23:59:59 GMT', 300, 300],
  ['nothing', () => undefined, 60, 60],
  ['far too much', () => '999999999999999999999', 300, 300],
  ['the most', () => '300', 300, 300],
  ['more than the most', () => '301', 300, 300],
  ['nonsense', () => 'soon', 60, 60],
  ['infinity', () => 'Infinity', 60, 60],
])('U9 a 429 that asks for %s', (_, retryAfter, least, most) => {
  it('pauses the upstream for so long, for every route and everybody', async () => {
    const gateway = await limitedNode(retryAfter());
    const first = await new Caller(gateway).ask({ target: HEALTH });
    const seconds = secondsOf(first);
    expect(seconds).toBeGreaterThanOrEqual(least);
    expect(seconds).toBeLessThanOrEqual(most);
    for (const target of [HEALTH, `${TOKENS}/assets/solana`, `${TOKENS}/assets/search?q=a`]) {
      const paused = await new Caller(gateway).ask({ target });
      expect(secondsOf(paused)).toBeLessThanOrEqual(seconds);
      expect(slotsLeft(paused)).toBe(slotsLeft(first));
    }
    expect(gateway.upstream.arrivals).toHaveLength(1);
  });
});

it('U9 after the pause the sign-in that met it still works, and the one that caused it does not', async () => {
  const gateway = await limitedNode('1');
  const [caller, other] = [new Caller(gateway), new Caller(gateway)];
  const [signIn, waiting] = [await caller.signIn(), await other.signIn()];
  expect(secondsOf(await caller.askWith(signIn, { target: HEALTH }))).toBe(1);
  const seconds = secondsOf(await other.askWith(waiting, { target: HEALTH }));
  expect(gateway.upstream.arrivals).toHaveLength(1);
  await wait(seconds * 1000);
  expect((await other.askWith(waiting, { target: HEALTH })).status).toBe(200);
  const replayed = await caller.askWith(signIn, { target: HEALTH });
  expect([replayed.status, replayed.json.error]).toEqual([402, 'invalid_siwx_nonce']);
  expect(gateway.upstream.arrivals).toHaveLength(2);
});

describe('U9 how long a Retry-After asks to wait', () => {
  const NOW = Date.UTC(2026, 0, 1);
  it.each([
    ['0', 1],
    ['1', 1],
    ['299', 299],
    ['99999', 300],
    ['', 60],
    [undefined, 60],
    ['soon', 60],
    ['Thu, 01 Jan 2026 00:00:30 GMT', 30],
    ['Thu, 01 Jan 2026 01:00:00 GMT', 300],
    ['Wed, 31 Dec 2025 23:59:00 GMT', 1],
  ])('%j: %i s', (retryAfter, seconds) => expect(pauseSeconds(retryAfter, NOW, 60)).toBe(seconds));
});
