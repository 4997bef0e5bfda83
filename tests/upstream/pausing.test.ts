import { Refusal } from '@asset-gateway/protocol';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Input } from '../../packages/gateway/src/call.ts';
import { Channels } from '../../packages/gateway/src/compose/channels.ts';
import { readConfig } from '../../packages/gateway/src/config/config.ts';
import { startTokensApi, type TokensApi } from '../../packages/sandbox/src/tokens/api.ts';
import { rowOf } from '../http/targets.ts';
import { type OpenedStore, openLocalStore } from '../kit/local-store.ts';

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

it('U9 a pause that cannot be kept is noted, and the answer is what the upstream said', async () => {
  Object.assign(api.faults, { status: 429, retryAfter: '7', times: 1 });
  const refusal = await refusalOf(async () => slot);
  expect(refusal).toMatchObject({ code: 'upstream_rate_limited', retryAfterSeconds: 7 });
  expect(pauses).toEqual([7_000]);
  expect(failures).toEqual([new Error('the store is down')]);
});

it('U9 a pause that spend tells of is not asked for once more', async () => {
  const arrivals = api.arrivals.length;
  const told = new Refusal('upstream_rate_limited', { retryAfterSeconds: 9 });
  expect(await refusalOf(() => Promise.reject(told))).toBe(told);
  expect([pauses, failures, api.arrivals.length]).toEqual([[], [], arrivals]);
});
