import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where the console's tests leave pictures; git ignores them. */
export const PICTURES = '.setup/pictures';

/** The page that shows them at its end. */
export const PAGE_WITH_PICTURES = 'docs/console.md';

/** Offsets of width and height in a PNG's first chunk. */
const WIDTH_AT = 16;
const HEIGHT_AT = 20;

/** The pictures by name, with their sizes in pixels. */
export function picturesIn(folder) {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => /^[\w-]+\.png$/.test(name)) : [];
  return names.sort().map((name) => {
    const bytes = readFileSync(join(folder, name));
    return {
      source: `${PICTURES}/${name}`,
      output: `pictures/${name}`,
      width: bytes.readUInt32BE(WIDTH_AT),
      height: bytes.readUInt32BE(HEIGHT_AT),
    };
  });
}

/** A picture's caption from its name: `try-search-narrow.png` is "Try search narrow", and `try-search-light.png` "Try search". */
function captionOf({ output }) {
  const words = output.replace(/^pictures\/|(?:-light)?\.png$/g, '').replaceAll(/[-_]+/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The Markdown section that shows the pictures, if any. The dark variant of a light picture is left out; dark mode shows it instead. */
export function partWith(pictures) {
  if (pictures.length === 0) return '';
  const light = new Set(pictures.map(({ source }) => source).filter((source) => source.endsWith('-light.png')));
  const shown = pictures.filter(
    ({ source }) => !light.has(source.replace(/-dark\.png$/, '-light.png')) || light.has(source),
  );
  const parts = shown.map((picture) => {
    const [caption, address] = [captionOf(picture), `../${picture.source}`];
    return `### ${caption}\n\n[![${caption}](${address})](${address})\n`;
  });
  return `\n## Pictures\n\n${parts.join('\n')}`;
}
