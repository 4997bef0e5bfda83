import { networkInterfaces } from 'node:os';
import type { Page } from 'playwright-core';
import { expect, it, vi } from 'vitest';
import { newList } from '../blocked/kit.ts';
import { buyCredit, spend } from '../credit/gateway.ts';
import { browserSuite } from '../kit/chromium.ts';
import { startTestGateway, type TestGateway } from '../kit/test-gateway.ts';
import { askSigned, newSigner } from '../kit/wallet.ts';
import { scrape } from '../operations/scrape.ts';
import { callOf } from '../payments/calls.ts';
import { openWallet } from '../payments/wallets.ts';
import { HEALTH } from '../upstream/caller.ts';
import { rowsOf as cellsOf, faultsInAllLooks, visit } from './console.ts';

/** The METRICS_TOKEN. */
const TOKEN = 'a-token-of-the-operator';

const blocked = newSigner();
const list = newList(blocked.address, '203.0.113.0/24', '2001:db8::/32');

/** A gateway with every feature on. */
const gateway = await startTestGateway(
  {
    ...list.variables,
    METRICS_PORT: '0',
    METRICS_TOKEN: TOKEN,
    RESPONSE_CACHE: 'on',
    FAIR_SHARES: 'on',
    CREDIT: 'on',
    SOL_PRICE_USD: '150',
    TOKENS_RATE_LIMIT_PER_MINUTE: '30',
  },
  { paid: true },
);
const { origin } = new URL(gateway.gateway.metricsUrl ?? '');

const SEARCH = '/v1/x402/tokens/assets/search?q=';

/** Sends signed, paid, credit and blocked requests; returns their statuses. */
async function load(): Promise<number[]> {
  const { solana, url } = gateway;
  const call = callOf('rpc.mainnet.helius.getBalance');
  const [payer, saver] = [await openWallet(solana), await openWallet(solana)];
  const answers: Response[] = [];
  for (const query of ['sol', 'sol', 'jup', 'sol']) answers.push(await askSigned(`${url}${SEARCH}${query}`));
  answers.push(
    await fetch(`${url}${SEARCH}sol`),
    await fetch(`${url}/nothing`),
    await askSigned(`${url}${SEARCH}sol`, {}, blocked),
    await fetch(`${url}${SEARCH}sol`, { headers: { 'X-Forwarded-For': '203.0.113.9' } }),
    await payer.buy(url + call.target, call.init),
    await payer.buy(url + call.target, call.init),
    await buyCredit(gateway, saver),
    await spend(gateway, call, saver.signIn),
  );
  return answers.map(({ status }) => status);
}

const elsewhere = Object.values(networkInterfaces())
  .flat()
  .find((each) => each?.family === 'IPv4' && !each.internal)?.address;

const WELL = { name: 'Nothing needs attention', exact: true };
const TROUBLE = { name: 'Needs attention', exact: true };

/** Waits until a page shows its figures. On a busy machine it may have an alert. */
const isShown = (page: Page): Promise<void> =>
  page.getByRole('heading', WELL).or(page.getByRole('heading', TROUBLE)).waitFor();

type Sale = Readonly<Record<string, string | number | null>>;

/** The number in a cell; dollars in millionths. */
const numberIn = (text: string): number => {
  const number = Number(text.replace(/[$,]/g, ''));
  return text.includes('$') ? Math.round(number * 1_000_000) : number;
};

/** The rows of a table: their headers and cells. */
async function rowsOf(page: Page, name: string): Promise<Record<string, string[]>> {
  const rows = await cellsOf(page.getByRole('table', { name, exact: true }));
  return Object.fromEntries(rows.map(([first = '', ...cells]) => [first, cells]));
}

/** The rows of a table with the numbers of one column. */
async function columnOf(page: Page, name: string, column = 0): Promise<Record<string, number>> {
  const rows = await rowsOf(page, name);
  return Object.fromEntries(Object.entries(rows).map(([first, cells]) => [first, numberIn(cells[column] ?? '')]));
}

/** Makes the page update now. */
async function refresh(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: 'Pause' });
  await button.click();
  const answered = page.waitForResponse('**/history?*');
  await button.click();
  await (await answered).finished();
}

const unlock = async (page: Page, token = TOKEN): Promise<void> => {
  await page.getByLabel('METRICS_TOKEN', { exact: true }).fill(token);
  await page.keyboard.press('Enter');
};

/** Plausible values of a column; 40 for others. */
const LEVELS: Record<string, number> = { p50: 0.03, p99: 0.2, loopDelay: 0.02, serverErrors: 1, settled: 4_000 };

const plausible = (name: string, minute: number, column: number): number => {
  const level = LEVELS[name] ?? 40;
  const value = level * (1 + 0.5 * Math.sin(minute / 9 + column) + 0.2 * Math.sin(minute * 2));
  return level < 1 ? value : Math.round(value);
};

/** Shows 90 minutes in the charts of a gateway that has just started, from a time on. */
const showMinutes = (page: Page, figureOf: typeof plausible, firstAt?: number) =>
  page.route('**/history?*', async (route) => {
    // The page may be closed while it asks.
    const response = await route.fetch().catch(() => undefined);
    if (!response) return;
    const { columns, ...rest } = await response.json();
    const figuresAt = (minute: number) => columns.map((name: string, at: number) => figureOf(name, minute, at));
    const rows = Array.from({ length: 90 }, (_, minute) => figuresAt(minute));
    await route.fulfill({
      json: { ...rest, columns, rows, firstMinute: 0, firstAt: firstAt ?? rest.at - 90 * 60_000 },
    });
  });

/** Figures that the page must show: a row of a table, and the metric and its labels. */
const FIGURES: readonly (readonly [table: string, row: string, metric: string, labels: Record<string, string>])[] = [
  ['Upstreams: budget and health', 'tokens', 'budget_left', { surface: 'tokens' }],
  ['Slots by client group', 'unpaid clients, by address', 'slots_total', { group: 'address' }],
  ['Answers by result', 'hit', 'cache_answers_total', { result: 'hit' }],
  ['Answers by result', 'miss', 'cache_answers_total', { result: 'miss' }],
  ['Requests by status and code', '200', 'requests_total', { status: '200' }],
  ['Requests by status and code', '403 blocked', 'requests_total', { code: 'blocked' }],
  ['Requests by status and code', '402 payment_required', 'requests_total', { code: 'payment_required' }],
  ['Requests by status and code', '404 not_found', 'requests_total', { code: 'not_found' }],
  ['Settlements by outcome', 'settled', 'settlements_total', { state: 'settled' }],
  ['Credit owed to wallets', 'mainnet', 'credit_owed_usd_micros', { cluster: 'mainnet' }],
  ['Fee payer balance', 'mainnet', 'fee_payer_lamports', { cluster: 'mainnet' }],
  ['Blocklist', 'wallets', 'blocked_entries', { kind: 'wallet' }],
  ['Blocklist', 'ranges', 'blocked_entries', { kind: 'range' }],
];

browserSuite("the operator's page", () => {
  const salesBy = async (by: string): Promise<readonly Sale[]> => {
    const headers = { Authorization: `Bearer ${TOKEN}` };
    const response = await fetch(`${origin}/sales?by=${by}&since=24h`, { headers });
    return ((await response.json()) as { sales: readonly Sale[] }).sales;
  };

  it('shows the figures of /metrics and /sales under load', async () => {
    const page = await visit(origin);
    await unlock(page);
    await page.getByRole('heading', WELL).waitFor();
    for (const statuses of [await load(), await load()])
      expect(statuses).toEqual([200, 200, 200, 200, 402, 404, 403, 403, 200, 200, 200, 200]);
    await vi.waitFor(
      async () => {
        await refresh(page);
        const scraped = await scrape(gateway.gateway);
        for (const [table, row, metric, labels] of FIGURES) {
          const [shown = ''] = ((await rowsOf(page, table))[row] ?? []).filter((cell) => cell !== '');
          const expected = scraped.sum(`asset_gateway_${metric}`, labels);
          expect([table, row, numberIn(shown)]).toEqual([table, row, expected]);
        }
      },
      { timeout: 30_000, interval: 100 },
    );
    await page.getByRole('button', { name: 'Refresh' }).click();
    for (const by of ['day', 'route', 'wallet']) {
      const sold = await salesBy(by);
      expect(sold.length).toBeGreaterThan(0);
      const expected = (name: string) => Object.fromEntries(sold.map((sale) => [sale[by], sale[`${name}_usd_micros`]]));
      const shown = (column: number) => columnOf(page, `Sales by ${by}`, column);
      await vi.waitFor(async () => expect(await shown(1)).toEqual(expected('settled')), 30_000);
      expect(await columnOf(page, `Sales by ${by}`, 6)).toEqual(expected('margin'));
    }
  });

  it('works by keyboard: refuses a wrong token, shows sales with the right one, stores it if asked to, and forgets it', async () => {
    const page = await visit(origin);
    const asked: (string | undefined)[] = [];
    page.on('request', (request) => asked.push(request.headers().authorization));
    await unlock(page);
    await page.getByRole('table', { name: 'Sales by day' }).waitFor();
    const stored = () => page.evaluate(() => [sessionStorage.length, localStorage.length, document.cookie.length]);
    expect(await stored()).toEqual([0, 0, 0]);
    await page.reload();
    await page.getByText('Enter METRICS_TOKEN to see sales').waitFor();
    await page.getByLabel('METRICS_TOKEN', { exact: true }).focus();
    await page.keyboard.type('not-the-token-of-it');
    await page.keyboard.press('Enter');
    await page.getByText('Wrong token').waitFor();
    await unlock(page, 'a token that nö header holds');
    await page.getByText('Wrong token').waitFor();
    await page.getByLabel('METRICS_TOKEN', { exact: true }).fill(TOKEN);
    for (const key of ['Tab', 'Tab', 'Space', 'Shift+Tab', 'Enter']) await page.keyboard.press(key);
    await page.getByRole('table', { name: 'Sales by day' }).waitFor();
    await page.reload();
    await page.getByRole('table', { name: 'Sales by day' }).waitFor();
    await page.getByRole('button', { name: 'Forget the token' }).press('Enter');
    await page.getByText('Enter METRICS_TOKEN to see sales').waitFor();
    await page.reload();
    await page.getByText('Enter METRICS_TOKEN to see sales').waitFor();
    expect(new Set(asked)).toEqual(new Set([undefined, 'Bearer not-the-token-of-it', `Bearer ${TOKEN}`]));
  });

  it('sends no request while paused or hidden, and updates at once when shown', async () => {
    const page = await visit(origin);
    await page.clock.install();
    await page.reload();
    await isShown(page);
    let asked = 0;
    page.on('request', () => asked++);
    await page.clock.runFor(20_000);
    await expect.poll(() => asked).toBeGreaterThan(1);
    const hide = (isHidden: boolean) =>
      page.evaluate((hidden) => {
        Object.defineProperty(document, 'hidden', { configurable: true, value: hidden });
        document.dispatchEvent(new Event('visibilitychange'));
      }, isHidden);
    const press = () => page.getByRole('button', { name: 'Pause' }).click();
    for (const [stop, go] of [[() => hide(true), () => hide(false)] as const, [press, press] as const]) {
      await stop();
      asked = 0;
      await page.clock.runFor(180_000);
      expect(asked).toBe(0);
      await go();
      await expect.poll(() => asked).toBeGreaterThan(0);
    }
  });

  it('shows an alert with its subject, urgency and advice, and has no axe violations in any look', async () => {
    const page = await visit(origin);
    await isShown(page);
    await unlock(page);
    await page.getByRole('table', { name: 'Sales by wallet' }).waitFor();
    await showMinutes(page, plausible);
    await refresh(page);
    expect(await faultsInAllLooks(page, 'operate')).toEqual([]);
    gateway.upstream.faults.status = 401;
    expect((await askSigned(`${gateway.url}${HEALTH}`)).status).toBe(502);
    gateway.upstream.faults.reset();
    await refresh(page);
    await page.getByRole('heading', TROUBLE).waitFor();
    const attention = page.getByRole('region', { name: 'Needs attention' });
    expect(await attention.getByRole('listitem').allTextContents()).toContainEqual(
      expect.stringMatching(
        /^Urgent .+ since \d\d:\d\d \(.+\)Affected: tokens\.healthWhat to do: .+Documentation of UpstreamRefusesOurKey$/,
      ),
    );
    const text = await attention.getByRole('link').first().getAttribute('href');
    const [document = '', fragment] = String(text).split('#');
    expect(fragment).toBe(':~:text=UpstreamRefusesOurKey');
    expect(await (await fetch(origin + document)).text()).toContain('**UpstreamRefusesOurKey**');
    expect(await faultsInAllLooks(page, 'operate-trouble')).toEqual([]);
  }, 120_000);

  it('shows hostile data as shortened text and stays usable', async () => {
    const page = await visit(origin);
    const image = '<img src=x onerror=alert(1)>';
    const long = `${image}${'x'.repeat(1024 * 1024)}`;
    const sold = (by: string, sales: readonly object[]) =>
      page.route(`**/sales?by=${by}&*`, (route) => route.fulfill({ json: { since: '', isComplete: true, sales } }));
    await sold('day', [{ cluster: 'mainnet', day: long, settled_usd_micros: '7' }]);
    await sold('route', [{ cluster: 'mainnet', route: image }, {}]);
    await sold('wallet', Array(9_999).fill({ wallet: image }));
    const { totals, ...rest } = await (await fetch(`${origin}/history`)).json();
    const requests = [[`200 ${image}`, 5, 1], ...Array(9_999).fill([image, 1, 1])];
    const alerts = [{ alert: image, severity: 'page', means: image, advice: image, subjects: [long], since: 0 }];
    await page.route('**/history?*', (route) =>
      route.fulfill({ json: { ...rest, version: image, alerts, totals: { ...totals, requests } } }),
    );
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByRole('rowheader', { name: image }).first().waitFor();
    await refresh(page);
    await page.getByRole('rowheader', { name: `200 ${image}` }).waitFor();
    expect(await page.getByRole('table', { name: /^Sales by wallet: the first 50 of 9,999$/ }).count()).toBe(1);
    expect(await page.locator('img').count()).toBe(0);
    expect((await page.locator('main').textContent())?.length).toBeLessThan(50_000);
    for (const wrong of ['null', '<html>']) {
      await page.route('**/history?*', (route) => route.fulfill({ body: wrong }));
      await page.route('**/sales?*', (route) => route.fulfill({ body: wrong }));
      await page.getByRole('button', { name: 'Refresh' }).click();
      await refresh(page);
      await page.getByText('not the history of a gateway').waitFor();
    }
  });

  it('links its documentation, which this port serves as text', async () => {
    const page = await visit(origin);
    await page.getByText('Documentation: ').waitFor();
    const links = page.locator('.operate > p').last().getByRole('link');
    expect(await links.allTextContents()).toEqual(['alerts', 'metrics', 'sales', 'cache', 'shares and blocking']);
    for (const link of await links.all()) {
      const response = await fetch(origin + (await link.getAttribute('href')));
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
      expect(await response.text()).toMatch(/^# /);
    }
  });

  it('draws no empty chart, and an axis as wide as its labels', async () => {
    const page = await visit(origin);
    await unlock(page);
    await page.getByText('Documentation: ').waitFor();
    const amounts: Readonly<Record<string, number | null>> = { settled: 12_345_678_901, p50: null, p99: null };
    await showMinutes(page, (name, minute) => (name in amounts ? amounts[name] : name === 'ok' ? minute : 0) as number);
    await refresh(page);
    const said = (title: string) => page.locator('.chart', { hasText: title }).locator('.none').textContent();
    expect(await said('Refusals per minute')).toBe('None in this period.');
    expect(await said('Latency')).toBe('No data yet.');
    expect(await page.locator('.chart .none').count()).toBe((await page.locator('.chart').count()) - 2);
    const sales = page.locator('.chart', { hasText: 'Sales per minute' });
    expect(await sales.locator('b').first().textContent()).toBe('$12,345.678901');
    const room = () =>
      sales.evaluate((figure) => {
        const drawing = figure.querySelector('canvas')?.getContext('2d');
        if (drawing) drawing.font = '13px system-ui, sans-serif';
        const left = figure.querySelector('.u-over')?.getBoundingClientRect().left ?? 0;
        return left - figure.getBoundingClientRect().left - (drawing?.measureText('$10,000.00').width ?? 0);
      });
    // The chart is drawn after the figures beside it.
    await expect.poll(room).toBeGreaterThan(0);
  });

  it('marks one minute on all charts, by pointer and by keyboard', async () => {
    const page = await visit(origin);
    await isShown(page);
    const { columns } = await (await fetch(`${origin}/history`)).json();
    await showMinutes(page, (_, minute, column) => minute + column, new Date(2026, 0, 5, 12, 1).getTime());
    await page.reload();
    const [moment, first] = [page.getByRole('slider', { name: 'Moment' }), page.locator('.chart .legend b').first()];
    await expect.poll(() => moment.getAttribute('aria-valuetext')).toBe('13:30');
    expect(await first.textContent()).toBe('89');
    await moment.focus();
    for (const key of ['ArrowLeft', 'ArrowLeft']) await page.keyboard.press(key);
    expect([await moment.getAttribute('aria-valuetext'), await first.textContent()]).toEqual(['13:28', '87']);
    await page.getByRole('button', { name: '1 h', exact: true }).click();
    await page.getByRole('button', { name: 'Show latest' }).click();
    expect(await first.textContent()).toBe('89');
    const plot = await page.locator('.u-over').first().boundingBox();
    await page.mouse.move((plot?.x ?? 0) + (plot?.width ?? 0) / 2, (plot?.y ?? 0) + 10);
    await expect.poll(() => first.textContent()).toBe('59');
    const last = page.locator('.chart').last().locator('.legend b').first();
    expect(await last.textContent()).toBe(String(59 + columns.indexOf('loopDelay')).replace(/$/, ' s'));
  });
});

browserSuite("the operator's page of a gateway without a token", () => {
  const variables = (port: string) => ({ METRICS_PORT: port, METRICS_HOST: '0.0.0.0' });
  const portOf = ({ gateway }: TestGateway): string => new URL(gateway.metricsUrl ?? '').port;

  it('says that the gateway stopped, and continues when it is back', async () => {
    let gateway = await startTestGateway(variables('0'));
    const port = portOf(gateway);
    const page = await visit(`http://127.0.0.1:${port}`, undefined, 'ERR_CONNECTION_REFUSED');
    await page.getByText('No sales in this period').first().waitFor();
    await page.getByRole('heading', WELL).waitFor();
    for (let count = 0; count < 5; count++) await fetch(`${gateway.url}/nothing`);
    await refresh(page);
    await gateway.stop();
    await page.getByRole('heading', TROUBLE).waitFor();
    const attention = await page.getByRole('region', { name: 'Needs attention' }).textContent();
    expect(attention).toContain('The gateway does not answer.');
    expect(attention).toContain('The figures below are from');
    gateway = await startTestGateway(variables(port));
    await fetch(`${gateway.url}/nothing`);
    await page.getByRole('heading', WELL).waitFor();
    const rows = await rowsOf(page, 'Requests by status and code');
    expect(Number(rows['404 not_found']?.[0])).toBe(1);
    expect(Number(rows['404 not_found']?.[1])).toBeGreaterThan(0);
    expect(await page.locator('main').textContent()).not.toMatch(/[-−]\d+(?:\.\d+)?(?: per second| %)/);
  });

  it.runIf(elsewhere)('explains to another address why there are no sales, and shows the rest', async () => {
    const gateway = await startTestGateway(variables('0'));
    // Without TLS the browser ignores this header and logs it.
    const ignored = 'Cross-Origin-Opener-Policy header has been ignored';
    const page = await visit(`http://${elsewhere}:${portOf(gateway)}`, undefined, ignored);
    await page.getByText('so it shows sales only on its own machine').waitFor();
    await page.getByRole('heading', WELL).waitFor();
    expect(await page.getByLabel('METRICS_TOKEN', { exact: true }).count()).toBe(0);
  });
});
