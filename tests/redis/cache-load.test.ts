import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mostForCertain, sleep } from '../budget/history.ts';
import { makeFolder } from '../kit/folder.ts';
import { inSuite } from '../kit/in-suite.ts';
import type { GatewayProcess } from '../kit/process.ts';
import { type RedisServer, redisSuite, startRedis } from '../kit/redis.ts';
import { isFull } from '../kit/rounds.ts';
import { newSigner } from '../kit/wallet.ts';
import { openNodes, signAt } from './nodes.ts';

const [NODES, WALLETS, PER_SECOND] = [4, 40, 50];
const [LIMIT, WINDOW_MS, BOUND_SECONDS] = [30, 60_000, 60];
/** How long Redis is away, and how long it is there again before the next fault. */
const [AWAY_MS, BACK_MS] = [5_000, 20_000];
const PATHS = Array.from({ length: 20 }, (_, index) => `/v1/x402/tokens/assets/search?q=load-${index}`);
/** The error of an age: a second of clock difference, and rounding. */
const AGE_ERROR_MS = 2_500;
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/** One use of a sign-in header at one of the nodes; times are on this process's clock. */
interface Use {
  readonly header: string;
  readonly path: string;
  readonly sentMs: number;
  readonly endMs: number;
  /** 0 if the connection broke. */
  readonly status: number;
  readonly ageSeconds: number;
  readonly isHit: boolean;
}

async function use({ url }: GatewayProcess, path: string, header: string): Promise<Use> {
  const sentMs = performance.now();
  const response = await fetch(url + path, { headers: { 'SIGN-IN-WITH-X': header } }).catch(() => undefined);
  await response?.arrayBuffer().catch(() => undefined);
  const isHit = response?.headers.get('cache-status')?.includes('; hit') ?? false;
  const ageSeconds = Number(response?.headers.get('age') ?? 0);
  return { header, path, sentMs, endMs: performance.now(), status: response?.status ?? 0, ageSeconds, isHit };
}

/** Until `stop`, sends a new sign-in of the next wallet to two nodes, for the earlier paths more often. */
function startLoad(nodes: readonly GatewayProcess[]) {
  const signers = Array.from({ length: WALLETS }, newSigner);
  const uses: Use[] = [];
  const open = new Set<Promise<void>>();
  let isStopped = false;
  const at = (serial: number): GatewayProcess => nodes[serial % NODES] as GatewayProcess;
  const request = async (serial: number) => {
    const path = PATHS[Math.floor(((serial * GOLDEN) % 1) ** 2 * PATHS.length)] ?? '';
    const header = await signAt(at(serial), path, signers[serial % WALLETS]).catch(() => undefined);
    if (header === undefined) return;
    uses.push(...(await Promise.all([1, 2].map((next) => use(at(serial + next), path, header)))));
  };
  const run = async () => {
    const startMs = performance.now();
    for (let serial = 0; !isStopped; serial++) {
      const one = request(serial).finally(() => open.delete(one));
      open.add(one);
      await sleep(startMs + (serial + 1) * (1_000 / PER_SECOND) - performance.now());
    }
    await Promise.all(open);
  };
  const running = run();
  return {
    uses,
    /** Sends every header once more that was used since then. */
    replay(sinceMs: number): Promise<readonly Use[]> {
      const used = new Map(uses.filter(({ sentMs }) => sentMs >= sinceMs).map((each) => [each.header, each]));
      return Promise.all([...used].map(([header, { path }], index) => use(at(index), path, header)));
    },
    async stop() {
      isStopped = true;
      await running;
    },
  };
}

const FAULTS: readonly (readonly [fail: (redis: RedisServer) => unknown, mend: (redis: RedisServer) => unknown])[] = [
  [(redis) => redis.kill(), (redis) => redis.start()],
  [(redis) => redis.freeze(), (redis) => redis.thaw()],
  [(redis) => redis.command('FLUSHALL'), () => undefined],
];

describe.runIf(isFull)('under load', () =>
  redisSuite('four nodes whose Redis is', () => {
    const redis = inSuite(startRedis);
    const nodes = inSuite(async () => {
      const folder = makeFolder();
      const APIS_FILE = join(folder, 'apis.json');
      writeFileSync(
        APIS_FILE,
        JSON.stringify({
          tokens: { operations: { search: { cache: { freshSeconds: 1, maxStaleSeconds: BOUND_SECONDS } } } },
        }),
      );
      const variables = {
        TOKENS_RATE_LIMIT_PER_MINUTE: String(LIMIT),
        RESPONSE_CACHE: 'on',
        APIS_FILE,
        REDIS_URL: redis.url,
      };
      const opened = await openNodes({ windowMs: WINDOW_MS, variables });
      const close = () => opened.close().finally(() => rmSync(folder, { recursive: true, force: true }));
      return { ...opened, close };
    });

    /** Compares responses with the upstream's log. */
    async function expectKept(uses: readonly Use[]): Promise<void> {
      const seen = await nodes.arrivals.seen();
      expect(mostForCertain(seen, WINDOW_MS)).toBeLessThanOrEqual(LIMIT);
      const served = uses.filter(({ status }) => status === 200);
      expect(new Set(served.map(({ header }) => header)).size).toBe(served.length);
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
      process.stdout.write(`${uses.length} uses, ${served.length} served, ${seen.length} calls\n`);
    }

    it('killed, frozen and emptied: no sign-in is good twice, and hits are back with it', {
      timeout: 1_200_000,
    }, async () => {
      const load = startLoad(await Promise.all(Array.from({ length: NODES }, () => nodes.open())));
      const untilHits = async () => {
        const sinceMs = performance.now();
        const hits = () => load.uses.filter((each) => each.isHit && each.status === 200 && each.sentMs >= sinceMs);
        await expect.poll(() => hits().length, { timeout: 150_000 }).toBeGreaterThan(PER_SECOND / 2);
      };
      await untilHits();
      for (const [fail, mend] of [...FAULTS, ...FAULTS]) {
        const sinceMs = performance.now();
        await fail(redis);
        await sleep(AWAY_MS);
        await mend(redis);
        await untilHits();
        const again = await load.replay(sinceMs - 2_000);
        expect(again.length).toBeGreaterThan(PER_SECOND);
        const served = new Set(load.uses.filter(({ status }) => status === 200).map(({ header }) => header));
        expect(again.filter(({ status, header }) => status === 200 && served.has(header))).toEqual([]);
        await sleep(BACK_MS);
      }
      await load.stop();
      await expectKept(load.uses);
    });
  }),
);
