import { createClient } from '@asset-gateway/client';
import { createTools } from '@asset-gateway/client/tools';
import { amountFigure, listAt, momentText, priceFigure } from '@asset-gateway/protocol';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { askFor } from '../../packages/console/src/parts/use-call.ts';
import { asset, curated, profile, search, tickers } from '../../packages/console/src/try/calls.ts';
import { freePort } from '../http/ports.ts';
import { browserSuite } from '../kit/chromium.ts';
import { makeFolder } from '../kit/folder.ts';
import { isFull } from '../kit/rounds.ts';
import { startTestGateway, type TestGateway, WITHOUT_BREAKER } from '../kit/test-gateway.ts';
import {
  axeFaults,
  drawnIn,
  faultsInAllLooks,
  isFocused,
  LONG_TIMEOUT,
  openExchange,
  rowsOf,
  tabTo,
  targetsSince,
  visit,
} from './console.ts';

type Candle = Readonly<Record<'time' | 'open' | 'high' | 'low' | 'close' | 'volume', number>>;

const cellsOf = ({ time, open, high, low, close, volume }: Candle): string[] => [
  momentText(time),
  ...[open, high, low, close].map(priceFigure),
  amountFigure(volume),
];

const result = (page: Page, name: RegExp) => page.getByRole('listitem').getByRole('link', { name });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

const now = Date.now();
const targeting =
  (text: string) =>
  ({ target }: { readonly target: string }) =>
    target.includes(text);
const gateway = await startTestGateway({ TOKENS_RATE_LIMIT_PER_MINUTE: '300' }, { marketNow: () => now });

const arrivals = () => gateway.upstream.arrivals;

it.each([
  search(`it's "$(id)" \\`),
  asset('solana', { range: '1Y', interval: '1W', style: 'candles' }, 1_800_000_000),
  curated('majors'),
  tickers('solana'),
  profile('solana'),
])('the call $method of the page is the same by its arguments and by their names', async (call) => {
  const client = createClient({ baseUrl: gateway.url });
  const before = arrivals().length;
  await askFor(client, call);
  const tool = createTools(client).find(({ name }) => name === `tokens_${call.method}`);
  await tool?.execute(call.named);
  const targets = targetsSince(arrivals(), before);
  expect([targets.length, new Set(targets).size]).toEqual([2, 1]);
});

browserSuite('Try', () => {
  /** The gateway's answer to the last call of the page. */
  async function lastCandles(): Promise<Candle[]> {
    const [path] = targetsSince(arrivals(), arrivals().length - 1);
    const query = path?.slice(path.indexOf('?'));
    const response = await createClient({ baseUrl: gateway.url }).ask(`/v1/x402/tokens/assets/solana${query}`);
    return listAt(await response.json(), 'result', 'includes', 'ohlcv', 'data') as Candle[];
  }

  it('searches, opens an asset, shows candles and the signed exchange, and copies a call, all by keyboard', async () => {
    const before = arrivals().length;
    const page = await visit(`${gateway.url}/`, { permissions: ['clipboard-read', 'clipboard-write'] });
    const press = async (wanted: Locator) => {
      await tabTo(page, wanted);
      await page.keyboard.press('Enter');
    };
    expect(arrivals().length).toBe(before);
    await tabTo(page, page.getByLabel('Search assets'));
    await page.keyboard.insertText('sol');
    await result(page, /^Solana/).waitFor();
    expect(targetsSince(arrivals(), before)).toEqual(['/v1/assets/search?q=sol&limit=20']);
    const stages = page.locator('.drawer .exchange > li');
    expect(await stages.count()).toBe(0);
    await openExchange(page);
    expect((await stages.allInnerTexts()).map((text) => text.split('\n', 1)[0])).toEqual([
      expect.stringMatching(/^The gateway sends a challenge 402, after \d+ ms$/),
      'The key of this browser signs',
      expect.stringMatching(/^The gateway answers 200, after \d+ ms$/),
    ]);
    expect(await stages.nth(1).textContent()).toContain('wants you to sign in with your Solana account');
    await page.keyboard.press('Escape');
    await expect.poll(() => stages.count()).toBe(0);

    await press(result(page, /^Solana/));
    const heading = page.getByRole('heading', { level: 1, name: 'Solana SOL' });
    await heading.waitFor();
    await isFocused(heading);
    const hours = await drawnIn(page);
    expect(hours.painted).toBeGreaterThan(1000);
    expect(arrivals().length).toBe(before + 2);
    const drawer = await openExchange(page);
    expect((await stages.allInnerTexts())[0]).toContain('No challenge was needed');
    await drawer.getByRole('button', { name: 'Close' }).click();

    await press(page.getByRole('link', { name: '1M', exact: true }));
    await page.locator('[aria-current]', { hasText: '1M' }).waitFor();
    await press(page.locator('summary', { hasText: 'Show as table' }));
    const table = page.getByRole('table', { name: /candles of 4H/ });
    await table.waitFor();
    expect(arrivals().length).toBe(before + 3);
    const candles = await lastCandles();
    expect(candles.length).toBeGreaterThan(100);
    expect(await rowsOf(table)).toEqual(candles.toReversed().map(cellsOf));
    await expect.poll(() => drawnIn(page)).not.toEqual(hours);

    await tabTo(page, page.getByRole('region', { name: /candles of 4H/ }));
    await tabTo(page, page.getByRole('tab', { name: 'Markets' }));
    for (let step = 0; step < 3; step++) await page.keyboard.press('ArrowRight');
    await press(button(page, 'Load exchanges'));
    await page.getByRole('table', { name: /Exchanges/ }).waitFor();
    await press(page.getByRole('button', { name: /^How it was signed/ }));
    await press(button(page, 'Copy curl'));
    await page.locator('.drawer').getByText('Copied').first().waitFor();
    await page.keyboard.press('Escape');
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(copied).toBe(`curl -i '${gateway.url}/v1/x402/tokens/assets/solana/tickers'`);

    const spent = arrivals().length;
    await page.getByRole('link', { name: 'Line', exact: true }).click();
    await expect.poll(() => page.evaluate('location.hash')).toBe('#/try/solana/1M?chart=line');
    await page.locator('[aria-current]', { hasText: 'Line' }).waitFor();
    await page.goBack();
    await page.locator('[aria-current]', { hasText: 'Candles' }).waitFor();
    await page.goBack();
    await page.locator('[aria-current]', { hasText: '1 hour' }).waitFor();
    await expect.poll(() => drawnIn(page)).toEqual(hours);
    await page.goBack();
    await result(page, /^Solana/).waitFor();
    expect(await page.getByLabel('Search assets').inputValue()).toBe('sol');
    expect(arrivals().length).toBe(spent);
  });

  it('loads lists on a click, suggests their assets without a call, and has no axe violations in any look', async () => {
    const page = await visit(`${gateway.url}/`);
    const names = ['Majors', 'Stocks', 'Metals', 'Index funds'];
    for (const name of names.filter((_, at) => isFull || at % 3 === 0)) {
      const list = page.getByRole('region', { name });
      await list.getByRole('button', { name: /^Load/ }).click();
      await list.getByRole('button', { name: 'Show charts' }).click();
    }
    await expect.poll(() => page.locator('polyline').count(), LONG_TIMEOUT).toBeGreaterThan(isFull ? 9 : 5);
    expect(await faultsInAllLooks(page, 'try')).toEqual([]);
    const before = arrivals().length;
    await page.getByLabel('Search assets').pressSequentially('bit', { delay: 1 });
    await page.keyboard.press('ArrowDown');
    await page.getByRole('option', { name: /^Bitcoin/, selected: true }).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Bitcoin BTC' }).waitFor();
    expect(targetsSince(arrivals(), before).filter((target) => !target.includes('search'))).toHaveLength(1);
    // The arrow keys lead to results that have arrived, too.
    await page.goto(`${gateway.url}/#/try//bitcoin`);
    await result(page, /^Bitcoin/).waitFor();
    if (isFull) expect(await faultsInAllLooks(page, 'search')).toEqual([]);
    await page.getByLabel('Search assets').press('ArrowDown');
    await page.getByRole('option', { name: /^Bitcoin/, selected: true }).waitFor();
    await page.keyboard.press('Escape');
    await result(page, /^Bitcoin/).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Bitcoin BTC' }).waitFor();
    await drawnIn(page);
    expect(await faultsInAllLooks(page, 'asset')).toEqual([]);
    await page.getByRole('tab', { name: 'About' }).click();
    await button(page, 'Load the profile').click();
    await page.getByText('All-time high').waitFor();
    expect(await axeFaults(page)).toEqual([]);
  }, 120_000);

  it('follows a link pressed before the first paint', async () => {
    const script = `new MutationObserver((_, observer) => {
      if (!document.querySelector('nav')) return;
      observer.disconnect();
      location.hash = '#/routes';
    }).observe(document, { childList: true, subtree: true })`;
    const page = await visit(`${gateway.url}/`, { script });
    await page.getByRole('heading', { level: 1, name: 'Routes' }).waitFor();
  });

  it('says what to change if no key can be created', async () => {
    const script = "SubtleCrypto.prototype.generateKey = () => Promise.reject(new Error('not known'))";
    const page = await visit(`${gateway.url}/`, { script });
    await page.getByText('This browser cannot create the key').waitFor();
    expect(await axeFaults(page)).toEqual([]);
  });

  it('says that nothing was found, and shows the refusals of the gateway', async () => {
    const page = await visit(`${gateway.url}/#/try//zzzz`);
    await page.getByText('No results for “zzzz”').waitFor();
    await page.goto(`${gateway.url}/#/try/nothing-of-that-name`);
    await page.getByText('404 upstream_rejected').waitFor();
    await page.getByText('What to do: Correct the request').waitFor();
    const before = arrivals().length;
    await page.goto(`${gateway.url}/#/try/${encodeURIComponent('../secret')}`);
    await page.getByText('invalid_request').waitFor();
    await page.getByRole('alert').getByText('assetId').waitFor();
    expect(arrivals().length).toBe(before);
  });
});

browserSuite('Try with the response cache', () => {
  const variables = { RESPONSE_CACHE: 'on', TOKENS_RATE_LIMIT_PER_MINUTE: '300' };
  const PHONE = { viewport: { width: 390, height: 700 } };
  const lines = (page: Page, list: string) => page.getByRole('region', { name: list }).locator('polyline');
  const charts = (gateway: TestGateway) => gateway.upstream.arrivals.filter(({ target }) => target.includes('chart'));

  const idsIn = (page: Page, list: string) =>
    rows(page, list).evaluateAll((links) => links.map((link) => link.getAttribute('href')?.split('/').at(-1) ?? ''));
  const isOf = (ids: readonly string[]) => (arrival: { readonly target: string }) =>
    ids.some((id) => arrival.target.includes(`/${id}/`));

  const rows = (page: Page, list: string) => page.getByRole('region', { name: list }).getByRole('link');

  it('opens with a list and a chart for two calls, for all users once, and loads the rest once it is used', async () => {
    const gateway = await startTestGateway(variables);
    const made = () => gateway.upstream.arrivals.length;
    for (const calls of [2, 0]) {
      const before = made();
      const page = await visit(`${gateway.url}/`);
      await rows(page, 'Majors').first().waitFor();
      await page.locator('.price-line').waitFor();
      await page.waitForLoadState('networkidle');
      expect(made() - before).toBe(calls);
      if (calls === 0) continue;
      await page.mouse.wheel(0, 2000);
      await rows(page, 'Stocks').first().waitFor();
      await expect.poll(() => lines(page, 'Stocks').count(), LONG_TIMEOUT).toBe(6);
    }
  });

  it('stops the sparklines of a list that leaves the view, and continues when it returns', async () => {
    const gateway = await startTestGateway(variables);
    // While the page scrolls, also on a busy machine, one chart is under way.
    Object.assign(gateway.upstream.faults, { delayMs: 1_500, only: targeting('chart') });
    const page = await visit(`${gateway.url}/`, PHONE);
    await page.getByRole('region', { name: 'Majors' }).scrollIntoViewIfNeeded();
    await expect.poll(() => charts(gateway).length, LONG_TIMEOUT).toBe(2);
    await page.getByRole('region', { name: 'Index funds' }).scrollIntoViewIfNeeded();
    await expect.poll(() => lines(page, 'Index funds').count(), LONG_TIMEOUT).toBe(2);
    const [majors, funds] = [await idsIn(page, 'Majors'), await idsIn(page, 'Index funds')];
    const loaded = charts(gateway);
    expect(loaded.slice(loaded.findIndex(isOf(funds))).filter(isOf(majors))).toEqual([]);
    gateway.upstream.faults.reset();
    await page.getByRole('region', { name: 'Majors' }).scrollIntoViewIfNeeded();
    await expect.poll(() => lines(page, 'Majors').count(), LONG_TIMEOUT).toBe(6);
    const targets = charts(gateway).map(({ target }) => target);
    expect(new Set(targets).size).toBe(targets.length);
  });
});

const LIMIT = 4;
/** Long enough for a slow machine to use up the budget in it. */
const WINDOW_MS = 10_000;

browserSuite(
  'Try with a failing gateway',
  () => {
    const dataDir = makeFolder();
    let port: number;
    let gateway: TestGateway;
    const start = (variables = {}) =>
      startTestGateway({ PORT: String(port), ...variables }, { ...WITHOUT_BREAKER, dataDir, windowMs: WINDOW_MS });
    beforeAll(async () => {
      port = await freePort();
      gateway = await start();
    });
    beforeEach(() => gateway.upstream.faults.reset());
    afterAll(() => gateway?.stop());

    const arrivals = () => gateway.upstream.arrivals;
    const open = (place = '') => visit(`${gateway.url}/${place}`, undefined, 'ERR_CONNECTION_REFUSED');

    it('shows the answer to the last query, also if an earlier one answers later', async () => {
      const page = await open();
      const before = arrivals().length;
      Object.assign(gateway.upstream.faults, { delayMs: 3000, only: targeting('q=gold') });
      await page.getByLabel('Search assets').fill('gold');
      await expect.poll(() => arrivals().length).toBe(before + 1);
      await page.getByLabel('Search assets').fill('sol');
      await result(page, /^Solana/).waitFor();
      await page.waitForTimeout(3000);
      expect(await result(page, /^Gold/).count()).toBe(0);
      expect(targetsSince(arrivals(), before).map((target) => /q=(\w+)/.exec(target)?.[1])).toEqual(['gold', 'sol']);
    });

    it('waits as long as the gateway asks, says so, and continues automatically', async () => {
      const page = await open('#/try//sol');
      await result(page, /^Solana/).waitFor();
      Object.assign(gateway.upstream.faults, { status: 429, retryAfter: '6', times: 1 });
      const before = arrivals().length;
      await page.getByLabel('Search assets').fill('gold');
      await page.getByText(/rate-limiting this gateway; .*Retry-After/).waitFor();
      await page.getByText(/continues automatically at \d\d:\d\d:\d\d/).waitFor();
      expect(await axeFaults(page)).toEqual([]);
      await result(page, /^Gold/).waitFor();
      expect(arrivals().length - before).toBe(2);
    });

    it('says that the gateway does not answer, and retries when it is back', async () => {
      const page = await open('#/try//sol');
      await result(page, /^Solana/).waitFor();
      await gateway.stop();
      await page.getByLabel('Search assets').fill('gold');
      await page.getByText('The gateway does not answer.').waitFor();
      await page.getByRole('button', { name: 'Retry' }).click();
      await page.getByText('The gateway does not answer.').waitFor();
      expect(await page.getByRole('button', { name: 'Retry' }).count()).toBe(1);
      gateway = await start();
      await page.getByRole('button', { name: 'Retry' }).click();
      await result(page, /^Gold/).waitFor();
      expect(await page.getByText('The gateway does not answer.').count()).toBe(0);
      await result(page, /^Gold/).click();
      expect((await drawnIn(page)).painted).toBeGreaterThan(1000);
    });

    it('waits for Enter when few calls are left, and for the budget when none is', async () => {
      await gateway.stop();
      gateway = await start({ TOKENS_RATE_LIMIT_PER_MINUTE: String(LIMIT) });
      const page = await open();
      const search = page.getByLabel('Search assets');
      await search.fill('sol');
      await page.getByText(`3 of ${LIMIT} calls left`).waitFor();
      await search.fill('gold');
      await page.getByText('press Enter to search').waitFor();
      await page.waitForTimeout(400);
      expect(arrivals().length).toBe(1);
      for (const [query, left] of Object.entries({ gold: 2, tesla: 1, silver: 0 })) {
        await search.fill(query);
        await search.press('Enter');
        await page.getByText(`${left} of ${LIMIT} calls left`).waitFor();
      }
      await search.fill('usdc');
      await search.press('Enter');
      await page.getByText('All calls of this minute are used up').waitFor();
      expect(arrivals().length).toBe(LIMIT);
      await expect.poll(() => arrivals().length, { timeout: 2 * WINDOW_MS }).toBe(LIMIT + 1);
      expect(arrivals().at(-1)?.target).toContain('q=usdc');
    });
  },
  { timeout: 60_000 },
);
