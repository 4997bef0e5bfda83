import { afterEach, expect, it } from 'vitest';
import { mostInAnySpan, sleep } from '../budget/history.ts';
import { noteTime } from '../kit/event-loop.ts';
import { inSuite } from '../kit/in-suite.ts';
import { redisSuite, startRedis } from '../kit/redis.ts';
import { rounds } from '../kit/rounds.ts';
import { startTcpProxy } from '../kit/tcp-proxy.ts';
import { startTestGateway, WITHOUT_BREAKER } from '../kit/test-gateway.ts';
import { signedHeader } from '../kit/wallet.ts';
import { type Answered, askWith, codesOf, newPath, untilAvailable, untilServed } from './asking.ts';

const [LIMIT, WINDOW_MS, DEADLINE_MS] = [5, 800, 400];
/** How long a slot is held if the end of its call is unknown. */
const HELD_MS = WINDOW_MS + DEADLINE_MS + WINDOW_MS / 12;
/** The clock of Redis knows whole milliseconds. */
const CLOCK_MS = 2;
const LIMITS = { TOKENS_RATE_LIMIT_PER_MINUTE: String(LIMIT), UPSTREAM_TIMEOUT_MS: String(DEADLINE_MS) };

noteTime();

redisSuite('a Redis that loses its data', () => {
  const redis = inSuite(() => startRedis({ 'repl-diskless-sync-delay': '0' }));
  const proxy = inSuite(() => startTcpProxy(redis.port));
  const gateway = inSuite(() => {
    const REDIS_URL = `redis://127.0.0.1:${proxy.port}`;
    return startTestGateway({ REDIS_URL, ...LIMITS }, { windowMs: WINDOW_MS, ...WITHOUT_BREAKER });
  });
  afterEach(() => {
    expect(mostInAnySpan(gateway.upstream.arrivals, WINDOW_MS)).toBeLessThanOrEqual(LIMIT);
  });

  const judged = (url: string, header: string) => untilAvailable(() => askWith(url, header));

  /** Refused until the budget reopens, with a Retry-After. */
  function expectClosed(answers: readonly Answered[]): void {
    const told = answers.filter(({ status }) => status === 429).map(({ retryAfter }) => Number(retryAfter));
    expect(told.filter((seconds) => seconds < 1 || seconds > Math.ceil(HELD_MS / 1000))).toEqual([]);
    expect(codesOf(answers).filter((code) => !/^(?:402 invalid_siwx_nonce|429|503)/.test(code))).toEqual([]);
  }

  it('R4 closes the budget for as long as slots are held, and no signature works twice', {
    timeout: 300_000,
  }, async () => {
    for (let round = 0; round < rounds(20); round++) {
      const { answer: used } = await untilServed(gateway.url);
      const url = gateway.url + newPath();
      const unused = await signedHeader(url);
      const arrivals = gateway.upstream.arrivals.length;
      const lostAtMs = performance.now();
      await redis.command('FLUSHALL');
      const again = [used, used, { url, header: unused }, used].map(({ url, header }) => judged(url, header));
      expect(codesOf(await Promise.all(again))).toEqual(['402 invalid_siwx_nonce']);
      const { before } = await untilServed(gateway.url);
      expectClosed(before);
      expect(gateway.upstream.arrivals.length).toBe(arrivals + 1);
      expect((gateway.upstream.arrivals.at(-1)?.at ?? 0) - lostAtMs).toBeGreaterThan(HELD_MS - CLOCK_MS);
      expect((await judged(used.url, used.header)).code).toBe('invalid_siwx_nonce');
      expect((await judged(url, unused)).code).toBe('invalid_siwx_nonce');
    }
  });

  it('R4 has its loss noticed without a request', async () => {
    const before = gateway.upstream.arrivals.length;
    await redis.command('FLUSHALL');
    const sinceMs = performance.now();
    while ((await redis.command('HGET', '{gw:budgets}:state', 'lostAt')) === null) {
      expect(performance.now() - sinceMs).toBeLessThan(5_000);
      await sleep(50);
    }
    expect(gateway.upstream.arrivals.length).toBe(before);
  });

  /** Has it lose only slots, when some are held, and asks for more than the node has left, all at once. */
  async function askForTooMany(): Promise<Answered[]> {
    await sleep(HELD_MS);
    for (let used = 0; used < LIMIT - 2; used++) await untilServed(gateway.url);
    const urls = Array.from({ length: LIMIT }, () => gateway.url + newPath());
    const headers = await Promise.all(urls.map((url) => signedHeader(url)));
    const slots = (await redis.command('KEYS', '{gw:budgets}:slots:*')) as string[];
    await redis.command('DEL', ...slots);
    proxy.delayMs = 30;
    const answers = await Promise.all(urls.map((url, index) => askWith(url, headers[index] ?? '')));
    proxy.delayMs = 0;
    return answers;
  }

  it('L9 only slots, and cannot return excess ones: 503, which may have used the sign-in, and 429, which has not', {
    timeout: 120_000,
  }, async () => {
    let lost = 0;
    proxy.meddle = (reply) => {
      if (!reply.includes('given back')) return reply;
      lost += 1;
      return undefined;
    };
    let answers = await askForTooMany();
    // On a busy machine it may not be too much.
    while (lost === 0) answers = await askForTooMany();
    proxy.meddle = undefined;
    expect(codesOf(answers)).toContain('503 state_unavailable');
    expect(mostInAnySpan(gateway.upstream.arrivals, WINDOW_MS)).toBeLessThanOrEqual(LIMIT);
    await sleep(HELD_MS);
    const refused = answers.filter(({ status }) => status === 429);
    const again = await Promise.all(refused.map(({ url, header }) => judged(url, header)));
    expect(codesOf(again).filter((code) => code !== '200')).toEqual([]);
  });

  it('R5 by a failover to a replica without the last writes closes the budget too, and no signature works twice', async () => {
    const replica = await startRedis({ replicaof: `127.0.0.1 ${redis.port}` });
    while (!String(await replica.command('INFO', 'replication')).includes('master_link_status:up')) await sleep(20);
    replica.freeze();
    const { answer: used } = await untilServed(gateway.url);
    await redis.kill();
    replica.thaw();
    await replica.command('REPLICAOF', 'NO', 'ONE');
    proxy.target = replica.port;
    const lostAtMs = performance.now();
    proxy.cut();
    expect((await judged(used.url, used.header)).code).toBe('invalid_siwx_nonce');
    const { before } = await untilServed(gateway.url);
    expectClosed(before);
    expect((gateway.upstream.arrivals.at(-1)?.at ?? 0) - lostAtMs).toBeGreaterThan(HELD_MS - CLOCK_MS);
    await replica.stop();
  });
});
