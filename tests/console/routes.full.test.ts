import { routes as table } from '@asset-gateway/protocol';
import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { exampleText, type FormRow, fieldFault, fieldsOf } from '../../packages/console/src/routes/fields.ts';
import { SYSTEM_ROWS } from '../../packages/console/src/routes/system-rows.ts';
import { browserSuite } from '../kit/chromium.ts';
import { isFull } from '../kit/rounds.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { faultsInAllLooks, LONG_TIMEOUT, LOOKS, pageInSuite, tabTo, visit } from './console.ts';

const OTHER_ACCOUNT = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';

interface Named {
  readonly surface: string;
  readonly method: string;
}

const gateway = await startTestGateway({ CREDIT: 'on' }, { paid: true });

it('the form of each route is filled with its example, which has no fault', async () => {
  const { routes } = (await (await fetch(`${gateway.url}/v1/catalog`)).json()) as { routes: FormRow[] };
  const faults = [...routes, ...(SYSTEM_ROWS as readonly object[] as FormRow[])].flatMap((row) =>
    fieldsOf(row).flatMap((field) => fieldFault(field, exampleText(field, row)) ?? []),
  );
  expect([routes.length > 30, faults]).toEqual([true, []]);
});

it('a field has the name that tools have for it, and the place that the gateway names', async () => {
  const { routes } = (await (await fetch(`${gateway.url}/v1/catalog`)).json()) as { routes: (FormRow & Named)[] };
  const labelsOf = (wanted: string) => {
    const row = routes.find(({ surface, method }) => `${surface}.${method}` === wanted);
    return row && fieldsOf(row).map(({ name, label }) => `${label} ${name}`);
  };
  expect(labelsOf('rpc.getBalance')).toEqual([
    'account params[0]',
    'commitment params[1].commitment',
    'minContextSlot params[1].minContextSlot',
  ]);
  expect(labelsOf('das.getAsset')?.[0]).toBe('id params.id');
  expect(labelsOf('tokens.search')).toEqual(['q q', 'limit limit', 'category category']);
  for (const row of routes) {
    const labels = fieldsOf(row).map(({ place, label }) => `${place} ${label}`);
    expect(new Set(labels).size, row.path).toBe(labels.length);
  }
});

browserSuite('every route in the console', () => {
  const { seen, page } = pageInSuite(`${gateway.url}/#/routes`);

  const open = async (id: string, title: string) => {
    await page.evaluate(`location.hash = ${JSON.stringify(`#/routes/${id}`)}`);
    const name = `${id.split('.').at(-1)} ${title.replace(/\.$/, '')}`;
    await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
  };
  const answered = () => page.getByRole('heading', { name: /^Answer/ }).textContent();

  const found = () => page.locator('.entry').allTextContents();

  it('lists the routes by surface with verb and price, and finds them by words, path and id', async () => {
    await page.getByRole('status').filter({ hasText: '43 of 43 routes' }).waitFor();
    await page.getByLabel('Find a route').fill('candles mint');
    expect(await found()).toEqual(['GETohlcvfreeCandles of one mint']);
    await page.getByLabel('Find a route').fill('helius/rpc/getBalance');
    expect(await found()).toEqual(['POSTgetBalance$0.000005Lamports of an account']);
    await page.getByLabel('Find a route').fill('devnet alchemy getAccountInfo');
    await page.getByRole('link', { name: 'getAccountInfo' }).click();
    await expect.poll(() => page.evaluate('location.hash')).toBe('#/routes/rpc.devnet.alchemy.getAccountInfo');
    await page.getByLabel('Find a route').fill('liveness');
    expect(await found()).toEqual(['GETlivenessfreeLiveness probe']);
    await page.getByLabel('Find a route').fill('');
  });

  it.each([
    ['tokens.marketSnapshots', 'Cached market snapshots of up to 250 mints.', 'Send, sign in', 1],
    ['system.catalog', 'Every enabled route, its access mode and its price.', 'Send', 0],
  ])('sends the example of %s and shows the answer', async (id, title, label, calls) => {
    const before = gateway.upstream.arrivals.length;
    await open(id, title);
    await page.getByRole('button', { name: label }).click();
    expect(await answered()).toBe('Answer 200');
    expect(gateway.upstream.arrivals.length - before).toBe(calls);
  });

  it.each(isFull ? (['1440-light', '390-dark'] as const) : (['1440-light'] as const))(
    'leads from the first tab stop of / to a paid answer by keyboard alone, at %s',
    async (look) => {
      const paid = () => gateway.solana.mainnet.transfers.filter(({ to }) => to === gateway.solana.payTo) ?? [];
      const [before, asked] = [paid().length, gateway.solana.provider.arrivals.length];
      const page = await visit(`${gateway.url}/`, LOOKS[look]);
      const press = async (wanted: Locator) => {
        await wanted.waitFor();
        await tabTo(page, wanted);
        await page.keyboard.press('Enter');
      };
      await press(page.getByRole('link', { name: 'Wallet', exact: true }));
      await press(page.getByRole('button', { name: 'Get 10 play USDC on mainnet' }));
      await page.getByText('You received 10 play USDC on mainnet.').waitFor();
      await press(page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Routes' }));
      if (look === '390-dark') await press(page.getByRole('button', { name: 'All routes' }));
      await page.getByLabel('Find a route').waitFor();
      await tabTo(page, page.getByLabel('Find a route'));
      await page.keyboard.type('getBalance');
      await press(page.getByRole('navigation', { name: 'Routes' }).getByRole('link', { name: /^POST\s*getBalance/ }));
      const account = page.getByLabel('account required');
      await account.waitFor();
      await tabTo(page, account);
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.type(OTHER_ACCOUNT);
      await press(page.getByRole('button', { name: 'Send, pay $0.000005' }));
      await page.getByRole('heading', { name: 'Answer 200' }).waitFor();
      expect(await page.locator('.facts').textContent()).toMatch(/Time\d+ ms.*Cost\$0\.000005 in USDC$/);
      expect(paid().slice(before)).toMatchObject([{ amount: 5n }]);
      expect(gateway.solana.provider.arrivals.length).toBe(asked + 1);
      await page.locator('summary', { hasText: 'Response headers (' }).click();
      const { signature = '' } = paid().at(-1) ?? {};
      await page.locator('.answer').getByText(signature).first().waitFor();
    },
  );

  it("stops an obvious error before sending, focuses the field, and shows the gateway's message next to it", async () => {
    const before = gateway.upstream.arrivals.length;
    await open('tokens.search', 'Search canonical assets.');
    await page.getByLabel('limit').fill('51');
    await page.getByRole('button', { name: 'Send, sign in' }).click();
    await page.getByText('Must be from 1 to 50.').waitFor();
    const id = await page.getByLabel('limit').getAttribute('id');
    await expect.poll(() => page.evaluate('document.activeElement.id'), LONG_TIMEOUT).toBe(id);
    expect(await page.getByLabel('limit').getAttribute('aria-invalid')).toBe('true');
    expect(gateway.upstream.arrivals.length).toBe(before);
    await page.getByRole('button', { name: 'Send anyway' }).click();
    expect(await answered()).toBe('Answer 400');
    const field = page.locator('.field', { has: page.getByLabel('limit') });
    expect(await field.locator('.fault').textContent()).toBe('Must be at most 50.');
    await page.locator('.answer').getByText('What to do: Correct the request').waitFor();
    expect(await page.getByLabel('q', { exact: false }).first().getAttribute('aria-invalid')).toBe('false');
    expect(gateway.upstream.arrivals.length).toBe(before);
  });

  it('shows a rule over several fields next to each field', async () => {
    await open('tokens.ohlcv', 'Candles of one mint.');
    await page.getByLabel('from').fill('200');
    await page.getByLabel('to', { exact: false }).last().fill('100');
    await page.getByRole('button', { name: 'Send, sign in' }).click();
    expect(await answered()).toBe('Answer 400');
    expect(await page.locator('.fault').allTextContents()).toEqual(Array(2).fill('to must not be before from.'));
  });

  it('keeps the state of the form in a link, which fills the form and sends nothing', async () => {
    await open('tokens.search', 'Search canonical assets.');
    await page.getByLabel('q', { exact: false }).first().fill('it’s 100% & more');
    await page.getByLabel('limit').fill('51');
    const link = () => page.evaluate<string>('location.href');
    const query = `?q=${encodeURIComponent('it’s 100% & more')}&limit=51`;
    await expect.poll(link).toBe(`${gateway.url}/#/routes/tokens.search${query}`);
    const before = gateway.upstream.arrivals.length;
    const other = await visit(await link());
    await other.getByRole('heading', { level: 1, name: 'search Search canonical assets' }).waitFor();
    const values = await other
      .locator('.field input')
      .evaluateAll((all) => all.map((each) => (each as HTMLInputElement).value));
    expect(values).toEqual(['it’s 100% & more', '51', '']);
    expect(gateway.upstream.arrivals.length).toBe(before);
  });

  it('leaves the address alone if another route was opened before the link is written', async () => {
    await open('tokens.search', 'Search canonical assets.');
    await page.getByLabel('limit').fill('7');
    await page.evaluate(`history.replaceState(null, '', '#/routes/tokens.ohlcv')`);
    await page.waitForTimeout(500);
    expect(await page.evaluate('location.hash')).toBe('#/routes/tokens.ohlcv');
  });

  it('offers the other clusters and providers of a method and keeps the form', async () => {
    await open('rpc.mainnet.helius.getBalance', 'Lamports of an account.');
    // The list scrolls to the entry.
    await expect.poll(async () => (await page.locator('.entry[aria-current]').boundingBox())?.y).toBeLessThan(900);
    await page.getByLabel('commitment').selectOption('finalized');
    await page.getByRole('navigation', { name: 'Cluster' }).getByRole('link', { name: 'devnet' }).click();
    await page.getByText('/v1/x402/solana/devnet/helius/rpc/getBalance', { exact: true }).waitFor();
    expect(await page.getByLabel('commitment').inputValue()).toBe('finalized');
  });

  it('folds optional fields in a long form, and unfolds a fault', async () => {
    await open('das.mainnet.helius.searchAssets', 'Digital assets by owner, kind and other criteria.');
    const uri = page.getByLabel('jsonUri');
    expect([await uri.isVisible(), await page.getByLabel('ownerAddress').isVisible()]).toEqual([false, true]);
    await page.getByText('more parameters').click();
    await uri.fill('x'.repeat(201));
    await page.getByText('more parameters').click();
    await page.getByRole('button', { name: /^Send, pay/ }).click();
    await page.getByText('Must have at most 200 characters.').waitFor();
    expect(await uri.evaluate((input) => input === document.activeElement)).toBe(true);
    await open('rpc.mainnet.helius.getBalance', 'Lamports of an account.');
    expect(await page.getByText('more parameters').count()).toBe(0);
  });

  it('keeps its button in view at every width, and covers no field with it', async () => {
    await open('das.mainnet.helius.searchAssets', 'Digital assets by owner, kind and other criteria.');
    await page.getByText('more parameters').click();
    const button = page.getByRole('button', { name: /^Send, pay/ });
    const top = async (wanted: Locator) => (await wanted.boundingBox())?.y ?? Number.NaN;
    for (const { viewport } of Object.values(LOOKS)) {
      await page.setViewportSize(viewport);
      for (const place of [0, 400, 1_000_000]) {
        await page.evaluate(`scrollTo(0, ${place})`);
        expect(await top(button)).toBeLessThan(viewport.height - 30);
        expect(await top(button)).toBeGreaterThan(viewport.height / 2);
      }
      const inputs = page.locator('.field input:visible');
      for (const field of [inputs.last(), inputs.first()]) {
        await field.focus();
        await expect.poll(() => top(field)).toBeLessThan(await top(page.locator('.sendings')));
      }
    }
    await page.setViewportSize(LOOKS['1440-light'].viewport);
  });

  it('colours its samples and wraps their lines, and changes no character', async () => {
    await open('rpc.mainnet.helius.getAccountInfo', 'An account and its data.');
    await page.setViewportSize(LOOKS['390-light'].viewport);
    const sample = page.locator('.samples pre');
    await sample.locator('.string').first().waitFor();
    for (const name of ['curl', 'TypeScript', 'Python', 'CLI', 'MCP']) {
      await page.getByRole('tab', { name, exact: true }).click();
      await sample.locator('span').first().waitFor();
      expect(await sample.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth), name).toBe(0);
      const read = 'navigator.clipboard.readText()';
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.locator('.samples').getByRole('button', { name: /^Copy/ }).click();
      await page.locator('.samples').getByText('Copied').waitFor();
      expect(await sample.textContent(), name).toBe(await page.evaluate(read));
    }
    await page.setViewportSize(LOOKS['1440-light'].viewport);
  });

  it("describes a route's answer with an example, its fields and its errors", async () => {
    await open('tokens.search', 'Search canonical assets.');
    await page.getByText('"primaryVariantStrategy": "liquidity"').waitFor();
    await page.getByText('How the primary variant was chosen.').waitFor();
    const limited = page.locator('.refusals', { hasText: '429' });
    await limited.locator('summary').click();
    expect(await limited.getByText('The shared budget is used up; retry after Retry-After.').isVisible()).toBe(true);
  });

  it('shows an error if a view fails, and keeps the other views', async () => {
    const readiness = table.find(({ id }) => id === 'system.readiness');
    const other = await visit(gateway.url);
    const row = { ...readiness, priceUsd: '0.00', inputSchema: {}, rules: 'of another version' };
    await other.route('**/v1/catalog*', (route) => route.fulfill({ json: { routes: [row] } }));
    const goTo = (place: string) => other.evaluate(`location.hash = '#/${place}'`);
    await goTo('routes/system.readiness');
    await other.getByRole('alert').filter({ hasText: 'This view failed: TypeError' }).waitFor();
    await goTo('routes');
    await other.getByRole('heading', { level: 1, name: 'Routes' }).waitFor();
    await goTo('wallet');
    await other.getByRole('button', { name: 'Get 10 play USDC on mainnet' }).waitFor();
  });

  it('has no axe violations in light, dark and narrow', async () => {
    await page.goto(`${gateway.url}/#/wallet`);
    await gateway.solana.mainnet.fundUsdc((await page.locator('.address').textContent()) ?? '', 1_000_000n);
    await page.goto(`${gateway.url}/#/routes`);
    await page.locator('.entry').first().waitFor();
    expect(await faultsInAllLooks(page, 'routes')).toEqual([]);
    await open('rpc.mainnet.helius.getBalance', 'Lamports of an account.');
    await page.getByText('"lamports"').or(page.getByText('"slot"')).first().waitFor();
    expect(await faultsInAllLooks(page, 'route')).toEqual([]);
    await page.getByRole('button', { name: 'Send, pay $0.000005' }).click();
    expect(await answered()).toBe('Answer 200');
    expect(await faultsInAllLooks(page, 'paid')).toEqual([]);
    await open('tokens.ohlcv', 'Candles of one mint.');
    await page.getByLabel('from').fill('x');
    await page.getByRole('button', { name: 'Send, sign in' }).click();
    await page.getByRole('button', { name: 'Send anyway' }).click();
    expect(await answered()).toBe('Answer 400');
    expect(await faultsInAllLooks(page, 'refused')).toEqual([]);
    expect(seen.faults).toEqual([]);
  }, 180_000);
});
