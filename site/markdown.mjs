import { slug } from 'github-slugger';
import markdownIt from 'markdown-it';
import anchor from 'markdown-it-anchor';
import { coloredCode } from './code.mjs';
import { diagramOf } from './diagrams.mjs';
import { relativeUrl, resolveLink, targetOf } from './links.mjs';
import { LANDING } from './navigation.mjs';
import { PAGE_WITH_PICTURES } from './pictures.mjs';
import { FOLDED, foldSections, layOutLanding } from './sections.mjs';
import { prepareTables } from './tables.mjs';

const LIGHT = /-light(?=\.\w+$)/;
const PICTURE_OF_TERMINAL = /^text \d+$/;
const DIAGRAM = 'mermaid';
const ANCHOR = / \{#([\w-]+)\}$/;

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
  const dark = site.pictures.find(({ output }) => output === picture.output.replace(LIGHT, '-dark'));
  const hasVariant = dark && dark !== picture && page.source !== PAGE_WITH_PICTURES;
  image.meta = { dark: hasVariant ? resolveLink(src.replace(LIGHT, '-dark'), page, site) : undefined };
}

function rewriteAddresses(children, place) {
  children.forEach((child, at) => {
    if (child.type === 'link_open') rewriteLink(children, at, place);
    if (child.type === 'image') rewritePicture(child, place);
  });
}

/** Tables, code and diagrams wider than a phone scroll, by keyboard too. */
function renderScrolling(markdown, { diagrams }) {
  const { rules } = markdown.renderer;
  const { escapeHtml } = markdown.utils;
  rules.table_open = (tokens, at) =>
    `<div class="wide" role="group" aria-label="Table" tabindex="0"><table${tokens[at].meta?.isLong ? ' class="long"' : ''}>\n`;
  rules.table_close = () => '</table></div>\n';
  rules.fence = (tokens, at, _options, page) => {
    const { info, content } = tokens[at];
    if (info === DIAGRAM) {
      const { output, title, description, width, height } = diagrams.get(content);
      const size = `width="${width}" height="${height}"`;
      const src = relativeUrl(page.output, output);
      return `<div class="wide diagram" role="group" aria-label="Diagram: ${escapeHtml(title)}" tabindex="0"><img src="${src}" alt="${escapeHtml(description)}" ${size}></div>\n`;
    }
    const kind = PICTURE_OF_TERMINAL.test(info.trim()) ? ' class="terminal"' : '';
    const [language] = info.split(' ');
    const code = coloredCode(content, language, escapeHtml);
    return `<div class="code"><pre tabindex="0"${kind}><code>${code}</code></pre></div>\n`;
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

/** Gives a heading the anchor that it names, such as `### call() {#call-1}`: TypeDoc numbers anchors its own way. */
function nameAnchors({ tokens }) {
  tokens.forEach((token, at) => {
    const [named, id] = (token.type === 'heading_open' && ANCHOR.exec(tokens[at + 1].content)) || [];
    if (named === undefined) return;
    token.attrSet('id', id);
    tokens[at + 1].content = tokens[at + 1].content.slice(0, -named.length);
  });
}

/** A Markdown renderer that matches GitHub's, anchors included. Its environment is the page. */
export function createMarkdown(site) {
  const markdown = markdownIt({ html: false });
  markdown.core.ruler.after('block', 'anchors', nameAnchors);
  markdown.use(anchor, { slugify: (text) => slug(text), uniqueSlugStartIndex: 1, tabIndex: false });
  markdown.core.ruler.push('site', ({ tokens, env: page }) => {
    tokens.forEach((token) => {
      if (token.children) rewriteAddresses(token.children, { page, site });
      if (token.type === 'fence' && token.info === DIAGRAM && !site.diagrams.has(token.content))
        site.diagrams.set(token.content, diagramOf(token.content, page));
    });
  });
  markdown.core.ruler.push('tables', ({ tokens }) => prepareTables(tokens));
  markdown.core.ruler.push('sections', (state) => {
    if (state.env.source === LANDING) layOutLanding(state);
    if (FOLDED.has(state.env.source)) foldSections(state, FOLDED.get(state.env.source));
  });
  renderScrolling(markdown, site);
  renderPictures(markdown);
  return markdown;
}
