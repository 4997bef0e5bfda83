import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { axeFaults, LOOKS, openPage } from '../console/console.ts';
import { browserSuite } from '../kit/chromium.ts';
import { suiteWithInstallation } from '../kit/packages.ts';
import { isFull } from '../kit/rounds.ts';
import { copyDocuments, filesIn, HOMEPAGE, linkFaults, makeSite, type SeenPage, serve } from './built-site.ts';
import { lookAtReading } from './reading.ts';

/** Reads a page in the browser. */
const SEEN = `({
  url: location.href,
  ids: [...document.querySelectorAll('[id]')].map(({ id }) => id),
  links: [...document.querySelectorAll('a')].map(({ href }) => href),
  loaded: [...document.querySelectorAll('[src], [srcset], link:not([rel=canonical])')].map(
    (element) => new URL(element.src || element.srcset || element.href, location.href).href,
  ),
  scripts: [...document.scripts].filter(({ src }) => src === '').length,
  width: document.documentElement.scrollWidth,
  height: document.documentElement.scrollHeight,
  title: document.querySelector('main h1')?.textContent ?? '',
  head: [document.title, ...['meta[name=description]', 'meta[property="og:image"]'].map(
    (selector) => document.querySelector(selector).content,
  )],
})`;
/** Pages that axe looks at: with ROUNDS=full each in every look. */
const LOOKED_AT = {
  '1440-light': 'index.html',
  '1440-dark': 'concepts/sign-in.html',
  '390-light': 'reference/pay.html',
  '768-light': 'routes.html',
  '768-dark': 'signing.html',
  '390-dark': 'errors.html',
};

interface Seen extends SeenPage {
  readonly scripts: number;
  readonly width: number;
  readonly height: number;
  readonly title: string;
  /** Title, description and picture that others show. */
  readonly head: readonly [string, string, string];
}

/** Changes a file while something is done. */
async function whileChanged<T>(path: string, change: (text: string) => string, action: () => Promise<T>): Promise<T> {
  const before = readFileSync(path, 'utf8');
  expect(change(before)).not.toBe(before);
  writeFileSync(path, change(before));
  return action().finally(() => writeFileSync(path, before));
}

async function prepare(folder: string): Promise<{ code: number | null; stderr: string }> {
  copyDocuments(folder);
  const { code, stderr } = await makeSite(folder);
  return { code, stderr };
}

function lookAt(dist: string): void {
  let url: string;
  const seen: Seen[] = [];
  const faults = new Set<string>();
  beforeAll(async () => {
    url = await serve(dist);
    const phone = await openPage(`${url}index.html`, { ...LOOKS['390-light'], javaScriptEnabled: false });
    for (const path of filesIn(dist).filter((name) => name.endsWith('.html'))) {
      await phone.page.goto(url + path);
      seen.push((await phone.page.evaluate(SEEN)) as Seen);
      for (const fault of phone.faults) faults.add(`${path}: ${fault}`);
    }
    await phone.close();
  }, 120_000);

  it('every page works without scripts, on a phone, has none inline, and loads nothing from elsewhere', () => {
    expect(seen.length).toBeGreaterThan(40);
    for (const { title, scripts, width } of seen)
      expect([title, scripts, width]).toEqual([expect.stringMatching(/./), 0, LOOKS['390-light'].viewport.width]);
    expect([...faults]).toEqual([]);
  });

  it('no page is longer than twenty screens of a phone', () => {
    const longest = 20 * LOOKS['390-light'].viewport.height;
    expect(seen.filter(({ height }) => height > longest).map(({ url: page, height }) => [page, height])).toEqual([]);
  });

  it('every link, anchor and picture exists', () => {
    const files = filesIn(dist).map((path) => url + path);
    expect(linkFaults(seen, files)).toEqual([]);
    expect(seen.flatMap(({ links }) => links).filter((link) => link.includes('#')).length).toBeGreaterThan(100);
  });

  it.each(Object.keys(LOOKED_AT) as (keyof typeof LOOKED_AT)[])(
    'axe finds no fault on %s pages',
    { timeout: 60_000 },
    async (look) => {
      for (const path of isFull ? Object.values(LOOKED_AT) : [LOOKED_AT[look]]) {
        const { page, close } = await openPage(url + path, LOOKS[look]);
        expect([path, await axeFaults(page)]).toEqual([path, []]);
        await close();
      }
    },
  );

  lookAtReading(() => url);

  it('the search finds a heading, by keyboard alone', async () => {
    const { page, faults, close } = await openPage(`${url}index.html`);
    await page.keyboard.press('/');
    await page.keyboard.type('with curl and openssl');
    await page.getByRole('link', { name: /^With curl and openssl alone/ }).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${url}signing.html#with-curl-and-openssl-alone`);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('zzzzzz');
    await page.getByText('Nothing found for').waitFor();
    await page.keyboard.press('Escape');
    expect(faults).toEqual([]);
    await close();
  });

  it('every page has a title and a description of its own, and a picture to share', () => {
    const heads = seen.map(({ head }) => head);
    for (const at of [0, 1]) expect(new Set(heads.map((head) => head[at])).size).toBe(seen.length);
    for (const [, description] of heads) expect(description.length).toBeGreaterThan(10);
    const files = filesIn(dist).map((path) => url + path);
    for (const { head } of seen) expect(files).toContain(head[2].replace(HOMEPAGE, url));
  });
}

function lookAtSite(folder: string): void {
  const dist = join(folder, 'site/dist');
  const page = (name: string): string => readFileSync(join(dist, name), 'utf8');
  browserSuite('in a browser', () => lookAt(dist));

  describe('made anew', { timeout: 60_000 }, () => {
    it('has its pages in the order of reading', () => {
      const titles = [
        ...(page('index.html').split('id="all-pages"')[1] ?? '').matchAll(
          /^<li><a href="[^#"]+"(?: aria-current="page")?>(.*?)</gm,
        ),
      ];
      expect(titles.slice(0, 4).map(([, title]) => title)).toEqual([
        'Home',
        'Overview',
        'The console',
        'Pictures of the console',
      ]);
    });

    it('has a reference of the client from its docstrings, to which the page about it leads', () => {
      expect(page('client.html')).toContain('<a href="reference/index.html">reference</a>');
      const [, client = ''] = page('reference/index.html').split('<div id="createclient">');
      expect(client.split('</details>')[0]).toContain('ClientOptions');
      expect(page('reference/methods.html')).toContain('The result of <code>client.tokens.search</code>.');
      expect(page('reference/pay.html')).toMatch(/<a href="index\.html#gatewayerror">|<div id="paywith">/);
    });

    it('links to source files where the repository has an address, and has no part for pictures that are not there', async () => {
      const source = /(<a href="[^"]*">)?(?:<code>)?packages\/console</;
      expect(source.exec(page('console.html'))?.[0]).toBe('<code>packages/console<');
      expect(page('console-pictures.html')).toContain('src="pictures/new/try-1440-light.png"');
      rmSync(join(folder, '.setup/pictures'), { recursive: true });
      const committed = join(folder, 'docs/pictures');
      for (const name of filesIn(committed).filter((path) => /-\d+-/.test(path))) rmSync(join(committed, name));
      const repository = 'https://code.example/gateway';
      const named = (text: string): string => JSON.stringify({ ...JSON.parse(text), repository });
      const made = await whileChanged(join(folder, 'package.json'), named, () => makeSite(folder));
      expect(made.code).toBe(0);
      expect(source.exec(page('console.html'))?.[0]).toBe(
        `<a href="${repository}/blob/HEAD/packages/console">packages/console<`,
      );
      expect(page('console-pictures.html')).not.toContain('<img alt="Try');
    });

    it('fails on a broken link, which it names', async () => {
      const outcome = await whileChanged(
        join(folder, 'docs/cli.md'),
        (text) => `${text}\n[gone](gone.md)\n`,
        () => makeSite(folder),
      );
      expect(outcome.code).toBe(1);
      expect(outcome.stderr).toContain('docs/cli.md links to gone.md, and there is no docs/gone.md');
    });
  });
}

await suiteWithInstallation('the site of the documentation', prepare, lookAtSite, { isOfReleases: true });
