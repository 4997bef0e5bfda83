import { slug } from 'github-slugger';
import markdownIt from 'markdown-it';
import anchor from 'markdown-it-anchor';
import { resolveLink, targetOf } from './links.mjs';

const ALIGNMENT = /^text-align:(\w+)$/;
const LIGHT = /-light\.png$/;
const PICTURE_OF_TERMINAL = /^text \d+$/;

/** Replaces a link without an address by its text, as code. */
function unlink(children, at) {
  const end = children.findIndex(({ type }, index) => index > at && type === 'link_close');
  for (const child of children.slice(at, end)) if (child.type === 'text') child.type = 'code_inline';
  for (const child of [children[at], children[end]]) Object.assign(child, { type: 'text', content: '', nesting: 0 });
}

/** Gives a link its address in the site. A link whose text is a file name gets the page's title. */
function rewriteLink(children, at, { page, site }) {
  const [opening, text] = children.slice(at);
  const href = opening.attrGet('href');
  const address = resolveLink(href, page, site);
  if (address === undefined) return unlink(children, at);
  opening.attrSet('href', address);
  const target = targetOf(href, page);
  if ([href, target].includes(text.content)) text.content = site.titles.get(target) ?? text.content;
}

/** Gives a picture its address in the site, and its size, so that the layout does not shift. */
function rewritePicture(image, { page, site }) {
  const src = image.attrGet('src');
  const picture = site.pictures.find(({ source }) => source === targetOf(src, page));
  if (!picture) throw new Error(`${page.source} shows ${src}, which the site does not have`);
  const { width, height } = picture;
  const address = resolveLink(src, page, site);
  // The renderer fills in `alt`.
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

/** Aligns by class, because the pages' policy forbids style attributes. */
function alignByClass(token) {
  const alignment = ALIGNMENT.exec(token.attrGet('style') ?? '')?.[1];
  if (alignment) token.attrs = [['class', alignment]];
}

/** An empty column heading becomes a plain cell, so that screen readers do not announce it. */
function leaveOutEmptyHeading(tokens, at) {
  const [opening, text, closing] = tokens.slice(at);
  if (text.content === '') for (const token of [opening, closing]) token.tag = 'td';
}

/** Tables and code wider than a phone scroll, by keyboard too. */
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

/** In dark mode, shows the dark variant of a picture, if any. */
function renderPictures({ renderer: { rules } }) {
  const renderImage = rules.image;
  rules.image = (tokens, at, ...rest) => {
    const image = renderImage(tokens, at, ...rest);
    const { dark } = tokens[at].meta;
    if (dark === undefined) return image;
    return `<picture><source media="(prefers-color-scheme: dark)" srcset="${dark}">${image}</picture>`;
  };
}

/** A Markdown renderer that matches GitHub's, anchors included. Its environment is the page. */
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
