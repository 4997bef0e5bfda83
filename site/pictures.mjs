import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Where the console's tests leave pictures, which git ignores, and the pictures in git. */
const MADE = '.setup/pictures';
const COMMITTED = 'docs/pictures';
export const PICTURES = [MADE, COMMITTED];

/** The page that compares the console's pictures with those before its redesign, at its end. */
export const PAGE_WITH_PICTURES = 'docs/console.md';

const NAME = /^(?:[\w-]+\/)?[\w-]+\.(?:png|webp)$/;
/** Such as `try-1440-light.png`, just made, or `after/try-1440-light.webp`, in git: view, width of the window, color scheme. */
const VIEW = /^pictures\/(?:(?:after|before)\/)?([a-z-]+)-(\d+)-(light|dark)\.(?:png|webp)$/;

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
    const names = readdirSync(folder, { recursive: true }).map((name) => name.replaceAll('\\', '/'));
    return names
      .filter((name) => NAME.test(name))
      .sort()
      .map((name) => {
        const source = `${folder}/${name}`;
        return { source, output: `pictures/${name}`, ...sizeOf(readFileSync(source)) };
      });
  });
}

/** The pictures of a view at one width: now and before. A light one stands for its dark variant, which dark mode shows instead. */
function shownAt(width, pictures) {
  const ofWidth = pictures.filter(({ at }) => at === width);
  const pick = (isOld) => {
    const found = ofWidth.filter(({ wasBefore }) => wasBefore === isOld);
    return found.find(({ scheme }) => scheme === 'light') ?? found[0];
  };
  return [pick(false), pick(true)];
}

/** The Markdown section that shows the console's views, if there are pictures: one table each, a row for every width. */
export function partWith(pictures) {
  const views = new Map();
  for (const { source, output } of pictures) {
    const [, view, at, scheme] = VIEW.exec(output) ?? [];
    const shown = {
      address: `../${source}`.replace('../docs/', ''),
      at,
      scheme,
      wasBefore: output.includes('/before/'),
    };
    if (view) views.set(view, [...(views.get(view) ?? []), shown]);
  }
  if (views.size === 0) return '';
  const parts = Array.from(views, ([view, ofView]) => {
    const title = view.charAt(0).toUpperCase() + view.slice(1);
    const widths = [...new Set(ofView.map(({ at }) => at))].sort((one, other) => other - one);
    const cell = (picture, words) => (picture ? `[![${title}, ${words}](${picture.address})](${picture.address})` : '');
    const rows = widths.map((at) => {
      const [now, before] = shownAt(at, ofView);
      return `| ${at} px | ${cell(now, `${at} px`)} | ${cell(before, `${at} px, before`)} |`;
    });
    return `### ${title}\n\n| width | now | before |\n|---|---|---|\n${rows.join('\n')}\n`;
  });
  return `\n## Pictures\n\n${parts.join('\n')}`;
}
