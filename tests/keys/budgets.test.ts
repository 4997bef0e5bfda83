import { rmSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { makeFolder } from '../kit/folder.ts';
import { inEachTest } from '../kit/in-suite.ts';
import { startTestGateway, type TestGateway } from '../kit/test-gateway.ts';
import { askSigned } from '../kit/wallet.ts';
import { Caller, TOKENS } from '../upstream/caller.ts';
import { BOTH, countsOf, FIRST, isWith, SECOND, startKeyedGateway } from './keyed-gateway.ts';

const LIMIT = 6;
const LIMITED = { TOKENS_RATE_LIMIT_PER_MINUTE: String(LIMIT) };
const TWO_KEYS = { ...LIMITED, TOKENS_API_KEY: BOTH };

const running: TestGateway[] = [];
afterEach(async () => {
  for (const gateway of running.splice(0)) await gateway.stop();
});

async function start(variables: object, options: Parameters<typeof startTestGateway>[1]): Promise<TestGateway> {
  const gateway = await startTestGateway({ ...variables }, options);
  gateway.upstream.keys.add(SECOND);
  running.push(gateway);
  return gateway;
}

const ask = async ({ url }: TestGateway): Promise<number> =>
  (await askSigned(`${url}/v1/x402/tokens/assets/solana`)).status;

describe('the budgets of two keys', () => {
  it('survive a restart, also when a second key is added', async () => {
    const dataDir = makeFolder();
    const options = { windowMs: 3_600_000, dataDir };
    const alone = await start(LIMITED, options);
    for (let time = 0; time < LIMIT; time++) expect(await ask(alone)).toBe(200);
    await running.pop()?.stop();
    const joined = await start(TWO_KEYS, options);
    for (let time = 0; time < LIMIT; time++) expect(await ask(joined)).toBe(200);
    expect(countsOf(joined.upstream, FIRST, SECOND)).toEqual([0, LIMIT]);
    await running.pop()?.stop();
    const again = await start(TWO_KEYS, options);
    expect(await ask(again)).toBe(429);
    expect(again.upstream.arrivals).toEqual([]);
    await running.pop()?.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });
});

describe('a cache in front of two keys', () => {
  const gateway = inEachTest(() => startKeyedGateway({ RESPONSE_CACHE: 'on', TOKENS_RATE_LIMIT_PER_MINUTE: '4' }));

  const askFor = async (name: string): Promise<number> =>
    (await new Caller(gateway).ask({ target: `${TOKENS}/assets/search?q=${name}` })).status;

  it('a call for the cache with a refused key is repeated with the other key', async () => {
    gateway.upstream.keys.delete(FIRST);
    expect([await askFor('a'), await askFor('a')]).toEqual([200, 200]);
    expect(countsOf(gateway.upstream, FIRST, SECOND)).toEqual([1, 1]);
  });

  it('a miss gets a 429 while one key is paused and the other has no slot', async () => {
    Object.assign(gateway.upstream.faults, { status: 429, retryAfter: '300', only: isWith(FIRST) });
    expect(await askFor('paused')).toBe(503);
    // A cache spreads its calls over the window: the other key is used up past it.
    const caller = new Caller(gateway);
    for (let time = 0; time < 4; time++) await caller.ask({ target: `${TOKENS}/health` });
    expect(countsOf(gateway.upstream, FIRST, SECOND)).toEqual([1, 4]);
    expect(await askFor('another')).toBe(429);
    expect(countsOf(gateway.upstream, FIRST, SECOND)).toEqual([1, 4]);
  });
});
