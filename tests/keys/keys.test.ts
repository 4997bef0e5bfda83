import { describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from '../../packages/gateway/src/config/config.ts';
import { createLog } from '../../packages/gateway/src/log.ts';
import type { Arrival, TokensApi } from '../../packages/sandbox/src/tokens/api.ts';
import { makeFolder } from '../kit/folder.ts';
import { inEachTest } from '../kit/in-suite.ts';
import { CANARY_KEY, startTestGateway } from '../kit/test-gateway.ts';
import { scrape } from '../operations/scrape.ts';
import { type Answered, Caller, HEALTH, slotsLeft, TOKENS } from '../upstream/caller.ts';

const FIRST = CANARY_KEY;
const SECOND = 'CANARY_9876543210_another_key';
const BOTH = ` ${FIRST} , ${SECOND} `;

/** A gateway with two keys, and the clock of refused keys. */
async function startKeyedGateway(variables = {}) {
  const clock = { nowMs: 1_000_000 };
  const gateway = await startTestGateway(
    { TOKENS_API_KEY: BOTH, METRICS_PORT: '0', ...variables },
    { windowMs: 3_600_000, refusedKeys: { now: () => clock.nowMs } },
  );
  gateway.upstream.keys.add(SECOND);
  return { ...gateway, clock };
}

/** Whether a request has this key. */
const isWith =
  (key: string) =>
  ({ headers }: Arrival): boolean =>
    headers['x-api-key'] === key;

/** Requests by key. */
const countsOf = ({ arrivals }: TokensApi, ...keys: readonly string[]): number[] =>
  keys.map((key) => arrivals.filter(isWith(key)).length);

/** Log messages other than requests. */
const noticesIn = (logLines: readonly string[]): string[] =>
  logLines.map((line) => (JSON.parse(line) as { msg: string }).msg).filter((message) => message !== 'request');

const LIMIT = 5;
const ASSET = `${TOKENS}/assets/solana`;
const MINUTE_MS = 60_000;

const gateway = inEachTest(() => startKeyedGateway({ TOKENS_RATE_LIMIT_PER_MINUTE: String(LIMIT) }));

const ask = (target = ASSET): Promise<Answered> => new Caller(gateway).ask({ target });
const counts = () => countsOf(gateway.upstream, FIRST, SECOND);
const saidOf = ({ status, json: { error = '' } }: Answered): string => `${status} ${error}`.trim();

async function askTimes(times: number): Promise<string[]> {
  const messages: string[] = [];
  for (let time = 0; time < times; time++) messages.push(saidOf(await ask()));
  return messages;
}

const setAside = async (place: string) =>
  (await scrape(gateway.gateway)).sum('asset_gateway_key_set_aside', { provider: 'tokens', place });
const refusalsOf = async (place: string) =>
  (await scrape(gateway.gateway)).sum('asset_gateway_key_refusals_total', { provider: 'tokens', place });

describe('two keys', () => {
  it('are used in turn up to the limit of each; then requests are refused for free', async () => {
    expect(await askTimes(2)).toEqual(['200', '200']);
    expect(counts()).toEqual([1, 1]);
    expect(await askTimes(2 * LIMIT - 2)).toEqual(Array(2 * LIMIT - 2).fill('200'));
    expect(counts()).toEqual([LIMIT, LIMIT]);
    expect(await askTimes(3)).toEqual(Array(3).fill('429 rate_limited'));
    expect(counts()).toEqual([LIMIT, LIMIT]);
  });

  it('appear as one budget in answers, log and metrics', async () => {
    const answered = await ask();
    expect(answered.headers.get('ratelimit-policy')).toBe(`"upstream";q=${2 * LIMIT};w=3600`);
    expect(slotsLeft(answered)).toBe(2 * LIMIT - 1);
    expect(JSON.parse(gateway.logLines.at(-1) ?? '')).toMatchObject({ budgetLeft: 2 * LIMIT - 1 });
    const scraped = await scrape(gateway.gateway);
    expect(scraped.sum('asset_gateway_budget_limit', { provider: 'tokens' })).toBe(2 * LIMIT);
    expect(scraped.sum('asset_gateway_budget_left', { provider: 'tokens' })).toBe(2 * LIMIT - 1);
  });

  it('use up an answered sign-in, but not one that found no slot', async () => {
    const caller = new Caller(gateway);
    const [spare, used] = [await caller.signIn(), await caller.signIn()];
    expect((await caller.askWith(used, { target: ASSET })).status).toBe(200);
    const replayed = await caller.askWith(used, { target: ASSET });
    expect(saidOf(replayed)).toBe('402 invalid_siwx_nonce');
    expect(counts()).toEqual([1, 0]);
    await askTimes(2 * LIMIT - 1);
    expect(saidOf(await caller.askWith(spare, { target: ASSET }))).toBe('429 rate_limited');
    // Judged before the limit of either key: it would be refused for the nonce if that had been used up.
    expect(saidOf(await caller.askWith(spare, { target: ASSET }))).toBe('429 rate_limited');
    expect(counts()).toEqual([LIMIT, LIMIT]);
  });
});

describe('a key that the upstream refuses', () => {
  it.each([401, 403])('with %i is set aside without an error for clients', async (status) => {
    Object.assign(gateway.upstream.faults, { status, only: isWith(FIRST) });
    expect(await askTimes(LIMIT)).toEqual(Array(LIMIT).fill('200'));
    expect(counts()).toEqual([1, LIMIT]);
    expect(await askTimes(1)).toEqual(['429 rate_limited']);
    expect(counts()).toEqual([1, LIMIT]);
  });

  it('is logged once by its position, and shown in the metrics', async () => {
    expect([await setAside('1'), await setAside('2'), await refusalsOf('2')]).toEqual([0, 0, 0]);
    gateway.upstream.keys.delete(SECOND);
    await askTimes(4);
    expect(noticesIn(gateway.logLines)).toEqual([
      'TOKENS_API_KEY (2 of 2) was refused by the upstream and is set aside for 60 s',
    ]);
    expect([await setAside('1'), await setAside('2')]).toEqual([0, 1]);
    expect([await refusalsOf('1'), await refusalsOf('2')]).toEqual([0, 1]);
    expect(gateway.logLines.join('')).not.toContain('CANARY');
  });

  it('is used again after a minute', async () => {
    gateway.upstream.keys.delete(FIRST);
    await ask();
    gateway.upstream.keys.add(FIRST);
    gateway.clock.nowMs += MINUTE_MS - 1;
    await ask();
    expect(counts()).toEqual([1, 2]);
    gateway.clock.nowMs += 1;
    expect(await setAside('1')).toBe(0);
    expect(await askTimes(2 * LIMIT - 3)).toEqual(Array(2 * LIMIT - 3).fill('200'));
    expect(counts()).toEqual([LIMIT, LIMIT]);
  });

  it('costs its request one nonce, and no slot of another key', async () => {
    gateway.upstream.keys.delete(FIRST);
    const caller = new Caller(gateway);
    const signIn = await caller.signIn();
    const answered = await caller.askWith(signIn, { target: ASSET });
    expect([answered.status, slotsLeft(answered)]).toEqual([200, LIMIT - 1]);
    expect(counts()).toEqual([1, 1]);
    expect(saidOf(await caller.askWith(signIn, { target: ASSET }))).toBe('402 invalid_siwx_nonce');
    expect(counts()).toEqual([1, 1]);
  });
});

it('an upstream that fails is one upstream for all keys', async () => {
  gateway.upstream.faults.status = 500;
  for (const name of ['a', 'b', 'c', 'd', 'e']) await ask(`${TOKENS}/assets/${name}`);
  expect(saidOf(await ask())).toBe('503 upstream_unavailable');
  expect(gateway.upstream.arrivals).toHaveLength(5);
});

it('a single refused key is used again for each request, and not logged', async () => {
  const single = await startTestGateway({ METRICS_PORT: '0' });
  single.upstream.keys.clear();
  for (let time = 0; time < 3; time++) {
    expect(saidOf(await new Caller(single).ask({ target: ASSET }))).toBe('502 upstream_auth_failed');
  }
  expect(single.upstream.arrivals).toHaveLength(3);
  expect(noticesIn(single.logLines)).toEqual([]);
  const scraped = await scrape(single.gateway);
  expect(scraped.sum('asset_gateway_key_set_aside', { provider: 'tokens', place: '1' })).toBe(0);
  expect(scraped.sum('asset_gateway_key_refusals_total', { provider: 'tokens', place: '1' })).toBe(3);
});

describe('no key of a list', () => {
  it.each([FIRST, SECOND])('is shown in an answer, even if the upstream names it: %#', async (key) => {
    gateway.upstream.faults.body = JSON.stringify({ key });
    expect(await askTimes(2)).toEqual(Array(2).fill('502 upstream_invalid_response'));
    expect(counts()).toEqual([1, 1]);
    Object.assign(gateway.upstream.faults, { body: undefined, status: 400, message: `not with ${key}` });
    for (const target of [HEALTH, ASSET]) expect((await ask(target)).text).not.toContain(key);
  });
});

describe('each key of a list', () => {
  it('is hidden in the log of a gateway, alone and in the list', async () => {
    const gateway = await startKeyedGateway();
    gateway.gateway.log.notice(`first ${FIRST}, second ${SECOND}, hex ${Buffer.from(SECOND).toString('hex')}`);
    gateway.gateway.log.failure(new Error(`all:${BOTH}`));
    await gateway.stop();
    const written = gateway.logLines.join('');
    expect(written).toContain('first [secret], second [secret], hex [secret]');
    expect(written).toContain('all: [secret] , [secret] ');
    for (const key of [FIRST, SECOND]) expect(written).not.toContain(key);
  });

  it('is hidden entirely if another key is its prefix', () => {
    const lines: string[] = [];
    const log = createLog('info', ['key-of-the-operator', 'key-of-the-operator-2'], {
      write: (line) => lines.push(line),
    });
    log.notice('refused: key-of-the-operator-2.');
    expect(lines.join('')).toContain('refused: [secret].');
  });

  it.each([`${FIRST},,${SECOND}`, `${FIRST},${FIRST}`, `${FIRST},${SECOND} ${SECOND}`])(
    'is not quoted in the error of an invalid list: %#',
    (keys) => {
      const read = () => readConfig({ TOKENS_API_KEY: keys });
      expect(read).toThrow(ConfigError);
      expect(read).toThrow(/TOKENS_API_KEY/);
      expect(read).not.toThrow(/CANARY/);
    },
  );
});

it('the budgets of two keys survive a restart, also when the second key is added', async () => {
  const options = { windowMs: 3_600_000, dataDir: makeFolder() };
  /** The answers of a gateway with these keys to this many requests, and its calls by key. */
  const run = async (keys: string, times: number) => {
    const limit = { TOKENS_RATE_LIMIT_PER_MINUTE: String(LIMIT) };
    const one = await startTestGateway({ ...limit, TOKENS_API_KEY: keys }, options);
    one.upstream.keys.add(SECOND);
    const answers: string[] = [];
    while (answers.length < times) answers.push(saidOf(await new Caller(one).ask({ target: ASSET })));
    await one.stop();
    return [new Set(answers), ...countsOf(one.upstream, FIRST, SECOND)];
  };
  expect(await run(FIRST, LIMIT)).toEqual([new Set(['200']), LIMIT, 0]);
  expect(await run(BOTH, LIMIT)).toEqual([new Set(['200']), 0, LIMIT]);
  expect(await run(BOTH, 1)).toEqual([new Set(['429 rate_limited']), 0, 0]);
});

describe('a cache in front of two keys', () => {
  const cached = inEachTest(() => startKeyedGateway({ RESPONSE_CACHE: 'on', TOKENS_RATE_LIMIT_PER_MINUTE: '4' }));
  const askFor = async (name: string): Promise<number> =>
    (await new Caller(cached).ask({ target: `${TOKENS}/assets/search?q=${name}` })).status;
  const calls = () => countsOf(cached.upstream, FIRST, SECOND);

  it('a miss gets a 429 while one key is paused and the other has no slot', async () => {
    Object.assign(cached.upstream.faults, { status: 429, retryAfter: '300', only: isWith(FIRST) });
    expect(await askFor('paused')).toBe(503);
    // A cache spreads its calls over the window: the other key is used up past it.
    for (let time = 0; time < 4; time++) await new Caller(cached).ask({ target: HEALTH });
    expect([await askFor('another'), ...calls()]).toEqual([429, 1, 4]);
  });
});
