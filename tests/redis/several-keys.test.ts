import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { BOTH, countsOf, FIRST, isWith, SECOND } from '../keys/keyed-gateway.ts';
import { type RedisServer, redisSuite, startRedis } from '../kit/redis.ts';
import { askFreshly, codesOf, untilAvailable } from './asking.ts';
import { type Fleet, openFleet } from './fleet.ts';

const LIMIT = 6;
const TWO_KEYS = { TOKENS_API_KEY: BOTH, TOKENS_RATE_LIMIT_PER_MINUTE: String(LIMIT) };

redisSuite('two nodes with two keys', () => {
  let redis: RedisServer;
  let fleet: Fleet;
  let nodes: readonly [string, string];
  beforeAll(async () => {
    redis = await startRedis();
  });
  beforeEach(async () => {
    await redis.command('FLUSHALL');
    fleet = await openFleet({ redisUrl: redis.url, windowMs: 3_600_000 });
    fleet.upstream.keys.add(SECOND);
    nodes = [(await fleet.start(TWO_KEYS)).url, (await fleet.start(TWO_KEYS)).url];
  });
  afterEach(() => fleet.close());
  afterAll(() => redis.stop());

  const counts = () => countsOf(fleet.upstream, FIRST, SECOND);
  /** Asks this often, alternating nodes. Repeats if Redis was late. */
  const askInTurn = async (times: number) => {
    const answers = [];
    for (let time = 0; time < times; time++) {
      answers.push(await untilAvailable(() => askFreshly(nodes[time % 2] ?? nodes[0])));
    }
    return answers;
  };

  it('share both budgets', async () => {
    expect(codesOf(await askInTurn(2 * LIMIT))).toEqual(['200']);
    expect(counts()).toEqual([LIMIT, LIMIT]);
    expect(codesOf(await askInTurn(4))).toEqual(['429 rate_limited']);
    expect(counts()).toEqual([LIMIT, LIMIT]);
  });

  it('each notice a revoked key by themselves', async () => {
    fleet.upstream.keys.delete(FIRST);
    const answers = await askInTurn(LIMIT);
    expect(codesOf(answers)).toEqual(['200']);
    expect(counts()).toEqual([2, LIMIT]);
    expect(codesOf(await askInTurn(2))).toEqual(['429 rate_limited']);
    expect(counts()).toEqual([2, LIMIT]);
  });

  it('both pause a key after a 429 to one of them, and use the other key', async () => {
    Object.assign(fleet.upstream.faults, { status: 429, retryAfter: '300', only: isWith(FIRST) });
    const [met, ...others] = await askInTurn(LIMIT + 1);
    expect([met?.code, codesOf(others)]).toEqual(['upstream_rate_limited', ['200']]);
    expect(counts()).toEqual([1, LIMIT]);
  });
});
