import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import type { Store, Verdict } from '../../packages/gateway/src/budget/store.ts';
import { Metrics } from '../../packages/gateway/src/metrics/metrics.ts';
import { type SellingGateway, startSellingGateway } from '../kit/selling-gateway.ts';
import { startTestGateway, type TestGateway, type TestGatewayOptions } from '../kit/test-gateway.ts';
import { ask, newBuyer, newPath, until } from '../payments/fault-buyer.ts';
import { askFreshly } from '../signin/craft.ts';
import { openDirect } from '../signin/direct-gateway.ts';
import { Caller, HEALTH } from '../upstream/caller.ts';
import { Scrape, scrape } from './scrape.ts';

const TOKENS = { provider: 'tokens', cluster: '', surface: 'tokens' };

const places: (TestGateway | SellingGateway)[] = [];
afterAll(() => Promise.all(places.map((place) => place.stop())));

async function open(variables = {}, options: TestGatewayOptions = {}): Promise<TestGateway> {
  const node = await startTestGateway({ METRICS_PORT: '0', ...variables }, { windowMs: 3_600_000, ...options });
  places.push(node);
  return node;
}

async function requestsOf({ gateway }: TestGateway | SellingGateway, code: string): Promise<number> {
  return (await scrape(gateway)).sum('asset_gateway_requests_total', { code }) ?? 0;
}

/** What somebody may want to be woken for, made to happen once each and seen in a scrape. */
describe('the metrics tell when', () => {
  it.each<[string, object, string]>([
    ['the upstream fails', { status: 500 }, 'upstream_error'],
    ['the upstream is slow', { hang: true }, 'upstream_timeout'],
    ['the upstream refuses our key', { status: 401 }, 'upstream_auth_failed'],
    ['the upstream asks for a pause', { status: 429 }, 'upstream_rate_limited'],
    ['the upstream talks nonsense', { body: 'x' }, 'upstream_invalid_response'],
  ])('%s', async (_, knobs, code) => {
    const node = await open({ UPSTREAM_TIMEOUT_MS: '300' });
    expect(await requestsOf(node, code)).toBe(0);
    Object.assign(node.upstream.faults, knobs);
    await new Caller(node).ask({ target: HEALTH });
    expect(await requestsOf(node, code)).toBe(1);
  });

  it('an upstream is left alone, and is back', async () => {
    const clock = { nowMs: 50_000 };
    const node = await open({}, { breaker: { now: () => clock.nowMs } });
    const isOpen = async () => (await scrape(node.gateway)).sum('asset_gateway_breaker_open', TOKENS);
    expect(await isOpen()).toBe(0);
    node.upstream.faults.status = 500;
    for (let time = 0; time < 6; time++) {
      await new Caller(node).ask({ target: time % 2 ? HEALTH : `${HEALTH.replace('health', 'assets')}/a${time}` });
    }
    expect([await isOpen(), await requestsOf(node, 'upstream_unavailable')]).toEqual([1, 1]);
    node.upstream.faults.reset();
    clock.nowMs += 5_000;
    await new Caller(node).ask({ target: HEALTH });
    expect(await isOpen()).toBe(0);
  });

  it('an upstream is paused, for as long as it has asked for', async () => {
    const node = await open();
    const pause = async () => (await scrape(node.gateway)).sum('asset_gateway_upstream_pause_seconds', TOKENS);
    expect(await pause()).toBe(0);
    Object.assign(node.upstream.faults, { status: 429, retryAfter: '40' });
    await new Caller(node).ask({ target: HEALTH });
    const seconds = await pause();
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(40);
  });

  it('the budget is used up', async () => {
    const node = await open({ TOKENS_RATE_LIMIT_PER_MINUTE: '2' });
    const left = async () => (await scrape(node.gateway)).sum('asset_gateway_budget_left', TOKENS);
    expect(await left()).toBe(2);
    for (let time = 0; time < 3; time++) await new Caller(node).ask({ target: HEALTH });
    expect([await left(), await requestsOf(node, 'rate_limited')]).toEqual([0, 1]);
  });

  it('sign-ins are replayed', async () => {
    const node = await open();
    const caller = new Caller(node);
    const signIn = await caller.signIn();
    for (let time = 0; time < 4; time++) await caller.askWith(signIn, { target: HEALTH });
    const scraped = await scrape(node.gateway);
    expect(scraped.sum('asset_gateway_sign_ins_total', { result: 'invalid_siwx_nonce' })).toBe(3);
  });

  it('H19 the event loop was blocked', async () => {
    const node = await open();
    await scrape(node.gateway);
    // The delay is sampled by a timer, which has to have run before and after.
    await wait(50);
    const until = performance.now() + 300;
    while (performance.now() < until);
    await wait(50);
    const scraped = await scrape(node.gateway);
    expect(scraped.sum('nodejs_eventloop_lag_max_seconds')).toBeGreaterThan(0.2);
    expect(scraped.sum('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0.2);
  });

  it('the fee budget is used up', async () => {
    const seller = await startSellingGateway({ METRICS_PORT: '0', FEE_BUDGET_LAMPORTS_PER_HOUR: '10000' });
    places.push(seller);
    const url = seller.url + newPath();
    const reply = await ask(url, await (await newBuyer(seller.solana.mainnet)).pay(url));
    expect(reply.code).toBe('facilitator_unavailable');
    expect(await requestsOf(seller, 'facilitator_unavailable')).toBe(1);
  });

  it('an outcome stays unknown', async () => {
    const seller = await startSellingGateway({ METRICS_PORT: '0' });
    places.push(seller);
    const { faults } = seller.solana.mainnet;
    Object.assign(faults, { dropAfterBroadcast: true, lie: { statusMissing: true } });
    const url = seller.url + newPath();
    await ask(url, await (await newBuyer(seller.solana.mainnet)).pay(url));
    const open = async () => (await scrape(seller.gateway)).sum('asset_gateway_settlements_open');
    expect(await open()).toBe(1);
    faults.reset();
    await until(async () => (await open()) === 0);
  });
});

/** A store with another admit step: one that is lost, or answers what no store may. */
const troubled = (store: Store, admit: Store['admit']): Store => ({
  now: () => store.now(),
  wallNow: () => store.wallNow(),
  ready: () => store.ready(),
  epoch: () => store.epoch(),
  admit,
  judge: (...parts) => store.judge(...parts),
  burn: (...parts) => store.burn(...parts),
  complete: (...parts) => store.complete(...parts),
  pause: (...parts) => store.pause(...parts),
  view: (budget) => store.view(budget),
});

describe('the metrics tell of a store in trouble, by the code of the answer', () => {
  it.each<[string, Store['admit']]>([
    ['state_unavailable', () => Promise.reject(new Error('down'))],
    ['internal_error', () => Promise.resolve(undefined as unknown as Verdict)],
  ])('%s', async (code, admit) => {
    const direct = await openDirect({ around: (store) => troubled(store, admit) });
    await askFreshly(direct);
    expect(direct.upstream.arrivals).toEqual([]);
    const metrics = new Metrics();
    for (const line of direct.lines) metrics.finished(line);
    const scraped = new Scrape(await metrics.text());
    expect(scraped.sum('asset_gateway_requests_total', { code })).toBe(1);
    await direct.close();
  });
});
