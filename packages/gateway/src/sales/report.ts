import { dollars, LAMPORTS_PER_SOL, MICROS_PER_USD } from '@asset-gateway/protocol';
import { jumpOf } from '../stores/sql/books-clock.ts';
import type { ClockRow } from '../stores/sql/database.ts';
import type { Discrepancy } from './audit.ts';
import {
  type Books,
  GROUPINGS,
  type Grouping,
  type OpenPayment,
  type ReadEntry,
  type SalesGroup,
  SUM_COLUMNS,
} from './books.ts';
import { isGrouping, type ReportFormat, sinceOf } from './options.ts';

/** A cell. Numbers stay numbers in every format; undefined is an empty cell. */
export type Cell = string | number | undefined;

/** A table: column names, and rows of the same length. */
export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

const cellText = (cell: Cell): string => (cell === undefined ? '' : String(cell));

/** Matches characters that a terminal or a spreadsheet may interpret. */
const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Returns the text of a cell in a terminal. */
export const printable = (cell: Cell): string => cellText(cell).replace(CONTROLS, '\ufffd');

const NUMBER = /^-?[\d.]*$/;

/** Returns a table for people, as aligned columns with a header line. */
export function textTable({ columns, rows }: Table): string {
  const lines = [columns, ...rows.map((row) => row.map(printable))];
  const widths = columns.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const isNumber = columns.map((_, column) => rows.every((row) => NUMBER.test(cellText(row[column]))));
  const align = (text: string, column: number): string =>
    isNumber[column] ? text.padStart(widths[column] ?? 0) : text.padEnd(widths[column] ?? 0);
  return lines.map((line) => `${line.map(align).join('  ').trimEnd()}\n`).join('');
}

/** Matches the beginning of a text that a spreadsheet runs as a formula. A quote in front prevents that. */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

function csvCell(cell: Cell): string {
  if (typeof cell !== 'string') return cellText(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n']/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Returns one line of CSV (RFC 4180), without formulas. `csv-stringify` takes 1 MB for it. */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(csvCell).join(',')}\r\n`;

/** Returns the rows as objects, by column name. */
export const objectsOf = ({ columns, rows }: Table): Record<string, Cell | null>[] =>
  rows.map((row) => Object.fromEntries(columns.map((column, index) => [column, row[index] ?? null])));

const DECIMALS = 6;

/** Returns a table with these members as its columns. */
const tableOf = <Name extends string>(
  columns: readonly Name[],
  rows: readonly Readonly<Partial<Record<Name, Cell>>>[],
): Table => ({ columns, rows: rows.map((row) => columns.map((column) => row[column])) });

/** Returns groups as a table. The last two columns are empty unless the price of SOL is configured. */
export function groupTable(by: Grouping, groups: readonly SalesGroup[], solPriceUsd: number | undefined): Table {
  const microsPerLamport = ((solPriceUsd ?? 0) * MICROS_PER_USD) / LAMPORTS_PER_SOL;
  const rows = groups.map((group) => {
    const fee = solPriceUsd === undefined ? undefined : Math.round(group.fee_lamports * microsPerLamport);
    const margin = fee === undefined ? undefined : group.settled_usd_micros - fee;
    return { ...group, [by]: group.group, fee_usd_micros: fee, margin_usd_micros: margin };
  });
  return tableOf([...new Set(['cluster', by]), ...SUM_COLUMNS, 'fee_usd_micros', 'margin_usd_micros'], rows);
}

const PAID = ['cluster', 'route', 'wallet'] as const;

/** Returns entries as a table. */
export const entryTable = (entries: readonly ReadEntry[]): Table =>
  tableOf(
    ['time', 'kind', ...PAID, 'usd_micros', 'fee_lamports', 'transaction', 'request_id', 'node', 'id', 'repair'],
    entries,
  );

/** Returns payments with an unknown outcome as a table. */
export const openTable = (payments: readonly OpenPayment[]): Table =>
  tableOf(
    ['since', 'state', ...PAID, 'usd', 'transaction', 'request_id', 'id'],
    payments.map((payment) => ({ ...payment, usd: dollars(payment.usd_micros) })),
  );

const MICROS_COLUMN = /_micros$/;

/** Returns a table for people, with money in dollars. */
function inDollars({ columns, rows }: Table): Table {
  const isMicros = columns.map((column) => MICROS_COLUMN.test(column));
  const cell = (value: Cell, column: number): Cell =>
    isMicros[column] && typeof value === 'number' ? (value / MICROS_PER_USD).toFixed(DECIMALS) : value;
  return {
    columns: columns.map((column) => column.replace(MICROS_COLUMN, '')),
    rows: rows.map((row) => row.map(cell)),
  };
}

/**
 * Returns a table in an output format. `isMore`: the rows continue an earlier table, so they are written one a line and without column
 * names.
 */
export function tableText(table: Table, format: ReportFormat, isMore = false): string {
  const { columns, rows } = format === 'table' ? inDollars(table) : table;
  if (format === 'csv') return (isMore ? rows : [columns, ...rows]).map(csvLine).join('');
  if (!isMore && format === 'json') return `${JSON.stringify(objectsOf(table), undefined, 2)}\n`;
  if (!isMore) return textTable({ columns, rows });
  const lines =
    format === 'json'
      ? objectsOf(table).map((row) => JSON.stringify(row))
      : rows.map((row) => row.map(printable).join('  '));
  return lines.map((line) => `${line}\n`).join('');
}

/** Returns the clocks of the books as a table. */
export function clockTable(clocks: ClockRow): Table {
  const jumpMs = jumpOf(clocks);
  const [wall, books] = [clocks.wallMs, clocks.nowMs].map((ms) => new Date(ms).toISOString());
  return {
    columns: ['wall_clock', 'books_clock', 'jump_seconds', 'deletion'],
    rows: [[wall, books, Math.round(jumpMs / 1_000), jumpMs === 0 ? 'on' : 'paused']],
  };
}

/** Returns discrepancies as a table. The column `command` has the command that appends a missing entry. */
export const discrepancyTable = (discrepancies: readonly Discrepancy[]): Table =>
  tableOf(['fault', 'cluster', 'wallet', 'transaction', 'id', 'journal', 'found', 'command'], discrepancies);

/** The source of sales reports. */
interface SalesSource {
  /** The reports; undefined if nothing is sold. */
  readonly books: Books | undefined;
  readonly solPriceUsd: number | undefined;
  /** The clock of the journal. */
  readonly now: () => number;
}

const DAY = '24h';
const KNOWN = ['since', 'by', 'limit'];
const LIMIT = /^[1-9]\d{0,4}$/;
const NOTHING = { groups: [], count: 0 };

/**
 * Returns the function that answers a query of `since`, `by` and `limit` with sales as JSON. It returns undefined if the query is invalid.
 */
export function createSalesAnswer({ books, solPriceUsd, now }: SalesSource) {
  return async (query: URLSearchParams): Promise<string | undefined> => {
    const sinceMs = sinceOf(query.get('since') ?? DAY, now());
    const by = query.get('by') ?? GROUPINGS[0];
    const limit = query.get('limit');
    const names = [...query.keys()];
    const isKnown = names.every((name, index) => KNOWN.includes(name) && names.indexOf(name) === index);
    if (sinceMs === undefined || !isGrouping(by) || !isKnown || (limit !== null && !LIMIT.test(limit)))
      return undefined;
    const found = await books?.groups(sinceMs, by, limit === null ? undefined : Number(limit));
    const { groups, count } = found ?? NOTHING;
    const sales = objectsOf(groupTable(by, groups, solPriceUsd));
    const since = new Date(sinceMs).toISOString();
    return JSON.stringify({ since, by, isComplete: true, solPriceUsd: solPriceUsd ?? null, count, sales });
  };
}
