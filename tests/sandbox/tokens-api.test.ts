import { Agent, get as httpGet, request as httpRequest, type IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTokensApi, type TokensApi } from '../../packages/sandbox/src/tokens/api.ts';
import { ASSETS, KNOWN_MINTS } from '../../packages/sandbox/src/tokens/catalogue.ts';
import { UPSTREAM_ROUTES } from '../../packages/sandbox/src/tokens/routes.ts';

const KEY = 'upstream-key';
const NOW = Date.parse('2025-12-29T09:23:45Z');
const SOL = 'So11111111111111111111111111111111111111112';
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const TESLA = 'XsDoVfqeBukxuZHWhdvWHBhgEHjGNst4MLodqsJHzoB';
const UNKNOWN = '7'.repeat(43);

interface Candle {
  readonly time: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
}

let api: TokensApi;
beforeAll(async () => {
  api = await startTokensApi({ key: KEY, now: () => NOW });
});
afterEach(() => api.faults.reset());
afterAll(() => api.close());

async function ask(path: string, init: RequestInit = {}) {
  const response = await fetch(`${api.url}${path}`, { ...init, headers: { 'x-api-key': KEY, ...init.headers } });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text };
}

async function json(path: string, init: RequestInit = {}) {
  const { status, text, headers } = await ask(path, init);
  return { status, headers, body: JSON.parse(text) };
}

const ok = async (path: string, init: RequestInit = {}) => {
  const { status, body } = await json(path, init);
  expect(status, `${path} ${JSON.stringify(body).slice(0, 200)}`).toBe(200);
  return body;
};
const post = (body: string): RequestInit => ({ method: 'POST', body, headers: { 'content-type': 'application/json' } });
const snapshots = (body: unknown) => ok('/v1/assets/market-snapshots', post(JSON.stringify(body)));
const refusal = async (path: string, init: RequestInit = {}) => {
  const { status, body, headers } = await json(path, init);
  expect(headers.get('cache-control')).toBe('no-store');
  return [status, body.error._tag, body.error.message];
};
const keys = (value: object) => Object.keys(value).sort();

describe('shapes', () => {
  const row = ['assetId', 'canonicalMarket', 'category', 'imageUrl', 'name', 'primaryVariant', 'stats', 'symbol'];
  const expected: Record<string, string[]> = {
    '/v1/health': ['ok'],
    '/v1/assets/search?q=sol': ['category', 'primaryVariantStrategy', 'query', 'results'],
    '/v1/assets/resolve?ref=sol': ['asset', 'assetId', 'mint', 'resolvedBy', 'variant'],
    '/v1/assets/curated': ['assets', 'listId', 'primaryVariantStrategy'],
    [`/v1/assets/variant-markets?mints=${SOL}`]: ['variants'],
    [`/v1/assets/risk-summary?mint=${SOL}`]: [
      'caps',
      'grade',
      'hasInsufficientData',
      'insufficientDataReason',
      'isTrustedLaunch',
      'label',
      'score',
      'tone',
    ],
    '/v1/assets/solana': ['asset'],
    '/v1/assets/sol?include=profile,risk,ohlcv,markets': ['asset', 'includes', 'resolution'],
    '/v1/assets/solana/variants': ['assetId', 'sortBy', 'variants'],
    '/v1/assets/solana/variant-top-markets': ['assetId', 'lastUpdatedAt', 'limit', 'offset', 'total', 'variants'],
    '/v1/assets/solana/variant-market': ['assetId', 'lastUpdatedAt', 'market', 'mint'],
    '/v1/assets/solana/markets': [
      'assetId',
      'lastUpdatedAt',
      'limit',
      'markets',
      'mint',
      'offset',
      'protocolTokensByMarket',
      'total',
    ],
    '/v1/assets/solana/ohlcv': ['assetId', 'candles', 'from', 'interval', 'mint', 'to'],
    '/v1/assets/solana/price-chart': ['assetId', 'candles', 'from', 'interval', 'to'],
    '/v1/assets/solana/profile': ['assetId', 'profile'],
    '/v1/assets/solana/tickers': ['assetId', 'tickers'],
    '/v1/assets/solana/risk-summary': ['assetId', 'mint', 'risk'],
    '/v1/assets/solana/risk-details': ['assetId', 'mint', 'risk'],
    '/v1/assets/solana/description': ['assetId', 'description', 'mint'],
  };

  it.each(Object.entries(expected))('%s', async (path, fields) => {
    expect(keys(await ok(path))).toEqual(fields);
  });

  it('the table holds 19 routes', () => expect(UPSTREAM_ROUTES).toHaveLength(19));

  it('search, curated and detail agree about an asset', async () => {
    const [found] = (await ok('/v1/assets/search?q=solana&limit=1')).results;
    expect(keys(found)).toEqual(row);
    const { assets } = await ok('/v1/assets/curated?list=majors');
    expect(assets.find((asset: { assetId: string }) => asset.assetId === 'solana')).toEqual(found);
    const { asset } = await ok('/v1/assets/solana');
    expect(asset.stats).toEqual(found.stats);
    expect(asset.primaryVariant).toEqual(found.primaryVariant);
    expect(keys(asset.variantGroups)).toEqual([
      'basket',
      'etf',
      'leveraged',
      'lst',
      'spot',
      'tokenizedEquity',
      'yield',
    ]);
    expect(asset.variantGroups.lst.map((variant: { rank: number }) => variant.rank)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('include blocks say ok with data, or why not', async () => {
    const { includes } = await ok(
      '/v1/assets/solana?include=profile,risk,ohlcv,markets&marketsLimit=3&marketsOffset=1',
    );
    expect(includes.risk.data).toMatchObject({
      tokenData: null,
      tradingData: null,
      marketScore: { score: 100, grade: 'A' },
    });
    expect(includes.markets.data).toMatchObject({ total: 164, offset: 1, limit: 3 });
    expect(includes.markets.data.markets[0].source).toBeTypeOf('string');
    expect(includes.ohlcv.data).toHaveLength(168);
    expect(includes.profile.data.allTimeHigh).toBeGreaterThanOrEqual(includes.profile.data.price);
    const bare = await ok(`/v1/assets/solana-${UNKNOWN}?include=profile,risk,markets`);
    expect(bare.includes.profile).toMatchObject({ ok: false, reason: 'not_available' });
    expect(bare.includes.risk).toMatchObject({ ok: false, reason: 'not_found' });
    expect(bare.includes.markets.data.markets).toEqual([]);
  });

  it('answers differ by asset', async () => {
    expect(ASSETS.length).toBeGreaterThanOrEqual(20);
    for (const view of [
      '',
      '/variants',
      '/price-chart',
      '/ohlcv',
      '/description',
      '/risk-details',
      '/profile',
      '/tickers',
    ]) {
      const texts = await Promise.all(
        ASSETS.map(async ({ id }) =>
          (await ask(`/v1/assets/${id}${view}`)).text.replaceAll(id, '').replaceAll(/"mint":"\w+"/g, ''),
        ),
      );
      const told = texts.filter(
        (text) => !text.includes('"error"') && !text.includes('"ok":false') && !text.includes('"rows":[]'),
      );
      expect(new Set(told).size, view).toBe(told.length);
    }
  });
});

describe('asking and paging', () => {
  it.each([
    ['mint', `mint=${SOL}`, 'solana'],
    ['mint', `mint=${TESLA}&ref=apple`, 'tesla'],
    ['mint', `ref=${USDC}`, 'usd'],
    ['singletonMint', `ref=solana-${SOL}`, 'solana'],
    ['assetId', 'ref=solana', 'solana'],
    ['alias', 'ref=SOL', 'solana'],
    ['singleton', `mint=${UNKNOWN}`, `solana-${UNKNOWN}`],
  ])('resolved by %s: %s', async (resolvedBy, query, assetId) => {
    expect(await ok(`/v1/assets/resolve?${query}`)).toMatchObject({ resolvedBy, assetId });
  });

  it('knows the mints of stake pools and of the token registry', async () => {
    const by = await Promise.all(
      KNOWN_MINTS.map(async (mint) => (await ok(`/v1/assets/resolve?mint=${mint}`)).resolvedBy),
    );
    expect(new Set(by)).toEqual(new Set(['mint', 'sanctum', 'registry']));
    expect(new Set(KNOWN_MINTS).size).toBeGreaterThanOrEqual(60);
  });

  it('cuts batches, drops repetitions and ignores addresses beside mints', async () => {
    const many = await snapshots({ mints: [...KNOWN_MINTS, ...KNOWN_MINTS], addresses: [UNKNOWN] });
    expect(many.map((item: { address: string }) => item.address)).toEqual(KNOWN_MINTS);
    expect(await snapshots({ addresses: [UNKNOWN] })).toEqual([{ address: UNKNOWN, token: null, hasMarket: false }]);
    expect(await snapshots({})).toEqual([]);
    expect(await ok('/v1/assets/variant-markets')).toEqual({ variants: [] });
    const { variants } = await ok(`/v1/assets/variant-markets?mints=${KNOWN_MINTS}&addresses=${UNKNOWN}`);
    expect(variants).toHaveLength(50);
    expect(variants[0]).toMatchObject({ mint: KNOWN_MINTS[0], assetId: 'bitcoin', market: { mint: KNOWN_MINTS[0] } });
  });

  it.each(['markets', 'tickers'])('pages through more than fifty %s', async (view) => {
    const seen: unknown[] = [];
    for (let offset = 0, total = 1; offset < total; offset += 50) {
      const body = await ok(`/v1/assets/solana/${view}?offset=${offset}&limit=999`);
      const page = body.tickers ?? body;
      expect(page.limit).toBe(50);
      total = page.total;
      seen.push(...(page.rows ?? page.markets));
      expect(seen.length).toBe(Math.min(total, offset + 50));
    }
    expect(seen.length).toBeGreaterThan(100);
    expect(new Set(seen.map((item) => JSON.stringify(item))).size).toBe(seen.length);
  });

  it('filters variants and lists the ones nobody trades only when all are wanted', async () => {
    const of = async (query: string) => (await ok(`/v1/assets/solana/variants?${query}`)).variants;
    expect((await of('kind=lst')).every((variant: { kind: string }) => variant.kind === 'lst')).toBe(true);
    expect(await of('trustTier=experimental')).toEqual(await of('liquidityTier=tier3'));
    expect((await of('')).length + 1).toBe((await of('variantsMode=all')).length);
    expect(await of(`mint=${SOL}`)).toMatchObject([{ mint: SOL, kind: 'native', liquidityTier: 'tier1' }]);
    const { total, variants } = await ok('/v1/assets/solana/variant-top-markets?limit=2&offset=1');
    expect([total, variants.length]).toEqual([9, 2]);
  });

  it('reads curated lists leniently', async () => {
    expect((await ok('/v1/assets/curated?list=stables')).listId).toBe('currencies');
    expect((await ok('/v1/assets/curated?list=nonsense')).listId).toBe('all');
    expect((await ok('/v1/assets/curated?list=lsts&groupBy=mint')).assets).toHaveLength(8);
  });
});

describe('refusals', () => {
  it.each([
    ['/v1/assets/search', 'Missing q'],
    ['/v1/assets/search?q=a&limit=0', 'Invalid limit'],
    ['/v1/assets/search?q=a&category=fish', 'Invalid category'],
    ['/v1/assets/resolve', 'Missing mint or ref'],
    ['/v1/assets/resolve?mint=0', 'Invalid mint'],
    ['/v1/assets/variant-markets?mints=abc', 'Invalid mint'],
    ['/v1/assets/risk-summary', 'Missing mint'],
    [`/v1/assets/solana?mint=${USDC}`, 'Mint is not a variant of this asset'],
    ['/v1/assets/solana/variants?kind=fish', 'Invalid kind'],
    [
      '/v1/assets/solana/variants?liquidityTier=tier1&trustTier=experimental',
      'Conflicting liquidityTier and trustTier',
    ],
    ['/v1/assets/solana/markets?offset=-1', 'Invalid offset'],
    ['/v1/assets/solana/tickers?order=volume_asc', 'Unsupported order'],
    ['/v1/assets/solana/ohlcv?interval=2H', 'Invalid interval'],
    ['/v1/assets/solana/ohlcv?from=1262303999', 'Invalid from'],
    ['/v1/assets/solana/ohlcv?interval=1m', 'Requested range has too many candles'],
  ])('400 %s', async (path, message) => {
    expect(await refusal(path)).toEqual([400, 'BadRequestError', message]);
  });

  it('404 in JSON for what is no asset, in HTML for what is no route', async () => {
    expect(await refusal('/v1/assets/nothing')).toEqual([404, 'NotFoundError', 'Asset not found']);
    expect(await refusal('/v1/assets/resolve?ref=nothing')).toEqual([404, 'NotFoundError', 'Asset not found']);
    expect(await refusal('/v1/assets/cardano/markets')).toEqual([404, 'NotFoundError', 'No primary variant available']);
    expect(await refusal('/v1/assets/cardano/variant-top-markets')).toEqual([
      404,
      'NotFoundError',
      'No variants available',
    ]);
    const page = await ask('/v1/assets/solana/nothing');
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
  });

  it('asks for its key everywhere but at /v1/health', async () => {
    const without = await fetch(`${api.url}/v1/assets/solana`);
    expect([without.status, (await without.json()).error.message]).toEqual([401, 'Missing API key']);
    const wrong = { headers: { 'x-api-key': 'wrong' } };
    expect(await refusal('/v1/assets/solana', wrong)).toEqual([401, 'UnauthorizedError', 'Invalid API key']);
    expect((await fetch(`${api.url}/v1/health`)).status).toBe(200);
  });

  it('405 for other methods, 500 for a malformed body', async () => {
    expect((await ask('/v1/assets/solana', { method: 'DELETE' })).status).toBe(405);
    expect((await ask('/v1/assets/market-snapshots/', { method: 'POST' })).status).toBe(404);
    expect((await refusal('/v1/assets/market-snapshots', post('{')))[1]).toBe('UnknownError');
  });

  it('stamps request id and cache rule', async () => {
    const { headers } = await ask('/v1/assets/solana/ohlcv', { headers: { 'x-request-id': 'abc' } });
    expect(headers.get('x-request-id')).toBe('abc');
    expect(headers.get('cache-control')).toBe('private, max-age=60, stale-while-revalidate=300');
    expect((await ask('/v1/nothing')).headers.get('x-request-id')).toMatch(/./);
  });
});

describe('candles', () => {
  const seconds = { '1m': 60, '5m': 300, '15m': 900, '1H': 3600, '4H': 14_400, '1D': 86_400, '1W': 604_800 };
  const names = Object.keys(seconds) as (keyof typeof seconds)[];
  const clock = Math.floor(NOW / 1000);
  const candlesOf = async (id: string, interval: string, from: number, to: number): Promise<Candle[]> =>
    (await ok(`/v1/assets/${id}/ohlcv?interval=${interval}&from=${from}&to=${to}`)).candles;

  it('a coarse candle is exactly its fine candles together, the one in progress too', async () => {
    const pair = fc.tuple(
      fc.integer({ min: 0, max: 5 }),
      fc.integer({ min: 1, max: 2 }),
      fc.integer({ min: 0, max: 40 }),
    );
    await fc.assert(
      fc.asyncProperty(
        pair,
        fc.constantFrom('bitcoin', 'bonk', 'usd', 'jito', 'gold'),
        async ([level, up, back], id) => {
          const [fine, coarse] = [names[level] ?? '1m', names[Math.min(level + up, 6)] ?? '1W'];
          const from = clock - (back + 1) * seconds[coarse];
          const [whole] = await candlesOf(id, coarse, from, from + seconds[coarse]);
          if (whole === undefined) {
            throw new Error('no candle');
          }
          const parts = await candlesOf(id, fine, whole.time, whole.time + seconds[coarse]);
          expect(whole).toEqual({
            time: parts[0]?.time,
            open: parts[0]?.open,
            high: Math.max(...parts.map((part) => part.high)),
            low: Math.min(...parts.map((part) => part.low)),
            close: parts.at(-1)?.close,
            volume: parts.reduce((sum, part) => sum + part.volume, 0),
          });
        },
      ),
      { numRuns: 60, seed: 7 },
    );
  });

  it('rise in time, hang together, stop now, and keep open and close between low and high', async () => {
    const candles = await candlesOf('solana', '15m', clock - 9000 * 900, clock + 9999);
    expect(candles).toHaveLength(9000);
    for (const [index, candle] of candles.entries()) {
      expect(
        candle.low <= Math.min(candle.open, candle.close) && candle.high >= Math.max(candle.open, candle.close),
      ).toBe(true);
      expect(index === 0 || candles[index - 1]?.close === candle.open).toBe(true);
    }
    expect((await ok(`/v1/assets/solana/ohlcv?to=${clock + 9999}`)).to).toBe(clock + 300);
    const { market } = await ok('/v1/assets/solana/variant-market');
    expect(market.price).toBe(candles.at(-1)?.close);
  });
});

function open(path: string, agent?: Agent): Promise<IncomingMessage> {
  return new Promise((answered, failed) => {
    httpGet(`${api.url}${path}`, { headers: { 'x-api-key': KEY }, ...(agent && { agent }) }, answered).on(
      'error',
      failed,
    );
  });
}

async function drain(message: IncomingMessage): Promise<number> {
  let bytes = 0;
  for await (const chunk of message) {
    bytes += chunk.length;
  }
  return bytes;
}

describe('faults', () => {
  it('are off by default and off again after reset', async () => {
    api.faults.status = 503;
    expect((await ask('/v1/health')).status).toBe(503);
    api.faults.reset();
    expect(Object.keys(api.faults)).toEqual(['reset']);
    expect((await ask('/v1/health')).status).toBe(200);
  });

  it('status, message, retryAfter; times and only narrow them', async () => {
    Object.assign(api.faults, { status: 429, message: 'Slow down', retryAfter: '7', times: 1 });
    api.faults.only = ({ target }) => target.includes('solana');
    expect((await ask('/v1/health')).status).toBe(200);
    const first = await json('/v1/assets/solana');
    expect(first.body).toEqual({ error: { _tag: 'RateLimitedError', message: 'Slow down' } });
    expect(first.headers.get('retry-after')).toBe('7');
    expect((await ask('/v1/assets/solana')).status).toBe(200);
  });

  it('delayMs and hang', async () => {
    api.faults.delayMs = 80;
    const started = performance.now();
    await ask('/v1/health');
    expect(performance.now() - started).toBeGreaterThanOrEqual(75);
    api.faults.reset();
    api.faults.hang = true;
    await expect(ask('/v1/health', { signal: AbortSignal.timeout(100) })).rejects.toThrow(/timeout/);
  });

  it('resetConnection and truncate', async () => {
    api.faults.resetConnection = true;
    await expect(open('/v1/health')).rejects.toThrow(/ECONNRESET|socket hang up/);
    api.faults.reset();
    const whole = (await ask('/v1/assets/solana')).text.length;
    api.faults.truncate = 0.5;
    const cut = await open('/v1/assets/solana');
    expect(Number(cut.headers['content-length'])).toBe(whole);
    await expect(drain(cut)).rejects.toThrow(/aborted/);
  });

  it('drip', async () => {
    api.faults.drip = 10;
    const started = performance.now();
    expect((await ask('/v1/health')).text).toBe('{"ok":true}');
    expect(performance.now() - started).toBeGreaterThanOrEqual(100);
  });

  it('huge and gzipBomb', async () => {
    api.faults.huge = 5_000_001;
    expect(await drain(await open('/v1/health'))).toBe(5_000_001);
    api.faults.reset();
    api.faults.gzipBomb = 20_000_000;
    const bomb = await open('/v1/health');
    expect(bomb.headers['content-encoding']).toBe('gzip');
    const packed: Buffer[] = [];
    for await (const chunk of bomb) {
      packed.push(chunk);
    }
    expect(Buffer.concat(packed).length).toBeLessThan(200_000);
    expect(JSON.parse(gunzipSync(Buffer.concat(packed)).toString())).toHaveLength(19_999_998);
  });

  it.each(['gzip', 'br', 'deflate'] as const)('encoding %s', async (encoding) => {
    const plain = await ask('/v1/assets/solana');
    api.faults.encoding = encoding;
    const packed = await ask('/v1/assets/solana');
    expect([packed.headers.get('content-encoding'), packed.text]).toEqual([encoding, plain.text]);
  });

  it('body, contentType and redirect', async () => {
    Object.assign(api.faults, { body: Buffer.from('{"a":'), contentType: 'text/plain' });
    const odd = await ask('/v1/assets/solana');
    expect([odd.status, odd.text, odd.headers.get('content-type')]).toEqual([200, '{"a":', 'text/plain']);
    api.faults.reset();
    api.faults.redirect = 'http://127.0.0.1:9/elsewhere';
    const moved = await ask('/v1/health', { redirect: 'manual' });
    expect([moved.status, moved.headers.get('location')]).toEqual([302, 'http://127.0.0.1:9/elsewhere']);
  });

  it('echo gives back what arrived, and every arrival is noted', async () => {
    api.faults.echo = true;
    const { echo } = await ok('/v1/assets/market-snapshots?x=%2e', post('{"mints":[]}'));
    expect(echo).toMatchObject({ method: 'POST', target: '/v1/assets/market-snapshots?x=%2e', body: '{"mints":[]}' });
    expect(echo.headers['x-api-key']).toBe(KEY);
    expect(api.arrivals.at(-1)).toMatchObject({
      method: 'POST',
      target: echo.target,
      body: echo.body,
      headers: echo.headers,
    });
  });

  it('an arrival is noted when its headers are in, its body later', async () => {
    const before = api.arrivals.length;
    const request = httpRequest(`${api.url}/v1/assets/market-snapshots`, {
      method: 'POST',
      headers: { 'x-api-key': KEY },
    });
    request.flushHeaders();
    await expect.poll(() => api.arrivals.length).toBe(before + 1);
    expect(api.arrivals.at(-1)?.body).toBe('');
    const answered = new Promise<IncomingMessage>((resolve) => request.once('response', resolve));
    request.end('{"mints":[]}');
    expect(await drain(await answered)).toBe(2);
    expect(api.arrivals.at(-1)?.body).toBe('{"mints":[]}');
  });

  it('closeAfter ends a kept-alive connection after so many answers', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    api.faults.closeAfter = 2;
    const used: (number | undefined)[] = [];
    for (let call = 0; call < 4; call += 1) {
      const message = await open('/v1/health', agent);
      expect(message.headers.connection).toBe('keep-alive');
      await drain(message);
      used.push(api.arrivals.at(-1)?.connection);
      await new Promise((later) => setTimeout(later, 30));
    }
    agent.destroy();
    expect(used[0]).toBe(used[1]);
    expect(used[1]).not.toBe(used[2]);
    expect(used[2]).toBe(used[3]);
  });

  it('close ends what hangs', async () => {
    const other = await startTokensApi({ key: KEY });
    other.faults.hang = true;
    const hanging = expect(fetch(`${other.url}/v1/health`)).rejects.toThrow();
    await expect.poll(() => other.arrivals.length).toBe(1);
    await other.close();
    await hanging;
  });
});
