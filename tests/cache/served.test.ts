import { describe, expect, it } from 'vitest';
import { startTestGateway } from '../kit/test-gateway.ts';
import { askSigned, newSigner, signedHeader } from '../kit/wallet.ts';
import { scrape } from '../operations/scrape.ts';

const CACHED = { RESPONSE_CACHE: 'on', TOKENS_RATE_LIMIT_PER_MINUTE: '30' };
const gateway = await startTestGateway(CACHED);

const ROUTE = '/v1/x402/tokens/assets';
let serial = 0;

/** A new search. */
const newSearch = (): string => `${gateway.url}${ROUTE}/search?q=new-${serial++}`;
const statusOf = ({ headers }: Response): string => headers.get('cache-status') ?? '';

/** The result and its upstream calls. */
async function callsOf<T>(ask: () => Promise<T>): Promise<{ result: T; calls: number }> {
  const before = gateway.upstream.arrivals.length;
  const result = await ask();
  return { result, calls: gateway.upstream.arrivals.length - before };
}

describe('a cached answer', () => {
  it('is served to the next wallet without an upstream call, with its age', async () => {
    const url = newSearch();
    const first = await askSigned(url);
    expect([first.status, statusOf(first)]).toEqual([200, 'asset-gateway; fwd=miss; stored']);
    const text = await first.text();
    const { result: second, calls } = await callsOf(() => askSigned(url));
    expect(calls).toBe(0);
    expect(second.status).toBe(200);
    expect(statusOf(second)).toMatch(/^asset-gateway; hit; ttl=1[12]\d$/);
    expect(second.headers.get('cache-control')).toMatch(/^private, max-age=1[12]\d$/);
    expect(Number(second.headers.get('age'))).toBeLessThan(30);
    expect(await second.text()).toBe(text);
  });

  it('needs a sign-in, which is good for one answer', async () => {
    const url = newSearch();
    await askSigned(url);
    expect((await fetch(url)).status).toBe(402);
    const header = await signedHeader(url);
    const answers: Response[] = [];
    for (let turn = 0; turn < 2; turn++) answers.push(await fetch(url, { headers: { 'SIGN-IN-WITH-X': header } }));
    expect(answers.map(({ status }) => status)).toEqual([200, 402]);
    expect(await answers[1]?.json()).toMatchObject({ error: 'invalid_siwx_nonce' });
  });

  it('is a 304 for its ETag', async () => {
    const url = newSearch();
    const tag = (await askSigned(url)).headers.get('etag') ?? '';
    expect(tag).toMatch(/^"[\w-]{22}"$/);
    // Without a Cache-Control of its own fetch adds `no-cache` to a condition.
    const headers = { 'If-None-Match': tag, 'Cache-Control': 'max-age=60' };
    const { result, calls } = await callsOf(() => askSigned(url, { headers }));
    expect([result.status, calls, await result.text()]).toEqual([304, 0, '']);
  });

  it('does not depend on the order of parameters', async () => {
    const query = (text: string) => `${gateway.url}${ROUTE}/search?${text}`;
    await askSigned(query(`q=order-${serial}&limit=3`));
    expect((await callsOf(() => askSigned(query(`limit=3&q=order-${serial}`)))).calls).toBe(0);
    expect((await callsOf(() => askSigned(query(`q=order-${serial}&limit=4`)))).calls).toBe(1);
  });

  it.each(['no-cache', 'max-age=0', 'No-Cache, max-age=60'])('is refreshed by %s', async (cacheControl) => {
    const url = newSearch();
    await askSigned(url);
    const { result, calls } = await callsOf(() => askSigned(url, { headers: { 'Cache-Control': cacheControl } }));
    expect([calls, statusOf(result)]).toEqual([1, 'asset-gateway; fwd=stale; stored']);
  });

  it('is served within max-age', async () => {
    const url = newSearch();
    await askSigned(url);
    const { calls } = await callsOf(() => askSigned(url, { headers: { 'Cache-Control': 'max-age=30' } }));
    expect(calls).toBe(0);
  });
});

it('concurrent equal requests share one call, and each nonce is good for one answer', async () => {
  const url = newSearch();
  gateway.upstream.faults.delayMs = 200;
  const headers = await Promise.all(Array.from({ length: 20 }, () => signedHeader(url)));
  const twice = [...headers, ...headers].map((header) => fetch(url, { headers: { 'SIGN-IN-WITH-X': header } }));
  const { result, calls } = await callsOf(() => Promise.all(twice));
  gateway.upstream.faults.delayMs = 0;
  expect(calls).toBe(1);
  const statuses = result.map(({ status }) => status).sort();
  expect(statuses).toEqual([...Array(20).fill(200), ...Array(20).fill(402)]);
  const collapsed = result.filter((answer) => statusOf(answer).endsWith('; collapsed'));
  expect(collapsed).toHaveLength(19);
});

it('a refusal of the upstream is cached', async () => {
  const url = `${gateway.url}${ROUTE}/no-such-asset`;
  const first = await askSigned(url);
  const { result, calls } = await callsOf(() => askSigned(url));
  expect([first.status, result.status, calls]).toEqual([404, 404, 0]);
});

it('health is not cached', async () => {
  const url = `${gateway.url}/v1/x402/tokens/health`;
  await askSigned(url);
  const { result, calls } = await callsOf(() => askSigned(url));
  const { headers } = result;
  expect([calls, headers.get('cache-status'), headers.get('cache-control')]).toEqual([1, null, 'private, no-store']);
});

it('the log line of a hit has the wallet and `hit`', async () => {
  const [url, signer] = [newSearch(), newSigner()];
  await askSigned(url);
  await askSigned(url, {}, signer);
  const line = { status: 200, cache: 'hit', wallet: signer.address };
  expect(JSON.parse(gateway.logLines.at(-1) ?? '')).toMatchObject(line);
});

it('hits, misses, calls and forgone requests are counted, without wallets in labels', async () => {
  const fresh = await startTestGateway({ ...CACHED, METRICS_PORT: '0' });
  const url = `${fresh.url}${ROUTE}/search?q=one`;
  for (const headers of [{}, {}, { 'Cache-Control': 'no-cache' }]) await askSigned(url, { headers });
  const scraped = await scrape(fresh.gateway);
  const sum = (name: string, labels: Record<string, string> = {}) => scraped.sum(`asset_gateway_${name}`, labels);
  for (const result of ['miss', 'hit', 'refetch'])
    expect([result, sum('cache_answers_total', { route: 'tokens.search', result })]).toEqual([result, 1]);
  expect(sum('cache_calls_total', { reason: 'awaited' })).toBe(2);
  expect(sum('cache_forgone_total')).toBe(0);
  expect(sum('cache_age_seconds_count')).toBe(3);
  expect(scraped.labelNames('asset_gateway_cache_answers_total')).toEqual(['route', 'result']);
});

it('a request without a call in time is a 429, and its sign-in stays good', async () => {
  const narrow = await startTestGateway({ ...CACHED, METRICS_PORT: '0', TOKENS_RATE_LIMIT_PER_MINUTE: '1' });
  const url = (query: string) => `${narrow.url}${ROUTE}/search?q=${query}`;
  expect((await askSigned(url('one'))).status).toBe(200);
  const header = { 'SIGN-IN-WITH-X': await signedHeader(url('two')) };
  const refused = await fetch(url('two'), { headers: header });
  expect([refused.status, Number(refused.headers.get('retry-after')) > 30]).toEqual([429, true]);
  expect((await fetch(url('two'), { headers: header })).status).toBe(429);
  expect(narrow.upstream.arrivals).toHaveLength(1);
  expect((await scrape(narrow.gateway)).sum('asset_gateway_cache_forgone_total')).toBe(2);
});
