import { existsSync, readdirSync, readFileSync } from 'node:fs';
// @ts-expect-error What makes the site are scripts.
import { resolveLink } from '../../site/links.mjs';
// @ts-expect-error What makes the site are scripts.
import { navigationOf } from '../../site/navigation.mjs';
import type { SeenPage } from './link-check.ts';

const SITE = 'http://site.example/';
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
export function markdownFiles(): string[] {
  const ofTheRoot = readdirSync('.').filter((name) => /^[A-Z]+\.md$/.test(name));
  const inDocs = readdirSync('docs', { recursive: true }).map((name) => `docs/${name}`);
  return [...ofTheRoot, ...inDocs.filter((name) => name.endsWith('.md'))];
}

/** The documents as the site shows them, as far as their Markdown tells: their anchors, and where their links lead. */
export function markdownPages(): SeenPage[] {
  const { groups, decisions } = navigationOf(markdownFiles()) as { groups: { pages: Place[] }[]; decisions: Place[] };
  const places = [...groups.flatMap(({ pages }) => pages), ...decisions];
  const outputs = new Map(places.map(({ source, output }) => [source, output]));
  return places.map((page) => {
    const url = SITE + page.output;
    const text = page.source.endsWith('.md') ? readFileSync(page.source, 'utf8') : '';
    const addresses = Array.from(text.replace(CODE, '').matchAll(/\]\(([^)\s]+)\)/g), ([, href]) =>
      resolveLink(href, page, { outputs, exists: existsSync, repository: undefined }),
    );
    const links = addresses.filter((address) => address !== undefined).map((address) => new URL(address, url).href);
    return { url, ids: anchorsIn(text), links, loaded: [] };
  });
}
