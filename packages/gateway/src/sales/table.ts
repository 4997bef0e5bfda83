/** What stands in a cell; numbers are numbers in every format, and nothing is an empty cell. */
export type Cell = string | number | undefined;

/** Columns by name, each of the same length. */
export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

const textOf = (cell: Cell): string => (cell === undefined ? '' : String(cell));

/** What a terminal or a spreadsheet would take for something else than a character. */
const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** What a cell is in a terminal. */
export const plain = (cell: Cell): string => textOf(cell).replace(CONTROLS, '\ufffd');

const NUMBER = /^-?[\d.]*$/;

/** Aligned columns with a line of names, for a person. */
export function textTable({ columns, rows }: Table): string {
  const lines = [columns, ...rows.map((row) => row.map(plain))];
  const widths = columns.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const isNumber = columns.map((_, column) => rows.every((row) => NUMBER.test(textOf(row[column]))));
  const align = (text: string, column: number): string =>
    isNumber[column] ? text.padStart(widths[column] ?? 0) : text.padEnd(widths[column] ?? 0);
  return lines.map((line) => `${line.map(align).join('  ').trimEnd()}\n`).join('');
}

/** A spreadsheet calculates what begins so; a quote in front makes it text. */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

function csvCell(cell: Cell): string {
  if (typeof cell !== 'string') return textOf(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n']/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** One line of RFC 4180, without anything that a spreadsheet would calculate. */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(csvCell).join(',')}\r\n`;

/** RFC 4180 with a line of names. */
export const csvTable = ({ columns, rows }: Table): string => [columns, ...rows].map(csvLine).join('');

/** Rows as objects by the names of the columns. */
export const objectsOf = ({ columns, rows }: Table): Record<string, Cell | null>[] =>
  rows.map((row) => Object.fromEntries(columns.map((column, index) => [column, row[index] ?? null])));
