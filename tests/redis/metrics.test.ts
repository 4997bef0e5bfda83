import { expect, it } from 'vitest';
import { inSuite } from '../kit/in-suite.ts';
import { postgresSuite, startPostgres } from '../kit/postgres.ts';
import { redisSuite, startRedis } from '../kit/redis.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { scrape } from '../operations/scrape.ts';

/** A busy machine is given time. */
const SOON = { timeout: 10_000 };

redisSuite('the metrics of a node with Redis', () => postgresSuite('and PostgreSQL', suite));

function suite(): void {
  const redis = inSuite(startRedis);
  const postgres = inSuite(startPostgres);
  const gateway = inSuite(() =>
    startTestGateway({ REDIS_URL: redis.url, DATABASE_URL: postgres.url(), METRICS_PORT: '0' }, { paid: true }),
  );

  const isReady = async () => (await scrape(gateway.gateway)).sum('asset_gateway_ready');
  const openSettlements = async () => (await scrape(gateway.gateway)).sum('asset_gateway_settlements_open');

  it('are given out while Redis is down', async () => {
    await expect.poll(openSettlements, SOON).toBe(0);
    await redis.kill();
    await expect.poll(async () => (await fetch(`${gateway.url}/readyz`)).status, SOON).toBe(503);
    await expect.poll(async () => [await isReady(), await openSettlements()], SOON).toEqual([0, 0]);
    const during = await scrape(gateway.gateway);
    expect(during.sum('asset_gateway_requests_total', { route: 'system.readiness', status: '503' })).toBeGreaterThan(0);
    await redis.start();
    await expect.poll(isReady, SOON).toBe(1);
  });

  it('are given out while PostgreSQL is down, without what only it knows', async () => {
    await postgres.kill();
    await expect.poll(openSettlements, SOON).toBeUndefined();
    await postgres.start();
    await expect.poll(openSettlements, SOON).toBe(0);
  });
}
