/** Character ranges that take two columns: East Asian wide and fullwidth (UAX 11), and emoji. */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1b000, 0x1b2ff],
  [0x1f200, 0x1f2ff],
  [0x20000, 0x3fffd],
];

const EMOJI = /\p{Emoji_Presentation}|\ufe0f/u;
const INVISIBLE = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;
let segmenter: Intl.Segmenter | undefined;

function widthOfGrapheme(grapheme: string): number {
  if (INVISIBLE.test(grapheme)) return 0;
  const point = grapheme.codePointAt(0) ?? 0;
  return EMOJI.test(grapheme) || WIDE.some(([first, last]) => point >= first && point <= last) ? 2 : 1;
}

function graphemesOf(text: string): string[] {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return [...segmenter.segment(text)].map(({ segment }) => segment);
}

/** The width of a text in terminal columns. */
export const widthOf = (text: string): number =>
  graphemesOf(text).reduce((sum, grapheme) => sum + widthOfGrapheme(grapheme), 0);

/** A text cut to a width, with an ellipsis if it was cut. */
export function fitted(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let taken = '';
  let left = width - 1;
  for (const grapheme of graphemesOf(text)) {
    left -= widthOfGrapheme(grapheme);
    if (left < 0) break;
    taken += grapheme;
  }
  return `${taken}…`;
}

/** A text padded with spaces. */
export function padded(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const space = ' '.repeat(Math.max(0, width - widthOf(text)));
  return align === 'left' ? text + space : space + text;
}
