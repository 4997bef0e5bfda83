import { Agent, get as httpGet, request as httpRequest, type IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startTokensApi } from '../../packages/sandbox/src/tokens/api.ts';
import { ASSETS, KNOWN_MINTS, knownVariant, TOKEN_ASSETS } from '../../packages/sandbox/src/tokens/catalogue.ts';
import { KEY, keys, NOW, post, SOL, tokensApi, UNKNOWN, USDC } from './asking.ts';

interface Candle {
  readonly time: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
}

const { api, ask, ok, refusal } = tokensApi();

const STATS = [
  'circulatingSupply',
  'fdv',
  'liquidity',
  'marketCap',
  'price',
  'priceChange1hPercent',
  'priceChange24hPercent',
  'totalSupply',
  'volume24hUSD',
  'volume30dUSD',
];

describe('assets', () => {
  const row = ['assetId', 'canonicalMarket', 'category', 'imageUrl', 'name', 'primaryVariant', 'stats', 'symbol'];

  it('are the same in search, lists and detail', async () => {
    const [found] = (await ok('/v1/assets/search?q=solana&limit=1')).results;
    expect(keys(found)).toEqual(row);
    const { assets } = await ok('/v1/assets/curated?list=majors');
    expect(assets.find((asset: { assetId: string }) => asset.assetId === 'solana')).toEqual(found);
    const { asset } = await ok('/v1/assets/solana');
    expect(asset.stats).toEqual(found.stats);
    expect(keys(asset.stats)).toEqual(STATS);
    expect(asset.primaryVariant).toEqual({ ...found.primaryVariant, rank: 0 });
  });

  it('have different answers', async () => {
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
      const full = texts.filter(
        (text) => !text.includes('"error"') && !text.includes('"ok":false') && !text.includes('"rows":[]'),
      );
      expect(new Set(full).size, view).toBe(full.length);
    }
  });
});

type Row = { readonly address: string; readonly mint: string };

const snapshots = async (body: unknown): Promise<Row[]> =>
  ok('/v1/assets/market-snapshots', post(JSON.stringify(body)));
const markets = async (query: string): Promise<Row[]> => (await ok(`/v1/assets/variant-markets?${query}`)).variants;
const addressesOf = (rows: readonly Row[]): string[] => rows.map(({ address }) => address);
const mintsOf = (rows: readonly Row[]): string[] => rows.map(({ mint }) => mint);

// Different well-formed mints without a token.
const strangers = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${'2'.repeat(40)}${String(index + 1111).replaceAll('0', 'z')}`);

describe('batches of snapshots', () => {
  const list = '/v1/assets/market-snapshots';

  it('keep the requested order, without repetitions', async () => {
    const [a = '', b = '', c = ''] = KNOWN_MINTS;
    expect(addressesOf(await snapshots({ mints: [c, a, UNKNOWN, a, b, c, UNKNOWN, b] }))).toEqual([c, a, UNKNOWN, b]);
  });

  it('include unknown mints and untraded tokens', async () => {
    const idle = KNOWN_MINTS.find((mint) => knownVariant(mint)?.pools === 0) ?? '';
    const [unknown, untraded, traded] = (await snapshots({ mints: [UNKNOWN, idle, SOL] })) as unknown[];
    expect(unknown).toEqual({ address: UNKNOWN, token: null, hasMarket: false });
    const nothing = { price: 0, liquidity: 0, volume24hUSD: 0, priceChange24hPercent: 0, marketCap: 0 };
    expect(untraded).toMatchObject({ address: idle, token: { address: idle, ...nothing }, hasMarket: false });
    expect(traded).toMatchObject({ address: SOL, token: { symbol: 'SOL', decimals: 9 }, hasMarket: true });
  });

  it('are case-sensitive', async () => {
    const other = USDC.replace('E', 'e');
    const rows = (await snapshots({ mints: [USDC, other] })) as unknown[];
    expect(rows).toMatchObject([
      { address: USDC, hasMarket: true },
      { address: other, token: null },
    ]);
  });

  it('read `addresses` only without `mints`', async () => {
    expect(addressesOf(await snapshots({ addresses: [USDC, SOL, USDC] }))).toEqual([USDC, SOL]);
    expect(addressesOf(await snapshots({ addresses: [USDC], mints: [SOL] }))).toEqual([SOL]);
    expect(await snapshots({ addresses: [USDC], mints: [] })).toEqual([]);
  });

  it('are empty for empty lists and without lists', async () => {
    for (const body of [{}, { mints: [] }, { addresses: [] }, { other: 1 }]) expect(await snapshots(body)).toEqual([]);
  });

  it('are limited to 250 different mints', async () => {
    const mints = strangers(260);
    expect(new Set(mints).size).toBe(260);
    const twice = mints.flatMap((mint) => [mint, mint]);
    expect(addressesOf(await snapshots({ mints: twice }))).toEqual(mints.slice(0, 250));
  });

  it.each([
    ['blanks around a mint', { mints: [` ${SOL}`] }],
    ['an empty mint', { mints: [SOL, ''] }],
    ['a letter that base58 has not', { mints: [`0${SOL.slice(1)}`] }],
    ['31 letters', { mints: ['1'.repeat(31)] }],
    ['45 letters', { mints: ['1'.repeat(45)] }],
    ['what is beyond the cut', { mints: [...strangers(250), 'bad'] }],
    ['addresses that are not read', { mints: [SOL], addresses: ['bad'] }],
    ['a number', { mints: [1] }],
    ['a text for a list', { mints: SOL }],
    ['null for a list', { mints: null, addresses: [SOL] }],
    ['a list for the whole', []],
    ['null for the whole', null],
  ])('refuse %s', async (_, body) => {
    expect(await refusal(list, post(JSON.stringify(body)))).toEqual([400, 'BadRequestError', 'Invalid body']);
  });

  it('accept 32 to 44 base58 characters, also if they are not 32 bytes', async () => {
    const odd = ['1'.repeat(32), 'z'.repeat(44)];
    expect(addressesOf(await snapshots({ mints: odd }))).toEqual(odd);
  });

  it.each(['', '{', '{"mints":[]} x'])('answer 500 to invalid JSON: %s', async (body) => {
    const [status, tag, message] = await refusal(list, post(body));
    expect([status, tag]).toEqual([500, 'UnknownError']);
    expect(message).toMatch(/JSON/);
  });
});

describe('batches of markets', () => {
  const list = '/v1/assets/variant-markets';

  it('keep the requested order, without repetitions', async () => {
    const [a = '', b = '', c = ''] = KNOWN_MINTS;
    expect(mintsOf(await markets(`mints=${[c, a, UNKNOWN, a, b, c]}`))).toEqual([c, a, UNKNOWN, b]);
  });

  it('include unknown mints, and name no asset of uncurated tokens', async () => {
    const [token] = TOKEN_ASSETS;
    const own = token?.variants[0]?.mint ?? '';
    const [unknown, uncurated, curated] = (await markets(`mints=${[UNKNOWN, own, USDC]}`)) as unknown[];
    const uncuratedIds = { assetId: null, chain: null };
    expect(unknown).toEqual({ mint: UNKNOWN, ...uncuratedIds, market: null, executionQuality: null });
    expect(uncurated).toMatchObject({ mint: own, ...uncuratedIds, market: { mint: own, symbol: token?.symbol } });
    expect(curated).toMatchObject({ mint: USDC, assetId: 'usd', chain: 'solana', market: { mint: USDC } });
  });

  it('are case-sensitive', async () => {
    const other = USDC.replace('E', 'e');
    expect(await markets(`mints=${USDC},${other}`)).toMatchObject([{ assetId: 'usd' }, { mint: other, assetId: null }]);
  });

  it('read `addresses` only without `mints`, and the first of each', async () => {
    expect(mintsOf(await markets(`addresses=${USDC},${SOL}`))).toEqual([USDC, SOL]);
    expect(mintsOf(await markets(`addresses=${USDC}&mints=${SOL}`))).toEqual([SOL]);
    expect(await markets(`mints=&addresses=${USDC}`)).toEqual([]);
    expect(mintsOf(await markets(`mints=${SOL}&mints=${USDC}`))).toEqual([SOL]);
  });

  it('leave out blanks and empty items', async () => {
    expect(mintsOf(await markets(`mints=,%20${SOL}%20,,%09${USDC},`))).toEqual([SOL, USDC]);
    for (const query of ['', 'mints=', 'mints=,%20,', 'addresses=']) expect(await markets(query)).toEqual([]);
  });

  it('are limited to 50 different mints, and do not check the rest', async () => {
    const mints = strangers(50);
    const twice = mints.flatMap((mint) => [mint, mint]);
    expect(mintsOf(await markets(`mints=${[...twice, SOL, 'bad']}`))).toEqual(mints);
    expect(await refusal(`${list}?mints=${[...mints.slice(1), 'bad']}`)).toEqual([
      400,
      'BadRequestError',
      'Invalid mint',
    ]);
  });
});

describe('refusals', () => {
  const now = Math.floor(NOW / 1000);

  it.each([
    ['/v1/assets/search', 'Missing required query param: q'],
    ['/v1/assets/search?limit=0', 'Invalid limit'],
    ['/v1/assets/search?q=a&limit=1.5', 'Invalid limit'],
    ['/v1/assets/search?q=a&category=fish', 'Invalid category: fish'],
    ['/v1/assets/search?q=a&category=lst', 'Invalid category: lst'],
    ['/v1/assets/resolve', 'mint or ref is required'],
    ['/v1/assets/resolve?mint=0', 'Invalid mint'],
    ['/v1/assets/curated?list=all&limit=0', 'Invalid limit'],
    ['/v1/assets/curated?list=all&limit=', 'Invalid limit'],
    ['/v1/assets/curated?list=all&offset=-1', 'Invalid offset'],
    ['/v1/assets/risk-summary', 'mint is required'],
    ['/v1/assets/risk-summary?mint=bad', 'Invalid mint'],
    ['/v1/assets/nothing?include=profile,fish', 'Invalid include: fish'],
    [`/v1/assets/solana?mint=${USDC}`, '`mint` is not a variant of this asset'],
    ['/v1/assets/solana?include=markets&marketsLimit=0', 'Invalid marketsLimit'],
    ['/v1/assets/solana?include=ohlcv&ohlcvInterval=2H', 'Invalid ohlcvInterval'],
    ['/v1/assets/solana/variants?kind=fish', 'Invalid kind: fish'],
    ['/v1/assets/solana/variants?trustTier=best', 'Invalid trustTier: best'],
    ['/v1/assets/solana/variants?liquidityTier=tier1&trustTier=experimental', 'liquidityTier and trustTier differ'],
    ['/v1/assets/solana/markets?offset=-1', 'Invalid offset'],
    ['/v1/assets/solana/tickers?order=volume_asc', '`order` is not supported: only volume_desc is'],
    ['/v1/assets/solana/ohlcv?interval=2H', 'Invalid interval'],
    ['/v1/assets/solana/ohlcv?from=1262303999', '`from` is before anything was traded'],
    [`/v1/assets/solana/ohlcv?to=${now - 8 * 86_400}`, '`from` is after `to`'],
    [`/v1/assets/solana/ohlcv?from=${now + 301}&to=${now + 400}`, '`from` is in the future'],
    [`/v1/assets/solana/ohlcv?interval=1m&from=${now - 600_000}&to=${now}`, 'The range has more than 10000 candles'],
  ])('400 %s', async (path, message) => {
    expect(await refusal(path)).toEqual([400, 'BadRequestError', message]);
  });

  it('accept the maximum number of candles', async () => {
    const { candles } = await ok(`/v1/assets/solana/ohlcv?interval=1m&from=${now - 599_999}&to=${now}`);
    expect(candles).toHaveLength(10_000);
  });

  it('ignore parameters of blocks that are not included', async () => {
    await ok('/v1/assets/solana?ohlcvInterval=2H&marketsLimit=0&ohlcvFrom=x');
    await ok('/v1/assets/tesla/tickers?order=fish&limit=0');
  });

  it('404 in JSON for an unknown asset, in HTML for an unknown route', async () => {
    expect(await refusal('/v1/assets/nothing')).toEqual([404, 'NotFoundError', 'Asset not found']);
    expect(await refusal('/v1/assets/resolve?ref=nothing')).toEqual([404, 'NotFoundError', 'Asset not found']);
    expect(await refusal('/v1/assets/cardano/markets')).toEqual([404, 'NotFoundError', 'No variants available']);
    const page = await ask('/v1/assets/solana/nothing');
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
  });

  it('require the key everywhere except at /v1/health', async () => {
    const without = await fetch(`${api().url}/v1/assets/solana`);
    expect([without.status, (await without.json()).error.message]).toEqual([401, 'Missing API key']);
    const wrong = { headers: { 'x-api-key': 'wrong' } };
    expect(await refusal('/v1/assets/solana', wrong)).toEqual([401, 'UnauthorizedError', 'Invalid API key']);
    expect((await fetch(`${api().url}/v1/health`)).status).toBe(200);
  });

  it('405 for other methods', async () => {
    expect((await ask('/v1/assets/solana', { method: 'DELETE' })).status).toBe(405);
    expect((await ask('/v1/assets/market-snapshots/', { method: 'POST' })).status).toBe(404);
  });

  it('echo the request id, except on health', async () => {
    const sent = { headers: { 'x-request-id': 'abc' } };
    expect((await ask('/v1/assets/solana/ohlcv', sent)).headers.get('x-request-id')).toBe('abc');
    const refused = await ask('/v1/assets/nothing', sent);
    expect([refused.status, refused.headers.get('x-request-id')]).toEqual([404, 'abc']);
    expect((await ask('/v1/health', sent)).headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect((await ask('/v1/nothing', sent)).headers.get('x-request-id')).toBeNull();
  });
});

describe('cache rules', () => {
  it.each([
    ['/v1/health', 'no-store'],
    ['/v1/assets/search?q=sol', 'private, max-age=120'],
    ['/v1/assets/resolve?ref=sol', 'private, max-age=120'],
    ['/v1/assets/curated', 'private, max-age=30, stale-while-revalidate=60'],
    ['/v1/assets/variant-markets', 'private, max-age=60'],
    [`/v1/assets/risk-summary?mint=${SOL}`, 'no-store'],
    ['/v1/assets/solana', 'private, max-age=30'],
    ['/v1/assets/solana/variants', 'private, max-age=30'],
    ['/v1/assets/solana/variant-top-markets', 'private, max-age=60'],
    ['/v1/assets/solana/variant-market', 'private, max-age=60'],
    ['/v1/assets/solana/markets', 'private, max-age=60'],
    ['/v1/assets/solana/ohlcv', 'private, max-age=60, stale-while-revalidate=300'],
    ['/v1/assets/solana/price-chart', 'private, max-age=60, stale-while-revalidate=300'],
    ['/v1/assets/solana/profile', 'private, max-age=300, stale-while-revalidate=600'],
    ['/v1/assets/solana/tickers', 'private, max-age=300, stale-while-revalidate=600'],
    ['/v1/assets/solana/risk-summary', 'no-store'],
    ['/v1/assets/solana/risk-details', 'no-store'],
    ['/v1/assets/solana/description', 'private, max-age=300, stale-while-revalidate=600'],
  ])('%s', async (path, rule) => {
    const { status, headers } = await ask(path);
    expect([status, headers.get('cache-control')]).toEqual([200, rule]);
  });

  it('of a batch of snapshots', async () => {
    const { headers } = await ask('/v1/assets/market-snapshots', post('{}'));
    expect(headers.get('cache-control')).toBe('private, max-age=60');
  });
});

describe('candles', () => {
  const seconds = { '1m': 60, '5m': 300, '15m': 900, '1H': 3600, '4H': 14_400, '1D': 86_400, '1W': 604_800 };
  const names = Object.keys(seconds) as (keyof typeof seconds)[];
  const clock = Math.floor(NOW / 1000);
  const candlesOf = async (id: string, interval: string, from: number, to: number): Promise<Candle[]> =>
    (await ok(`/v1/assets/${id}/ohlcv?interval=${interval}&from=${from}&to=${to}`)).candles;

  it('add up exactly to coarser candles, also the one in progress', async () => {
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
          const [whole] = await candlesOf(id, coarse, from, from + seconds[coarse] - 1);
          if (whole === undefined) {
            throw new Error('no candle');
          }
          const parts = await candlesOf(id, fine, whole.time, whole.time + seconds[coarse] - 1);
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

  it('start from the first to the last requested second, inclusive', async () => {
    const hour = Math.floor(clock / 3600) * 3600;
    const starts = async (from: number, to: number) =>
      (await candlesOf('solana', '1H', from, to)).map(({ time }) => time - hour);
    expect(await starts(hour - 7200, hour - 3600)).toEqual([-7200, -3600]);
    expect(await starts(hour - 7199, hour - 3601)).toEqual([]);
    expect(await starts(hour, hour)).toEqual([0]);
  });

  it('are sorted, contiguous, end now, and keep open and close between low and high', async () => {
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
    httpGet(`${api().url}${path}`, { headers: { 'x-api-key': KEY }, ...(agent && { agent }) }, answered).on(
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
  it('are off by default and after reset', async () => {
    api().faults.status = 503;
    expect((await ask('/v1/health')).status).toBe(503);
    api().faults.reset();
    expect(Object.keys(api().faults)).toEqual(['reset']);
    expect((await ask('/v1/health')).status).toBe(200);
  });

  it('can be status, message and retryAfter, limited by times and only', async () => {
    Object.assign(api().faults, { status: 429, message: 'Slow down', retryAfter: '7', times: 1 });
    api().faults.only = ({ target }) => target.includes('solana');
    expect((await ask('/v1/health')).status).toBe(200);
    const first = await ask('/v1/assets/solana');
    expect(JSON.parse(first.text)).toEqual({ error: { _tag: 'RateLimitedError', message: 'Slow down' } });
    expect(first.headers.get('retry-after')).toBe('7');
    expect((await ask('/v1/assets/solana')).status).toBe(200);
  });

  it('can be delayMs and hang', async () => {
    api().faults.delayMs = 80;
    const started = performance.now();
    await ask('/v1/health');
    expect(performance.now() - started).toBeGreaterThanOrEqual(75);
    api().faults.reset();
    api().faults.hang = true;
    await expect(ask('/v1/health', { signal: AbortSignal.timeout(100) })).rejects.toThrow(/timeout/);
  });

  it('can be resetConnection and truncate', async () => {
    api().faults.resetConnection = true;
    await expect(open('/v1/health')).rejects.toThrow(/ECONNRESET|socket hang up/);
    api().faults.reset();
    const whole = (await ask('/v1/assets/solana')).text.length;
    api().faults.truncate = 0.5;
    const cut = await open('/v1/assets/solana');
    expect(Number(cut.headers['content-length'])).toBe(whole);
    await expect(drain(cut)).rejects.toThrow(/aborted/);
  });

  it('can be drip', async () => {
    api().faults.drip = 10;
    const started = performance.now();
    expect((await ask('/v1/health')).text).toBe('{"ok":true}');
    expect(performance.now() - started).toBeGreaterThanOrEqual(100);
  });

  it('can be huge and gzipBomb', async () => {
    api().faults.huge = 5_000_001;
    expect(await drain(await open('/v1/health'))).toBe(5_000_001);
    api().faults.reset();
    api().faults.gzipBomb = 20_000_000;
    const bomb = await open('/v1/health');
    expect(bomb.headers['content-encoding']).toBe('gzip');
    const packed: Buffer[] = [];
    for await (const chunk of bomb) {
      packed.push(chunk);
    }
    expect(Buffer.concat(packed).length).toBeLessThan(200_000);
    expect(JSON.parse(gunzipSync(Buffer.concat(packed)).toString())).toHaveLength(19_999_998);
  });

  it.each(['gzip', 'br', 'deflate'] as const)('can be encoding %s', async (encoding) => {
    const plain = await ask('/v1/assets/solana');
    api().faults.encoding = encoding;
    const packed = await ask('/v1/assets/solana');
    expect([packed.headers.get('content-encoding'), packed.text]).toEqual([encoding, plain.text]);
  });

  it('can be body, contentType and redirect', async () => {
    Object.assign(api().faults, { body: Buffer.from('{"a":'), contentType: 'text/plain' });
    const odd = await ask('/v1/assets/solana');
    expect([odd.status, odd.text, odd.headers.get('content-type')]).toEqual([200, '{"a":', 'text/plain']);
    api().faults.reset();
    api().faults.redirect = 'http://127.0.0.1:9/elsewhere';
    const moved = await ask('/v1/health', { redirect: 'manual' });
    expect([moved.status, moved.headers.get('location')]).toEqual([302, 'http://127.0.0.1:9/elsewhere']);
  });

  it('echo returns the request, and every arrival is recorded', async () => {
    api().faults.echo = true;
    const { echo } = await ok('/v1/assets/market-snapshots?x=%2e', post('{"mints":[]}'));
    expect(echo).toMatchObject({ method: 'POST', target: '/v1/assets/market-snapshots?x=%2e', body: '{"mints":[]}' });
    expect(echo.headers['x-api-key']).toBe(KEY);
    expect(api().arrivals.at(-1)).toMatchObject({
      method: 'POST',
      target: echo.target,
      body: echo.body,
      headers: echo.headers,
    });
  });

  it('an arrival is recorded with its headers, its body later', async () => {
    const before = api().arrivals.length;
    const request = httpRequest(`${api().url}/v1/assets/market-snapshots`, {
      method: 'POST',
      headers: { 'x-api-key': KEY },
    });
    request.flushHeaders();
    await expect.poll(() => api().arrivals.length).toBe(before + 1);
    expect(api().arrivals.at(-1)?.body).toBe('');
    const answered = new Promise<IncomingMessage>((resolve) => request.once('response', resolve));
    request.end('{"mints":[]}');
    expect(await drain(await answered)).toBe(2);
    expect(api().arrivals.at(-1)?.body).toBe('{"mints":[]}');
  });

  it('closeAfter closes a keep-alive connection after this many answers', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    api().faults.closeAfter = 2;
    const used: (number | undefined)[] = [];
    for (let call = 0; call < 4; call += 1) {
      const message = await open('/v1/health', agent);
      expect(message.headers.connection).toBe('keep-alive');
      await drain(message);
      used.push(api().arrivals.at(-1)?.connection);
      await new Promise((later) => setTimeout(later, 30));
    }
    agent.destroy();
    expect(used[0]).toBe(used[1]);
    expect(used[1]).not.toBe(used[2]);
    expect(used[2]).toBe(used[3]);
  });

  it('close ends hanging requests', async () => {
    const other = await startTokensApi({ key: KEY });
    other.faults.hang = true;
    const hanging = expect(fetch(`${other.url}/v1/health`)).rejects.toThrow();
    await expect.poll(() => other.arrivals.length).toBe(1);
    await other.close();
    await hanging;
  });
});
