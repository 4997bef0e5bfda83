import { expect, it } from 'vitest';
import { sleep } from '../budget/history.ts';
import { inEachTest } from '../kit/in-suite.ts';
import { redisSuite, startRedis } from '../kit/redis.ts';
import { startTcpProxy } from '../kit/tcp-proxy.ts';
import { askFreshly, untilAvailable } from './asking.ts';
import { openFleet } from './fleet.ts';

const WINDOW_MS = 1_000;

redisSuite('nodes that share a Redis', () => {
  const redis = inEachTest(startRedis);
  const fleet = inEachTest(() => openFleet({ redisUrl: redis.url, windowMs: WINDOW_MS }));

  const asked = (origin: string) => untilAvailable(() => askFreshly(origin));

  const isPaused = async (): Promise<boolean> =>
    ((await redis.command('KEYS', '{gw:budgets}:pause:tokens:*')) as string[]).length > 0;

  it('U9 all learn of a pause that began while Redis was down', async () => {
    const [one, other] = [await fleet.start(), await fleet.start()];
    Object.assign(fleet.upstream.faults, { status: 429, retryAfter: '30', times: 1, delayMs: 300 });
    const refused = asked(one.url);
    while (fleet.upstream.arrivals.length === 0) await sleep(5);
    await redis.kill();
    expect((await refused).code).toBe('upstream_rate_limited');
    await redis.start();
    while (!(await isPaused())) await sleep(50);
    expect((await asked(other.url)).code).toBe('upstream_rate_limited');
    expect(fleet.upstream.arrivals).toHaveLength(1);
  });

  it('log a warning if Redis may evict keys', async () => {
    const says = () => fleet.logLines.some((line) => line.includes('set maxmemory-policy to noeviction'));
    await fleet.start();
    expect(says()).toBe(false);
    await redis.command('CONFIG', 'SET', 'maxmemory-policy', 'volatile-lru');
    await fleet.start();
    expect(says()).toBe(true);
  });

  it('keep the password of Redis out of their log', async () => {
    const password = 'CANARY_redis_password';
    const proxy = await startTcpProxy(redis.port);
    proxy.meddle = () => Buffer.from(`-ERR nobody has the password ${password}\r\n`);
    await fleet.start({ REDIS_URL: `redis://:${password}@127.0.0.1:${proxy.port}` });
    const line = fleet.logLines.find((each) => each.includes('Redis does not answer'));
    expect(line).toContain('nobody has the password [secret]');
    expect(fleet.logLines.join('')).not.toContain(password);
  });
});
