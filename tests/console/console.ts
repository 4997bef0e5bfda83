import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { isFull } from '../kit/rounds.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const PICTURES = '.setup/pictures';

export const LONG_TIMEOUT = { timeout: 15_000 };

/** A page, and the faults it had so far. */
export interface OpenedPage {
  readonly page: Page;
  /** Script errors, policy violations and requests to other origins. */
  readonly faults: readonly string[];
  close(): Promise<void>;
}

/** Colour schemes and window sizes. */
export const LOOKS = {
  light: { colorScheme: 'light', viewport: { width: 1280, height: 900 } },
  dark: { colorScheme: 'dark', viewport: { width: 1280, height: 900 } },
  narrow: { colorScheme: 'light', viewport: { width: 360, height: 740 } },
} as const satisfies Record<string, BrowserContextOptions>;

/** Opens a page in its own context and records its faults. */
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

interface AxeViolation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** The violations that axe finds: rule and element. */
export async function axeFaults(page: Page): Promise<string[]> {
  const violations = (await page.evaluate(`${AXE}; axe.run().then(({ violations }) => violations)`)) as AxeViolation[];
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

/** Saves a screenshot for the documentation. */
export async function picture(page: Page, name: string): Promise<void> {
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: `${PICTURES}/${name}.png`, fullPage: true });
}

/** Short rounds run axe once per page, with another look each time. */
let pages = 0;

/** The faults of a page in all looks: violations of axe and overflow. Saves a screenshot of each. */
export async function faultsInAllLooks(page: Page, name: string): Promise<string[]> {
  const faults: string[] = [];
  const looks = Object.entries(LOOKS);
  pages += 1;
  for (const [index, [look, { colorScheme, viewport }]] of looks.entries()) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(viewport);
    const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
    const isInTurn = isFull || index === pages % looks.length;
    const found = [...(isInTurn ? await axeFaults(page) : []), ...(isWide ? ['wider than the window'] : [])];
    faults.push(...found.map((fault) => `${look}: ${fault}`));
    await picture(page, `${name}-${look}`);
  }
  return faults;
}
