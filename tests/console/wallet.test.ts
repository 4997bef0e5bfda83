import { newKeypair, signerFromBytes } from '@asset-gateway/client/node';
import type { Cluster } from '@asset-gateway/protocol';
import type { APIResponse, Page } from 'playwright-core';
import { encode } from 'uqr';
import { beforeAll, expect, it } from 'vitest';
import { standardWallet } from '../client/standard-wallet.ts';
import { browserSuite } from '../kit/chromium.ts';
import { stopAfterTests } from '../kit/stop-after-tests.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { faultsInAllLooks, LOOKS, type OpenedPage, openPage, visit } from './console.ts';

const ELSEWHERE = 'So11111111111111111111111111111111111111112';

const gateway = await stopAfterTests(startTestGateway({ CREDIT: 'on', RECEIPTS: 'on' }, { paid: true }));

browserSuite('a wallet in the console', () => {
  let seen: OpenedPage;
  let page: Page;
  beforeAll(async () => {
    seen = await openPage(`${gateway.url}/#/wallet`);
    page = seen.page;
  });

  const chain = (cluster: Cluster = 'mainnet') => gateway.solana[cluster];
  const transfers = (cluster?: Cluster) => chain(cluster).transfers.filter(({ to }) => to === gateway.solana.payTo);
  const arrivals = (): number => gateway.solana.provider.arrivals.length;
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const shows = (text: string | RegExp) => page.getByText(text).first().waitFor();
  const holds = (usdc: string) => page.locator('.big', { hasText: usdc }).waitFor();
  const showsTransaction = () => page.getByTitle(transfers().at(-1)?.signature ?? '').waitFor();
  const showsCredit = (cluster: Cluster, left: string) =>
    page
      .locator('dl > div', { hasText: `Left on ${cluster}` })
      .filter({ hasText: left })
      .waitFor();
  const address = async (): Promise<string> => (await page.locator('.address').textContent()) ?? '';

  it('starts empty, gets play money, and keeps its key over a reload', async () => {
    const before = await address();
    await press('Get 10 play USDC on mainnet');
    await shows('You received 10 play USDC on mainnet.');
    await holds('10.000000');
    await page.reload();
    await holds('10.000000');
    expect(await address()).toBe(before);
  });

  it('shows its balance and its faucet, although other pages read balances at that time', async () => {
    const other = await visit(`${gateway.url}/`);
    const refused: string[] = [];
    await other.route('**/console/rpc/*', async (route) => {
      const { pathname } = new URL(route.request().url());
      if (route.request().postDataJSON().method !== 'getMultipleAccounts' || refused.includes(pathname))
        return route.continue();
      const read = { jsonrpc: '2.0', id: 1, method: 'getMultipleAccounts', params: [[ELSEWHERE]] };
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(read) };
      let answer: APIResponse;
      do {
        await fetch(gateway.url + pathname, init);
        answer = await route.fetch();
      } while (answer.status() !== 429);
      refused.push(pathname);
      await route.fulfill({ response: answer });
    });
    await other.evaluate(`location.hash = '#/wallet'`);
    await other.locator('.big', { hasText: '0.000000' }).waitFor();
    await other.getByRole('button', { name: 'Get 10 play USDC on mainnet' }).waitFor();
    expect(refused.sort()).toEqual(['/console/rpc/devnet', '/console/rpc/mainnet']);
  });

  it('shows the address as a QR code with the border that scanners need', async () => {
    const { data, size } = encode(await address(), { border: 4 });
    const code = page.getByRole('img', { name: 'QR code of the address' });
    expect(await code.getAttribute('viewBox')).toBe(`0 0 ${size} ${size}`);
    const squares = (await code.locator('path').getAttribute('d'))?.match(/M\d+ \d+/g);
    const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}`] : [])));
    expect(squares).toEqual(dark);
  });

  it('pays for a call once and shows the transaction', async () => {
    const [paid, asked] = [transfers().length, arrivals()];
    await press('Send, pay $0.000005');
    await shows('The gateway answered.');
    expect([transfers().length - paid, arrivals() - asked]).toEqual([1, 1]);
    await showsTransaction();
    await page.getByRole('cell', { name: '$0.000005' }).waitFor();
    await page.locator('dl > div', { hasText: 'Spent today' }).filter({ hasText: '$0.000005 of $1.00' }).waitFor();
    await holds('9.999995');
  });

  it('links a transaction to an explorer, except in the sandbox', async () => {
    expect(await page.getByRole('link', { name: /Solscan/ }).count()).toBe(0);
    await page.route('**/sandbox/faucet', (route) => route.fulfill({ status: 404 }));
    await page.reload();
    const link = page.getByRole('link', { name: /Solscan/ });
    expect(await link.getAttribute('href')).toBe(`https://solscan.io/tx/${transfers().at(-1)?.signature}`);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.reload();
  });

  it('verifies the receipt, and rejects a changed one', async () => {
    await page.getByText('Valid', { exact: true }).waitFor();
    const receipt = await page.evaluate<string>(`JSON.parse(localStorage['asset-gateway.purchases'])[0].receipt`);
    await page.getByLabel('Receipt to verify').fill(receipt);
    await press('Verify receipt');
    await shows('The receipt is valid: this gateway signed it.');
    await page.getByLabel('Receipt to verify').fill(receipt.replace(/^[^.]+/, '{}'));
    await press('Verify receipt');
    await shows('The receipt is invalid: it is not a compact JWS.');
    const [head, claims = '', signature] = receipt.split('.');
    const later = { ...JSON.parse(Buffer.from(claims, 'base64url').toString()), issuedAt: 1 };
    const changed = [head, Buffer.from(JSON.stringify(later)).toString('base64url'), signature].join('.');
    await page.getByLabel('Receipt to verify').fill(changed);
    await press('Verify receipt');
    await shows('its signature does not match its claims');
  });

  it('signs nothing above a cap', async () => {
    const [paid, asked] = [transfers().length, arrivals()];
    await page.getByLabel('Per call').fill('0.000004');
    await page.getByLabel('Per call').blur();
    await press('Send, pay $0.000005');
    await shows(/asks for \$0\.000005, above the cap of \$0\.000004 a call; nothing was signed/);
    expect([transfers().length - paid, arrivals() - asked]).toEqual([0, 0]);
    await page.getByLabel('Per call').fill('0.01');
    await page.getByLabel('Per call').blur();
  });

  it('buys credit with one transfer, and pays a call from it without another', async () => {
    const paid = transfers().length;
    await press('Buy $0.05 of credit on mainnet');
    await showsCredit('mainnet', '$0.05');
    await showsCredit('devnet', '$0.00');
    expect(transfers().length - paid).toBe(1);
    await press('Send, pay $0.000005');
    await shows('The gateway answered.');
    await page.getByRole('cell', { name: 'Credit', exact: true }).waitFor();
    expect(transfers().length - paid).toBe(1);
    await showsCredit('mainnet', '$0.049995');
  });

  it('keeps the credit of the clusters apart', async () => {
    const [paid, paidThere] = [transfers().length, transfers('devnet').length];
    await chain('devnet').fundUsdc(await address(), 1_000_000n);
    await press('Buy $0.05 of credit on devnet');
    await showsCredit('devnet', '$0.05');
    await showsCredit('mainnet', '$0.049995');
    expect([transfers().length - paid, transfers('devnet').length - paidThere]).toEqual([0, 1]);
  });

  it('has no axe violations in light, dark and narrow', async () => {
    expect([...seen.faults, ...(await faultsInAllLooks(page, 'wallet'))]).toEqual([]);
  }, 120_000);

  it('shows a payment on a phone without scrolling sideways', async () => {
    await page.setViewportSize(LOOKS['390-light'].viewport);
    const rows = page.locator('#payments ~ .scroll');
    expect(await rows.locator('tbody tr').count()).toBeGreaterThan(1);
    expect(await rows.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    await page.setViewportSize(LOOKS['1440-light'].viewport);
  });

  it('keeps the daily cap over all tabs at once', async () => {
    page = await visit(`${gateway.url}/#/wallet`);
    await chain().fundUsdc(await address(), 1_000_000n);
    const tabs = [page, await page.context().newPage()];
    await tabs[1]?.goto(`${gateway.url}/#/wallet`);
    const spent = await page.evaluate(
      `JSON.parse(localStorage['asset-gateway.ledger'] ?? '[]').reduce((sum, { micros }) => sum + micros, 0)`,
    );
    // Enough for one more call, not for two.
    await page.evaluate(
      `localStorage['asset-gateway.caps'] = JSON.stringify({ perCallUsd: 0.01, perBundleUsd: 0.05, perDayUsd: (${spent} + 7) / 1e6 })`,
    );
    const paid = transfers().length;
    const pay = (tab: Page) => tab.getByRole('button', { name: 'Send, pay $0.000005' });
    await Promise.all(tabs.map((tab) => pay(tab).waitFor()));
    await Promise.all(tabs.map((tab) => pay(tab).click()));
    const finished = (tab: Page) => tab.getByText(/The gateway answered|would be exceeded; nothing was signed/).first();
    await Promise.all(tabs.map((tab) => finished(tab).waitFor()));
    expect(transfers().length - paid).toBe(1);
  });

  it('lets an installed wallet sign the payment', async () => {
    page = await visit(`${gateway.url}/#/wallet`);
    const keypair = newKeypair();
    const { address: payer } = signerFromBytes(keypair);
    const { features } = await standardWallet(keypair);
    await page.exposeFunction('sign', async (transaction: number[]) => {
      const [signed] = await features['solana:signTransaction'].signTransaction({
        transaction: Uint8Array.from(transaction),
      });
      return [...(signed?.signedTransaction ?? [])];
    });
    await page.evaluate(registering(payer, keypair.subarray(32)));
    await chain().fundUsdc(payer, 1_000_000n);
    const paid = transfers().length;
    await page.getByLabel('A wallet for tests').check();
    await press('Send, pay $0.000005');
    await shows('The gateway answered.');
    expect(transfers().slice(paid)).toMatchObject([{ from: payer, amount: 5n }]);
    await showsTransaction();
  });
});

/** Registers a wallet like an extension does; `sign`, which the test gives the page, signs every transaction. */
const registering = (address: string, publicKey: Uint8Array) => `(() => {
  const account = { address: '${address}', publicKey: Uint8Array.of(${publicKey}), chains: ['solana:mainnet', 'solana:devnet'], features: [] };
  const signTransaction = async ({ transaction }) => [{ signedTransaction: Uint8Array.from(await sign([...transaction])) }];
  const wallet = { version: '1.0.0', name: 'A wallet for tests', accounts: [account], chains: account.chains, features: {
    'standard:connect': { version: '1.0.0', connect: async () => ({ accounts: [account] }) },
    'solana:signTransaction': { version: '1.0.0', supportedTransactionVersions: [0], signTransaction },
  } };
  const register = ({ register }) => register(wallet);
  addEventListener('wallet-standard:app-ready', ({ detail }) => register(detail));
  dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: register }));
})()`;
