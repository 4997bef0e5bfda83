import type { Page, Route } from 'playwright-core';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { spentMicros } from '../../packages/console/src/wallet/ledger.ts';
import { browserSuite } from '../kit/chromium.ts';
import { stopAfterTests } from '../kit/stop-after-tests.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { openPage } from './console.ts';

const CALL = '**/rpc/getBalance';
const BUTTON = 'Send, pay $0.000005';
const HIDDEN = '\u202e\u200b';

interface Catalog {
  readonly routes: { method: string; surface: string; priceUsd: string; description: string }[];
}

const sold = ({ routes }: Catalog) =>
  routes.filter(({ surface, method }) => surface === 'rpc' && method === 'getBalance');

const gateway = await stopAfterTests(startTestGateway({ CREDIT: 'on' }, { paid: true }));

browserSuite('limits on what the console pays', () => {
  let page: Page;
  /** Payments that the page sent. */
  let sent: string[];
  beforeAll(async () => {
    ({ page } = await openPage(`${gateway.url}/#/wallet`));
    page.on('request', (request) => {
      const payment = request.headers()['payment-signature'];
      if (payment !== undefined) sent.push(payment);
    });
    const shown = await page.locator('.address').textContent();
    await gateway.solana.mainnet.fundUsdc(shown ?? '', 10_000_000n);
  });
  beforeEach(async () => {
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.evaluate('localStorage.clear()');
    await page.reload();
    sent = [];
  });

  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const shows = (text: string | RegExp) => page.getByText(text).first().waitFor();
  const settled = (): number =>
    gateway.solana.mainnet.transfers.filter(({ to }) => to === gateway.solana.payTo).length ?? 0;
  const arrivals = (): number => gateway.solana.provider.arrivals.length;
  const isPayment = (route: Route): boolean => route.request().headers()['payment-signature'] !== undefined;

  /** Reloads the page with a changed catalog, and restores the real one after. */
  async function reloadWith(change: (catalog: Catalog) => void): Promise<void> {
    await page.route('**/v1/catalog', async (route) => {
      const response = await route.fetch();
      const catalog = (await response.json()) as Catalog;
      change(catalog);
      await route.fulfill({ json: catalog });
    });
    await page.reload();
    await page.getByRole('heading', { name: 'Credit' }).waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  }

  it('W23 resends an unfinished payment for the same request and by its own button, also after a reload', async () => {
    const before = settled();
    await page.route(CALL, async (route) => {
      if (!isPayment(route)) return route.continue();
      await route.fetch();
      await route.abort();
    });
    await press(BUTTON);
    await expect.poll(() => settled() - before, { timeout: 20_000 }).toBe(1);
    await page.reload();
    await press(BUTTON);
    await expect.poll(() => sent.length).toBe(2);
    await page.reload();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await press('Resend');
    await shows('The gateway answered, and the payment is complete.');
    expect([sent.length, new Set(sent).size, settled() - before]).toEqual([3, 1, 1]);
    await expect.poll(() => page.getByRole('heading', { name: 'Unfinished payments' }).count()).toBe(0);
  });

  it('W23 makes no new payment for a request after a refused one, also after a reload', async () => {
    const [before, asked] = [settled(), arrivals()];
    await page.route(CALL, async (route) => {
      if (!isPayment(route)) return route.continue();
      const { 'payment-signature': _, ...headers } = route.request().headers();
      await route.fulfill({ response: await route.fetch({ headers }) });
    });
    await press(BUTTON);
    await shows(/a payment of \$0\.000005 was sent and refused/);
    await page.reload();
    await press(BUTTON);
    await shows(/a payment of \$0\.000005 for this request was sent and refused; it counts as spent/);
    expect([sent.length, settled() - before, arrivals() - asked]).toEqual([1, 0, 0]);
  });

  it('W23 pays for a call and a bundle at most the price on the button', async () => {
    const [before, asked] = [settled(), arrivals()];
    await reloadWith((catalog) => {
      for (const route of sold(catalog)) route.priceUsd = '0.000001';
      for (const route of catalog.routes) if (route.surface === 'credit') route.priceUsd = '0.01';
    });
    await press('Send, pay $0.000001');
    await shows(/the call costs \$0\.000005, above the cap of \$0\.000001; nothing was signed/);
    await press('Buy $0.01 of credit on mainnet');
    await shows(/asks for \$0\.05, above the cap of \$0\.01 for this call; nothing was signed/);
    expect([sent, settled() - before, arrivals() - asked]).toEqual([[], 0, 0]);
  });

  it('W24 shows prices and texts without hidden characters, and no route with an invalid price', async () => {
    await reloadWith((catalog) => {
      for (const route of sold(catalog)) {
        route.priceUsd = `${HIDDEN}${route.priceUsd}`;
        route.description = `Ba${HIDDEN}lance.`;
      }
    });
    await shows(/^Balance\. It costs \$0\.000005, /);
    await page.getByRole('button', { name: 'Send, pay $0.000005', exact: true }).waitFor();
    await reloadWith((catalog) => {
      for (const route of sold(catalog)) route.priceUsd = '0.000005 or less';
    });
    expect(await page.getByRole('button', { name: /^Send, pay/ }).count()).toBe(0);
  });

  it('W21 signs nothing while the ledger cannot be read', async () => {
    const before = settled();
    await page.evaluate(`localStorage['asset-gateway.ledger'] = '[null]'`);
    await press(BUTTON);
    await shows(/The ledger stored in this browser cannot be read\. Nothing is signed/);
    expect([sent, settled() - before]).toEqual([[], 0]);
  });

  it('W20 counts a payment dated in the future towards the daily cap', async () => {
    const before = settled();
    const future = [{ id: 'a', micros: 999_999, at: Date.now() + 30 * 86_400_000, state: 'paid' }];
    await page.evaluate(`localStorage['asset-gateway.ledger'] = ${JSON.stringify(JSON.stringify(future))}`);
    await press(BUTTON);
    await shows(/the cap of \$1 in 24 hours would be exceeded; nothing was signed/);
    expect([sent, settled() - before]).toEqual([[], 0]);
  });
});

describe('W21 a stored ledger', () => {
  afterEach(() => void vi.unstubAllGlobals());
  const entry = { id: 'a', micros: 5, at: Date.now(), state: 'paid' };

  it.each<[string, unknown, number | undefined]>([
    ['with an entry', [entry], 5],
    ['that is no list', {}, undefined],
    ['with null', [null], undefined],
    ['without an amount', [{ ...entry, micros: undefined }], undefined],
    ['with a negative amount', [{ ...entry, micros: -1_000_000 }], undefined],
    ['with an amount as text', [{ ...entry, micros: '5' }], undefined],
    ['without a time', [{ ...entry, at: null }], undefined],
    ['with an unknown state', [{ ...entry, state: 'free' }], undefined],
    ['with a payment that cannot be resent', [{ ...entry, state: 'signed' }], undefined],
  ])('%s is read whole or not at all', (_, ledger, spent) => {
    vi.stubGlobal('localStorage', { getItem: () => JSON.stringify(ledger) });
    expect(spentMicros()).toBe(spent);
  });
});
