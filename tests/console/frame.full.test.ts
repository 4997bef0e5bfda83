import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { browserSuite } from '../kit/chromium.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { axeFaults, faultsInAllLooks, isFocused, openExchange, paymentsOf, visit } from './console.ts';

const gateway = await startTestGateway({ TOKENS_RATE_LIMIT_PER_MINUTE: '300' }, { paid: true });

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });

browserSuite('the frame of the console', () => {
  const LOST = 'The gateway does not answer.';

  it('says once in every view that the gateway is gone, without advice about money, and loads again after Retry', async () => {
    const page = await visit(`${gateway.url}/#/routes/rpc.mainnet.helius.getBalance`, undefined, 'ERR_INTERNET');
    const payments = paymentsOf(page);
    await button(page, /^Send, pay/).waitFor();
    await page.context().setOffline(true);
    await button(page, /^Send, pay/).click();
    await page.getByText(LOST).waitFor();
    // A view whose code was not loaded before.
    await page.getByRole('link', { name: 'Docs', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Documentation' }).waitFor();
    await page.getByRole('link', { name: /^llms\.txt/ }).waitFor();
    await page.getByText('docs/errors.md').waitFor();
    expect(await axeFaults(page)).toEqual([]);
    // Of each view what was loaded stays; a view whose code was not loaded says when it comes.
    const contents = { Try: 'Market data for a signature', Wallet: 'This view loads', Routes: 'getBalance' };
    for (const [view, content] of Object.entries(contents)) {
      await page.getByRole('link', { name: view, exact: true }).click();
      await page.locator('main', { hasText: content }).waitFor();
      expect(await page.getByText(LOST).count(), view).toBe(1);
      expect(await page.locator('main').textContent(), view).not.toMatch(/fetch|add money or change/i);
    }
    await page.getByRole('link', { name: 'Try', exact: true }).click();
    expect(await faultsInAllLooks(page, 'unreachable')).toEqual([]);
    await page.context().setOffline(false);
    await button(page, 'Retry').click();
    await page.getByRole('region', { name: 'Majors' }).getByRole('link').first().waitFor();
    await page.locator('.price-line').waitFor();
    expect([await page.getByText(LOST).count(), payments.sent]).toEqual([0, 0]);
  });

  it('says that an address has no page, and links to those that there are', async () => {
    const page = await visit(`${gateway.url}/#/nonsense/solana`);
    await page.getByRole('heading', { level: 1, name: 'There is no page at this address' }).waitFor();
    expect(await page.title()).toBe('Not found · Asset gateway');
    expect(await faultsInAllLooks(page, 'not-found')).toEqual([]);
    await page.getByRole('main').getByRole('link', { name: 'Routes' }).click();
    await page.getByRole('heading', { level: 1, name: 'Routes' }).waitFor();
  });

  it('focuses the search with / and Ctrl+K from any view, but not while a field is typed in', async () => {
    const page = await visit(`${gateway.url}/#/try/solana`);
    const search = page.getByLabel('Search assets');
    await page.getByRole('heading', { level: 1, name: 'Solana SOL' }).waitFor();
    await page.keyboard.press('Control+k');
    await isFocused(search);
    await page.keyboard.type('a/b');
    expect(await search.inputValue()).toBe('a/b');
    await page.goto(`${gateway.url}/#/wallet`);
    await page.getByRole('heading', { level: 1, name: 'Wallet' }).waitFor();
    await page.keyboard.press('/');
    await isFocused(search);
    expect(await search.inputValue()).toBe('');
  });

  it('switches the colours, and remembers them', async () => {
    const page = await visit(`${gateway.url}/`);
    const colours = () => page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor');
    const light = await colours();
    await button(page, /^Colours: system/).click();
    expect(await colours()).toBe(light);
    await button(page, /^Colours: light/).click();
    const dark = await colours();
    expect(dark).not.toBe(light);
    await page.reload();
    await button(page, /^Colours: dark/).waitFor();
    expect(await colours()).toBe(dark);
    await button(page, /^Colours: dark/).click();
    expect(await colours()).toBe(light);
  });
});

browserSuite('the page of an asset', () => {
  const changeIn = (page: Page) => page.locator('.price').textContent();

  it('says the change and the range of the chosen period', async () => {
    const page = await visit(`${gateway.url}/#/try/solana/1M`);
    const periods = ['1D', '7D', '1M', '1Y'] as const;
    const words = { '1D': '24 hours', '7D': '7 days', '1M': '30 days', '1Y': '1 year' };
    for (const period of periods) {
      await page.getByRole('link', { name: period, exact: true }).click();
      await page.getByText(`Range, ${words[period]}`).waitFor();
      expect(await changeIn(page)).toContain(`in ${words[period]}`);
      await page.getByText('Show as table').click();
      const rows = await page
        .locator('section[aria-label="Price chart"] tbody tr')
        .evaluateAll((all) =>
          all.map((row) => [...row.children].map((cell) => Number((cell.textContent ?? '').replace(/[$,]/g, '')))),
        );
      const [opens, highs, lows, closes] = [1, 2, 3, 4].map((at) => rows.map((row) => row[at] ?? Number.NaN)) as [
        number[],
        number[],
        number[],
        number[],
      ];
      const percent = ((closes[0] ?? 0) / (opens.at(-1) ?? 0) - 1) * 100;
      const shown = /([+−]?)([\d.]+)%/.exec((await changeIn(page)) ?? '');
      expect(Number(shown?.[2]) * (shown?.[1] === '−' ? -1 : 1)).toBeCloseTo(percent, 1);
      const range = page.locator('.facts div', { hasText: 'Range' }).locator('dd');
      expect(
        ((await range.textContent()) ?? '')
          .replaceAll(/[^\d.\s]/g, '')
          .trim()
          .split(/\s+/)
          .map(Number),
      ).toEqual([Math.min(...lows), Math.max(...highs)]);
      await page.getByText('Show as table').click();
    }
  }, 60_000);

  it('says that an unknown asset is not found, without a button to try again', async () => {
    const page = await visit(`${gateway.url}/#/try/no-such-asset`);
    await page.getByText('Asset not found').first().waitFor();
    expect(await button(page, 'Retry').count()).toBe(0);
  });

  it('has the legend of a line for a line, and fewer candles on a phone', async () => {
    const page = await visit(`${gateway.url}/#/try/solana`);
    const legend = page.locator('.legend');
    await legend.filter({ hasText: 'rising' }).filter({ hasText: '1 hour each' }).waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await legend.filter({ hasText: '4 hours each' }).waitFor();
    await page.getByRole('link', { name: 'Line', exact: true }).click();
    await legend.filter({ hasText: 'closing prices, 1 hour apart' }).waitFor();
    expect(await legend.textContent()).not.toMatch(/rising|falling/);
  });

  it('keeps the exchange in a drawer that is closed at first and emptied by navigation', async () => {
    const page = await visit(`${gateway.url}/#/try/solana`);
    await button(page, /^How it was signed/).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    const drawer = await openExchange(page);
    await drawer.getByText('/v1/x402/tokens/assets/solana').first().waitFor();
    expect(await faultsInAllLooks(page, 'drawer')).toEqual([]);
    await page.goto(`${gateway.url}/#/try/gold`);
    await page.getByRole('heading', { level: 1, name: /^Gold/ }).waitFor();
    await button(page, /^How it was signed/).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    const next = await openExchange(page);
    expect(await next.textContent()).not.toContain('/assets/solana');
  });
});
