import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { openBrowser } from '../kit/chromium.ts';
import { inSuite } from '../kit/in-suite.ts';
import { isFull } from '../kit/rounds.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const PICTURES = '.setup/pictures';
const COVER_WIDTH = 1440;

export const LONG_TIMEOUT = { timeout: 30_000 };

/** Window widths and colour schemes, as the pictures are named. */
export const LOOKS = {
  '1440-light': { colorScheme: 'light', viewport: { width: 1440, height: 900 } },
  '1440-dark': { colorScheme: 'dark', viewport: { width: 1440, height: 900 } },
  '768-light': { colorScheme: 'light', viewport: { width: 768, height: 1024 } },
  '768-dark': { colorScheme: 'dark', viewport: { width: 768, height: 1024 } },
  '390-light': { colorScheme: 'light', viewport: { width: 390, height: 844 } },
  '390-dark': { colorScheme: 'dark', viewport: { width: 390, height: 844 } },
} as const satisfies Record<string, BrowserContextOptions>;

/** Options of a page; its script runs before those of the page. */
type PageOptions = BrowserContextOptions & { readonly script?: string };

/** Opens a page in its own context and records its faults: script errors, policy violations and requests to other origins. */
export async function openPage(url: string, { script, ...options }: PageOptions = {}) {
  const context = await (await openBrowser()).newContext({ ...LOOKS['1440-light'], ...options });
  if (script !== undefined) await context.addInitScript(script);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('console', (message) => {
    // Chromium logs every error status; other tests check how the page handles them.
    const isStatus = message.text().startsWith('Failed to load resource: the server responded with a status');
    if (message.type() === 'error' && !isStatus) faults.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== new URL(url).origin) faults.push(`foreign: ${request.url()}`);
  });
  await page.goto(url);
  return { page, faults, close: () => context.close() };
}

/** A page for the tests of a suite, and the faults it had so far. */
export function pageInSuite(url: string) {
  const seen = inSuite(() => openPage(url));
  return { seen, page: inSuite(async () => seen.page) };
}

/** A page of one test, closed after it. It has had no faults then, except those with this text. */
export async function visit(url: string, options?: PageOptions, allowed?: string): Promise<Page> {
  const { page, faults, close } = await openPage(url, options);
  onTestFinished(async () => {
    await close();
    expect(faults.filter((fault) => allowed === undefined || !fault.includes(allowed))).toEqual([]);
  });
  return page;
}

/** The violations that axe finds: rule and element. */
export const axeFaults = (page: Page): Promise<string[]> =>
  page.evaluate(`${AXE}; axe.run().then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`);

/** Saves a screenshot for the documentation, with ROUNDS=full, as lossy WebP, which Playwright does not write. */
async function picture(page: Page, name: string, height: number, isCover = false): Promise<void> {
  // Suites share a page by a proxy, which the session refuses.
  const session = await page.context().newCDPSession(page.mainFrame().page());
  const { width = 0 } = page.viewportSize() ?? {};
  // Wide pictures are reduced, unless a page shows them large: all of them together weigh 4 MB in git.
  const isReduced = !isCover && width > LOOKS['390-light'].viewport.width;
  const clip = { x: 0, y: 0, width, height, scale: isReduced ? 0.7 : 1 };
  const options = { format: 'webp', quality: isCover ? 60 : 35, captureBeyondViewport: true, clip } as const;
  const { data } = await session.send('Page.captureScreenshot', options);
  await session.detach();
  writeFileSync(`${PICTURES}/${name}.webp`, Buffer.from(data, 'base64'));
}

/** Views whose first screen stands for the console elsewhere, with the names of these pictures. */
const COVERS: Readonly<Record<string, string>> = { 'first-run': 'console', paid: 'console-routes' };

/** Saves screenshots of a whole view in one look, with ROUNDS=full. */
async function pictures(page: Page, view: string, look: keyof typeof LOOKS): Promise<void> {
  if (!isFull) return;
  mkdirSync(PICTURES, { recursive: true });
  await page.mouse.move(0, 0);
  await page.evaluate('scrollTo(0, 0)');
  const { colorScheme, viewport } = LOOKS[look];
  const cover = COVERS[view];
  if (cover && viewport.width === COVER_WIDTH) await picture(page, `${cover}-${colorScheme}`, viewport.height, true);
  const height = await page.evaluate<number>('document.documentElement.scrollHeight');
  // Bars at the end of the window then stand at the end of the view.
  await page.setViewportSize({ ...viewport, height });
  await picture(page, `${view}-${look}`, height);
}

/** Short rounds look at each page twice: narrow, and with axe in another look each time. */
let viewsSeen = 0;

/** The faults of a page in all looks: violations of axe and overflow. Saves screenshots. */
export async function faultsInAllLooks(page: Page, name: string): Promise<string[]> {
  const faults: string[] = [];
  const looks = Object.keys(LOOKS) as (keyof typeof LOOKS)[];
  viewsSeen += 1;
  for (const [index, look] of looks.entries()) {
    const { colorScheme, viewport } = LOOKS[look];
    const isInTurn = isFull || index === viewsSeen % looks.length;
    if (!isInTurn && look !== '390-light') continue;
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(viewport);
    const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
    const found = [...(isInTurn ? await axeFaults(page) : []), ...(isWide ? ['wider than the window'] : [])];
    faults.push(...found.map((fault) => `${look}: ${fault}`));
    await pictures(page, name, look);
  }
  await page.setViewportSize(LOOKS['1440-light'].viewport);
  return faults;
}

/** Lets a page believe that its gateway is not the sandbox: the index names no faucet. */
export const asGatewayOutside = (page: Page): Promise<unknown> =>
  page.route('**/', async (route) => {
    const response = await route.fetch();
    const isIndex = route.request().headers().accept === 'application/json';
    await route.fulfill(isIndex ? { json: { ...(await response.json()), sandbox: false } } : { response });
  });

const READ_CANVAS = `(() => {
  const canvas = document.querySelector('.plot canvas');
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  let painted = 0;
  let sum = 0;
  for (let at = 3; at < data.length; at += 4) {
    if (data[at] === 0) continue;
    painted++;
    sum = (sum * 31 + at + data[at - 1] + data[at - 2] + data[at - 3]) % 4294967291;
  }
  return { painted, sum };
})()`;

/** Reads the pixels of a page's chart once it is drawn: how many are painted, and a checksum. */
export async function drawnIn(page: Page) {
  await page.locator('.plot canvas').waitFor({ state: 'attached' });
  return page.evaluate<{ readonly painted: number; readonly sum: number }>(READ_CANVAS);
}

/** The rows of a table as texts. */
export const rowsOf = (table: Locator): Promise<string[][]> =>
  table
    .locator('tbody tr')
    .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent ?? '')));

const MOST_TABS = 60;

/** Moves the focus to an element with the Tab key. */
export async function tabTo(page: Page, wanted: Locator): Promise<void> {
  for (let pressed = 0; pressed < MOST_TABS; pressed++) {
    await page.keyboard.press('Tab');
    if (await wanted.evaluate((element) => element === element.ownerDocument.activeElement)) return;
  }
  throw new Error(`Tab does not lead to ${wanted}`);
}

/** Opens the drawer with the last exchange. */
export async function openExchange(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: /^How it was signed/ }).click();
  const drawer = page.getByRole('dialog', { name: 'How the last call was signed' });
  await drawer.waitFor();
  return drawer;
}

/** Waits until an element has the focus. */
export const isFocused = (wanted: Locator): Promise<unknown> =>
  expect.poll(() => wanted.evaluate((each) => each === each.ownerDocument.activeElement), LONG_TIMEOUT).toBe(true);

/** Counts the payments that a page sends. */
export function paymentsOf(page: Page): { readonly sent: number } {
  const payments = { sent: 0 };
  page.on('request', (request) => {
    if (request.headers()['payment-signature'] !== undefined) payments.sent++;
  });
  return payments;
}

/** The targets of the upstream requests after the first `since`. */
export const targetsSince = (arrivals: readonly { readonly target: string }[], since: number): string[] =>
  arrivals.slice(since).map(({ target }) => target);

/** The samples of a form, by client; only those of some clients, if they are named. */
export async function samplesIn(page: Page, wanted?: readonly string[]): Promise<Record<string, string>> {
  const tabs = page.getByRole('tablist', { name: 'Client' });
  await tabs.waitFor();
  const samples: Record<string, string> = {};
  for (const tab of await tabs.getByRole('tab').all()) {
    const name = (await tab.textContent()) ?? '';
    if (wanted && !wanted.includes(name)) continue;
    await tab.click();
    samples[name] = (await page.locator('.samples pre').textContent()) ?? '';
  }
  return samples;
}

/** Runs the sample of a command line in a shell, with these variables. */
export async function runSample(text = '', env: NodeJS.ProcessEnv = {}): Promise<string> {
  const words = text.replace('npm run ask --', `"${process.execPath}" packages/cli/bin/main.js`);
  return (await promisify(execFile)('sh', ['-c', words], { env: { PATH: process.env.PATH, ...env } })).stdout;
}
