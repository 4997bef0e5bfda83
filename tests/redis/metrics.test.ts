import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RedisServer, redisSuite, startRedis } from '../kit/redis.ts';
import { startTestGateway, type TestGateway } from '../kit/test-gateway.ts';
import { scrape } from '../operations/scrape.ts';

redisSuite('the metrics of a node', () => {
  let redis: RedisServer;
  let gateway: TestGateway;
  beforeAll(async () => {
    redis = await startRedis();
    gateway = await startTestGateway({ REDIS_URL: redis.url, METRICS_PORT: '0' }, { paid: true });
  });
  afterAll(() => gateway.stop().then(redis.stop));

  it('are given out while Redis is down, without the one that only Redis knows', async () => {
    await expect.poll(async () => (await scrape(gateway.gateway)).sum('asset_gateway_settlements_open')).toBe(0);
    await redis.kill();
    await expect.poll(async () => (await fetch(`${gateway.url}/readyz`)).status).toBe(503);
    const during = await scrape(gateway.gateway);
    expect([during.sum('asset_gateway_ready'), during.sum('asset_gateway_settlements_open')]).toEqual([0, undefined]);
    expect(during.sum('asset_gateway_requests_total', { route: 'system.readiness', status: '503' })).toBeGreaterThan(0);
    await redis.start();
    await expect.poll(async () => (await scrape(gateway.gateway)).sum('asset_gateway_settlements_open')).toBe(0);
  });
});
