import { posix } from 'node:path';
import { renderMermaidSVG } from 'beautiful-mermaid';

const TITLE = /^\s*accTitle:\s*(.+)$/m;
const DESCRIPTION = /^\s*accDescr:\s*(.+)$/m;
const WEB_FONT = /@import url\([^)]*\);/;
const OWN_COLORS = / style="--bg:[^"]*"/;
const COLORS = `svg { --bg: #ffffff; --fg: #1a2230; --muted: #566175; --accent: #1f5fc9; --line: #8a94a6; --surface: #f5f7fa; --border: #8a94a6; }
  @media (prefers-color-scheme: dark) {
    svg { --bg: #101319; --fg: #e6eaf1; --muted: #a3afc2; --accent: #86b3ff; --line: #6b7688; --surface: #181d26; --border: #6b7688; }
  }`;
/** Labels have 11 px in the drawing; a reader needs 13. */
const SCALE = 1.2;
const SIZE = /viewBox="0 0 ([\d.]+) ([\d.]+)"/;

/**
 * A picture of a Mermaid text that follows the reader's color scheme.
 * @param page the page that shows it
 * @throws if the text has no `accTitle` or `accDescr`, which screen readers need
 */
export function diagramOf(text, page) {
  const [, title] = TITLE.exec(text) ?? [];
  const [, description] = DESCRIPTION.exec(text) ?? [];
  if (!title || !description) throw new Error(`a diagram of ${page.source} has no accTitle or accDescr`);
  const drawn = renderMermaidSVG(text.replace(TITLE, '').replace(DESCRIPTION, ''), { padding: 16 });
  const svg = drawn.replace(OWN_COLORS, '').replace(WEB_FONT, COLORS);
  const [width, height] = SIZE.exec(svg)
    .slice(1)
    .map((length) => Math.ceil(SCALE * Number(length)));
  const output = `diagrams/${posix.basename(page.output, '.html')}.svg`;
  return { output, svg, title, description, width, height };
}
