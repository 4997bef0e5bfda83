import { setTimeout as wait } from 'node:timers/promises';
import { Refusal } from '@asset-gateway/protocol';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Input } from '../../packages/gateway/src/call.ts';
import { Channels } from '../../packages/gateway/src/compose/channels.ts';
import { readConfig } from '../../packages/gateway/src/config/config.ts';
import { pauseSeconds } from '../../packages/gateway/src/upstreams/exchange.ts';
import { startTokensApi, type TokensApi } from '../../packages/sandbox/src/tokens/api.ts';
import { rowOf } from '../http/targets.ts';
import { type OpenedStore, openLocalStore } from '../kit/local-store.ts';
import { stoppedAfterTests } from '../kit/stop-after-tests.ts';
import { startTestGateway, type TestGateway } from '../kit/test-gateway.ts';
import { Caller, HEALTH, TOKENS } from './caller.ts';
import { type Answered, slotsLeft } from './exchange.ts';

const start = stoppedAfterTests(startTestGateway);

async function limitedNode(retryAfter: string | undefined): Promise<TestGateway> {
  const gateway = await start();
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

const ROUTE = rowOf('tokens.health');
const INPUT = { path: {}, query: {}, body: {} } as Input;
const ARRIVAL = { hosts: [], port: 0 };
const slot = { release: () => undefined };

let api: TokensApi;
let opened: OpenedStore;
let pauses: number[];
let channels: Channels;
let failures: unknown[];
beforeAll(async () => {
  api = await startTokensApi({ key: 'a-key-of-the-upstream' });
});
afterAll(() => api.close());
beforeEach(async () => {
  opened = await openLocalStore(Date.now);
  const { store } = opened;
  // It notes each pause and then fails to keep it.
  store.pause = async (_, milliseconds) => {
    pauses.push(milliseconds);
    throw new Error('the store is down');
  };
  [pauses, failures] = [[], []];
  const config = readConfig({ TOKENS_API_BASE_URL: api.url, TOKENS_API_KEY: api.key });
  const onFailure = (error: unknown) => void failures.push(error);
  channels = new Channels({ config, store, onFailure, windowMs: undefined, breaker: undefined });
});

afterEach(async () => {
  await channels.close();
  await opened.close();
});

const refusalOf = (spend: () => Promise<typeof slot>): Promise<unknown> =>
  Promise.resolve(
    channels.get(ROUTE)?.upstream.answer({ route: ROUTE, input: INPUT, wallet: undefined, arrival: ARRIVAL, spend }),
  ).catch((error: unknown) => error);

it('U9 a pause that the store cannot keep is logged', async () => {
  Object.assign(api.faults, { status: 429, retryAfter: '7', times: 1 });
  const refusal = await refusalOf(async () => slot);
  expect(refusal).toMatchObject({ code: 'upstream_rate_limited', retryAfterSeconds: 7 });
  expect(pauses).toEqual([7_000]);
  expect(failures).toEqual([new Error('the store is down')]);
});

it('U9 a pause that spending reports is not stored again', async () => {
  const arrivals = api.arrivals.length;
  const told = new Refusal('upstream_rate_limited', { retryAfterSeconds: 9 });
  expect(await refusalOf(() => Promise.reject(told))).toBe(told);
  expect([pauses, failures, api.arrivals.length]).toEqual([[], [], arrivals]);
});
