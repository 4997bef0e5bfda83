import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mostInAnySpan, sleep } from '../budget/history.ts';
import { freePort } from '../http/ports.ts';
import { noteTime, ownTime } from '../kit/event-loop.ts';
import { inEachTest, inSuite } from '../kit/in-suite.ts';
import { redisSuite, startRedis } from '../kit/redis.ts';
import { isFull, rounds } from '../kit/rounds.ts';
import { startTcpProxy } from '../kit/tcp-proxy.ts';
import { startTestGateway, WITHOUT_BREAKER } from '../kit/test-gateway.ts';
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
  NO_HANG_MS,
  newPath,
  PROMISED_MS,
  untilAvailable,
  untilServed,
} from './asking.ts';
import { openFleet } from './fleet.ts';

const FROZEN_MS = isFull ? 30_000 : 1_500;
noteTime();

/** Routes without state are served. */
async function expectStateless(origin: string): Promise<void> {
  for (const path of ['/healthz', '/v1/catalog']) expect((await fetch(origin + path)).status).toBe(200);
  const path = origin + newPath();
  expect((await fetch(path, { method: 'OPTIONS' })).status).toBe(204);
  expect((await challengeFor(path)).info.nonce).toMatch(/^[0-9a-f]{32}$/);
}

redisSuite('a Redis', () => {
  const [LIMIT, WINDOW_MS] = [20, 400];
  const LONG = { timeout: 300_000 };
  const redis = inSuite(startRedis);
  const proxy = inSuite(() => startTcpProxy(redis.port));
  const limits = { TOKENS_RATE_LIMIT_PER_MINUTE: String(LIMIT), UPSTREAM_TIMEOUT_MS: '400' };
  const gateway = inSuite(() =>
    startTestGateway(
      { REDIS_URL: `redis://127.0.0.1:${proxy.port}`, ...limits },
      { windowMs: WINDOW_MS, ...WITHOUT_BREAKER },
    ),
  );
  afterEach(() => {
    proxy.meddle = undefined;
  });
  afterAll(() => {
    expect(mostInAnySpan(gateway.upstream.arrivals, WINDOW_MS)).toBeLessThanOrEqual(LIMIT);
  });

  /** While something is wrong every signed request is refused in time, and none reaches the upstream; then all is well. */
  async function failsClosed(breakIt: () => unknown, mendIt: () => unknown, mostMs = NO_HANG_MS): Promise<void> {
    await untilServed(gateway.url);
    try {
      await breakIt();
      const before = gateway.upstream.arrivals.length;
      const logged = gateway.logLines.length;
      for (let attempt = 0; attempt < 3; attempt++) {
        const { status, code, retryAfter } = await askFreshly(gateway.url);
        expect([status, code, retryAfter]).toEqual([503, 'state_unavailable', '2']);
      }
      await expectStateless(gateway.url);
      expect(gateway.upstream.arrivals.length).toBe(before);
      expect(longestWait(gateway.logLines.slice(logged))).toBeLessThan(mostMs);
    } finally {
      await mendIt();
    }
    const sinceMs = performance.now();
    await untilServed(gateway.url);
    expect(ownTime(sinceMs)).toBeLessThan(2_000);
  }

  /** Replies with this to everything, or not at all. */
  const replying = (reply: string | undefined) => [
    () => {
      proxy.meddle = () => (reply === undefined ? undefined : Buffer.from(`${reply}\r\n`));
    },
    () => {
      proxy.meddle = undefined;
    },
  ];

  /** Breaks Redis with one command, mends it with another. */
  const commanded = (breakIt: string, mendIt: string) =>
    [breakIt, mendIt].map((words) => () => redis.command(...words.split(' ')));

  let busy: Promise<unknown>;
  const BROKEN: Readonly<Record<string, readonly (() => unknown)[]>> = {
    'is loading': replying('-LOADING Redis is loading the dataset in memory'),
    'sends a malformed reply': replying('HTTP/1.1 400 Bad Request\r\n'),
    'loses every reply': replying(undefined),
    'is out of memory': commanded('CONFIG SET maxmemory 1', 'CONFIG SET maxmemory 0'),
    'has become a replica without a primary': commanded('REPLICAOF 127.0.0.1 1', 'REPLICAOF NO ONE'),
    'wants another password': [
      () => redis.command('CONFIG', 'SET', 'requirepass', 'another').then(() => proxy.cut()),
      () => redis.commandAs('another', 'CONFIG', 'SET', 'requirepass', ''),
    ],
    'is busy with a script': [
      async () => {
        await redis.command('CONFIG', 'SET', 'busy-reply-threshold', '10');
        busy = redis.command('EVAL', 'while true do end', '0').catch(() => undefined);
        await sleep(100);
      },
      () => redis.command('SCRIPT', 'KILL').then(() => busy),
    ],
  };

  it.each(Object.entries(BROKEN))(
    'R8 R9 that %s: 503 in time, no upstream call, and then served again',
    (_, [breakIt = () => undefined, mendIt = () => undefined]) => failsClosed(breakIt, mendIt),
  );

  it('R2 that is killed under load: 503 in time while it is down, and back in two seconds', LONG, async () => {
    for (let round = 0; round < rounds(50); round++) {
      let load = keepAsking(gateway.url, 6);
      const kill = async () => {
        await redis.kill();
        await load.stop();
        load = keepAsking(gateway.url, 6);
      };
      const restart = async () => {
        const codes = codesOf(await load.stop());
        await redis.start();
        expect(codes).toEqual(['503 state_unavailable']);
      };
      await failsClosed(kill, restart, PROMISED_MS);
    }
  });

  it('R3 that is frozen, and thawed: nothing that was asked meanwhile is done late', LONG, async () => {
    const path = gateway.url + newPath();
    const header = await signedHeader(path);
    const freeze = async () => {
      redis.freeze();
      expect((await askWith(path, header)).code).toBe('state_unavailable');
      await sleep(FROZEN_MS);
    };
    const thaw = async () => {
      const arrivals = gateway.upstream.arrivals.length;
      redis.thaw();
      expect((await untilAvailable(() => askWith(path, header))).status).toBe(200);
      expect(gateway.upstream.arrivals.length).toBe(arrivals + 1);
    };
    await failsClosed(freeze, thaw, PROMISED_MS);
  });

  it('R7 whose scripts are flushed under load loses nothing', async () => {
    await untilServed(gateway.url);
    const load = keepAsking(gateway.url, 4);
    for (let round = 0; round < rounds(50); round++) {
      await redis.command('SCRIPT', 'FLUSH');
      await sleep(100);
    }
    const answers = await load.stop();
    expect(codesOf(answers)).toContain('200');
    expect(codesOf(answers).filter((code) => !/^(?:200|429|503 state_unavailable|504)/.test(code))).toEqual([]);
    // A busy machine may be late, but no NOSCRIPT is logged.
    expect(gateway.logLines.filter((line) => line.includes('NOSCRIPT'))).toEqual([]);
  });

  describe('whose replies are lost', () => {
    beforeEach(() => sleep(WINDOW_MS));

    /** Asks while the first reply that admits meets with this; on a busy machine again, until that was answered in time. */
    async function askOnce(meet: () => void): Promise<void> {
      for (;;) {
        const before = gateway.upstream.arrivals.length;
        const url = gateway.url + newPath();
        const header = await signedHeader(url);
        let met = 0;
        proxy.meddle = (reply) => {
          if (!reply.includes('admitted') || met++ > 0) return reply;
          meet();
          return undefined;
        };
        const { status } = await askWith(url, header);
        proxy.meddle = undefined;
        expect(met).toBeGreaterThan(0);
        expect([status, gateway.upstream.arrivals.length - before]).toEqual(status === 503 ? [503, 0] : [200, 1]);
        const again = await untilAvailable(() => askWith(url, header));
        expect(again.code).toBe('invalid_siwx_nonce');
        expect(gateway.upstream.arrivals.length - before).toBe(status === 503 ? 0 : 1);
        if (status === 200) return;
      }
    }

    it.each([
      ['R9 once', () => undefined],
      ['R9 with the connection', () => proxy.cut()],
    ])('%s: the request is answered by one upstream call, and its nonce is used', async (_, meet) => {
      for (let round = 0; round < rounds(20); round++) await askOnce(meet);
    });

    it('R9 among many others, and no reply counts as the reply to another question', { timeout: 60_000 }, async () => {
      for (let round = 0; round < rounds(20); round++) {
        await sleep(WINDOW_MS);
        const urls = Array.from({ length: LIMIT * 2 }, () => gateway.url + newPath());
        const headers = await Promise.all(urls.map((url) => signedHeader(url)));
        let replies = 0;
        proxy.meddle = (reply) => (replies++ === round % 5 ? undefined : reply);
        const answers = await Promise.all(urls.map((url, index) => askWith(url, headers[index] ?? '')));
        proxy.meddle = undefined;
        expect(codesOf(answers).filter((code) => !/^(?:200|429|503|504)/.test(code))).toEqual([]);
        await sleep(WINDOW_MS);
        const served = answers.filter(({ status }) => status === 200).slice(0, LIMIT);
        const again = served.map(({ url, header }) => untilAvailable(() => askWith(url, header)));
        expect(codesOf(await Promise.all(again)).filter((code) => code !== '402 invalid_siwx_nonce')).toEqual([]);
      }
    });
  });
});

redisSuite('a Redis that loses its data', () => {
  const [LIMIT, WINDOW_MS, DEADLINE_MS] = [5, 800, 400];
  /** How long a slot is held if the end of its call is unknown. */
  const HELD_MS = WINDOW_MS + DEADLINE_MS + WINDOW_MS / 12;
  /** The clock of Redis knows whole milliseconds. */
  const CLOCK_MS = 2;
  const LIMITS = { TOKENS_RATE_LIMIT_PER_MINUTE: String(LIMIT), UPSTREAM_TIMEOUT_MS: String(DEADLINE_MS) };

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

redisSuite('a gateway that starts before its Redis', () => {
  it('R1 serves routes without state, and the others once Redis is there', async () => {
    const port = await freePort();
    const { url, upstream, gateway } = await startTestGateway({
      REDIS_URL: `redis://127.0.0.1:${port}`,
      METRICS_PORT: '0',
    });
    const isReady = async () => (await scrape(gateway)).sum('asset_gateway_ready');
    for (const path of ['/healthz', '/v1/catalog']) expect((await fetch(url + path)).status).toBe(200);
    expect(codesOf([await askFreshly(url)])).toEqual(['503 state_unavailable']);
    expect(await isReady()).toBe(0);
    const redis = await startRedis({ port: String(port) });
    expect((await untilAvailable(() => askFreshly(url))).status).toBe(200);
    expect(upstream.arrivals).toHaveLength(1);
    await until(async () => (await isReady()) === 1);
    await gateway.stop();
    await redis.stop();
  });
});

const WINDOW_MS = 500;

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
