import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Where the console's tests leave pictures, which git ignores, and the pictures in git. */
const MADE = '.setup/pictures';
const COMMITTED = 'docs/pictures';
export const PICTURES = [MADE, COMMITTED];

/** The page that shows the console's views. */
export const PAGE_WITH_PICTURES = 'docs/console-pictures.md';

const NAME = /^[\w-]+\.(?:png|webp)$/;
/** Such as `try-1440-light.webp`: view, width of the window, color scheme. */
const VIEW = /\/([a-z-]+)-(\d+)-(light|dark)\.\w+$/;
const SCHEMES = ['light', 'dark'];

/** Width and height in pixels, from the first chunk of a PNG or a lossy WebP. */
function sizeOf(bytes) {
  if (bytes.toString('latin1', 1, 4) === 'PNG')
    return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  const kind = bytes.toString('latin1', 8, 16);
  if (kind === 'WEBPVP8X') return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  if (kind === 'WEBPVP8 ') return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  throw new Error('a picture is neither PNG nor lossy WebP');
}

/** The pictures in folders by name, with their sizes in pixels. */
export function picturesIn(...folders) {
  return folders.filter(existsSync).flatMap((folder) => {
    return readdirSync(folder)
      .filter((name) => NAME.test(name))
      .sort()
      .map((name) => {
        const source = `${folder}/${name}`;
        const output = folder === MADE ? `pictures/new/${name}` : `pictures/${name}`;
        return { source, output, ...sizeOf(readFileSync(source)) };
      });
  });
}

/** The views in pictures: for each, the addresses of its pictures from the page by width and scheme, such as `1440 px light`. */
function viewsIn(pictures) {
  const views = new Map();
  for (const { source } of pictures) {
    const [, view, width, scheme] = VIEW.exec(source) ?? [];
    if (!view) continue;
    const looks = views.get(view) ?? new Map();
    const look = `${width} px ${scheme}`;
    // The first folder has the newest.
    if (!looks.has(look)) looks.set(look, `../${source}`.replace('../docs/', ''));
    views.set(view, looks);
  }
  return views;
}

/** The Markdown sections that show the console's views, one each: a column for each width of the window. */
export function partWith(pictures) {
  const parts = Array.from(viewsIn(pictures), ([view, looks]) => {
    const title = view.charAt(0).toUpperCase() + view.slice(1).replaceAll('-', ' ');
    const widths = [...new Set(Array.from(looks.keys(), (look) => Number.parseInt(look, 10)))].sort((a, b) => b - a);
    const cellFor = (look) => {
      const address = looks.get(look);
      return address ? `[![${title}, ${look}](${address})](${address})` : '';
    };
    const rows = SCHEMES.map(
      (scheme) => `| ${scheme} | ${widths.map((width) => cellFor(`${width} px ${scheme}`)).join(' | ')} |\n`,
    );
    const head = `| | ${widths.map((width) => `${width} px`).join(' | ')} |\n|${'---|'.repeat(widths.length + 1)}\n`;
    return `\n## ${title}\n\n${head}${rows.join('')}`;
  });
  return parts.join('');
}
