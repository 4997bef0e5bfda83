import { afterEach, describe, expect, it } from 'vitest';
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

  describe('L9 only slots, and nothing tells of it', () => {
    const slotsKey = async () => String(((await redis.command('KEYS', '{gw:budgets}:slots:*')) as string[])[0]);

    /** Has it lose them when some are held, and asks for more than the node has left, all at once. */
    async function askForTooMany(): Promise<Answered[]> {
      await sleep(HELD_MS);
      for (let used = 0; used < LIMIT - 2; used++) await untilServed(gateway.url);
      const urls = Array.from({ length: LIMIT }, () => gateway.url + newPath());
      const headers = await Promise.all(urls.map((url) => signedHeader(url)));
      await redis.command('DEL', await slotsKey());
      proxy.delayMs = 30;
      const answers = await Promise.all(urls.map((url, index) => askWith(url, headers[index] ?? '')));
      proxy.delayMs = 0;
      return answers;
    }

    /** None of these was served, and each of their sign-ins is as good as before. */
    async function expectUnused(answers: readonly Answered[]): Promise<void> {
      await sleep(HELD_MS);
      const again = await Promise.all(answers.map(({ url, header }) => judged(url, header)));
      expect(codesOf(again).filter((code) => code !== '200')).toEqual([]);
    }

    it('L9 the node keeps to its limit, and those whom it refuses keep their sign-in', {
      timeout: 120_000,
    }, async () => {
      let answers = await askForTooMany();
      // On a busy machine a reply may be late, or slots may have freed.
      const isUsual = (codes: readonly string[]) =>
        codes.includes('429 rate_limited') && !codes.includes('503 state_unavailable');
      while (!isUsual(codesOf(answers))) answers = await askForTooMany();
      expect(mostInAnySpan(gateway.upstream.arrivals, WINDOW_MS)).toBeLessThanOrEqual(LIMIT);
      await expectUnused(answers.filter(({ status }) => status === 429));
    });

    it('L9 and cannot return excess slots: 503, which may have used the sign-in, never 429', {
      timeout: 120_000,
    }, async () => {
      const lost: Buffer[] = [];
      proxy.meddle = (reply) => {
        if (!reply.includes('given back')) return reply;
        lost.push(reply);
        return undefined;
      };
      let answers = await askForTooMany();
      // On a busy machine it may not be too much.
      while (lost.length === 0) answers = await askForTooMany();
      proxy.meddle = undefined;
      expect(codesOf(answers)).toContain('503 state_unavailable');
      expect(mostInAnySpan(gateway.upstream.arrivals, WINDOW_MS)).toBeLessThanOrEqual(LIMIT);
      await expectUnused(answers.filter(({ status }) => status === 429));
    });
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
