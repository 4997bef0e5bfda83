import { expect, it } from 'vitest';
import { inEachTest } from '../kit/in-suite.ts';
import { Caller, TOKENS } from '../upstream/caller.ts';
import { countsOf, FIRST, isWith, SECOND, startKeyedGateway } from './keyed-gateway.ts';

const LIMIT = 4;

const gateway = inEachTest(() =>
  startKeyedGateway({ RESPONSE_CACHE: 'on', TOKENS_RATE_LIMIT_PER_MINUTE: String(LIMIT) }),
);

const ask = async (name: string): Promise<number> =>
  (await new Caller(gateway).ask({ target: `${TOKENS}/assets/search?q=${name}` })).status;

it('a cache is filled with the slots of both keys, and its hits cost none', async () => {
  for (const name of ['a', 'b', 'c', 'd']) expect(await ask(name)).toBe(200);
  expect(countsOf(gateway.upstream, FIRST, SECOND)).toEqual([2, 2]);
  for (const name of ['a', 'b', 'c', 'd']) expect(await ask(name)).toBe(200);
  expect(gateway.upstream.arrivals).toHaveLength(4);
});

it('a call for the cache with a refused key is repeated with the other key', async () => {
  gateway.upstream.keys.delete(FIRST);
  expect([await ask('a'), await ask('a')]).toEqual([200, 200]);
  expect(countsOf(gateway.upstream, FIRST, SECOND)).toEqual([1, 1]);
});

it('a miss gets a 429 while one key is paused and the other has no slot', async () => {
  Object.assign(gateway.upstream.faults, { status: 429, retryAfter: '300', only: isWith(FIRST) });
  expect(await ask('paused')).toBe(503);
  // A cache spreads its calls over the window: the other key is used up past it.
  const caller = new Caller(gateway);
  for (let time = 0; time < LIMIT; time++) await caller.ask({ target: `${TOKENS}/health` });
  expect(countsOf(gateway.upstream, FIRST, SECOND)).toEqual([1, LIMIT]);
  expect(await ask('another')).toBe(429);
  expect(countsOf(gateway.upstream, FIRST, SECOND)).toEqual([1, LIMIT]);
});
