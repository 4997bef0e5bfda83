import type { Locator, Page } from 'playwright-core';

/** The pixels of a chart: how many are painted, and a checksum. */
export interface Drawn {
  readonly painted: number;
  readonly sum: number;
}

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

/** Reads the chart of a page once it is drawn. */
export async function drawnIn(page: Page): Promise<Drawn> {
  await page.locator('.plot canvas').waitFor({ state: 'attached' });
  return page.evaluate<Drawn>(READ_CANVAS);
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

/** The targets of the upstream requests after the first `since`. */
export const targetsSince = (arrivals: readonly { readonly target: string }[], since: number): string[] =>
  arrivals.slice(since).map(({ target }) => target);
