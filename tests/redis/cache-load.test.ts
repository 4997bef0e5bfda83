import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';
import { mostForCertain, sleep } from '../budget/history.ts';
import { makeFolder } from '../kit/folder.ts';
import { type RedisServer, redisSuite, startRedis } from '../kit/redis.ts';
import { isFull } from '../kit/rounds.ts';
import { type Load, startLoad, type Use } from './cache-load.ts';
import { type Nodes, openNodes } from './nodes.ts';

const [NODES, WALLETS, PER_SECOND] = [4, 40, isFull ? 50 : 20];
const [LIMIT, WINDOW_MS] = isFull ? [30, 60_000] : [12, 3_000];
const DEADLINE_MS = isFull ? '10000' : '2000';
const BOUND_SECONDS = isFull ? 60 : 6;
/** How long Redis is away, and how long it is there again before the next fault. */
const [AWAY_MS, BACK_MS] = isFull ? [5_000, 20_000] : [1_500, 4_000];
const PATHS = Array.from({ length: isFull ? 20 : 8 }, (_, index) => `/v1/x402/tokens/assets/search?q=load-${index}`);
/** The error of an age: a second of clock difference, and rounding. */
const AGE_ERROR_MS = 2_500;

redisSuite('four nodes under load whose Redis is', () => {
  let redis: RedisServer;
  let nodes: Nodes;
  const folder = makeFolder();
  beforeEach(async () => {
    redis = await startRedis();
    const cacheFile = join(folder, 'cache.json');
    writeFileSync(cacheFile, JSON.stringify({ 'tokens.search': { freshSeconds: 1, maxStaleSeconds: BOUND_SECONDS } }));
    const limits = {
      TOKENS_RATE_LIMIT_PER_MINUTE: String(LIMIT),
      RESPONSE_CACHE: 'on',
      CACHE_FILE: cacheFile,
      UPSTREAM_TIMEOUT_MS: DEADLINE_MS,
    };
    nodes = await openNodes({ windowMs: WINDOW_MS, variables: { ...limits, REDIS_URL: redis.url } });
  }, 60_000);
  afterEach(async () => {
    await nodes.close();
    await redis.stop();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Compares responses with the upstream's log. */
  async function expectKept(uses: readonly Use[]): Promise<void> {
    const seen = await nodes.arrivals.seen();
    expect(mostForCertain(seen, WINDOW_MS)).toBeLessThanOrEqual(LIMIT);
    const served = uses.filter(({ status }) => status === 200);
    expect(Math.max(...served.map(({ ageSeconds }) => ageSeconds))).toBeLessThanOrEqual(BOUND_SECONDS);
    // Each answer is of a call for the same thing, as long ago as its Age says.
    const unfounded = served.filter(({ path, sentMs, endMs, ageSeconds }) => {
      const [fromMs, toMs] = [sentMs - ageSeconds * 1_000 - AGE_ERROR_MS, endMs - ageSeconds * 1_000 + AGE_ERROR_MS];
      const target = path.replace('/v1/x402/tokens', '/v1');
      return !seen.some((call) => call.target === target && call.at >= fromMs && call.since <= toMs);
    });
    expect(unfounded).toEqual([]);
    // A connection that was idle may be closed just when it is used again.
    const answered = uses.filter(({ status }) => status !== 0);
    expect(answered.length).toBeGreaterThan(0.99 * uses.length);
    expect(answered.filter(({ status }) => ![200, 402, 429, 503].includes(status))).toEqual([]);
  }

  const faults: [string, () => unknown, () => unknown][] = [
    ['killed', () => redis.kill(), () => redis.start()],
    ['frozen', () => redis.freeze(), () => redis.thaw()],
    ['emptied', () => redis.command('FLUSHALL'), () => undefined],
  ];

  /** How many hits of a load were answered in a span of time. */
  const hitsIn = ({ uses }: Load, fromMs: number, toMs: number): number =>
    uses.filter(({ isHit, status, sentMs, endMs }) => isHit && status === 200 && sentMs >= fromMs && endMs <= toMs)
      .length;

  async function untilHits(load: Load): Promise<void> {
    const sinceMs = performance.now();
    await expect
      .poll(() => hitsIn(load, sinceMs, performance.now()), { timeout: 150_000 })
      .toBeGreaterThan(PER_SECOND / 2);
  }

  const run = async (
    isDoubled: boolean,
    variables: object,
    during: (load: Load, fail: () => unknown, mend: () => unknown) => Promise<void>,
  ) => {
    const gateways = await Promise.all(Array.from({ length: NODES }, () => nodes.open(variables)));
    const load = startLoad({ nodes: gateways, wallets: WALLETS, perSecond: PER_SECOND, paths: PATHS, isDoubled });
    await untilHits(load);
    for (let round = 0; round < (isFull ? 2 : 1); round++)
      for (const [, fail, mend] of faults) await during(load, fail, mend);
    await load.stop();
    await expectKept(load.uses);
    return load;
  };

  it.runIf(isFull)(
    'killed, frozen and emptied: no sign-in is good twice, and hits are back with it',
    {
      timeout: 1_200_000,
    },
    async () => {
      const load = await run(true, {}, async (running, fail, mend) => {
        const sinceMs = performance.now();
        await fail();
        await sleep(AWAY_MS);
        await mend();
        await untilHits(running);
        const again = await running.replay(sinceMs - 2_000);
        expect(again.length).toBeGreaterThan(PER_SECOND);
        const served = new Set(running.uses.filter(({ status }) => status === 200).map(({ header }) => header));
        expect(again.filter(({ status, header }) => status === 200 && served.has(header))).toEqual([]);
        await sleep(BACK_MS);
      });
      const served = load.uses.filter(({ status }) => status === 200);
      expect(new Set(served.map(({ header }) => header)).size).toBe(served.length);
      process.stdout.write(
        `${load.uses.length} uses, ${served.length} served, ${(await nodes.arrivals.seen()).length} calls\n`,
      );
    },
  );
});
