import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { mostInAnySpan, sleep } from '../budget/history.ts';
import { type House, startHouse } from '../kit/house.ts';
import { type RedisServer, redisSuite, startRedis } from '../kit/redis.ts';
import { rounds } from '../kit/rounds.ts';
import { startTcpProxy, type TcpProxy } from '../kit/tcp-proxy.ts';
import { signedHeader } from '../kit/wallet.ts';
import { askFreshly, askWith, codesOf, newPath, untilAvailable, untilServed } from './asking.ts';

const [LIMIT, WINDOW_MS, DEADLINE_MS] = [5, 800, 400];
const LIMITS = { TOKENS_RATE_LIMIT_PER_MINUTE: String(LIMIT), UPSTREAM_TIMEOUT_MS: String(DEADLINE_MS) };

redisSuite('a Redis that loses its data', () => {
  let redis: RedisServer;
  let proxy: TcpProxy;
  let house: House;
  const start = () => {
    const REDIS_URL = `redis://127.0.0.1:${proxy.port}`;
    return startHouse({ REDIS_URL, ...LIMITS }, { windowMs: WINDOW_MS });
  };
  const later: House[] = [];
  beforeAll(async () => {
    redis = await startRedis({ 'repl-diskless-sync-delay': '0' });
    proxy = await startTcpProxy(redis.port);
    house = await start();
  });
  afterEach(() => {
    expect(mostInAnySpan(house.upstream.arrivals, WINDOW_MS)).toBeLessThanOrEqual(LIMIT);
  });
  afterAll(async () => {
    await Promise.all([house, ...later].map((each) => each.stop()));
    await proxy.close();
    await redis.stop();
  });

  const judged = async (url: string, header: string) => (await untilAvailable(() => askWith(url, header))).answer;

  it('R4 closes the budget for one window and the deadline, and no signature works twice', async () => {
    for (let round = 0; round < rounds(20); round++) {
      const { answer: used } = await untilServed(house.url);
      const url = house.url + newPath();
      const unused = await signedHeader(url);
      const arrivals = house.upstream.arrivals.length;
      await redis.command('FLUSHALL');
      const again = [used, used, { url, header: unused }, used].map(({ url, header }) => judged(url, header));
      expect(codesOf(await Promise.all(again))).toEqual(['402 invalid_siwx_nonce']);
      const closed = (await untilAvailable(() => askFreshly(house.url))).answer;
      expect(closed.status).toBe(429);
      expect(Number(closed.retryAfter)).toBeGreaterThan(0);
      expect(Number(closed.retryAfter)).toBeLessThanOrEqual(Math.ceil((WINDOW_MS + DEADLINE_MS) / 1000));
      const { ms } = await untilServed(house.url);
      expect(ms).toBeGreaterThan(WINDOW_MS / 2);
      expect(house.upstream.arrivals.length).toBe(arrivals + 1);
      expect((await judged(used.url, used.header)).code).toBe('invalid_siwx_nonce');
      expect((await judged(url, unused)).code).toBe('invalid_siwx_nonce');
    }
  });

  it('R4 is closed for nodes that start later, too', async () => {
    await untilServed(house.url);
    await redis.command('FLUSHALL');
    expect([402, 429]).toContain((await untilAvailable(() => askFreshly(house.url))).answer.status);
    const latest = await start();
    later.push(latest);
    expect((await untilAvailable(() => askFreshly(latest.url))).answer.status).toBe(429);
    expect(latest.upstream.arrivals).toEqual([]);
    await untilServed(latest.url);
  });

  it('R4 notices it without being asked', async () => {
    const before = house.upstream.arrivals.length;
    await redis.command('FLUSHALL');
    const sinceMs = performance.now();
    while ((await redis.command('HGET', '{gw:budgets}:state', 'lostAt')) === null) {
      expect(performance.now() - sinceMs).toBeLessThan(5_000);
      await sleep(50);
    }
    expect(house.upstream.arrivals.length).toBe(before);
  });

  it('R5 after a failover to a replica that lacks what was last written', async () => {
    const replica = await startRedis({ replicaof: `127.0.0.1 ${redis.port}` });
    while (!String(await replica.command('INFO', 'replication')).includes('master_link_status:up')) await sleep(20);
    replica.freeze();
    const { answer: used } = await untilServed(house.url);
    await redis.kill();
    replica.thaw();
    await replica.command('REPLICAOF', 'NO', 'ONE');
    proxy.target = replica.port;
    proxy.cut();
    expect((await judged(used.url, used.header)).code).toBe('invalid_siwx_nonce');
    expect((await untilAvailable(() => askFreshly(house.url))).answer.status).toBe(429);
    const { before } = await untilServed(house.url);
    expect(codesOf(before)).toContain('429 rate_limited');
    await replica.stop();
  });
});
