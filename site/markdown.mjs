import { slug } from 'github-slugger';
import markdownIt from 'markdown-it';
import anchor from 'markdown-it-anchor';
import { resolveLink, targetOf } from './links.mjs';

const ALIGNMENT = /^text-align:(\w+)$/;
const LIGHT = /-light\.png$/;
const PICTURE_OF_TERMINAL = /^text \d+$/;

/** Makes a link that leads nowhere plain code: its text stays. */
function unlink(children, at) {
  const end = children.findIndex(({ type }, index) => index > at && type === 'link_close');
  for (const child of children.slice(at, end)) if (child.type === 'text') child.type = 'code_inline';
  for (const child of [children[at], children[end]]) Object.assign(child, { type: 'text', content: '', nesting: 0 });
}

/** Gives a link the address that it has in the site; one that only names a file gets the title of the page. */
function rewriteLink(children, at, { page, site }) {
  const [opening, text] = children.slice(at);
  const href = opening.attrGet('href');
  const address = resolveLink(href, page, site);
  if (address === undefined) return unlink(children, at);
  opening.attrSet('href', address);
  const target = targetOf(href, page);
  if ([href, target].includes(text.content)) text.content = site.titles.get(target) ?? text.content;
}

/** Gives a picture the address that it has in the site, and its size, so that nothing moves when it comes. */
function rewritePicture(image, { page, site }) {
  const src = image.attrGet('src');
  const picture = site.pictures.find(({ source }) => source === targetOf(src, page));
  if (!picture) throw new Error(`${page.source} shows ${src}, which the site does not have`);
  const { width, height } = picture;
  const address = resolveLink(src, page, site);
  // The renderer writes what stands for the picture into `alt`.
  image.attrs = Object.entries({ src: address, alt: '', width, height, loading: 'lazy' });
  const dark = site.pictures.find(({ output }) => output === picture.output.replace(LIGHT, '-dark.png'));
  image.meta = {
    dark: dark && dark !== picture ? resolveLink(src.replace(LIGHT, '-dark.png'), page, site) : undefined,
  };
}

function rewriteAddresses(children, place) {
  children.forEach((child, at) => {
    if (child.type === 'link_open') rewriteLink(children, at, place);
    if (child.type === 'image') rewritePicture(child, place);
  });
}

/** Alignment by class, as the pages allow no style of an element's own. */
function alignByClass(token) {
  const alignment = ALIGNMENT.exec(token.attrGet('style') ?? '')?.[1];
  if (alignment) token.attrs = [['class', alignment]];
}

/** A column without a name has an empty cell in its place: a heading that says nothing only stops whoever listens to the page. */
function leaveOutEmptyHeading(tokens, at) {
  const [opening, text, closing] = tokens.slice(at);
  if (text.content === '') for (const token of [opening, closing]) token.tag = 'td';
}

/** What is wider than a phone scrolls inside itself, by keyboard too. */
function renderScrolling(markdown) {
  const { rules } = markdown.renderer;
  rules.table_open = () => '<div class="wide" role="group" aria-label="Table" tabindex="0"><table>\n';
  rules.table_close = () => '</table></div>\n';
  rules.fence = (tokens, at) => {
    const { info, content } = tokens[at];
    const kind = PICTURE_OF_TERMINAL.test(info.trim()) ? ' class="terminal"' : '';
    return `<pre tabindex="0"${kind}><code>${markdown.utils.escapeHtml(content)}</code></pre>\n`;
  };
}

/** A picture of a light page is replaced, where there is one, by that of the dark page for readers who have it dark. */
function renderPictures({ renderer: { rules } }) {
  const renderImage = rules.image;
  rules.image = (tokens, at, ...rest) => {
    const image = renderImage(tokens, at, ...rest);
    const { dark } = tokens[at].meta;
    if (dark === undefined) return image;
    return `<picture><source media="(prefers-color-scheme: dark)" srcset="${dark}">${image}</picture>`;
  };
}

/** What reads the Markdown of the repository: as GitHub does, with the same anchors. The page stands in what it is given beside the text. */
export function createMarkdown(site) {
  const markdown = markdownIt({ html: false });
  markdown.use(anchor, { slugify: (text) => slug(text), uniqueSlugStartIndex: 1, tabIndex: false });
  markdown.core.ruler.push('site', ({ tokens, env: page }) => {
    tokens.forEach((token, at) => {
      if (token.children) rewriteAddresses(token.children, { page, site });
      if (token.type === 'th_open') leaveOutEmptyHeading(tokens, at);
      if (token.type === 'th_open' || token.type === 'td_open') alignByClass(token);
    });
  });
  renderScrolling(markdown);
  renderPictures(markdown);
  return markdown;
}
