import { newKeypair, signerFromBytes } from '@asset-gateway/client/node';
import type { Cluster } from '@asset-gateway/protocol';
import type { APIResponse, Page, Route } from 'playwright-core';
import { encode } from 'uqr';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { spentMicros } from '../../packages/console/src/wallet/ledger.ts';
import { changingWallet } from '../client/standard-wallet.ts';
import { jsonInit } from '../http/targets.ts';
import { browserSuite } from '../kit/chromium.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { type DraftChange, PRICE, setData, TRANSFER, u64 } from '../payments/forgeries.ts';
import {
  asGatewayOutside,
  faultsInAllLooks,
  LOOKS,
  openPage,
  pageInSuite,
  paymentsOf,
  rowsOf,
  visit,
} from './console.ts';

const gateway = await startTestGateway({ CREDIT: 'on', RECEIPTS: 'on' }, { paid: true });

let page: Page;
const chain = (cluster: Cluster = 'mainnet') => gateway.solana[cluster];
const transfers = (cluster?: Cluster) => chain(cluster).transfers.filter(({ to }) => to === gateway.solana.payTo);
const arrivals = (): number => gateway.solana.provider.arrivals.length;
const ROUTE = '#/routes/rpc.mainnet.helius.getBalance';
const BUTTON = 'Send, pay $0.000005';
const goTo = (place: string) => page.evaluate(`location.hash = '${place}'`);
const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
const shows = (text: string | RegExp) => page.getByText(text).first().waitFor();

/** Waits until the wallet view shows money that has just arrived: the gateway repeats an earlier balance for three seconds. */
const seesBalance = (text: string): Promise<void> =>
  vi.waitFor(
    async () => {
      await press('Refresh balance');
      expect(await page.getByRole('region', { name: 'Balance' }).textContent()).toContain(text);
    },
    { timeout: 20_000, interval: 1_000 },
  );

/** The last block that may hold a payment made now. */
async function lastValidBlock(): Promise<number> {
  const ask = jsonInit({ jsonrpc: '2.0', id: 1, method: 'getLatestBlockhash', params: [] });
  const answer = await fetch(`${gateway.url}/console/rpc/mainnet`, ask);
  return (await answer.json()).result.value.lastValidBlockHeight;
}

/** A page of one test that believes that its gateway is not the sandbox. */
async function openOutside(url: string): Promise<Page> {
  const page = await visit(url);
  await asGatewayOutside(page);
  await page.reload();
  return page;
}

browserSuite('a wallet in the console', () => {
  const { seen } = pageInSuite(`${gateway.url}/#/wallet`);
  beforeAll(() => {
    page = seen.page;
  });

  const holds = (usdc: string) => page.locator('.big', { hasText: usdc }).waitFor();
  const showsTransaction = () => page.getByTitle(transfers().at(-1)?.signature ?? '').waitFor();
  const showsCredit = (cluster: Cluster, left: string) =>
    page
      .getByRole('region', { name: `Credit on ${cluster}` })
      .locator('dl', { hasText: `Left${left}` })
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
    const other = await visit(`${gateway.url}/openapi.json`);
    const refused: string[] = [];
    await other.route('**/console/rpc/*', async (route) => {
      const { pathname } = new URL(route.request().url());
      if (route.request().postDataJSON().method !== 'getMultipleAccounts' || refused.includes(pathname))
        return route.continue();
      // New addresses each time: their balances are not cached, so these reads use up the second.
      const read = () => {
        const { address } = signerFromBytes(newKeypair());
        const ask = { jsonrpc: '2.0', id: 1, method: 'getMultipleAccounts', params: [[address]] };
        return fetch(gateway.url + pathname, jsonInit(ask));
      };
      let answer: APIResponse;
      do {
        while ((await read()).status !== 429);
        answer = await route.fetch();
      } while (answer.status() !== 429);
      refused.push(pathname);
      await route.fulfill({ response: answer });
    });
    await other.goto(`${gateway.url}/#/wallet`);
    await other.locator('.big', { hasText: '0.000000' }).waitFor();
    await other.getByRole('button', { name: 'Get 10 play USDC on mainnet' }).waitFor();
    expect(refused.sort()).toEqual(['/console/rpc/devnet', '/console/rpc/mainnet']);
  });

  it('asks for no money outside of the sandbox, where an address gets play money alone', async () => {
    expect(await page.getByRole('img', { name: 'QR code of the address' }).count()).toBe(0);
    expect(await page.getByText('Send USDC on Solana to this address').count()).toBe(0);
    await page.getByText('send no real money to it').waitFor();
  });

  it('shows the address as a QR code with the border that scanners need', async () => {
    const page = await openOutside(`${gateway.url}/#/wallet`);
    const address = async () => (await page.locator('.address').textContent()) ?? '';
    const { data, size } = encode(await address(), { border: 4 });
    const code = page.getByRole('img', { name: 'QR code of the address' });
    expect(await code.getAttribute('viewBox')).toBe(`0 0 ${size} ${size}`);
    const squares = (await code.locator('path').getAttribute('d'))?.match(/M\d+ \d+/g);
    const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}`] : [])));
    expect(squares).toEqual(dark);
    expect(await page.getByRole('button', { name: /play USDC/ }).count()).toBe(0);
  });

  it('pays for a call once and shows the transaction', async () => {
    const [paid, asked] = [transfers().length, arrivals()];
    await goTo(ROUTE);
    await press(BUTTON);
    await shows('The gateway answered.');
    expect([transfers().length - paid, arrivals() - asked]).toEqual([1, 1]);
    await goTo('#/wallet');
    await showsTransaction();
    await page.getByRole('cell', { name: '$0.000005' }).waitFor();
    await page.getByText('$0.000005 of $1.00 spent in the last 24 hours').waitFor();
    await holds('9.999995');
  });

  it('links a transaction to an explorer, except in the sandbox', async () => {
    expect(await page.getByRole('link', { name: /Solscan/ }).count()).toBe(0);
    await asGatewayOutside(page);
    await page.reload();
    const link = page.getByRole('link', { name: /Solscan/ });
    expect(await link.getAttribute('href')).toBe(`https://solscan.io/tx/${transfers().at(-1)?.signature}`);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.reload();
  });

  it('verifies the receipt, and rejects a changed one', async () => {
    await page.getByText('Valid', { exact: true }).waitFor();
    const receipt = await page.evaluate<string>(`JSON.parse(localStorage['asset-gateway.purchases'])[0].receipt`);
    const verify = async (text: string, outcome: string) => {
      await page.getByLabel('Receipt to verify').fill(text);
      await press('Verify receipt');
      await shows(outcome);
    };
    await verify(receipt, 'The receipt is valid: this gateway signed it.');
    await verify(receipt.replace(/^[^.]+/, '{}'), 'The receipt is invalid: it is not a compact JWS.');
    const [head, claims = '', signature] = receipt.split('.');
    const later = { ...JSON.parse(Buffer.from(claims, 'base64url').toString()), issuedAt: 1 };
    const changed = [head, Buffer.from(JSON.stringify(later)).toString('base64url'), signature].join('.');
    await verify(changed, 'its signature does not match its claims');
  });

  it('signs nothing above a cap', async () => {
    const [paid, asked] = [transfers().length, arrivals()];
    await page.getByLabel('Per call').fill('0.000004');
    await page.getByLabel('Per call').blur();
    await goTo(ROUTE);
    await press(BUTTON);
    await shows(/asks for \$0\.000005, above the cap of \$0\.000004 a call; nothing was signed/);
    expect([transfers().length - paid, arrivals() - asked]).toEqual([0, 0]);
    await page.getByText('Change the spending limits').getByRole('link', { name: 'Wallet' }).click();
    await page.getByLabel('Per call').fill('0.01');
    await page.getByLabel('Per call').blur();
  });

  it('buys credit with one transfer, pays a call from it without another, and keeps the clusters apart', async () => {
    const paid = transfers().length;
    await press('Buy $0.05 of credit on mainnet');
    await showsCredit('mainnet', '$0.05');
    await showsCredit('devnet', '$0.00');
    expect(transfers().length - paid).toBe(1);
    await goTo(ROUTE);
    await press(BUTTON);
    await shows('The gateway answered.');
    await shows('Paid from credit: $0.049995 left');
    await goTo('#/wallet');
    await page.getByRole('table').waitFor();
    const [row = []] = await rowsOf(page.getByRole('table'));
    expect(row.slice(1, 4)).toEqual(['getBalance mainnet helius rpc', '$0.000005', 'Credit']);
    await shows('Bought$0.05Spent$0.000005Left$0.049995');
    expect(transfers().length - paid).toBe(1);
    await showsCredit('mainnet', '$0.049995');
    const paidThere = transfers('devnet').length;
    await chain('devnet').fundUsdc(await address(), 1_000_000n);
    await seesBalance('1.00 USDC on devnet');
    await press('Buy $0.05 of credit on devnet');
    await showsCredit('devnet', '$0.05');
    await showsCredit('mainnet', '$0.049995');
    expect([transfers().length - paid, transfers('devnet').length - paidThere]).toEqual([1, 1]);
  });

  it('has no axe violations in any look, and shows payments on a phone without scrolling sideways', async () => {
    expect([...seen.faults, ...(await faultsInAllLooks(page, 'wallet'))]).toEqual([]);
    await page.setViewportSize(LOOKS['390-light'].viewport);
    const rows = page.locator('#payments ~ .scroll');
    expect(await rows.locator('tbody tr').count()).toBeGreaterThan(1);
    expect(await rows.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    await page.setViewportSize(LOOKS['1440-light'].viewport);
  });

  it('keeps the daily cap over all tabs at once', async () => {
    page = await visit(`${gateway.url}/#/wallet`);
    await chain().fundUsdc(await address(), 1_000_000n);
    await seesBalance('1.000000');
    await goTo(ROUTE);
    const tabs = [page, await page.context().newPage()];
    await tabs[1]?.goto(`${gateway.url}/${ROUTE}`);
    const spent = await page.evaluate(
      `JSON.parse(localStorage['asset-gateway.ledger'] ?? '[]').reduce((sum, { micros }) => sum + micros, 0)`,
    );
    // Enough for one more call, not for two.
    await page.evaluate(
      `localStorage['asset-gateway.caps'] = JSON.stringify({ perCallUsd: 0.01, perBundleUsd: 0.05, perDayUsd: (${spent} + 7) / 1e6 })`,
    );
    const paid = transfers().length;
    const pay = (tab: Page) => tab.getByRole('button', { name: BUTTON });
    await Promise.all(tabs.map((tab) => pay(tab).waitFor()));
    await Promise.all(tabs.map((tab) => pay(tab).click()));
    const finished = (tab: Page) => tab.getByText(/The gateway answered|would be exceeded; nothing was signed/).first();
    await Promise.all(tabs.map((tab) => finished(tab).waitFor()));
    expect(transfers().length - paid).toBe(1);
  });

  /** Opens a page where an installed wallet with money pays, which may change what it signs. Returns its address. */
  async function openInstalled(change: DraftChange = () => undefined): Promise<string> {
    page = await visit(`${gateway.url}/#/wallet`);
    const keypair = newKeypair();
    const { address: payer } = signerFromBytes(keypair);
    const { features } = await changingWallet(keypair, change);
    await page.exposeFunction('sign', async (transaction: number[]) => {
      const [output] = await features['solana:signTransaction'].signTransaction({
        transaction: Uint8Array.from(transaction),
      });
      return [...(output?.signedTransaction ?? [])];
    });
    await page.evaluate(registering(payer, keypair.subarray(32)));
    await chain().fundUsdc(payer, 1_000_000n);
    await page.getByLabel('A wallet for tests').check();
    await goTo(ROUTE);
    return payer;
  }

  it.each<[string, DraftChange?]>([
    ['an installed wallet'],
    ['an installed wallet that raises the price of compute units', setData(PRICE, [3, ...u64(50_000n)])],
  ])('lets %s sign the payment', async (_, change) => {
    const payer = await openInstalled(change);
    const paid = transfers().length;
    await press(BUTTON);
    await shows('The gateway answered.');
    expect(transfers().slice(paid)).toMatchObject([{ from: payer, amount: 5n }]);
    await goTo('#/wallet');
    await showsTransaction();
  });

  it('X24 names the change that an installed wallet made, and neither sends nor counts the payment', async () => {
    await openInstalled(setData(TRANSFER, [12, ...u64(6n), 6]));
    const [payments, paid] = [paymentsOf(page), transfers().length];
    await press(BUTTON);
    await shows('it transfers another amount, or between other accounts');
    const counted = await page.evaluate(`JSON.parse(localStorage['asset-gateway.ledger'] ?? '[]')`);
    expect([payments.sent, transfers().length - paid, counted]).toEqual([0, 0, []]);
  });
});

/** Registers a wallet like an extension does; `sign`, which the test gives the page, signs every transaction. */
const registering = (address: string, publicKey: Uint8Array) => `(() => {
  const account = { address: '${address}', publicKey: Uint8Array.of(${[...publicKey]}), chains: ['solana:mainnet', 'solana:devnet'], features: [] };
  const signTransaction = async ({ transaction }) => [{ signedTransaction: Uint8Array.from(await sign([...transaction])) }];
  const wallet = { version: '1.0.0', name: 'A wallet for tests', accounts: [account], chains: account.chains, features: {
    'standard:connect': { version: '1.0.0', connect: async () => ({ accounts: [account] }) },
    'solana:signTransaction': { version: '1.0.0', supportedTransactionVersions: [0], signTransaction },
  } };
  const register = ({ register }) => register(wallet);
  addEventListener('wallet-standard:app-ready', ({ detail }) => register(detail));
  dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: register }));
})()`;

const CALL = '**/rpc/getBalance';
const HIDDEN = '\u202e\u200b';

interface Catalog {
  readonly routes: {
    method: string;
    surface: string;
    priceUsd: string;
    creditPriceUsd?: string;
    description: string;
  }[];
}

const sold = ({ routes }: Catalog) =>
  routes.filter(({ surface, method }) => surface === 'rpc' && method === 'getBalance');

browserSuite("limits of the console's payments", () => {
  /** Payments that the page sent, and what the chain and the upstream had seen before the test. */
  let sent: string[] = [];
  let [before, asked] = [0, 0];
  const moved = () => [sent.length, transfers().length - before, arrivals() - asked];
  beforeAll(async () => {
    ({ page } = await openPage(`${gateway.url}/#/wallet`));
    page.on('request', (request) => {
      const payment = request.headers()['payment-signature'];
      if (payment !== undefined) sent.push(payment);
    });
    const shown = await page.locator('.address').textContent();
    await gateway.solana.mainnet.fundUsdc(shown ?? '', 10_000_000n);
    await seesBalance('10.000000');
  });
  beforeEach(async () => {
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.evaluate('localStorage.clear()');
    await goTo(ROUTE);
    await page.reload();
    [sent, before, asked] = [[], transfers().length, arrivals()];
  });

  const isPayment = (route: Route): boolean => route.request().headers()['payment-signature'] !== undefined;

  /** Reloads the page with a changed catalog, and restores the real one after. */
  async function reloadWith(change: (catalog: Catalog) => void): Promise<void> {
    await page.route('**/v1/catalog*', async (route) => {
      const response = await route.fetch();
      const catalog = (await response.json()) as Catalog;
      change(catalog);
      await route.fulfill({ json: catalog });
    });
    await page.reload();
    await page.locator('.entry').first().waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  }

  it('W23 resends an unfinished payment for the same request and by its own button, also after a reload', async () => {
    await page.route(CALL, async (route) => {
      if (!isPayment(route)) return route.continue();
      await route.fetch();
      await route.abort();
    });
    await press(BUTTON);
    await expect.poll(() => transfers().length - before).toBe(1);
    await page.reload();
    await press(BUTTON);
    await expect.poll(() => sent.length).toBe(2);
    await page.reload();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await goTo('#/wallet');
    await press('Resend');
    await shows('The gateway answered, and the payment is complete.');
    expect([new Set(sent).size, ...moved()]).toEqual([1, 3, 1, 1]);
    await expect.poll(() => page.getByRole('heading', { name: 'Unfinished payments' }).count()).toBe(0);
  });

  it('W23 makes no new payment for a request after a refused one, also after a reload', async () => {
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
    expect(moved()).toEqual([1, 0, 0]);
  });

  it('X22 pays again once a refused payment has expired, which no longer counts', async () => {
    await page.route(CALL, async (route) => {
      if (!isPayment(route)) return route.continue();
      const { 'payment-signature': _, ...headers } = route.request().headers();
      await route.fulfill({ response: await route.fetch({ headers }) });
    });
    await press(BUTTON);
    await shows(/a payment of \$0\.000005 was sent and refused/);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    const lastBlock = await lastValidBlock();
    gateway.solana.mainnet.advanceBlocks(200);
    // The gateway repeats a blockhash for two seconds.
    await expect.poll(lastValidBlock, { timeout: 10_000 }).toBeGreaterThan(lastBlock + 100);
    await page.evaluate(`(() => {
      const ledger = JSON.parse(localStorage['asset-gateway.ledger']);
      localStorage['asset-gateway.ledger'] = JSON.stringify(ledger.map((each) => ({ ...each, at: each.at - 60_000 })));
    })()`);
    await page.reload();
    await press(BUTTON);
    await shows('The gateway answered.');
    expect(moved()).toEqual([2, 1, 1]);
    await goTo('#/wallet');
    await shows('$0.000005 of $1.00 spent in the last 24 hours');
  });

  it('X22 signs nothing with an empty wallet, and names the missing amount', async () => {
    const own = await visit(`${gateway.url}/${ROUTE}`);
    const posts: string[] = [];
    own.on('request', (request) => {
      if (request.headers()['payment-signature'] !== undefined) posts.push(request.url());
    });
    await own.getByRole('button', { name: BUTTON }).click();
    await own.getByText('0.000005 USDC is missing on mainnet.').waitFor();
    const ledger = await own.evaluate(`localStorage['asset-gateway.ledger']`);
    expect([posts, ledger, ...moved()]).toEqual([[], undefined, 0, 0, 0]);
  });

  it('W23 pays for a call and a bundle at most the price on the button', async () => {
    await reloadWith((catalog) => {
      for (const route of sold(catalog)) route.priceUsd = '0.000001';
      for (const route of catalog.routes) if (route.surface === 'credit') route.priceUsd = '0.01';
    });
    await press('Send, pay $0.000001');
    await shows(/the call costs \$0\.000005, above the cap of \$0\.000001; nothing was signed/);
    await goTo('#/wallet');
    await press('Buy $0.01 of credit on mainnet');
    await shows(/asks for \$0\.05, above the cap of \$0\.01 for this call; nothing was signed/);
    expect(moved()).toEqual([0, 0, 0]);
  });

  it('shows the price from credit beside the price of a single call, unless it cannot be read', async () => {
    const told = (creditPriceUsd: string) =>
      reloadWith((catalog) => {
        for (const route of sold(catalog)) Object.assign(route, { priceUsd: '0.004005', creditPriceUsd });
      });
    await told('0.000005');
    await page.getByText('a call, or $0.000005 from credit, paid in USDC on Solana mainnet.').waitFor();
    await told('0.000005 or less');
    await page.getByText('a call, paid in USDC on Solana mainnet.').waitFor();
    expect(await page.getByText('or less').count()).toBe(0);
  });

  it('W24 shows prices and texts without hidden characters, and no route with an invalid price', async () => {
    await reloadWith((catalog) => {
      for (const route of sold(catalog)) {
        route.priceUsd = `${HIDDEN}${route.priceUsd}`;
        route.description = `Ba${HIDDEN}lance.`;
      }
    });
    await page.getByRole('heading', { level: 1, name: 'getBalance Balance', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Send, pay $0.000005', exact: true }).waitFor();
    await reloadWith((catalog) => {
      for (const route of sold(catalog)) route.priceUsd = '0.000005 or less';
    });
    expect(await page.getByRole('button', { name: /^Send, pay/ }).count()).toBe(0);
  });

  it('W21 signs nothing while the ledger cannot be read', async () => {
    await page.evaluate(`localStorage['asset-gateway.ledger'] = '[null]'`);
    await press(BUTTON);
    await shows(/The ledger stored in this browser cannot be read\. Nothing is signed/);
    expect(moved()).toEqual([0, 0, 0]);
  });

  it('W20 counts a payment dated in the future towards the daily cap', async () => {
    const future = [{ id: 'a', micros: 999_999, at: Date.now() + 30 * 86_400_000, state: 'paid' }];
    await page.evaluate(`localStorage['asset-gateway.ledger'] = ${JSON.stringify(JSON.stringify(future))}`);
    await press(BUTTON);
    await shows(/the cap of \$1\.00 in 24 hours would be exceeded; nothing was signed/);
    expect(moved()).toEqual([0, 0, 0]);
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
