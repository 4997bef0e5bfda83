import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { stoppedAfterTests } from '../kit/stop-after-tests.ts';
import { startTestGateway, type TestGateway, type TestGatewayOptions } from '../kit/test-gateway.ts';
import { Caller, HEALTH } from '../upstream/caller.ts';
import { scrape } from './scrape.ts';

const TOKENS = { provider: 'tokens', cluster: '', surface: 'tokens' };

const start = stoppedAfterTests(startTestGateway);
const open = (variables = {}, options: TestGatewayOptions = {}) =>
  start({ METRICS_PORT: '0', ...variables }, { windowMs: 3_600_000, ...options });

async function requestsOf({ gateway }: TestGateway, code: string): Promise<number> {
  return (await scrape(gateway)).sum('asset_gateway_requests_total', { code }) ?? 0;
}

/** Conditions that alerts watch, each seen in the metrics. */
describe('the metrics tell when', () => {
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
});
