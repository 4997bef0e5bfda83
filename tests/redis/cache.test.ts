import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { sleep } from '../budget/history.ts';
import { cacheFile } from '../cache/file.ts';
import { inSuite } from '../kit/in-suite.ts';
import { type RedisServer, redisSuite, startRedis } from '../kit/redis.ts';
import type { TestGateway } from '../kit/test-gateway.ts';
import { askSigned, newSigner, signedHeader } from '../kit/wallet.ts';
import { type Fleet, openFleet } from './fleet.ts';

const BOUND_SECONDS = 5;
const APIS_FILE = cacheFile('search', 1, BOUND_SECONDS);

const VARIABLES = { RESPONSE_CACHE: 'on', TOKENS_RATE_LIMIT_PER_MINUTE: '30' };
const ROUTE = '/v1/x402/tokens/assets';
const SOON = { timeout: 5_000 };
let serial = 0;
/** A new search. */
const newSearch = (): string => `${ROUTE}/search?q=shared-${serial++}`;
const statusOf = ({ headers }: Response): string => headers.get('cache-status') ?? '';

redisSuite('nodes that share what they keep', () => {
  const redis = inSuite(startRedis);
  const fleet = inSuite(() => openFleet({ redisUrl: redis.url }));
  let nodes: TestGateway[];
  beforeAll(async () => {
    const variables = { ...VARIABLES, TOKENS_RATE_LIMIT_PER_MINUTE: '1000' };
    nodes = await Promise.all([1, 2, 3, 4].map(() => fleet.start(variables)));
  });
  beforeEach(async () => {
    fleet.upstream.faults.reset();
    const shared = (await redis.command('KEYS', '{gw:cache}:entr*')) as string[];
    if (shared.length > 0) await redis.command('DEL', ...shared);
  });
  const urlOf = (node: number, path: string): string => (nodes[node]?.url ?? '') + path;
  const ask = (node: number, path: string, init: RequestInit = {}) => askSigned(urlOf(node, path), init);
  const calls = (): number => fleet.upstream.arrivals.length;
  const keysOf = async (kind: string) => (await redis.command('KEYS', `{gw:cache}:${kind}:*`)) as string[];
  /** An entry is written when its answer is out. */
  const untilShared = (count: number) => expect.poll(() => keysOf('entry'), SOON).toHaveLength(count);

  /** A search that one node has fetched and shared. On a busy machine a write is given up, and a later search is shared. */
  async function fetchShared(): Promise<{ path: string; text: string; before: number }> {
    for (;;) {
      const path = newSearch();
      const text = await (await ask(0, path)).text();
      const isShared = await untilShared(1).then(
        () => true,
        () => false,
      );
      if (isShared) return { path, text, before: calls() };
    }
  }

  it('an entry of one node is a hit at all nodes', async () => {
    const { path, text, before } = await fetchShared();
    for (const node of [1, 2, 3]) {
      const answer = await ask(node, path);
      expect(statusOf(answer)).toMatch(/^asset-gateway; hit; ttl=1[12]\d$/);
      expect(await answer.text()).toBe(text);
    }
    expect(calls()).toBe(before);
  });

  it('one request to all nodes at once is one upstream call, and each nonce is good once', async () => {
    const [path, before] = [newSearch(), calls()];
    fleet.upstream.faults.delayMs = 300;
    const asked = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const url = urlOf(index % 4, path);
        return { url, header: await signedHeader(url) };
      }),
    );
    const twice = [...asked, ...asked].map(({ url, header }) => fetch(url, { headers: { 'SIGN-IN-WITH-X': header } }));
    const statuses = (await Promise.all(twice)).map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(20).fill(200), ...Array(20).fill(402)]);
    expect(calls()).toBe(before + 1);
    await expect.poll(() => keysOf('lease'), SOON).toEqual([]);
  });

  it('a no-cache request gets no entry of another node', async () => {
    const { path, before } = await fetchShared();
    const answer = await ask(1, path, { headers: { 'Cache-Control': 'no-cache' } });
    expect([statusOf(answer), calls()]).toEqual(['asset-gateway; fwd=miss; stored', before + 1]);
  });

  it('W1 mints that the upstream rejects at one node spoil no call of another', async () => {
    const bad = [newSigner().address, newSigner().address];
    fleet.upstream.faults.status = 400;
    fleet.upstream.faults.only = ({ target }) => bad.some((mint) => target.includes(mint));
    const pathOf = (mints: string) => `${ROUTE}/variant-markets?mints=${mints}`;
    for (const node of [0, 1]) expect((await ask(node, pathOf(newSigner().address))).status).toBe(200);
    const good = Array.from({ length: 8 }, () => newSigner().address);
    const asked = [...bad, ...good].map((mint, index) => ask(index % 2, pathOf(mint)));
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([400, 400, ...Array<number>(8).fill(200)]);
    await expect.poll(() => keysOf('lease'), SOON).toEqual([]);
    const before = calls();
    for (const mint of good) expect((await ask(2, pathOf(mint))).status).toBe(200);
    expect(calls()).toBe(before);
  });

  it('W6 candles that one has fetched of an open range are not those of a closed one at another', async () => {
    const now = Math.floor(Date.now() / 1_000);
    // Of candles of a minute a range counts as closed 900 seconds after its end.
    const to = now - 900 + 4;
    const path = `${ROUTE}/solana/ohlcv?interval=1m&from=${to - 3_600}&to=${to}`;
    expect((await ask(0, path)).status).toBe(200);
    await untilShared(1);
    const before = calls();
    expect(statusOf(await ask(1, path))).toMatch(/; hit;/);
    await sleep(5_500 - 1_000 * (Date.now() / 1_000 - now));
    expect(statusOf(await ask(2, path))).toBe('asset-gateway; fwd=miss; stored');
    await untilShared(2);
    expect(statusOf(await ask(1, path))).toMatch(/; hit; ttl=86[34]\d\d$/);
    expect(calls()).toBe(before + 1);
  });

  it('a failed call ends the wait of other nodes', async () => {
    const path = newSearch();
    fleet.upstream.faults.status = 503;
    fleet.upstream.faults.delayMs = 300;
    const answers = await Promise.all([0, 1, 2, 3].map((node) => ask(node, path)));
    expect(answers.map(({ status }) => status)).toEqual(Array(4).fill(502));
    await expect.poll(() => keysOf('lease'), SOON).toEqual([]);
  });
});

redisSuite('nodes whose Redis is', () => {
  const started: { readonly redis: RedisServer; readonly fleet: Fleet }[] = [];
  afterAll(() => Promise.all(started.map(({ fleet, redis }) => fleet.close().then(redis.stop))));

  /** Two nodes with a Redis of their own. */
  async function open(variables: object) {
    const redis = await startRedis();
    const fleet = await openFleet({ redisUrl: redis.url });
    started.push({ redis, fleet });
    return { redis, fleet, nodes: [await fleet.start(variables), await fleet.start(variables)] };
  }

  const faults: [string, (redis: RedisServer) => unknown, (redis: RedisServer) => unknown][] = [
    ['killed', (redis) => redis.kill(), (redis) => redis.start()],
    ['frozen', (redis) => redis.freeze(), (redis) => redis.thaw()],
    ['emptied', (redis) => redis.command('FLUSHALL'), () => undefined],
  ];

  it.concurrent.each(faults)('%s serve their own entries, if a sign-in needs no Redis', async (_, fail, mend) => {
    const { redis, fleet, nodes } = await open({ ...VARIABLES, SIWX_NONCE: 'until-expiry', APIS_FILE });
    const path = newSearch();
    const askAll = () => Promise.all(nodes.map(({ url }) => askSigned(url + path)));
    const fetchedMs = performance.now();
    const ageMs = () => performance.now() - fetchedMs;
    for (const { url } of nodes) expect((await askSigned(url + path)).status).toBe(200);
    await fail(redis);
    fleet.upstream.faults.status = 503;
    const hits: Response[] = [];
    do {
      const answers = await askAll();
      // On a busy machine the entry may end while it is asked for.
      if (ageMs() < BOUND_SECONDS * 1_000) expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      hits.push(...answers.filter(({ status }) => status === 200));
      await sleep(150);
    } while (ageMs() < BOUND_SECONDS * 1_000);
    expect(hits.length).toBeGreaterThanOrEqual(nodes.length);
    expect(Math.max(...hits.map(({ headers }) => Number(headers.get('age'))))).toBeLessThanOrEqual(BOUND_SECONDS);
    await sleep(1_000);
    for (const { status } of await askAll()) expect(status).toBeGreaterThan(400);
    fleet.upstream.faults.status = undefined;
    await mend(redis);
  });
});
