import { expect, it } from 'vitest';
import { mostInAnySpan, sleep } from '../budget/history.ts';
import { noteTime } from '../kit/event-loop.ts';
import { inEachTest } from '../kit/in-suite.ts';
import { redisSuite, startRedis } from '../kit/redis.ts';
import { rounds } from '../kit/rounds.ts';
import { startTcpProxy } from '../kit/tcp-proxy.ts';
import { until } from '../payments/fault-buyer.ts';
import { askFreshly, codesOf, keepAsking, untilAvailable } from './asking.ts';
import { openFleet } from './fleet.ts';

const WINDOW_MS = 500;
noteTime();

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

  it('R2 L9 never pass the limit together, though Redis is killed again and again', { timeout: 300_000 }, async () => {
    const limits = { TOKENS_RATE_LIMIT_PER_MINUTE: '6', UPSTREAM_TIMEOUT_MS: '300' };
    const nodes = await Promise.all([1, 2, 3].map(() => fleet.start(limits)));
    const loads = nodes.map(({ url }) => keepAsking(url, 3));
    const { arrivals } = fleet.upstream;
    for (let round = 0; round < rounds(50); round++) {
      const before = arrivals.length;
      await until(() => arrivals.length > before + 3, 60_000);
      await redis.kill();
      await redis.start();
    }
    const answers = (await Promise.all(loads.map((load) => load.stop()))).flat();
    expect(mostInAnySpan(arrivals, WINDOW_MS)).toBeLessThanOrEqual(6);
    expect(arrivals.length).toBeGreaterThan(6);
    expect(codesOf(answers).filter((code) => !/^(?:200|402 invalid_siwx_nonce|429|503|504)/.test(code))).toEqual([]);
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
