import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { closePages, launchChromium } from '../kit/chromium.ts';
import { suiteWith } from '../kit/optional.ts';
import { startTestGateway, type TestGateway } from '../kit/test-gateway.ts';
import { axeFaults, openPage } from './console.ts';

suiteWith('chromium', 'the page at / of a gateway', (executablePath) => {
  let gateway: TestGateway;
  let browser: Browser;
  beforeAll(async () => {
    gateway = await startTestGateway({}, { paid: true });
    browser = await launchChromium(executablePath);
  });
  afterAll(async () => {
    await closePages(browser);
    await gateway?.stop();
  });

  it('answers a search that a key of the tab has signed', async () => {
    const { page, faults, close } = await openPage(browser, `${gateway.url}/`);
    await page.getByLabel('Search assets').fill('sol');
    await page
      .getByRole('link', { name: /Solana/ })
      .first()
      .waitFor();
    expect(faults).toEqual([]);
    expect(gateway.upstream.arrivals.length).toBeGreaterThan(0);
    await close();
  });

  it('follows a link that is pressed before the first picture is drawn', async () => {
    const { page, faults, close } = await openPage(browser, `${gateway.url}/`);
    await page.addInitScript(`new MutationObserver((_, observer) => {
      if (!document.querySelector('nav')) return;
      observer.disconnect();
      location.hash = '#/routes';
    }).observe(document, { childList: true, subtree: true })`);
    await page.reload();
    await page.getByRole('heading', { name: 'Every route, its form and its price' }).waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('says what is needed where no key can be made', async () => {
    const { page, faults, close } = await openPage(browser, `${gateway.url}/`);
    await page.addInitScript("SubtleCrypto.prototype.generateKey = () => Promise.reject(new Error('not known'))");
    await page.reload();
    await page.getByText('This browser cannot make the key').waitFor();
    expect([...faults, ...(await axeFaults(page))]).toEqual([]);
    await close();
  });

  it('says what this is where scripts do not run', async () => {
    const { page, close } = await openPage(browser, `${gateway.url}/`, { javaScriptEnabled: false });
    expect(await page.textContent('main')).toContain('with a wallet, without an account or an API key');
    await close();
  });
});
