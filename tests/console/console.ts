import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { isFull } from '../kit/rounds.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const PICTURES = '.setup/pictures';

/** For what a page does once it has drawn itself. */
export const LONG_TIMEOUT = { timeout: 15_000 };

/** A page of a browser, and what it did that no page of ours may do. */
export interface OpenedPage {
  readonly page: Page;
  /** Errors of its script, what its policy has stopped, and requests to anybody but its own origin. */
  readonly faults: readonly string[];
  close(): Promise<void>;
}

/** How a page is looked at. */
export const LOOKS = {
  light: { colorScheme: 'light', viewport: { width: 1280, height: 900 } },
  dark: { colorScheme: 'dark', viewport: { width: 1280, height: 900 } },
  narrow: { colorScheme: 'light', viewport: { width: 360, height: 740 } },
} as const satisfies Record<string, BrowserContextOptions>;

/** Opens a page in a context of its own; what it does wrong is noted from then on. */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = LOOKS.light,
): Promise<OpenedPage> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('console', (message) => {
    // Chromium notes each answer that is no success; what a page makes of it is looked at elsewhere.
    const isStatus = message.text().startsWith('Failed to load resource: the server responded with a status');
    if (message.type() === 'error' && !isStatus) faults.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== new URL(url).origin) faults.push(`foreign: ${request.url()}`);
  });
  await page.goto(url);
  return { page, faults, close: () => context.close() };
}

interface AxeViolation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** What axe finds wrong with a page as it is now: the rule, and where. */
export async function axeFaults(page: Page): Promise<string[]> {
  const violations = (await page.evaluate(`${AXE}; axe.run().then(({ violations }) => violations)`)) as AxeViolation[];
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

/** Keeps a picture of a page for the documents and for whoever looks at a run. */
export async function picture(page: Page, name: string): Promise<void> {
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: `${PICTURES}/${name}.png`, fullPage: true });
}

/** In short rounds axe looks at each page once, in these looks in turns. */
let lookedAt = 0;

/** What is wrong with a page in light, dark and on a phone: what axe finds, and what is wider than it. Keeps a picture of each. */
export async function faultsInAllLooks(page: Page, name: string): Promise<string[]> {
  const faults: string[] = [];
  const looks = Object.entries(LOOKS);
  lookedAt += 1;
  for (const [index, [look, { colorScheme, viewport }]] of looks.entries()) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(viewport);
    const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
    const isInTurn = isFull || index === lookedAt % looks.length;
    const found = [...(isInTurn ? await axeFaults(page) : []), ...(isWide ? ['wider than the window'] : [])];
    faults.push(...found.map((fault) => `${look}: ${fault}`));
    await picture(page, `${name}-${look}`);
  }
  return faults;
}
