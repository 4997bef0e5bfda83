import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { relativeUrl, repositoryOf } from './links.mjs';
import { createMarkdown } from './markdown.mjs';
import { DECISIONS, LANDING, navigationOf, REFERENCE, TEXTS_OF_REFERENCE } from './navigation.mjs';
import { descriptionOf, headOf, sectionsOf } from './outline.mjs';
import { PAGE_WITH_PICTURES, PICTURES, partWith, picturesIn } from './pictures.mjs';

const OF_THE_ROOT = [
  'README',
  'ARCHITECTURE',
  'CONTRIBUTING',
  'CONVENTIONS',
  'CODE_OF_CONDUCT',
  'CHANGELOG',
  'SECURITY',
].map((name) => `${name}.md`);

/** A picture with a dark variant, as GitHub shows it; the site adds the variant itself. */
const PICTURE = /<picture>[\s\S]*?<img alt="([^"]*)" src="([^"]*)">\s*<\/picture>/g;

/** The files that become pages. */
function readSources() {
  const inDocs = readdirSync('docs', { recursive: true }).filter((name) => name.endsWith('.md'));
  return [...OF_THE_ROOT, ...inDocs.map((name) => `docs/${name.replaceAll('\\', '/')}`)];
}

/** What the site says of a page elsewhere: its title, its first paragraph and its sections. */
function outlineOf(markdown, page) {
  const tokens = markdown.parse(page.text, page);
  const sections = sectionsOf(tokens);
  if (!tokens.some(({ tag }) => tag === 'h1'))
    throw new Error(`${page.source} has no title: begin it with a line such as "# Title"`);
  const description = descriptionOf(tokens);
  if (!description) throw new Error(`${page.source} has no description: begin it with a paragraph`);
  const isPart = new Set(
    tokens.filter(({ tag, nesting }) => tag === 'h2' && nesting === 1).map((token) => token.attrGet('id')),
  );
  return {
    title: page.source === 'README.md' ? 'Overview' : sections[0].title.replace(/^\d{4} /, ''),
    description,
    sections,
    parts: sections.filter(({ id }) => isPart.has(id)),
  };
}

/**
 * The content of the site: `pages` in reading order, each with file, path, title and Markdown text; the `groups` of the navigation;
 * the `pictures` and `diagrams`; and the `markdown` renderer.
 */
export function readSite() {
  const { groups, decisions } = navigationOf(readSources());
  const listed = groups.flatMap(({ title, pages }) => pages.map((page) => Object.assign(page, { group: title })));
  const pictures = picturesIn(...PICTURES);
  const outputs = new Map([...listed, ...decisions, ...pictures].map(({ source, output }) => [source, output]));
  outputs.set(DECISIONS, 'decisions/index.html');
  const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
  const [titles, diagrams] = [new Map(), new Map()];
  const repository = repositoryOf(manifest);
  const markdown = createMarkdown({ outputs, pictures, repository, titles, diagrams, exists: existsSync });
  const textFor = ({ source }) => {
    if (REFERENCE.includes(source)) return readFileSync(`${TEXTS_OF_REFERENCE}/${basename(source, '.ts')}.md`, 'utf8');
    const text = readFileSync(source, 'utf8').replace(PICTURE, '![$1]($2)');
    return text + (source === PAGE_WITH_PICTURES ? partWith(pictures) : '');
  };
  for (const page of [...decisions, ...listed]) {
    page.text = textFor(page);
    Object.assign(page, outlineOf(markdown, page));
    titles.set(page.source, page.title);
  }
  const pages = [...listed, ...decisions.map((page) => ({ ...page, group: 'Decisions' }))];
  return { pages, groups, pictures, diagrams, markdown, homepage: manifest.homepage };
}

const LOST = {
  source: '404.md',
  output: '404.html',
  title: 'There is no such page',
  description: 'No page has this address.',
  text: '# There is no such page\n\nCheck the address, search, or choose from the list of all pages.\n',
};

/** The page that a host shows at unknown addresses. */
export const lostPage = (site) => ({ ...LOST, ...surroundingsOf(LOST, site), isLost: true });

/** Lists the pages of each group, with addresses made by `to`. */
const listedGroups = (page, groups, to) =>
  groups.map(({ title, pages }) => ({
    title,
    isOpen: page === LOST || title === page.group || (page.group === 'Decisions' && title === 'Contribute'),
    pages: pages.map((other) => ({ ...to(other), isOpen: other === page })),
  }));

/** What the layout shows around a page. Addresses are relative, except on the page that is shown at unknown addresses. */
export function surroundingsOf(page, { pages, groups, homepage }) {
  const base = homepage === undefined ? '/' : new URL(`${homepage}/`).pathname.replace(/\/+$/, '/');
  const root = page === LOST ? base : '../'.repeat(page.output.split('/').length - 1);
  const urlOf = ({ output }) => (page === LOST ? base + output : relativeUrl(page.output, output));
  const nameOf = ({ source, title }) => (source === LANDING ? 'Home' : title);
  const to = (other) => other && { title: nameOf(other), url: urlOf(other) };
  const at = pages.indexOf(page);
  const isLanding = page.source === LANDING;
  const isAlone = isLanding || page === LOST;
  return {
    root,
    isLanding,
    head: headOf(page, { homepage, root }),
    group: isAlone ? undefined : page.group,
    parts: isAlone ? [] : page.parts,
    previous: isAlone ? undefined : to(pages[at - 1]),
    next: isAlone ? undefined : to(pages[at + 1]),
    groups: listedGroups(page, groups, to),
  };
}
