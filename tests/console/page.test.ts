import { expect, it } from 'vitest';
import { browserSuite } from '../kit/chromium.ts';
import { stopAfterTests } from '../kit/stop-after-tests.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { axeFaults, openPage } from './console.ts';

const gateway = await stopAfterTests(startTestGateway({}, { paid: true }));

browserSuite('the page at / of a gateway', () => {
  it('answers a search signed by the key of the browser', async () => {
    const { page, faults, close } = await openPage(`${gateway.url}/`);
    await page.getByLabel('Search assets').fill('sol');
    await page
      .getByRole('link', { name: /Solana/ })
      .first()
      .waitFor();
    expect(faults).toEqual([]);
    expect(gateway.upstream.arrivals.length).toBeGreaterThan(0);
    await close();
  });

  it('follows a link pressed before the first paint', async () => {
    const { page, faults, close } = await openPage(`${gateway.url}/`);
    await page.addInitScript(`new MutationObserver((_, observer) => {
      if (!document.querySelector('nav')) return;
      observer.disconnect();
      location.hash = '#/routes';
    }).observe(document, { childList: true, subtree: true })`);
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Routes' }).waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('says what is needed if no key can be created', async () => {
    const { page, faults, close } = await openPage(`${gateway.url}/`);
    await page.addInitScript("SubtleCrypto.prototype.generateKey = () => Promise.reject(new Error('not known'))");
    await page.reload();
    await page.getByText('This browser cannot create the key').waitFor();
    expect([...faults, ...(await axeFaults(page))]).toEqual([]);
    await close();
  });

  it('describes the gateway without JavaScript', async () => {
    const { page, close } = await openPage(`${gateway.url}/`, { javaScriptEnabled: false });
    expect(await page.textContent('main')).toContain('with a wallet, without an account or an API key');
    await close();
  });
});
