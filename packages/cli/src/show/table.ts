import { oneLine } from '@asset-gateway/protocol';

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

/** A column of a table. */
export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => string;
  readonly align?: 'left' | 'right';
  /** Colours the padded cell. */
  readonly paint?: (cell: string, row: Row) => string;
  /** The width to which the column may be cut. */
  readonly minWidth?: number;
}

const GAP = 2;
/** The longest cell; no terminal is wider. */
const MAX_CELL = 1000;

const sum = (widths: readonly number[]): number => widths.reduce((all, width) => all + width + GAP, -GAP);

/** The widths of the columns that fit. Columns are cut first, then omitted from the end. */
function fit<Row>(columns: readonly Column<Row>[], natural: readonly number[], width: number): number[] {
  const least = columns.map(({ minWidth = Number.POSITIVE_INFINITY }, at) => Math.min(minWidth, natural[at] ?? 0));
  let shown = columns.length;
  while (shown > 1 && sum(least.slice(0, shown)) > width) shown--;
  const widths = natural.slice(0, shown);
  for (let at = shown - 1; at >= 0 && sum(widths) > width; at--) {
    const excess = sum(widths) - width;
    widths[at] = Math.max(least[at] ?? 0, (widths[at] ?? 0) - excess);
  }
  return widths;
}

/** The lines of a table, at most this wide. Cells are one line without hidden characters. */
export function table<Row>(rows: readonly Row[], width: number, columns: readonly Column<Row>[]): string[] {
  const cells = rows.map((row) => columns.map(({ cell }) => oneLine(cell(row), MAX_CELL)));
  const natural = columns.map(({ title }, at) =>
    cells.reduce((most, texts) => Math.max(most, widthOf(texts[at] ?? '')), widthOf(title)),
  );
  const widths = fit(columns, natural, width);
  const line = (texts: readonly string[], row?: Row): string =>
    widths
      .map((cellWidth, at) => {
        const { align = 'left', paint } = columns[at] as Column<Row>;
        const text = padded(fitted(texts[at] ?? '', cellWidth), cellWidth, align);
        return row !== undefined && paint ? paint(text, row) : text;
      })
      .join(' '.repeat(GAP))
      .trimEnd();
  const heads = columns.map(({ title }) => title);
  return [line(heads), ...rows.map((row, at) => line(cells[at] ?? [], row))];
}
