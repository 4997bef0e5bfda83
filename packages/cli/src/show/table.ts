import { oneLine } from '@asset-gateway/protocol';
import stringWidth from 'string-width';

let segmenter: Intl.Segmenter | undefined;

function graphemesOf(text: string): string[] {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return [...segmenter.segment(text)].map(({ segment }) => segment);
}

/** Returns a text cut to a width, with an ellipsis if it was cut. */
export function fitted(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let taken = '';
  let left = width - 1;
  for (const grapheme of graphemesOf(text)) {
    left -= stringWidth(grapheme);
    if (left < 0) break;
    taken += grapheme;
  }
  return `${taken}…`;
}

/** Returns a text padded with spaces. */
export function padded(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const space = ' '.repeat(Math.max(0, width - stringWidth(text)));
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
/** The longest cell. No terminal is wider. */
const MAX_CELL = 1000;

const sum = (widths: readonly number[]): number => widths.reduce((all, width) => all + width + GAP, -GAP);

/** Returns the widths of the columns that fit. First cuts columns, then omits them from the end. */
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

/** Returns the lines of a table, at most this wide. Cells are one line without hidden characters. */
export function table<Row>(rows: readonly Row[], width: number, columns: readonly Column<Row>[]): string[] {
  const cells = rows.map((row) => columns.map(({ cell }) => oneLine(cell(row), MAX_CELL)));
  const natural = columns.map(({ title }, at) =>
    cells.reduce((most, texts) => Math.max(most, stringWidth(texts[at] ?? '')), stringWidth(title)),
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
