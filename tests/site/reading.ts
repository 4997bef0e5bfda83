import { expect, it } from 'vitest';
import { axeFaults, LOOKS, openPage } from '../console/console.ts';

const OPEN_SECTIONS = 'document.querySelectorAll("details.entry[open]").length';
const COLORS = `new Set([...document.querySelectorAll('pre span')].map((token) => getComputedStyle(token).color)).size`;
const GROUND = 'getComputedStyle(document.body).backgroundColor';
const HERO = 'document.querySelector(".hero img").currentSrc';

/** How far the underscores of a linked code reach below the baseline, and where its underline begins, in pixels. */
interface Depths {
  readonly underscore: number;
  readonly underline: number;
}
const DEPTHS = `(() => {
  const code = document.querySelector('li a > code');
  const context = document.createElement('canvas').getContext('2d');
  const { fontSize, fontFamily } = getComputedStyle(code);
  context.font = fontSize + ' ' + fontFamily;
  return {
    underscore: context.measureText('_').actualBoundingBoxDescent,
    underline: Number.parseFloat(getComputedStyle(code.parentElement).textUnderlineOffset),
  };
})()`;

/** How a reader uses the pages of a site. */
export function lookAtReading(urlOf: () => string): void {
  it('an unknown address shows a page that leads to all others', async () => {
    const { page, faults, close } = await openPage(`${urlOf()}no/such/page`);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('There is no such page');
    expect(await axeFaults(page)).toEqual([]);
    await page.getByRole('link', { name: 'How payment works' }).click();
    await page.getByRole('heading', { level: 1, name: 'How payment works' }).waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('the theme switch overrides the system, for pictures too, and is remembered', async () => {
    const { page, faults, close } = await openPage(`${urlOf()}index.html`, LOOKS['1440-light']);
    const seen = () => Promise.all([page.evaluate(GROUND), page.evaluate(HERO)]);
    const light = ['rgb(255, 255, 255)', expect.stringMatching(/console-light\.webp$/)];
    await expect.poll(seen).toEqual(light);
    await page.getByRole('button', { name: 'Theme: system' }).click();
    await page.getByRole('button', { name: 'Theme: light' }).click();
    await page.getByRole('button', { name: 'Theme: dark' }).waitFor();
    const darkSource = expect.stringMatching(/console-dark\.webp$/);
    await expect.poll(seen).toEqual(['rgb(16, 19, 25)', darkSource]);
    expect(await axeFaults(page)).toEqual([]);
    await page.goto(`${urlOf()}overview.html`);
    expect(await page.evaluate(GROUND)).toBe('rgb(16, 19, 25)');
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.goto(`${urlOf()}index.html`);
    await page.getByRole('button', { name: 'Theme: dark' }).click();
    await page.getByRole('button', { name: 'Theme: system' }).click();
    await page.getByRole('button', { name: 'Theme: light' }).waitFor();
    await expect.poll(seen).toEqual(light);
    expect(faults).toEqual([]);
    await close();
  });

  it('the address of a folded section opens it, without a script too', async () => {
    for (const javaScriptEnabled of [true, false]) {
      const { page, close } = await openPage(`${urlOf()}routes.html#getbalance`, { javaScriptEnabled });
      await page.getByText('/rpc/getBalance').first().waitFor();
      expect(await page.evaluate(OPEN_SECTIONS)).toBe(1);
      await close();
    }
  });

  it('one button opens all folded sections', async () => {
    const { page, close } = await openPage(`${urlOf()}errors.html`);
    expect(await page.evaluate(OPEN_SECTIONS)).toBe(0);
    await page.getByRole('button', { name: 'Open all sections' }).click();
    expect(await page.evaluate(OPEN_SECTIONS)).toBe(await page.locator('details.entry').count());
    expect(await axeFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Close all sections' }).click();
    expect(await page.evaluate(OPEN_SECTIONS)).toBe(0);
    await close();
  });

  it('code has colors', async () => {
    const { page, faults, close } = await openPage(`${urlOf()}signing.html`);
    expect(await page.evaluate(COLORS)).toBeGreaterThan(4);
    expect(faults).toEqual([]);
    await close();
  });

  it('the underline of linked code is below its underscores', async () => {
    const { page, close } = await openPage(`${urlOf()}configuration.html`);
    const { underscore, underline } = await page.evaluate<Depths>(DEPTHS);
    expect(underscore).toBeGreaterThan(0);
    expect(underline).toBeGreaterThan(underscore + 1);
    await close();
  });
}
