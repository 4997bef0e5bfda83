import { expect, it } from 'vitest';
import { stopAfterTests } from '../kit/stop-after-tests.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { askSigned, signedHeader } from '../kit/wallet.ts';
import { scrape } from '../operations/scrape.ts';

const gateway = await stopAfterTests(
  startTestGateway({ RESPONSE_CACHE: 'on', METRICS_PORT: '0', TOKENS_RATE_LIMIT_PER_MINUTE: '30' }),
);

const search = (query: string, headers = {}) =>
  askSigned(`${gateway.url}/v1/x402/tokens/assets/search?q=${query}`, { headers });

it('hits, misses, calls and forgone requests are counted, without wallets in labels', async () => {
  await search('one');
  await search('one');
  await search('one', { 'Cache-Control': 'no-cache' });
  const scraped = await scrape(gateway.gateway);
  const sum = (name: string, labels: Record<string, string> = {}) => scraped.sum(`asset_gateway_${name}`, labels);
  for (const result of ['miss', 'hit', 'refetch'])
    expect([result, sum('cache_answers_total', { route: 'tokens.search', result })]).toEqual([result, 1]);
  expect(sum('cache_calls_total', { reason: 'awaited' })).toBe(2);
  expect(sum('cache_forgone_total')).toBe(0);
  expect(sum('cache_age_seconds_count')).toBe(3);
  expect(scraped.labelNames('asset_gateway_cache_answers_total')).toEqual(['route', 'result']);
});

it('a request without a call in time is a 429, and its sign-in stays good', async () => {
  const narrow = await startTestGateway({ RESPONSE_CACHE: 'on', METRICS_PORT: '0', TOKENS_RATE_LIMIT_PER_MINUTE: '1' });
  const url = (query: string) => `${narrow.url}/v1/x402/tokens/assets/search?q=${query}`;
  expect((await askSigned(url('one'))).status).toBe(200);
  const header = { 'SIGN-IN-WITH-X': await signedHeader(url('two')) };
  const refused = await fetch(url('two'), { headers: header });
  expect([refused.status, Number(refused.headers.get('retry-after')) > 30]).toEqual([429, true]);
  expect((await fetch(url('two'), { headers: header })).status).toBe(429);
  expect(narrow.upstream.arrivals).toHaveLength(1);
  expect((await scrape(narrow.gateway)).sum('asset_gateway_cache_forgone_total')).toBe(2);
  await narrow.stop();
});
