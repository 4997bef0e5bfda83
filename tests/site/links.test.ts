import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { repositoryOf, resolveLink } from '../../site/links.mjs';
import { navigationOf } from '../../site/navigation.mjs';
import { partWith } from '../../site/pictures.mjs';
import { blocksOf } from '../kit/page.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { askSigned } from '../kit/wallet.ts';
import { linkFaults, type SeenPage } from './built-site.ts';

const ORIGIN = 'http://site.example/';
const CODE = /^```[\s\S]*?^```$|`[^`\n]+`/gm;

/** A page by its file in the repository and its path in the site. */
interface Place {
  readonly source: string;
  readonly output: string;
}

/** The anchors of a page: of its headings, as GitHub names them. */
function anchorsIn(markdown: string): string[] {
  const headings = markdown.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/^#{1,6} (.+)$/gm);
  const texts = Array.from(headings, ([, text = '']) => text.replace(/\]\([^)]*\)/g, ''));
  const slugs = texts.map((text) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
  return slugs.map((slug, at) => {
    const earlier = slugs.slice(0, at).filter((each) => each === slug).length;
    return earlier === 0 ? slug : `${slug}-${earlier}`;
  });
}

/** The documents that become pages. */
function markdownFiles(): string[] {
  const ofTheRoot = readdirSync('.').filter((name) => /^[A-Z_]+\.md$/.test(name));
  const inDocs = readdirSync('docs', { recursive: true }).map((name) => `docs/${name}`);
  return [...ofTheRoot, ...inDocs.filter((name) => name.endsWith('.md'))];
}

/** The documents as the site shows them, as far as their Markdown tells: their anchors, and where their links lead. */
function markdownPages(): SeenPage[] {
  const { groups, decisions } = navigationOf(markdownFiles()) as { groups: { pages: Place[] }[]; decisions: Place[] };
  const places = [...groups.flatMap(({ pages }) => pages), ...decisions];
  const outputs = new Map(places.map(({ source, output }) => [source, output]));
  return places.map((page) => {
    const url = ORIGIN + page.output;
    const text = page.source.endsWith('.md') ? readFileSync(page.source, 'utf8') : '';
    const addresses = Array.from(text.replace(CODE, '').matchAll(/\]\(([^)\s]+)\)/g), ([, href]) =>
      resolveLink(href, page, { outputs, exists: existsSync, repository: undefined }),
    );
    const links = addresses.filter((address) => address !== undefined).map((address) => new URL(address, url).href);
    return { url, ids: anchorsIn(text), links, loaded: [] };
  });
}

const REPOSITORY = 'https://code.example/gateway';
const SITE = {
  outputs: new Map([
    ['README.md', 'overview.html'],
    ['docs/cli.md', 'cli.html'],
    ['docs/decisions', 'decisions/index.html'],
  ]),
  exists: (path: string) => ['packages/cli', 'deploy/nginx.conf'].includes(path),
  repository: REPOSITORY,
};
const ROOT = { source: 'README.md', output: 'overview.html' };
const DECISION = { source: 'docs/decisions/0001-x.md', output: 'decisions/0001-x.html' };

describe('a link of a page in the repository', () => {
  it.each([
    ['docs/cli.md', ROOT, 'cli.html'],
    ['docs/cli.md#paying', ROOT, 'cli.html#paying'],
    ['docs/decisions/', ROOT, 'decisions/index.html'],
    ['../cli.md#paying', DECISION, '../cli.html#paying'],
    ['../../README.md', DECISION, '../overview.html'],
    ['#paying', DECISION, '#paying'],
    ['https://x402.org/', ROOT, 'https://x402.org/'],
    ['mailto:a@b.example', ROOT, 'mailto:a@b.example'],
    ['../../deploy/nginx.conf', DECISION, `${REPOSITORY}/blob/HEAD/deploy/nginx.conf`],
    ['packages/cli/', ROOT, `${REPOSITORY}/blob/HEAD/packages/cli`],
  ])('%s leads to the same place from its page in the site', (href, page, address) => {
    expect(resolveLink(href, page, SITE)).toBe(address);
  });

  it('to a source file leads nowhere where the repository has no address', () => {
    expect(resolveLink('packages/cli', ROOT, { ...SITE, repository: undefined })).toBeUndefined();
  });

  it.each(['docs/clo.md', '../README.md', 'packages/none'])('to a missing file (%s) fails the build', (href) => {
    expect(() => resolveLink(href, ROOT, SITE)).toThrow(`README.md links to ${href}, and there is no `);
  });
});

it.each([
  [{}, undefined],
  [{ repository: 'owner/name' }, 'https://github.com/owner/name'],
  [{ repository: 'github:owner/name' }, 'https://github.com/owner/name'],
  [{ repository: { url: 'git+https://code.example/gateway.git' } }, REPOSITORY],
])('%j names an address for browsers', (manifest, address) => expect(repositoryOf(manifest)).toBe(address));

const committed = (name: string) => `docs/pictures/${name}.webp`;
const shown = (title: string, address: string) => `[![${title}](${address})](${address})`;

describe('the navigation', () => {
  const files = markdownFiles();

  it('lists decisions in order', () => {
    const paths: string[] = navigationOf([...files].reverse()).decisions.map(
      ({ output }: { output: string }) => output,
    );
    expect(paths.length).toBeGreaterThan(10);
    expect(paths).toEqual([...paths].sort());
  });

  it('rejects a page without a group', () => {
    expect(() => navigationOf([...files, 'docs/new.md'])).toThrow(/^docs\/new\.md is missing/);
  });

  it('rejects a page without a file', () => {
    const others = files.filter((path) => path !== 'docs/cli.md');
    expect(() => navigationOf(others)).toThrow('names docs/cli.md, and there is no such file');
  });
});

it('each view has a column for each width and a row for each color scheme, and shows the newest picture', () => {
  const sources = [
    '.setup/pictures/a-1440-light.webp',
    ...['a-390-dark', 'a-1440-light', 'b-768-dark', 'c'].map(committed),
  ];
  const part: string = partWith(sources.map((source) => ({ source })));
  expect(part.split('\n').filter((line) => /^(?:##|\|) /.test(line))).toEqual([
    '## A',
    '| | 1440 px | 390 px |',
    `| light | ${shown('A, 1440 px light', '../.setup/pictures/a-1440-light.webp')} |  |`,
    `| dark |  | ${shown('A, 390 px dark', 'pictures/a-390-dark.webp')} |`,
    '## B',
    '| | 768 px |',
    '| light |  |',
    `| dark | ${shown('B, 768 px dark', 'pictures/b-768-dark.webp')} |`,
  ]);
  expect(partWith([])).toBe('');
});

it('the check of links finds pages, anchors and pictures that are not there, and addresses without TLS', () => {
  const url = 'http://127.0.0.1/a.html';
  const right = [`${url}#x`, 'http://127.0.0.1/a.png', 'https://x402.org/'];
  const links = [...right, 'http://127.0.0.1/b.html', `${url}#y`, 'http://x402.org/'];
  const loaded = ['http://127.0.0.1/a.png', 'https://x402.org/a.png', 'http://127.0.0.1/b.png'];
  const faults = linkFaults([{ url, ids: ['x'], links, loaded }], ['http://127.0.0.1/a.png']);
  expect(faults.map((fault) => fault.split(' ')[1])).toEqual([...links.slice(3), ...loaded.slice(1)]);
});

describe('the documents', () => {
  const pages = markdownPages();

  it('have no broken link or anchor', () => {
    expect(pages.length).toBeGreaterThan(40);
    expect(new Set(pages.map(({ url }) => url)).size).toBe(pages.length);
    expect(linkFaults(pages, [])).toEqual([]);
    expect(pages.flatMap(({ links }) => links).filter((link) => link.includes('#')).length).toBeGreaterThan(5);
  });

  it('each begin with a title', () => {
    const made = ['decisions', 'reference'].map((folder) => `${ORIGIN}${folder}/`);
    const isMade = (url: string): boolean => made.some((start) => url.startsWith(start));
    expect(pages.filter(({ ids: [title], url }) => !title && !isMade(url))).toEqual([]);
  });
});

const [request = '', answer = ''] = blocksOf('docs/index.md', 'http');
const MARKET_NOW = Date.parse('2026-11-24T12:00:00Z');

const gateway = await startTestGateway({ TOKENS_RATE_LIMIT_PER_MINUTE: '30' }, { marketNow: () => MARKET_NOW });

/** The parts of the shown answer between what it leaves out, without the spaces of its layout. */
const partsOf = (text: string): string[] =>
  text
    .replaceAll(/\s+/g, '')
    .replace(/^200OK/, '200')
    .split('…')
    .filter(Boolean);

it('the landing page shows an answer of the sandbox', async () => {
  const [, path = ''] = /^GET (\S+)$/m.exec(request) ?? [];
  const response = await askSigned(gateway.url + path);
  const headers = ['RateLimit', 'Replay-Nonce'].map((name) => `${name}: ${response.headers.get(name)}`);
  const given = [response.status, ...headers, await response.text()].join('').replaceAll(/\s+/g, '');
  const parts = partsOf(answer);
  expect(parts.length).toBeGreaterThan(4);
  let rest = given;
  for (const part of parts) {
    expect(rest).toContain(part);
    rest = rest.slice(rest.indexOf(part) + part.length);
  }
});
