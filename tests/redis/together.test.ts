import { beforeEach, expect, it } from 'vitest';
import { sleep } from '../budget/history.ts';
import { BOTH, countsOf, FIRST, SECOND } from '../keys/keyed-gateway.ts';
import { inEachTest } from '../kit/in-suite.ts';
import { redisSuite, startRedis } from '../kit/redis.ts';
import { startTcpProxy } from '../kit/tcp-proxy.ts';
import { askFreshly, codesOf, untilAvailable } from './asking.ts';
import { openFleet } from './fleet.ts';

const WINDOW_MS = 1_000;

redisSuite('nodes that share a Redis', () => {
  const redis = inEachTest(startRedis);
  const fleet = inEachTest(() => openFleet({ redisUrl: redis.url, windowMs: WINDOW_MS }));

  const asked = (origin: string) => untilAvailable(() => askFreshly(origin));

  const isPaused = async (): Promise<boolean> =>
    ((await redis.command('KEYS', '{gw:budgets}:pause:tokens:*')) as string[]).length > 0;

  it('U9 all pause after a 429 to one node', async () => {
    const nodes = [await fleet.start(), await fleet.start()];
    Object.assign(fleet.upstream.faults, { status: 429, retryAfter: '4', times: 1 });
    expect((await asked(String(nodes[0]?.url))).code).toBe('upstream_rate_limited');
    // The third was not there when the upstream asked.
    for (const { url } of [...nodes, await fleet.start()]) {
      expect(await asked(url)).toMatchObject({ status: 503, code: 'upstream_rate_limited' });
    }
    expect(fleet.upstream.arrivals).toHaveLength(1);
    while (await isPaused()) await sleep(50);
    expect((await asked(String(nodes[1]?.url))).status).toBe(200);
  });

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

  it('L10 with different limits meet at the lower one, for as long as it is asked with', async () => {
    const deadline = { UPSTREAM_TIMEOUT_MS: '500' };
    const low = await fleet.start({ TOKENS_RATE_LIMIT_PER_MINUTE: '2', ...deadline });
    const high = await fleet.start({ TOKENS_RATE_LIMIT_PER_MINUTE: '6', ...deadline });
    expect((await asked(low.url)).status).toBe(200);
    expect([await asked(high.url), await asked(high.url)].map(({ status }) => status)).toEqual([200, 429]);
    await sleep(WINDOW_MS + 600);
    const answers = [];
    for (let call = 0; call < 7; call++) answers.push(await asked(high.url));
    expect(codesOf(answers.slice(0, 3))).toEqual(['200']);
    expect(answers.at(-1)?.status).toBe(429);
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
    await proxy.close();
  });
});

const LIMIT = 6;
const TWO_KEYS = { TOKENS_API_KEY: BOTH, TOKENS_RATE_LIMIT_PER_MINUTE: String(LIMIT) };

redisSuite('two nodes with two keys', () => {
  const redis = inEachTest(startRedis);
  const fleet = inEachTest(() => openFleet({ redisUrl: redis.url, windowMs: 3_600_000 }));
  let nodes: readonly [string, string];
  beforeEach(async () => {
    fleet.upstream.keys.add(SECOND);
    nodes = [(await fleet.start(TWO_KEYS)).url, (await fleet.start(TWO_KEYS)).url];
  });

  const counts = () => countsOf(fleet.upstream, FIRST, SECOND);
  /** Asks this often, alternating nodes. Repeats if Redis was late. */
  const askInTurn = async (times: number) => {
    const answers = [];
    for (let time = 0; time < times; time++) {
      answers.push(await untilAvailable(() => askFreshly(nodes[time % 2] ?? nodes[0])));
    }
    return answers;
  };

  it('each notice a revoked key by themselves', async () => {
    fleet.upstream.keys.delete(FIRST);
    const answers = await askInTurn(LIMIT);
    expect(codesOf(answers)).toEqual(['200']);
    expect(counts()).toEqual([2, LIMIT]);
    expect(codesOf(await askInTurn(2))).toEqual(['429 rate_limited']);
    expect(counts()).toEqual([2, LIMIT]);
  });
});
