import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Where the console's tests leave pictures, which git ignores, and the pictures in git. */
const MADE = '.setup/pictures';
const COMMITTED = 'docs/pictures';
export const PICTURES = [MADE, COMMITTED];

/** The page that shows the console's pictures, at its end. */
export const PAGE_WITH_PICTURES = 'docs/console.md';

const NAME = /^[\w-]+\.(?:png|webp)$/;
/** Such as `try-1440-light.png`, just made, or `try-1440-light.webp`, in git: view, width of the window, color scheme. */
const VIEW = /^pictures\/([a-z-]+)-(\d+)-(light|dark)\./;

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
        return { source, output: `pictures/${name}`, ...sizeOf(readFileSync(source)) };
      });
  });
}

/** The Markdown section that shows the console's views, if there are pictures. A light one stands for its dark variant too. */
export function partWith(pictures) {
  const views = new Map();
  for (const { source, output } of pictures) {
    const [, view, width, scheme] = VIEW.exec(output) ?? [];
    if (!view) continue;
    const widths = views.get(view) ?? new Map();
    // The first folder has the newest.
    const isShown = widths.has(width) && (scheme === 'dark' || widths.get(width).includes('-light'));
    if (!isShown) widths.set(width, `../${source}`.replace('../docs/', ''));
    views.set(view, widths);
  }
  if (views.size === 0) return '';
  const parts = Array.from(views, ([view, widths]) => {
    const title = view.charAt(0).toUpperCase() + view.slice(1);
    const sorted = [...widths].sort(([one], [other]) => other - one);
    const rows = sorted.map(
      ([width, address]) => `| ${width} px | [![${title}, ${width} px](${address})](${address}) |\n`,
    );
    return `### ${title}\n\n| width | picture |\n|---|---|\n${rows.join('')}`;
  });
  return `\n## Pictures\n\n${parts.join('\n')}`;
}
