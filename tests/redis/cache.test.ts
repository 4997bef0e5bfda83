import type { RunningGateway } from '@asset-gateway/gateway';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type RedisServer, redisSuite, startRedis } from '../kit/redis.ts';
import { askSigned, signedHeader } from '../kit/wallet.ts';
import { type Fleet, openFleet } from './fleet.ts';

const VARIABLES = { RESPONSE_CACHE: 'on', TOKENS_RATE_LIMIT_PER_MINUTE: '30' };
const ROUTE = '/v1/x402/tokens/assets';
let serial = 0;
/** A search that nobody has asked for yet. */
const newSearch = (): string => `${ROUTE}/search?q=shared-${serial++}`;
const statusOf = ({ headers }: Response): string => headers.get('cache-status') ?? '';

redisSuite('nodes that share what they keep', () => {
  let redis: RedisServer;
  let fleet: Fleet;
  let nodes: RunningGateway[];
  beforeEach(async () => {
    redis = await startRedis();
    fleet = await openFleet({ redisUrl: redis.url });
    nodes = await Promise.all(Array.from({ length: 4 }, () => fleet.start(VARIABLES)));
  });
  afterEach(() => fleet.close().then(redis.stop));

  const urlOf = (node: number, path: string): string => (nodes[node]?.url ?? '') + path;
  const ask = (node: number, path: string, init: RequestInit = {}) => askSigned(urlOf(node, path), init);
  const calls = (): number => fleet.upstream.arrivals.length;
  const keysOf = async (kind: string) => (await redis.command('KEYS', `{gw:cache}:${kind}:*`)) as string[];
  /** An entry is written when its answer is out. */
  const untilShared = (count: number) => expect.poll(() => keysOf('entry')).toHaveLength(count);

  it('what one has fetched is a hit at all of them', async () => {
    const path = newSearch();
    const first = await (await ask(0, path)).text();
    await untilShared(1);
    for (const node of [1, 2, 3]) {
      const answer = await ask(node, path);
      expect(statusOf(answer)).toMatch(/^asset-gateway; hit; ttl=1[12]\d$/);
      expect(await answer.text()).toBe(first);
    }
    expect(calls()).toBe(1);
  });

  it('what is asked of all at once is one call, and each nonce is good for one answer', async () => {
    const path = newSearch();
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
    expect(calls()).toBe(1);
    await expect.poll(() => keysOf('lease')).toEqual([]);
  });
});
