import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { browserSuite } from '../kit/chromium.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { asGatewayOutside, axeFaults, faultsInAllLooks, tabTo, visit } from './console.ts';

const gateway = await startTestGateway({ CREDIT: 'on' }, { paid: true });
const transfers = () => gateway.solana.mainnet.transfers.filter(({ to }) => to === gateway.solana.payTo);
const arrivals = () => gateway.solana.provider.arrivals.length;

/** A page whose wallet is empty, and what it has sent, paid and asked for since. */
async function openEmpty(place: string, prepare: (page: Page) => unknown = () => undefined) {
  const page = await visit(gateway.url);
  await prepare(page);
  await page.goto(`${gateway.url}/${place}`);
  await page.reload();
  const signed: string[] = [];
  page.on('request', (request) => {
    const payment = request.headers()['payment-signature'];
    if (payment !== undefined) signed.push(payment);
  });
  const [paid, asked] = [transfers().length, arrivals()];
  const moved = async () => {
    const ledger = await page.evaluate<string>(`localStorage['asset-gateway.ledger'] ?? '[]'`);
    return [signed.length, transfers().length - paid, arrivals() - asked, JSON.parse(ledger).length];
  };
  return { page, moved };
}

const ROUTE = '#/routes/rpc.mainnet.helius.getBalance';
const send = (page: Page) => page.getByRole('button', { name: 'Send, pay $0.000005' });
const faucet = (page: Page) => page.getByRole('button', { name: 'Get 10 play USDC', exact: true });

browserSuite('the pay button with an empty wallet', () => {
  it('shows the balance, and by keyboard gets play money and then pays', async () => {
    const { page, moved } = await openEmpty(ROUTE);
    await page.getByText('Only 0.00 USDC on mainnet').waitFor();
    await tabTo(page, faucet(page));
    await page.keyboard.press('Enter');
    await page.getByText('Wallet: 10.00 play USDC').waitFor();
    expect(await faucet(page).count()).toBe(0);
    expect(await moved()).toEqual([0, 0, 0, 0]);
    await expect.poll(() => send(page).evaluate((button) => button === document.activeElement)).toBe(true);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Answer 200' }).waitFor();
    expect(await moved()).toEqual([1, 1, 1, 1]);
  });

  it('X22 signs nothing, names the missing amount, offers play money once, and pays at once after it', async () => {
    const { page, moved } = await openEmpty(ROUTE);
    await send(page).click();
    await page.getByText('0.000005 USDC is missing on mainnet.').waitFor();
    await page.getByText('Nothing was signed.').waitFor();
    expect(await moved()).toEqual([0, 0, 0, 0]);
    expect(await faucet(page).count()).toBe(1);
    expect(await faultsInAllLooks(page, 'wallet-empty')).toEqual([]);
    await faucet(page).click();
    await page.getByText('Wallet: 10.00 play USDC').waitFor();
    await send(page).click();
    await page.getByRole('heading', { name: 'Answer 200' }).waitFor();
    expect(await moved()).toEqual([1, 1, 1, 1]);
  });

  it('X22 shows the address and its QR code outside of the sandbox', async () => {
    const { page, moved } = await openEmpty(ROUTE, asGatewayOutside);
    await page.getByText('Only 0.00 USDC on mainnet').waitFor();
    await send(page).click();
    await page.getByText('0.000005 USDC is missing on mainnet.').waitFor();
    await page.getByRole('img', { name: 'QR code of the address' }).waitFor();
    const address = await page.locator('.deposit .address').textContent();
    expect(await moved()).toEqual([0, 0, 0, 0]);
    expect(await page.getByRole('button', { name: /play USDC/ }).count()).toBe(0);
    expect(await axeFaults(page)).toEqual([]);
    await gateway.solana.mainnet.fundUsdc(address ?? '', 1_000_000n);
    await page.getByText('Wallet: 1.00 USDC', { exact: true }).waitFor();
    await send(page).click();
    await page.getByRole('heading', { name: 'Answer 200' }).waitFor();
    expect(await moved()).toEqual([1, 1, 1, 1]);
  });

  it('X22 buys no credit, and names the missing amount', async () => {
    const { page, moved } = await openEmpty('#/wallet');
    await page.getByRole('button', { name: 'Buy $0.05 of credit on mainnet' }).click();
    await page.getByText('0.05 USDC is missing on mainnet.').waitFor();
    expect(await moved()).toEqual([0, 0, 0, 0]);
  });
});

browserSuite('the wallet of a gateway without receipts', () => {
  it('shows no receipts, and asks for no key', async () => {
    const { page } = await openEmpty('#/wallet');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.getByRole('heading', { name: 'Payments' }).waitFor();
    await page.getByRole('button', { name: 'Get 10 play USDC on mainnet' }).waitFor();
    expect(await page.getByText(/receipt/i).count()).toBe(0);
    expect(asked).not.toContain('/.well-known/did.json');
    await page.getByRole('link', { name: 'Pay $0.000005 for getBalance' }).click();
    await page.getByRole('heading', { level: 1, name: /getBalance/ }).waitFor();
  });
});
