import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where the tests of the console leave its pictures; git has none of them. */
export const PICTURES = '.setup/pictures';

/** The page whose last part they are. */
export const PAGE_WITH_PICTURES = 'docs/console.md';

/** A PNG begins with 8 bytes of its own and its first chunk, in which width and height are the first two numbers. */
const WIDTH_AT = 16;
const HEIGHT_AT = 20;

/** The pictures that are there, in the order of their names, with their sizes in pixels. */
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

/** What a picture shows, from its name: `try-search-narrow.png` is "Try search narrow", and `try-search-light.png` "Try search". */
function captionOf({ output }) {
  const words = output.replace(/^pictures\/|(?:-light)?\.png$/g, '').replaceAll(/[-_]+/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * The part of the page that shows them, in Markdown; nothing where there is none. A picture of a dark page is left out where there
 * is one of the same page in light: it takes that one's place for whoever reads in the dark.
 */
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
