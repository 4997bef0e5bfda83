import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { pauseSeconds } from '../../packages/gateway/src/upstreams/exchange.ts';
import { startTestGateway, type TestGateway } from '../kit/test-gateway.ts';
import { openDirect } from '../signin/direct-gateway.ts';
import { type Answered, Caller, HEALTH, slotsLeft, TOKENS } from './caller.ts';

async function limitedNode(retryAfter: string | undefined): Promise<TestGateway> {
  const gateway = await startTestGateway();
  Object.assign(gateway.upstream.faults, { status: 429, retryAfter, times: 1 });
  return gateway;
}

function secondsOf({ status, json, headers }: Answered): number {
  expect([status, json.error]).toEqual([503, 'upstream_rate_limited']);
  expect(headers.get('retry-after')).toBe(String(json.retryAfterSeconds));
  return json.retryAfterSeconds ?? 0;
}

it.each([
  ['7', 7],
  [undefined, 60],
])('U9 a 429 that asks for %s pauses the upstream for all routes and clients', async (retryAfter, seconds) => {
  const gateway = await limitedNode(retryAfter);
  const first = await new Caller(gateway).ask({ target: HEALTH });
  expect(secondsOf(first)).toBe(seconds);
  for (const target of [HEALTH, `${TOKENS}/assets/solana`, `${TOKENS}/assets/search?q=a`]) {
    const paused = await new Caller(gateway).ask({ target });
    expect(secondsOf(paused)).toBeLessThanOrEqual(seconds);
    expect(slotsLeft(paused)).toBe(slotsLeft(first));
  }
  expect(gateway.upstream.arrivals).toHaveLength(1);
});

it('U9 a sign-in refused during the pause works after it, the one that caused it does not', async () => {
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
    ['300', 300],
    ['301', 300],
    ['999999999999999999999', 300],
    ['Infinity', 60],
    ['Fri, 31 Dec 2199 23:59:59 GMT', 300],
    ['', 60],
    [undefined, 60],
    ['soon', 60],
    ['Thu, 01 Jan 2026 00:00:30 GMT', 30],
    ['Thu, 01 Jan 2026 01:00:00 GMT', 300],
    ['Wed, 31 Dec 2025 23:59:00 GMT', 1],
  ])('%j: %i s', (retryAfter, seconds) => expect(pauseSeconds(retryAfter, NOW, 60)).toBe(seconds));
});

it.each([true, false])(
  'U9 a pause is stored once, and logged if the store cannot keep it (kept: %s)',
  async (isKept) => {
    const [pauses, failures]: [number[], unknown[]] = [[], []];
    const direct = await openDirect({
      onFailure: (error) => void failures.push(error),
      around(store) {
        const keep = store.pause.bind(store);
        store.pause = async (budget, milliseconds) => {
          pauses.push(milliseconds);
          if (!isKept) throw new Error('the store is down');
          return keep(budget, milliseconds);
        };
        return store;
      },
    });
    Object.assign(direct.upstream.faults, { status: 429, retryAfter: '7', times: 1 });
    const paused = await direct.askFreshly();
    expect([paused.status, paused.headers.get('retry-after'), pauses]).toEqual([503, '7', [7_000]]);
    expect(failures).toEqual(isKept ? [] : [new Error('the store is down')]);
    expect((await direct.askFreshly()).status).toBe(isKept ? 503 : 200);
    expect([pauses, direct.upstream.arrivals.length]).toEqual([[7_000], isKept ? 1 : 2]);
  },
);
