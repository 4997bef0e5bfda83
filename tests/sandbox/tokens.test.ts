import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startTokensApi } from '../../packages/sandbox/src/tokens/api.ts';
import { ASSETS, KNOWN_MINTS, knownVariant } from '../../packages/sandbox/src/tokens/catalogue.ts';
import { stopAfterTests } from '../kit/stop-after-tests.ts';
import { recorded } from './recorder.ts';
import { bodies, KEY, NOW, targets, UNKNOWN, USDC } from './requests.ts';

const api = await startTokensApi({ key: KEY, now: () => NOW });
await stopAfterTests(Promise.resolve({ stop: api.close }));

const ask = (target: string, init: RequestInit = {}, url = api.url): Promise<Response> =>
  fetch(`${url}/v1${target}`, { ...init, headers: { 'x-api-key': KEY, ...init.headers } });
const answerOf = async (target: string) => (await ask(`/assets/${target}`)).json();
const snapshots = (body: string): Promise<Response> => ask('/assets/market-snapshots', { method: 'POST', body });

describe('the answers of the simulated Tokens API', () => {
  // `npm test -- tests/sandbox --update` records intended changes.
  it.each(Object.entries(targets))('%s are as recorded', async (title, all) => {
    const answers = [];
    for (const target of all) answers.push(`${target}\n${await recorded(await ask(target))}`);
    await expect(`${answers.join('\n\n')}\n`).toMatchFileSnapshot(`recorded/${title}.txt`);
  });

  it('snapshots are as recorded', async () => {
    const answers = [];
    for (const body of bodies) answers.push(`${body}\n${await recorded(await snapshots(body))}`);
    await expect(`${answers.join('\n\n')}\n`).toMatchFileSnapshot('recorded/snapshots.txt');
  });

  it('choose another variant of a share later', async () => {
    const later = await startTokensApi({ key: KEY, now: () => Date.parse('2026-11-02T15:59:59Z') });
    onTestFinished(() => later.close());
    const read = async (target: string) => (await ask(`/assets/${target}`, {}, later.url)).json();
    const { assets } = await read('curated?list=stocks');
    const listed = assets.find(({ assetId }: { assetId: string }) => assetId === 'spacex');
    // Only the list leaves out variants that cannot be redeemed before it leaves out outliers.
    expect(listed.primaryVariant.symbol).toBe('SPCXon');
    expect((await read('spacex')).asset.primaryVariant.symbol).toBe('SPCX');
  });

  it('name the same asset for each of its names, except names that only Sanctum knows', async () => {
    for (const { id, name, symbol, aliases, addedAliases = [], coingeckoId, variants } of ASSETS) {
      const own = variants.flatMap((each) => [each.symbol, each.mint, ...(each.unregistered ? [] : [each.name])]);
      const unregistered = variants.filter((each) => each.unregistered).map((each) => each.name);
      for (const text of [id, name, symbol, ...aliases, ...addedAliases, coingeckoId, ...own]) {
        if (text === undefined || unregistered.includes(text)) continue;
        expect([text, (await answerOf(`resolve?ref=${encodeURIComponent(text)}`)).assetId]).toEqual([text, id]);
      }
    }
  });

  it.each(['markets', 'tickers'])('page through more than a hundred %s, fifty at a time', async (view) => {
    const seen: unknown[] = [];
    for (let offset = 0, total = 1; offset < total; offset += 50) {
      const body = await answerOf(`solana/${view}?offset=${offset}&limit=999`);
      const page = body.tickers ?? body;
      total = page.total;
      seen.push(...(page.rows ?? page.markets));
      expect([page.limit, seen.length]).toEqual([50, Math.min(total, offset + 50)]);
    }
    expect(seen.length).toBeGreaterThan(100);
    expect(new Set(seen.map((item) => JSON.stringify(item))).size).toBe(seen.length);
  });

  it('page through a curated list', async () => {
    const seen: unknown[] = [];
    for (let offset: number | null = 0; offset !== null; ) {
      const { pagination, assets } = await answerOf(`curated?list=all&groupBy=mint&limit=20&offset=${offset}`);
      seen.push(...assets);
      offset = pagination.nextOffset;
    }
    expect(seen).toEqual((await answerOf('curated?list=all&groupBy=mint')).assets);
  });
});

describe('a batch', () => {
  /** Well-formed mints without a token. */
  const strangers = (count: number): string[] =>
    Array.from({ length: count }, (_, index) => `${'2'.repeat(40)}${String(index + 1111).replaceAll('0', 'z')}`);

  it('of snapshots has at most 250 different mints, each once, and checks all of them', async () => {
    const mints = strangers(260);
    const rows = await (await snapshots(JSON.stringify({ mints: mints.flatMap((mint) => [mint, mint]) }))).json();
    expect(rows.map(({ address }: { address: string }) => address)).toEqual(mints.slice(0, 250));
    expect((await snapshots(JSON.stringify({ mints: [...mints, 'bad'] }))).status).toBe(400);
  });

  it('of markets has at most 50 different mints, each once, and checks no others', async () => {
    const mints = strangers(50);
    const twice = mints.flatMap((mint) => [mint, mint]);
    const { variants } = await answerOf(`variant-markets?mints=${[...twice, USDC, 'bad']}`);
    expect(variants.map(({ mint }: { mint: string }) => mint)).toEqual(mints);
    expect((await ask(`/assets/variant-markets?mints=${[...mints.slice(1), 'bad']}`)).status).toBe(400);
  });

  it('is case-sensitive', async () => {
    const rows = await (await snapshots(JSON.stringify({ mints: [USDC, USDC.replace('E', 'e'), UNKNOWN] }))).json();
    expect(rows.map(({ hasMarket }: { hasMarket: boolean }) => hasMarket)).toEqual([true, false, false]);
  });
});

it('the score of a mint is the same on all routes', async () => {
  const traded = KNOWN_MINTS.flatMap((mint) => knownVariant(mint) ?? []).filter(
    ({ asset: { origin }, pools }) => origin === 'curated' && pools > 0,
  );
  for (const { asset, mint } of traded) {
    const { risk } = await answerOf(`${asset.id}/risk-details?mint=${mint}`);
    const { market } = await answerOf(`${asset.id}/variant-market?mint=${mint}`);
    expect((await answerOf(`${asset.id}/risk-summary?mint=${mint}`)).risk.marketScore).toEqual(risk.marketScore);
    const { hasInsufficientData, insufficientDataReason, ...flat } = await answerOf(`risk-summary?mint=${mint}`);
    expect(risk.marketScore).toMatchObject(flat);
    expect([hasInsufficientData, insufficientDataReason]).toEqual([false, null]);
    expect(risk.marketScoreInput).toMatchObject({ volume24hUsd: market.volume24hUSD, holderCount: market.holder });
  }
}, 60_000);

describe('candles', () => {
  const seconds = { '1m': 60, '5m': 300, '15m': 900, '1H': 3600, '4H': 14_400, '1D': 86_400, '1W': 604_800 };
  const names = Object.keys(seconds) as (keyof typeof seconds)[];
  const clock = Math.floor(NOW / 1000);
  type Candle = Readonly<Record<'time' | 'open' | 'high' | 'low' | 'close' | 'volume', number>>;
  const candlesOf = async (id: string, interval: string, from: number, to: number): Promise<Candle[]> =>
    (await answerOf(`${id}/ohlcv?interval=${interval}&from=${from}&to=${to}`)).candles;

  it('add up exactly to coarser candles, also the one in progress', async () => {
    const levels = [fc.integer({ min: 0, max: 5 }), fc.integer({ min: 1, max: 2 }), fc.integer({ min: 0, max: 40 })];
    const ids = fc.constantFrom('bitcoin', 'bonk', 'usd', 'jito', 'gold');
    const addUp = async ([level = 0, up = 0, back = 0]: number[], id: string): Promise<void> => {
      const [fine, coarse] = [names[level] ?? '1m', names[Math.min(level + up, 6)] ?? '1W'];
      const from = clock - (back + 1) * seconds[coarse];
      const [whole] = await candlesOf(id, coarse, from, from + seconds[coarse] - 1);
      if (!whole) throw new Error('no candle');
      const parts = await candlesOf(id, fine, whole.time, whole.time + seconds[coarse] - 1);
      expect(whole).toEqual({
        time: parts[0]?.time,
        open: parts[0]?.open,
        high: Math.max(...parts.map((part) => part.high)),
        low: Math.min(...parts.map((part) => part.low)),
        close: parts.at(-1)?.close,
        volume: parts.reduce((sum, part) => sum + part.volume, 0),
      });
    };
    await fc.assert(fc.asyncProperty(fc.tuple(...levels), ids, addUp), { numRuns: 60, seed: 7 });
  });

  it('follow each other up to now, and keep open and close between low and high', async () => {
    const candles = await candlesOf('solana', '15m', clock - 9000 * 900, clock + 9999);
    expect(candles).toHaveLength(9000);
    const isRight = ({ open, high, low, close }: Candle, index: number): boolean =>
      low <= Math.min(open, close) && high >= Math.max(open, close) && open === (candles[index - 1]?.close ?? open);
    expect(candles.filter((each, index) => !isRight(each, index))).toEqual([]);
    expect((await answerOf('solana/variant-market')).market.price).toBe(candles.at(-1)?.close);
  });

  it('are at most 10,000', async () => {
    expect(await candlesOf('solana', '1m', clock - 599_999, clock)).toHaveLength(10_000);
  });
});

describe('the server', () => {
  it('requires the key everywhere except at /v1/health', async () => {
    for (const [key, message] of [
      ['', 'Missing API key'],
      ['wrong', 'Invalid API key'],
    ] as const) {
      const refused = await fetch(`${api.url}/v1/assets/solana`, key === '' ? {} : { headers: { 'x-api-key': key } });
      expect([refused.status, (await refused.json()).error]).toEqual([401, { _tag: 'UnauthorizedError', message }]);
    }
    expect((await fetch(`${api.url}/v1/health`)).status).toBe(200);
  });

  it('answers 405 to other methods, and 404 to other paths', async () => {
    expect((await ask('/assets/solana', { method: 'DELETE' })).status).toBe(405);
    expect((await ask('/assets/market-snapshots/', { method: 'POST' })).status).toBe(404);
  });

  it('echoes the request id, except on health and on unknown paths', async () => {
    const idOf = async (target: string) =>
      (await ask(target, { headers: { 'x-request-id': 'abc' } })).headers.get('x-request-id');
    expect([await idOf('/assets/solana/ohlcv'), await idOf('/assets/nothing')]).toEqual(['abc', 'abc']);
    expect(await idOf('/health')).toMatch(/^[0-9a-f-]{36}$/);
    expect(await idOf('/nothing')).toBeNull();
  });

  // tests/upstream shows each fault by what the gateway makes of it.
  it.each(['gzip', 'br', 'deflate'] as const)('compresses an answer with %s', async (encoding) => {
    const plain = await (await ask('/assets/solana')).text();
    onTestFinished(() => api.faults.reset());
    api.faults.encoding = encoding;
    const packed = await ask('/assets/solana');
    expect([packed.headers.get('content-encoding'), await packed.text()]).toEqual([encoding, plain]);
  });

  it('has faults for some requests, for some of their number, and until the reset', async () => {
    Object.assign(api.faults, {
      status: 429,
      times: 1,
      only: ({ target }: { target: string }) => target.includes('sol'),
    });
    const statuses = [];
    for (const target of ['/health', '/assets/solana', '/assets/solana']) statuses.push((await ask(target)).status);
    expect(statuses).toEqual([200, 429, 200]);
    api.faults.status = 503;
    api.faults.reset();
    expect([Object.keys(api.faults), (await ask('/health')).status]).toEqual([['reset'], 200]);
  });

  it('ends requests that hang when it is closed', async () => {
    const other = await startTokensApi({ key: KEY });
    other.faults.hang = true;
    const hanging = expect(fetch(`${other.url}/v1/health`)).rejects.toThrow();
    await expect.poll(() => other.arrivals.length).toBe(1);
    await other.close();
    await hanging;
  });
});
