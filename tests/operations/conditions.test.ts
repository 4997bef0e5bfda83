import { EventEmitter, once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { readConfig } from '@asset-gateway/gateway';
import { type Route, routes } from '@asset-gateway/protocol';
import { describe, expect, it } from 'vitest';
import { compose } from '../../packages/gateway/src/compose/compose.ts';
import { usualOpenApi } from '../../packages/gateway/src/describe/pages.ts';
import { faultsOf, operationOf } from '../discovery/openapi-document.ts';
import { get } from '../http/bare-server.ts';
import { expectInTable, expectRefusal } from '../http/error-table.ts';
import { openClient, seen } from '../http/wire.ts';
import { openLocalStore } from '../kit/local-store.ts';
import { startTestGateway, type TestGateway, type TestGatewayOptions } from '../kit/test-gateway.ts';
import { askSigned } from '../kit/wallet.ts';
import { until } from '../process/program.ts';
import { Caller, HEALTH } from '../upstream/caller.ts';
import { scrape } from './scrape.ts';

const TOKENS = { provider: 'tokens', cluster: '', surface: 'tokens' };
const open = (variables = {}, options: TestGatewayOptions = {}) =>
  startTestGateway({ METRICS_PORT: '0', ...variables }, { windowMs: 3_600_000, ...options });

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

  it('an upstream is paused for as long as it has asked', async () => {
    const node = await open();
    const pause = async () => (await scrape(node.gateway)).sum('asset_gateway_upstream_pause_seconds', TOKENS);
    expect(await pause()).toBe(0);
    Object.assign(node.upstream.faults, { status: 429, retryAfter: '40' });
    await new Caller(node).ask({ target: HEALTH });
    const seconds = await pause();
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(40);
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

describe('/readyz', () => {
  it('answers 200 to every client, with one body and no upstream call', async () => {
    const node = await startTestGateway({ METRICS_PORT: '0' });
    const answer = await seen(await fetch(`${node.url}/readyz`));
    expect([answer.status, answer.body]).toEqual([200, '{"ok":true,"status":"ready"}']);
    expectInTable(answer);
    expect((await fetch(`${node.url}/readyz`, { method: 'HEAD' })).status).toBe(200);
    expect((await fetch(`${node.url}/readyz`, { method: 'OPTIONS' })).status).toBe(204);
    expect((await fetch(`${node.url}/readyz?x=1`)).status).toBe(400);
    expect(await (await fetch(`${node.url}/v1/catalog`)).text()).not.toContain('readyz');
    expect(node.upstream.arrivals).toEqual([]);
    expect((await scrape(node.gateway)).sum('asset_gateway_ready')).toBe(1);
  });

  it('answers 503 as soon as the node stops, while requests in flight are still answered', async () => {
    const node = await startTestGateway({ METRICS_PORT: '0' }, { graceMs: 1_000 });
    const upstream = new EventEmitter();
    node.upstream.faults.until = once(upstream, 'answer');
    const slow = askSigned(node.url + HEALTH);
    await until(() => node.upstream.arrivals.length === 1);
    const client = openClient(node.port);
    client.socket.write(get('/readyz'));
    await until(() => client.received().includes('"ready"'));
    const stopping = node.stop();
    client.socket.write(get('/readyz'));
    await until(client.isClosed);
    const [before, after] = client.answers();
    expect(before?.status).toBe(200);
    expectRefusal(after, '503 shutting_down');
    expect(after?.headers['retry-after']).toBe('1');
    expect((await scrape(node.gateway)).sum('asset_gateway_ready')).toBe(0);
    upstream.emit('answer');
    expect((await slow).status).toBe(200);
    await stopping;
    await expect(fetch(node.gateway.metricsUrl ?? '')).rejects.toThrow();
  });

  it('answers 503 while the state store cannot be reached, and the node counts as alive', async () => {
    let isReached = false;
    const { store, close: closeStore } = await openLocalStore(Date.now);
    store.ready = () => isReached;
    const config = readConfig({ TOKENS_API_KEY: 'a-key' });
    const { gateway, close } = await compose(config, { store, secrets: ['secret'], log: () => undefined });
    const ask = (target: string) =>
      gateway({ method: 'GET', target, headers: {}, hosts: [], port: 1, body: new Uint8Array(0), client: '' });
    const refused = await ask('/readyz');
    expect([refused.status, JSON.parse(String(refused.body)).error]).toEqual([503, 'state_unavailable']);
    expect(refused.headers['Retry-After']).toBe('2');
    const readiness = routes.find(({ method }) => method === 'readiness') as Route;
    const documented = operationOf(JSON.parse(usualOpenApi()), readiness);
    expect(await faultsOf(documented, new Response(String(refused.body), refused))).toEqual([]);
    expect((await ask('/healthz')).status).toBe(200);
    isReached = true;
    expect((await ask('/readyz')).status).toBe(200);
    await close();
    await closeStore();
  });
});
