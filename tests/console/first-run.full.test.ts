import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { browserSuite } from '../kit/chromium.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { asGatewayOutside, faultsInAllLooks, isFocused, LONG_TIMEOUT, paymentsOf, tabTo, visit } from './console.ts';

const gateway = await startTestGateway({ TOKENS_RATE_LIMIT_PER_MINUTE: '300' }, { paid: true });

const made = () => gateway.upstream.arrivals.length;
const asked = () => gateway.solana.provider.arrivals.length;
const paid = () => gateway.solana.mainnet.transfers.filter(({ to }) => to === gateway.solana.payTo).length;

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const strip = (page: Page) => page.getByRole('region', { name: 'First run' });
const said = (page: Page, sentence: RegExp) =>
  strip(page).getByRole('listitem').getByText(sentence).waitFor(LONG_TIMEOUT);
const wallet = (page: Page) => page.getByRole('link', { name: /^Wallet: / });
browserSuite('the first run in the sandbox', () => {
  it('opens with a list and a chart, for two calls and without a click, keeps its address, and names the sandbox and the balance', async () => {
    const before = made();
    const page = await visit(`${gateway.url}/`);
    await page.getByRole('region', { name: 'Majors' }).getByRole('link').first().waitFor();
    await page.locator('.price-line').waitFor();
    await page.getByText('Sandbox, play money').waitFor();
    await wallet(page).filter({ hasText: '0.00 USDC' }).waitFor();
    await page.waitForLoadState('networkidle');
    expect([made() - before, asked(), paid()]).toEqual([2, 0, 0]);
    // Replacing the address would end the navigation to a link that is opened meanwhile.
    expect(page.url()).toBe(`${gateway.url}/`);
    await page.getByRole('link', { name: 'Docs' }).click();
    await page.getByRole('heading', { level: 1, name: 'Documentation' }).waitFor();
    expect(await faultsInAllLooks(page, 'docs')).toEqual([]);
  });

  it('leads from the first tab stop to a paid answer by keyboard alone, and does not come back', async () => {
    const [answered, settled] = [asked(), paid()];
    const page = await visit(`${gateway.url}/`);
    const payments = paymentsOf(page);
    await tabTo(page, button(page, 'Sign and ask'));
    expect(await faultsInAllLooks(page, 'first-run')).toEqual([]);
    await page.keyboard.press('Enter');
    await said(page, /^Gold costs \$[\d,.]+\. A key in this browser signed the call, for free\.$/);
    await isFocused(button(page, 'Get 10 play USDC'));
    expect([payments.sent, await button(page, /^Pay/).count()]).toEqual([0, 0]);
    await page.keyboard.press('Enter');
    await isFocused(button(page, 'Pay $0.000005'));
    await wallet(page).filter({ hasText: '10.00 USDC' }).waitFor();
    await page.keyboard.press('Enter');
    await said(page, /^The gateway answered and took \$0\.000005 in USDC\./);
    expect([payments.sent, asked() - answered, paid() - settled]).toEqual([1, 1, 1]);
    await isFocused(button(page, 'Close'));
    await wallet(page).filter({ hasText: '9.999995 USDC' }).waitFor(LONG_TIMEOUT);
    expect(await faultsInAllLooks(page, 'first-run-paid')).toEqual([]);
    await page.reload();
    await page.locator('.price-line').waitFor();
    expect(await strip(page).count()).toBe(0);
  });

  it('offers no payment while the balance is empty or unknown, and signs none', async () => {
    const page = await visit(`${gateway.url}/`);
    const payments = paymentsOf(page);
    await page.route('**/console/rpc/*', (route) =>
      route.fulfill({ status: 503, json: { message: 'No balance now.' } }),
    );
    await page.reload();
    await button(page, 'Sign and ask').click();
    const fill = button(page, 'Get 10 play USDC');
    await fill.waitFor();
    expect([await fill.isDisabled(), await button(page, /^Pay/).count()]).toEqual([true, 0]);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.reload();
    await expect.poll(() => fill.isEnabled()).toBe(true);
    expect([payments.sent, await button(page, /^Pay/).count()]).toEqual([0, 0]);
  });

  it('is not shown outside of the sandbox, where nothing loads by itself', async () => {
    const page = await visit(`${gateway.url}/openapi.json`);
    await asGatewayOutside(page);
    const before = made();
    await page.goto(`${gateway.url}/`);
    await button(page, 'Load the chart').waitFor();
    await wallet(page).waitFor();
    expect([made() - before, await strip(page).count()]).toEqual([0, 0]);
    expect(await page.getByText('Sandbox, play money').count()).toBe(0);
  });
});
