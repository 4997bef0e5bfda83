import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';

const LONGEST_DESCRIPTION = 160;
const DRAWING = 'site/share.svg';

const textOf = ({ children }) => children.map(({ content, type }) => (type === 'softbreak' ? ' ' : content)).join('');

/** The line of a decision that says its status and date. */
const STATUS = /^(?:Accepted|Proposed|Superseded)\b/;

/** The first paragraph of a page as one line of text, cut at a word; without the colon that leads to a list. */
export function descriptionOf(tokens) {
  const paragraphs = tokens.flatMap(({ type }, at) => (type === 'paragraph_open' ? [textOf(tokens[at + 1])] : []));
  const text = (paragraphs.find((each) => !STATUS.test(each)) ?? '').replace(/:$/, '.');
  if (text.length <= LONGEST_DESCRIPTION) return text;
  return `${text.slice(0, LONGEST_DESCRIPTION - 1).replace(/\s+\S*$/, '')}…`;
}

/**
 * The name of the picture to share: chats show no SVG, so `assets` has a picture of each version of the drawing.
 * @throws if the drawing has changed since
 */
export function sharePicture() {
  const name = `share-${createHash('sha256').update(readFileSync(DRAWING)).digest('hex').slice(0, 8)}.png`;
  const path = `site/assets/${name}`;
  const command = `chromium-headless-shell --window-size=1200,630 --screenshot=${path} ${DRAWING}`;
  if (!existsSync(path)) throw new Error(`${DRAWING} has changed; draw the picture again: ${command}`);
  return name;
}

/**
 * What search engines and chats show of a page.
 * @param homepage the site's address, if package.json has one: a canonical address needs it, and some readers load only whole addresses
 * of pictures
 */
export function headOf({ title, description, output }, { homepage, root }) {
  const base = homepage?.replace(/\/?$/, '/');
  return {
    title:
      output === 'index.html'
        ? `Asset gateway: ${title.charAt(0).toLowerCase()}${title.slice(1)}`
        : `${title} · Asset gateway`,
    description,
    picture: (base ?? root) + sharePicture(),
    canonical: base && base + output.replace(/(^|\/)index\.html$/, '$1'),
  };
}

/** The sections of a page, each with the id and the title of its heading and its text; the first is that of the page's title. */
export function sectionsOf(tokens) {
  const sections = [];
  tokens.forEach((token, at) => {
    if (token.type === 'heading_open') {
      const id = token.tag === 'h1' ? '' : token.attrGet('id');
      sections.push({ id, title: textOf(tokens[at + 1]), text: [] });
    }
    const isHeading = tokens[at - 1]?.type === 'heading_open';
    if (token.type === 'inline' && !isHeading) sections.at(-1)?.text.push(textOf(token));
    if (token.type === 'fence' && token.info !== 'mermaid') sections.at(-1)?.text.push(token.content.trim());
  });
  return sections.map((section) => ({ ...section, text: section.text.join(' ') }));
}

/** A script that hands the sections of all pages to `assets/search.js`. A script also loads from disk, where `fetch` does not. */
export function searchIndexOf(pages) {
  const sections = pages.flatMap(({ title: page, group, output, sections: all }) =>
    all.map(({ id, title, text }) => ({ title, page, group, url: id ? `${output}#${id}` : output, text })),
  );
  return `globalThis.searchSections = ${JSON.stringify(sections)};\n`;
}
