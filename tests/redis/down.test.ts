import { expect, it } from 'vitest';
import { mostInAnySpan, sleep } from '../budget/history.ts';
import { freePort } from '../http/ports.ts';
import { noteTime, ownTime } from '../kit/event-loop.ts';
import { inEachTest } from '../kit/in-suite.ts';
import { redisSuite, startRedis } from '../kit/redis.ts';
import { isFull, rounds } from '../kit/rounds.ts';
import { startTestGateway, type TestGateway, WITHOUT_BREAKER } from '../kit/test-gateway.ts';
import { challengeFor, signedHeader } from '../kit/wallet.ts';
import { scrape } from '../operations/scrape.ts';
import { until } from '../payments/fault-buyer.ts';
import {
  type Answered,
  askFreshly,
  askWith,
  codesOf,
  keepAsking,
  longestWait,
  newPath,
  PROMISED_MS,
  untilAvailable,
  untilServed,
} from './asking.ts';
import { openFleet } from './fleet.ts';

const [LIMIT, WINDOW_MS, DEADLINE_MS] = [20, 300, 300];
/** Until three nodes have served again, on any machine. */
const NODES_LIMIT_MS = 60_000;
const FROZEN_MS = isFull ? 30_000 : 1_500;
const LIMITS = { TOKENS_RATE_LIMIT_PER_MINUTE: String(LIMIT), UPSTREAM_TIMEOUT_MS: String(DEADLINE_MS) };

noteTime();

/** Routes without state are served. */
async function expectStateless(gateway: TestGateway): Promise<void> {
  for (const path of ['/healthz', '/v1/catalog']) expect((await fetch(gateway.url + path)).status).toBe(200);
  const path = gateway.url + newPath();
  expect((await fetch(path, { method: 'OPTIONS' })).status).toBe(204);
  expect((await challengeFor(path)).info.nonce).toMatch(/^[0-9a-f]{32}$/);
}

/** Every one of these was refused because of the store. */
function expectRefused(answers: readonly Answered[]): void {
  expect(answers.length).toBeGreaterThan(0);
  expect(new Set(answers.map(({ status, code, retryAfter }) => `${status} ${code} ${retryAfter}`))).toEqual(
    new Set(['503 state_unavailable 2']),
  );
}

redisSuite('a Redis that', () => {
  const redis = inEachTest(startRedis);
  const gateway = inEachTest(() =>
    startTestGateway({ REDIS_URL: redis.url, ...LIMITS }, { windowMs: WINDOW_MS, ...WITHOUT_BREAKER }),
  );

  /** No request had to wait for it; the run says how long they did. */
  function report(fault: string, recoveryMs: number): void {
    const waitMs = longestWait(gateway.logLines);
    process.stdout.write(`${fault}: waited ${waitMs} ms, back after ${Math.ceil(recoveryMs)} ms\n`);
    expect(waitMs).toBeLessThan(PROMISED_MS);
  }

  it('R2 is killed again and again: 503 while it is down, back in two seconds, and the limit is kept', {
    timeout: 300_000,
  }, async () => {
    const recoveries: number[] = [];
    for (let round = 0; round < rounds(50); round++) {
      const load = keepAsking(gateway.url, 6);
      await sleep(150);
      await redis.kill();
      await load.stop();
      const before = gateway.upstream.arrivals.length;
      const down = keepAsking(gateway.url, 6);
      await sleep(300);
      expectRefused(await down.stop());
      await expectStateless(gateway);
      expect(gateway.upstream.arrivals.length).toBe(before);
      await redis.start();
      const sinceMs = performance.now();
      const answer = await untilAvailable(() => askFreshly(gateway.url));
      const ms = ownTime(sinceMs);
      // A challenge from before the store's data was lost is good for nothing, and a fresh one comes with the refusal.
      expect([200, 402, 429]).toContain(answer.status);
      expect(ms).toBeLessThan(2_000);
      recoveries.push(ms);
    }
    expect(mostInAnySpan(gateway.upstream.arrivals, WINDOW_MS)).toBeLessThanOrEqual(LIMIT);
    await untilServed(gateway.url);
    report('killed', Math.max(...recoveries));
  });

  it('R3 is frozen, and thawed: nothing that was asked meanwhile is done late', { timeout: 60_000 }, async () => {
    const { url, upstream } = gateway;
    await untilServed(url);
    const path = url + newPath();
    const header = await signedHeader(path);
    const before = upstream.arrivals.length;
    redis.freeze();
    expectRefused([await askWith(path, header)]);
    const load = keepAsking(url, 6);
    await sleep(FROZEN_MS / 2);
    await expectStateless(gateway);
    await sleep(FROZEN_MS / 2);
    expectRefused(await load.stop());
    expect(upstream.arrivals.length).toBe(before);
    redis.thaw();
    const sinceMs = performance.now();
    const answer = await untilAvailable(() => askWith(path, header));
    const ms = ownTime(sinceMs);
    expect(answer.status).toBe(200);
    expect(ms).toBeLessThan(2_000);
    await Promise.all(Array.from({ length: LIMIT * 2 }, () => askFreshly(url)));
    expect(upstream.arrivals.length).toBeGreaterThan(LIMIT);
    expect(mostInAnySpan(upstream.arrivals, WINDOW_MS)).toBeLessThanOrEqual(LIMIT);
    report('frozen', ms);
  });
});

redisSuite('a Redis that is killed under several nodes', () => {
  const redis = inEachTest(startRedis);
  const fleet = inEachTest(() => openFleet({ redisUrl: redis.url, windowMs: WINDOW_MS }));

  it('R2 L9 again and again: all together never pass the limit', { timeout: 300_000 }, async () => {
    const nodes = await Promise.all([1, 2, 3].map(() => fleet.start({ ...LIMITS, TOKENS_RATE_LIMIT_PER_MINUTE: '6' })));
    const loads = nodes.map(({ url }) => keepAsking(url, 3));
    for (let round = 0; round < rounds(50); round++) {
      const before = fleet.upstream.arrivals.length;
      await until(() => fleet.upstream.arrivals.length > before + 3, NODES_LIMIT_MS);
      await redis.kill();
      await redis.start();
    }
    const answers = (await Promise.all(loads.map((load) => load.stop()))).flat();
    expect(mostInAnySpan(fleet.upstream.arrivals, WINDOW_MS)).toBeLessThanOrEqual(6);
    expect(fleet.upstream.arrivals.length).toBeGreaterThan(6);
    expect(codesOf(answers).filter((code) => !/^(?:200|402 invalid_siwx_nonce|429|503|504)/.test(code))).toEqual([]);
  });
});

redisSuite('a gateway that starts before its Redis', () => {
  it('R1 serves what needs no state, and the rest when Redis is there', async () => {
    const port = await freePort();
    const gateway = await startTestGateway({ REDIS_URL: `redis://127.0.0.1:${port}`, METRICS_PORT: '0' });
    const isReady = async () => (await scrape(gateway.gateway)).sum('asset_gateway_ready');
    for (const path of ['/healthz', '/v1/catalog']) expect((await fetch(gateway.url + path)).status).toBe(200);
    const refused = await fetch(gateway.url + newPath());
    expect([refused.status, (await refused.json()).error]).toEqual([503, 'state_unavailable']);
    expect(await isReady()).toBe(0);
    const redis = await startRedis({ port: String(port) });
    const { status } = await untilAvailable(() => askFreshly(gateway.url));
    expect(status).toBe(200);
    expect(gateway.upstream.arrivals).toHaveLength(1);
    await until(async () => (await isReady()) === 1);
    await gateway.stop();
    await redis.stop();
  });
});
