import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterEach, expect, it } from 'vitest';
import { browserSuite } from '../kit/chromium.ts';
import { startTestGateway, WITHOUT_BREAKER } from '../kit/test-gateway.ts';
import { axeFaults, drawnIn, LOOKS, openExchange, rowsOf, visit } from './console.ts';

const TAG = '<img src=x onerror="document.title=`gone`">';
const RIGHT_TO_LEFT = '\u202e';
const LONG = 'x'.repeat(3000);
const SCRIPT = 'javascript:document.title="gone"';
const FOREIGN = 'https://pixel.invalid/seen.png';

const asset = (name: unknown, more = {}) => ({ assetId: 'solana', name, symbol: name, category: name, ...more });
const market = { price: 1e308, liquidity: -1e308, priceChange24hPercent: 1e308, logoURI: FOREIGN };
const variant = { mint: SCRIPT, symbol: TAG, kind: TAG, issuerUrl: SCRIPT, issuer: TAG, market };
const candle = (time: unknown, open: unknown) => ({ time, open, high: open, low: open, close: open, volume: null });
const block = (data: unknown) => ({ ok: true, data });

const CARDS: readonly (readonly [string, unknown])[] = [
  ['a string', 'text'],
  ['nulls', { asset: { stats: null, variantGroups: null, primaryVariant: null }, includes: null }],
  ['lists in place of objects', { asset: [[]], includes: [{ ok: true }] }],
  [
    'blocks without data',
    { asset: asset(null), includes: { ohlcv: block(null), risk: block(7), markets: { ok: false, message: TAG } } },
  ],
  ['no candles', { asset: asset('Empty'), includes: { ohlcv: block([]) } }],
];

const gateway = await startTestGateway({}, WITHOUT_BREAKER);

browserSuite('the console with hostile data', () => {
  afterEach(() => gateway.upstream.faults.reset());

  const answers = (body: unknown) => {
    gateway.upstream.faults.body = JSON.stringify(body);
  };
  const open = (place: string) => visit(`${gateway.url}/${place}`, LOOKS['390-light']);

  /** Nothing of an answer may become part of the page except text. */
  async function expectTextAlone(page: Page): Promise<void> {
    const hrefs = await page.locator('a').evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
    expect(hrefs.filter((href) => !/^(?:#\/|blob:|https:)/.test(href))).toEqual([]);
    expect(await page.locator('img, iframe, main script, main style').count()).toBe(0);
    expect(await page.title()).toBe('Try · Asset gateway');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(LOOKS['390-light'].viewport.width);
  }

  it('shows names as text, shortened and without hidden characters', async () => {
    answers({
      results: [
        asset(TAG, { imageUrl: SCRIPT, stats: { price: 1e308, priceChange24hPercent: -1e308 } }),
        asset(LONG, { imageUrl: FOREIGN, stats: null }),
        asset(`${RIGHT_TO_LEFT}CDSU\u0000\u2066`, { stats: { price: null, priceChange24hPercent: 'up' } }),
        asset(null, { assetId: '../../x?y#z' }),
        asset({ toString: 7 }, { assetId: { a: 1 } }),
        null,
        'text',
        [asset('in a list')],
      ],
    });
    const page = await open('#/try//anything');
    await page.getByRole('link', { name: TAG }).waitFor();
    const shown = await page.locator('.results li').allTextContents();
    expect(shown.length).toBe(5);
    expect(shown[0]).toContain('$1E308');
    expect(shown[1]?.length).toBeLessThan(250);
    expect(shown[2]).toMatch(/^CDSU/);
    expect(shown.join('')).not.toMatch(/\p{Cf}|\b(?:undefined|NaN|object)\b/u);
    const odd = page.getByRole('link', { name: '../../x?y#z' });
    expect(await odd.getAttribute('href')).toBe('#/try/..%2F..%2Fx%3Fy%23z');
    await openExchange(page);
    await page.getByText('The answer as JSON').click();
    expect(
      await page
        .getByRole('figure', { name: /^Answer/ })
        .locator('pre')
        .textContent(),
    ).toContain('"\\u202eCDSU');
    await expectTextAlone(page);
    expect(await axeFaults(page)).toEqual([]);
  });

  it('survives an asset answer of any shape, and says so if there are no candles', async () => {
    const page = await open('#/try/solana');
    for (const [name, body] of CARDS) {
      answers(body);
      await page.reload();
      await page.getByRole('tab', { name: 'Variants' }).waitFor();
      for (const tab of ['Markets', 'Risk', 'Variants']) {
        await page.getByRole('tab', { name: tab }).click();
        expect(await page.locator('main').textContent(), name).not.toMatch(/\b(?:undefined|NaN)\b|\[object/);
      }
      await expectTextAlone(page);
    }
    await page.getByText('No candles in this range').waitFor();
    expect(await page.locator('canvas').count()).toBe(0);
  });

  it('draws candles in any order, and lists the ones off the scale in the table', async () => {
    const data = [
      candle(7200, 3),
      null,
      candle(3600, 2),
      candle(3600, null),
      'x',
      candle(10_800, 1e308),
      candle(1e300, 4),
    ];
    answers({
      asset: asset(TAG, { stats: market, variantGroups: { spot: [variant, null], [TAG]: 'x' }, description: LONG }),
      includes: {
        ohlcv: block([...data, candle(7200, 5), candle(14_400, -1), candle(Number.MAX_VALUE, 1)]),
        risk: block({ marketScore: { score: 1e308, grade: LONG, label: TAG, components: { liquidityHealth: [] } } }),
        markets: block({ markets: [{ name: TAG, source: LONG, price: 1e308, liquidity: null }], total: 1e308 }),
      },
    });
    const page = await open('#/try/solana');
    expect((await drawnIn(page)).painted).toBeGreaterThan(500);
    await page.getByText('3 rows of the answer are not candles').waitFor();
    await page.getByText('Show as table').click();
    const rows = await rowsOf(page.getByRole('table', { name: /candles of 1H/ }));
    expect(rows.map(([time, open]) => [time, open])).toEqual([
      ['–', '$1.00'],
      ['–', '$4.00'],
      ['1970-01-01 04:00', '-$1.00'],
      ['1970-01-01 03:00', '$1E308'],
      ['1970-01-01 02:00', '$5.00'],
      ['1970-01-01 01:00', '$2.00'],
    ]);
    await expectTextAlone(page);
    expect(await axeFaults(page)).toEqual([]);
  });

  it('links only to https, without a referrer', async () => {
    gateway.upstream.faults.only = ({ target }) => target.includes('/profile');
    const links = {
      website: 'https://safe.example/a',
      twitter: SCRIPT,
      [TAG]: 'http://plain.example',
      discord: 'https://',
    };
    answers({ assetId: 'solana', profile: block({ links, description: TAG, allTimeHigh: 1e308 }) });
    const page = await open('#/try/solana');
    await page.getByRole('tab', { name: 'About' }).click();
    await page.getByRole('button', { name: 'Load the profile' }).click();
    const outside = page.getByRole('link', { name: /website/ });
    expect(await outside.getAttribute('rel')).toBe('noreferrer noopener');
    expect(await page.locator('.links a').count()).toBe(1);
    await expectTextAlone(page);
  });

  it('shows part of an answer of nearly 5 MiB and saves the whole', async () => {
    const mib = 1024 * 1024;
    const results = [asset('Long', { note: 'y'.repeat(4.9 * mib) }), ...Array.from({ length: 60 }, () => asset('One'))];
    answers({ results });
    const page = await open('#/try//long');
    await page.getByRole('link', { name: 'Long' }).waitFor();
    expect(await page.locator('.results li').count()).toBe(50);
    await openExchange(page);
    await page.getByText('The answer as JSON').click();
    await page.getByText('4.9 MiB').waitFor();
    const shown = page.getByRole('figure', { name: /^Answer/ }).locator('pre');
    expect((await shown.textContent())?.length).toBeLessThan(21_000);
    await page.getByRole('button', { name: 'Show more' }).click();
    await expect.poll(async () => (await shown.textContent())?.length).toBeGreaterThan(100_000);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Save' }).click(),
    ]);
    const saved = JSON.parse(readFileSync(await download.path(), 'utf8')) as { result: unknown };
    expect([download.suggestedFilename(), saved.result]).toEqual(['search.json', { results }]);
    await expectTextAlone(page);
  });
});
