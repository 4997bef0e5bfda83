import { expect, it } from 'vitest';
import { mostForCertain, sleep } from '../budget/history.ts';
import { inSuite } from '../kit/in-suite.ts';
import { redisSuite, startRedis } from '../kit/redis.ts';
import { startTcpProxy } from '../kit/tcp-proxy.ts';
import { until } from '../payments/fault-buyer.ts';
import { askWith, newPath } from './asking.ts';
import { openNodes, signAt } from './nodes.ts';

const [LIMIT, WINDOW_MS, DEADLINE_MS] = [4, 1_000, 3_000];
/** Longer than any slot is held, and than a reply of Redis counts. */
const STOPPED_MS = 6_000;

redisSuite('a node that is stopped while it takes slots', () => {
  const redis = inSuite(startRedis);
  const proxy = inSuite(() => startTcpProxy(redis.port));
  const limits = { TOKENS_RATE_LIMIT_PER_MINUTE: String(LIMIT), UPSTREAM_TIMEOUT_MS: String(DEADLINE_MS) };
  const nodes = inSuite(() => openNodes({ windowMs: WINDOW_MS, variables: { ...limits, REDIS_URL: redis.url } }));

  it('L9 does not use them after SIGCONT: other nodes may hold them by then', async () => {
    const stopped = await nodes.open({ REDIS_URL: `redis://127.0.0.1:${proxy.port}` });
    const other = await nodes.open();
    const ask = async () => {
      const path = newPath();
      return (await askWith(other.url + path, await signAt(other, path))).status;
    };
    // Redis knows the script from then on; on a busy machine the first reply may be late.
    await until(async () => (await ask()) === 200);
    await sleep(WINDOW_MS * 2);
    const before = nodes.upstream.arrivals.length;
    const paths = Array.from({ length: LIMIT }, newPath);
    const headers = await Promise.all(paths.map((path) => signAt(stopped, path)));
    const held: Buffer[] = [];
    proxy.meddle = (reply) => {
      held.push(reply);
      return undefined;
    };
    const answers = Promise.all(paths.map((path, index) => askWith(stopped.url + path, headers[index] ?? '')));
    const slots = async () => Number(await redis.command('ZCARD', (await slotKeys())[0] ?? 'none'));
    const slotKeys = async () => (await redis.command('KEYS', '{gw:budgets}:slots:tokens:*')) as string[];
    await until(async () => (await slots()) === LIMIT);
    stopped.child.kill('SIGSTOP');
    proxy.release(held);
    await sleep(STOPPED_MS);
    const served = await Promise.all(Array.from({ length: LIMIT }, ask));
    expect(served).toEqual(Array(LIMIT).fill(200));
    proxy.meddle = undefined;
    stopped.child.kill('SIGCONT');
    expect((await answers).map(({ status, code }) => `${status} ${code}`)).toEqual(
      Array(LIMIT).fill('503 state_unavailable'),
    );
    expect(mostForCertain(await nodes.arrivals.seen(), WINDOW_MS)).toBeLessThanOrEqual(LIMIT);
    expect(nodes.upstream.arrivals).toHaveLength(before + LIMIT);
  });
});
