import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { freePort } from '../http/ports.ts';
import { browserSuite } from '../kit/chromium.ts';
import { makeFolder } from '../kit/folder.ts';
import { startTestGateway, type TestGateway, WITHOUT_BREAKER } from '../kit/test-gateway.ts';
import { axeFaults, drawnIn, targetsSince, visit } from './console.ts';

const LIMIT = 4;
/** Long enough for a slow machine to use up the budget in it. */
const WINDOW_MS = 10_000;

const result = (page: Page, name: RegExp) => page.getByRole('listitem').getByRole('link', { name });

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
      Object.assign(gateway.upstream.faults, {
        delayMs: 3000,
        only: ({ target }: { target: string }) => target.includes('q=gold'),
      });
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
      gateway = await start();
      await page.getByRole('button', { name: 'Retry' }).click();
      await result(page, /^Gold/).waitFor();
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
      for (const [query, left] of [
        ['gold', 2],
        ['tesla', 1],
        ['silver', 0],
      ] as const) {
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
