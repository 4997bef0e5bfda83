import { type Route, routes } from '@asset-gateway/protocol';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CLAIM, WRITE } from '../../packages/gateway/src/cache/entry-scripts.ts';
import { RedisEntries } from '../../packages/gateway/src/cache/redis-entries.ts';
import { CallClaim, type Claim } from '../../packages/gateway/src/cache/shared-entries.ts';
import type { Input } from '../../packages/gateway/src/call.ts';
import { RedisConnection } from '../../packages/gateway/src/stores/redis/connection.ts';
import { Keyspace } from '../../packages/gateway/src/stores/redis/keyspace.ts';
import { sleep } from '../budget/history.ts';
import { cacheFile } from '../cache/file.ts';
import { inEachTest, inSuite } from '../kit/in-suite.ts';
import { type RedisServer, redisSuite, startRedis } from '../kit/redis.ts';
import type { TestGateway } from '../kit/test-gateway.ts';
import { askSigned, newSigner, signedHeader } from '../kit/wallet.ts';
import { type Fleet, openFleet } from './fleet.ts';

const BOUND_SECONDS = 5;
const APIS_FILE = cacheFile('search', 1, BOUND_SECONDS);

const VARIABLES = { RESPONSE_CACHE: 'on', TOKENS_RATE_LIMIT_PER_MINUTE: '30' };
const ROUTE = '/v1/x402/tokens/assets';
let serial = 0;
/** A new search. */
const newSearch = (): string => `${ROUTE}/search?q=shared-${serial++}`;
const statusOf = ({ headers }: Response): string => headers.get('cache-status') ?? '';

redisSuite('nodes that share their cache', () => {
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
  const untilShared = (count: number) => expect.poll(() => keysOf('entry')).toHaveLength(count);

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
    await expect.poll(() => keysOf('lease')).toEqual([]);
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
    await expect.poll(() => keysOf('lease')).toEqual([]);
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
    await expect.poll(() => keysOf('lease')).toEqual([]);
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

const [SECRET, OTHER_SECRET] = ['s'.repeat(32), 't'.repeat(32)];
const LEASE_MS = 13_000;
const now = () => performance.now();
const planOf = (id: string, maxStaleSeconds = 600) => ({ key: { id, freshSeconds: 60, maxStaleSeconds } });
const read = async (node: RedisEntries, plans: Parameters<RedisEntries['claim']>[0]) =>
  (await node.claim(plans)).entries;
const [KEY, ANOTHER] = [planOf('search ["sol"]'), planOf('search ["bonk"]')];
const JSON_TEXT = '{"amount":18446744073709551615,"name":"Ω"}';

redisSuite('shared entries in Redis', () => {
  const redis = inEachTest(startRedis);
  const connections: RedisConnection[] = [];
  /** One node more. */
  async function open({ secrets = [SECRET], scope = 'upstream', leaseMs = LEASE_MS } = {}): Promise<RedisEntries> {
    const connection = await RedisConnection.load(redis.url);
    connections.push(connection);
    await connection.connect(() => undefined);
    return new RedisEntries(connection, { secrets, scope, leaseMs, now });
  }
  let one: RedisEntries;
  let other: RedisEntries;
  beforeEach(async () => {
    [one, other] = [await open(), await open()];
  });
  afterEach(() => {
    for (const connection of connections.splice(0)) connection.close();
  });

  const share = (plan = KEY, ageMs = 0, json = JSON_TEXT) =>
    one.write([{ ...plan, fetchedAtMs: now() - ageMs, json }], 'one');
  const names = async (kind: string) => ((await redis.command('KEYS', `{gw:cache}:${kind}:*`)) as string[]).sort();
  const nameOf = async (kind: string) => (await names(kind))[0] ?? 'none';
  const left = async (name: string) => Number(await redis.command('PTTL', name));

  it('are the same text on another node, and as old', async () => {
    await share(KEY, 20_000);
    const entry = (await read(other, [ANOTHER, KEY])).get(KEY.key.id);
    expect(entry?.json).toBe(JSON_TEXT);
    const ageMs = now() - (entry?.fetchedAtMs ?? 0);
    // Rather too old than too young: the half of a round trip that a clock is off by is less than a second.
    expect(Math.abs(ageMs - 20_000)).toBeLessThan(1_000);
  });

  it('end with their bound, and are not served beyond it', async () => {
    await share(KEY, 590_000);
    const life = await left(await nameOf('entry'));
    expect(life).toBeGreaterThan(0);
    expect(life).toBeLessThanOrEqual(10_000);
    // A node may have a stricter bound for the same row.
    expect(await read(other, [planOf(KEY.key.id, 500)])).toEqual(new Map());
    await share(ANOTHER, 600_001);
    expect(await names('entry')).toHaveLength(1);
  });

  it('count as missing if they are larger than a MiB', async () => {
    const random = Array.from({ length: 120_000 }, () => Math.random()).join();
    await share(KEY, 0, JSON.stringify(random));
    expect(await names('entry')).toEqual([]);
    await share(ANOTHER, 0, JSON.stringify('x'.repeat(5 * 1024 * 1024 - 2)));
    expect((await read(other, [ANOTHER])).get(ANOTHER.key.id)?.json).toHaveLength(5 * 1024 * 1024);
  });

  it('are of their upstream', async () => {
    await share();
    expect((await read(await open({ scope: 'another' }), [KEY])).size).toBe(0);
  });

  it('are read under every secret and written under the first', async () => {
    await share();
    expect((await read(await open({ secrets: [OTHER_SECRET, SECRET] }), [KEY])).size).toBe(1);
    expect((await read(await open({ secrets: [OTHER_SECRET] }), [KEY])).size).toBe(0);
  });

  describe('are never given out', () => {
    const changed: [string, (text: string) => string][] = [
      ['cut short', (text) => text.slice(0, -8)],
      ['cut to nothing but their head', (text) => text.split('.', 2).join('.')],
      ['empty', () => ''],
      ['something else', () => '{"poisoned":true}'],
      ['made younger', (text) => text.replace(/\.(\d+)\./, (_, at) => `.${Number(at) + 5}.`)],
      ['of another version', (text) => text.replace(/^2\./, '1.')],
      ['changed by a bit', (text) => text.replace(/(.)(.{6})$/, (_, a, rest) => (a === 'A' ? 'B' : 'A') + rest)],
      ['without their MAC', (text) => text.replace(/\.[\w-]{43}\./, '..')],
    ];
    it.each(changed)('when they are %s', async (_, change) => {
      await share();
      const name = await nameOf('entry');
      const text = String(await redis.command('GET', name));
      const poisoned = change(text);
      expect(poisoned).not.toBe(text);
      await redis.command('SET', name, poisoned);
      expect((await read(other, [KEY])).size).toBe(0);
      expect((await other.claim([KEY], 'other')).entries.size).toBe(0);
      await redis.command('SET', name, text);
      expect((await read(other, [KEY])).size).toBe(1);
    });

    it('when they are another key’s', async () => {
      await share(KEY);
      const name = await nameOf('entry');
      await share(ANOTHER, 0, '"another"');
      const stranger = (await names('entry')).find((each) => each !== name) ?? 'none';
      await redis.command('SET', name, String(await redis.command('GET', stranger)));
      expect([...(await read(other, [KEY, ANOTHER])).keys()]).toEqual([ANOTHER.key.id]);
    });

    it('when they are no text at all', async () => {
      await share();
      const name = await nameOf('entry');
      await redis.command('DEL', name);
      await redis.command('RPUSH', name, 'a list');
      await redis.command('RPUSH', name.replace(':entry:', ':lease:'), 'a list');
      await share(ANOTHER);
      expect([...(await read(other, [KEY, ANOTHER])).keys()]).toEqual([ANOTHER.key.id]);
      const { leased, entries } = await other.claim([KEY, ANOTHER], 'other');
      expect([leased.size, [...entries.keys()]]).toEqual([2, [ANOTHER.key.id]]);
      await other.write([{ ...KEY, fetchedAtMs: now(), json: JSON_TEXT }], 'other');
      expect((await read(one, [KEY])).size).toBe(1);
      expect((await one.claim([KEY], 'one')).leased.size).toBe(1);
    });
  });

  describe('leases', () => {
    it('are one node’s until it has written or given them back', async () => {
      expect((await one.claim([KEY, ANOTHER], 'one')).leased).toEqual(new Set([KEY.key.id, ANOTHER.key.id]));
      expect((await other.claim([KEY, ANOTHER], 'other')).leased).toEqual(new Set());
      await other.endLeases([KEY], 'other');
      expect((await other.claim([KEY], 'other')).leased).toEqual(new Set());
      await share(KEY);
      await one.endLeases([ANOTHER], 'one');
      const { leased, entries } = await other.claim([KEY, ANOTHER], 'other');
      expect([leased, [...entries.keys()]]).toEqual([new Set([KEY.key.id, ANOTHER.key.id]), [KEY.key.id]]);
    });

    it('are asked for again, without the known entry, until another one arrives', async () => {
      await share(KEY, 2_000);
      const tagIn = ({ entries }: Claim) => entries.get(KEY.key.id)?.tag ?? 'none';
      const tags = new Map([[KEY.key.id, tagIn(await other.claim([KEY], 'other'))]]);
      expect((await other.claim([KEY], 'other', tags)).entries.size).toBe(0);
      await share(KEY, 0, '"newer"');
      const again = await other.claim([KEY], 'other', tags);
      expect(again.entries.get(KEY.key.id)?.json).toBe('"newer"');
    });

    it('of other nodes are waited for until they must have ended', async () => {
      const short = await open({ leaseMs: 300 });
      await one.claim([KEY], 'one');
      const claim = new CallClaim({ entries: short, owner: 'short', isEnough: () => false });
      const plan = { ...KEY, route: routes[0] as Route, input: {} as Input };
      let looks = 0;
      for await (const { others } of claim.divisions([plan], () => true)) looks += others.length;
      expect(looks).toBeGreaterThan(1);
    });

    it('are not taken by a reader', async () => {
      await read(one, [KEY]);
      expect(await names('lease')).toEqual([]);
    });

    it('end by themselves when their node has died', async () => {
      await one.claim([KEY], 'one');
      const life = await left(await nameOf('lease'));
      expect(life).toBeGreaterThan(LEASE_MS - 2_000);
      expect(life).toBeLessThanOrEqual(LEASE_MS);
    });
  });

  it('are nothing, and each node is alone, while Redis is gone or frozen', async () => {
    await share();
    await redis.kill();
    expect((await read(other, [KEY])).size).toBe(0);
    expect((await other.claim([KEY], 'other')).leased).toEqual(new Set([KEY.key.id]));
    await Promise.all([share(), other.endLeases([KEY], 'other')]);
    await redis.start();
    const shareAgain = () => share().then(() => read(other, [KEY]));
    await expect.poll(async () => (await shareAgain()).size).toBe(1);
    redis.freeze();
    expect((await read(other, [KEY])).size).toBe(0);
    expect((await other.claim([KEY], 'other')).leased).toEqual(new Set([KEY.key.id]));
    redis.thaw();
    await expect.poll(async () => (await read(other, [KEY])).size).toBe(1);
  });

  it('stay within their share of memory: those that expire first are dropped', async () => {
    const [connection] = connections;
    if (!connection) throw new Error('no connection');
    const space = new Keyspace(connection, 'cache');
    await space.run({ script: CLAIM, args: ['', LEASE_MS] });
    const keys = ['entries', 'entry-sizes', ...['a', 'b', 'c'].flatMap((name) => [`entry:${name}`, `lease:${name}`])];
    const texts = [60_000, 'aaaa', 30_000, 'bbbb', 90_000, 'cccc'];
    await space.run({ script: WRITE, keys, args: ['me', space.now(), 8, ...texts] });
    expect(await names('entry')).toEqual(['{gw:cache}:entry:a', '{gw:cache}:entry:c']);
    // Nor is anything kept of a node whose clock is another one.
    await space.run({ script: WRITE, keys, args: ['me', space.now() - 5_000, 100, ...texts] });
    expect(await names('entry')).toHaveLength(2);
  });

  it('leave nothing behind', async () => {
    const plans = Array.from({ length: 20 }, (_, index) => planOf(`key ${index}`, 2));
    const entries = plans.map((plan) => ({ ...plan, fetchedAtMs: now(), json: JSON_TEXT }));
    await one.write(entries, 'one');
    const sizes = (await redis.command('HVALS', '{gw:cache}:entry-sizes')) as string[];
    const texts = await Promise.all((await names('entry')).map((name) => redis.command('STRLEN', name)));
    const total = texts.reduce((sum: number, size) => sum + Number(size), 0);
    expect([texts.length, Number(await redis.command('HGET', '{gw:cache}:entry-sizes', 'total'))]).toEqual([20, total]);
    expect(sizes).toHaveLength(21);
    await sleep(2_100);
    expect(await redis.command('KEYS', '{gw:cache}:*')).toEqual(['{gw:cache}:state']);
  });
});
