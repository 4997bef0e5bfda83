import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { relativeUrl, repositoryOf } from './links.mjs';
import { createMarkdown } from './markdown.mjs';
import { DECISIONS, navigationOf } from './navigation.mjs';
import { PAGE_WITH_PICTURES, PICTURES, partWith, picturesIn } from './pictures.mjs';

const OF_THE_ROOT = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'];

/** The files of the repository that become pages. */
function readSources() {
  const inDocs = readdirSync('docs', { recursive: true }).filter((name) => name.endsWith('.md'));
  return [...OF_THE_ROOT, ...inDocs.map((name) => `docs/${name.replaceAll('\\', '/')}`)];
}

/** The page that lists the decisions, in Markdown. */
function listOf(decisions) {
  const lines = decisions.map(({ source, title }) => `1. [${title}](${source.slice('docs/'.length)})`);
  return `# Decisions\n\nWhy it is as it is, in the order in which it was decided.\n\n${lines.join('\n')}\n`;
}

const textOf = ({ children }) => children.map(({ content }) => content).join('');

/** The title of a page, and the parts that it has. */
function outlineOf(markdown, page) {
  const tokens = markdown.parse(page.text, page);
  const headingsOf = (tag) => tokens.flatMap((token, at) => (token.tag === tag && token.nesting === 1 ? [at] : []));
  const [first] = headingsOf('h1');
  if (first === undefined) throw new Error(`${page.source} has no title: begin it with a line like "# Title"`);
  return {
    title: textOf(tokens[first + 1]).replace(/^\d{4} /, ''),
    parts: headingsOf('h2').map((at) => ({ id: tokens[at].attrGet('id'), title: textOf(tokens[at + 1]) })),
  };
}

/**
 * Everything that the site shows: `pages` in the order in which they are read, each with its file, its path in the site, its
 * title and its text in Markdown, the `groups` of its navigation, the `pictures`, and the `markdown` that makes pages of the text.
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

/** What the layout shows around a page, with addresses that hold wherever the site lies. */
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
