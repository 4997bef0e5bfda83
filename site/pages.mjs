import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { relativeUrl, repositoryOf } from './links.mjs';
import { createMarkdown } from './markdown.mjs';
import { DECISIONS, navigationOf } from './navigation.mjs';
import { PAGE_WITH_PICTURES, PICTURES, partWith, picturesIn } from './pictures.mjs';

const OF_THE_ROOT = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'];

/** The files that become pages. */
function readSources() {
  const inDocs = readdirSync('docs', { recursive: true }).filter((name) => name.endsWith('.md'));
  return [...OF_THE_ROOT, ...inDocs.map((name) => `docs/${name.replaceAll('\\', '/')}`)];
}

/** The page that lists the decisions, in Markdown. */
function listOf(decisions) {
  const lines = decisions.map(({ source, title }) => `1. [${title}](${source.slice('docs/'.length)})`);
  return `# Decisions\n\nDesign decisions and their reasons, oldest first.\n\n${lines.join('\n')}\n`;
}

const textOf = ({ children }) => children.map(({ content }) => content).join('');

/** The title of a page, and its sections. */
function outlineOf(markdown, page) {
  const tokens = markdown.parse(page.text, page);
  const headingsOf = (tag) => tokens.flatMap((token, at) => (token.tag === tag && token.nesting === 1 ? [at] : []));
  const [first] = headingsOf('h1');
  if (first === undefined) throw new Error(`${page.source} has no title: begin it with a line such as "# Title"`);
  return {
    title: textOf(tokens[first + 1]).replace(/^\d{4} /, ''),
    parts: headingsOf('h2').map((at) => ({ id: tokens[at].attrGet('id'), title: textOf(tokens[at + 1]) })),
  };
}

/**
 * The content of the site: `pages` in reading order, each with file, path, title and Markdown text; the `groups` of the navigation;
 * the `pictures`; and the `markdown` renderer.
 */
export function readSite() {
  const { groups, decisions } = navigationOf(readSources());
  const listed = groups.flatMap(({ pages }) => pages);
  const pictures = picturesIn(PICTURES);
  const outputs = new Map([...listed, ...decisions, ...pictures].map(({ source, output }) => [source, output]));
  const repository = repositoryOf(JSON.parse(readFileSync('package.json', 'utf8')));
  const titles = new Map();
  const markdown = createMarkdown({ outputs, pictures, repository, titles, exists: existsSync });
  const textFor = ({ source }) => {
    if (source === DECISIONS) return listOf(decisions);
    return readFileSync(source, 'utf8') + (source === PAGE_WITH_PICTURES ? partWith(pictures) : '');
  };
  for (const page of [...decisions, ...listed]) {
    page.text = textFor(page);
    Object.assign(page, outlineOf(markdown, page));
    titles.set(page.source, page.title);
  }
  return { pages: [...listed, ...decisions], groups, pictures, markdown };
}

/** What the layout shows around a page, with relative addresses. */
export function surroundingsOf(page, { pages, groups }) {
  const to = (other) =>
    other && { title: other.title, url: relativeUrl(page.output, other.output), parts: other.parts };
  const at = pages.indexOf(page);
  return {
    style: relativeUrl(page.output, 'style.css'),
    home: relativeUrl(page.output, 'index.html'),
    previous: to(pages[at - 1]),
    next: to(pages[at + 1]),
    groups: groups.map(({ title, pages: ofGroup }) => ({
      title,
      pages: ofGroup.map((other) => ({ ...to(other), isOpen: other === page })),
    })),
  };
}
