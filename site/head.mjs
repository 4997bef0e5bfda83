import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';

const LONGEST_DESCRIPTION = 160;
const DRAWING = 'site/share.svg';

/** The first paragraph of a page as one line of text, cut at a word; without the colon that leads to a list. */
export function descriptionOf(tokens) {
  const at = tokens.findIndex(({ type }) => type === 'paragraph_open');
  const children = tokens[at + 1]?.children ?? [];
  const text = children
    .map(({ content, type }) => (type === 'softbreak' ? ' ' : content))
    .join('')
    .replace(/:$/, '.');
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
