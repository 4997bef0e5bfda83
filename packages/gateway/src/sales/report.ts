import { dollars } from '@asset-gateway/protocol';
import { jumpOf } from '../stores/sql/clock.ts';
import type { ClockRow } from '../stores/sql/database.ts';
import type { Discrepancy } from './audit.ts';
import {
  type Books,
  GROUPINGS,
  type Group,
  type Grouping,
  type OpenPayment,
  type ReadEntry,
  SUM_COLUMNS,
} from './books.ts';
import { type Format, isGrouping, sinceOf } from './options.ts';

/** A cell. Numbers stay numbers in every format; undefined is an empty cell. */
export type Cell = string | number | undefined;

/** A table: column names, and rows of the same length. */
export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

const textOf = (cell: Cell): string => (cell === undefined ? '' : String(cell));

/** Characters that a terminal or a spreadsheet may interpret. */
const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** The text of a cell in a terminal. */
export const plain = (cell: Cell): string => textOf(cell).replace(CONTROLS, '\ufffd');

const NUMBER = /^-?[\d.]*$/;

/** Aligned columns with a header line, for a person. */
export function textTable({ columns, rows }: Table): string {
  const lines = [columns, ...rows.map((row) => row.map(plain))];
  const widths = columns.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const isNumber = columns.map((_, column) => rows.every((row) => NUMBER.test(textOf(row[column]))));
  const align = (text: string, column: number): string =>
    isNumber[column] ? text.padStart(widths[column] ?? 0) : text.padEnd(widths[column] ?? 0);
  return lines.map((line) => `${line.map(align).join('  ').trimEnd()}\n`).join('');
}

/** A spreadsheet runs text with such a beginning as a formula; a leading quote prevents that. */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

function csvCell(cell: Cell): string {
  if (typeof cell !== 'string') return textOf(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n']/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** One line of RFC 4180, without formulas. */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(csvCell).join(',')}\r\n`;

/** RFC 4180 with a header line. */
export const csvTable = ({ columns, rows }: Table): string => [columns, ...rows].map(csvLine).join('');

/** Rows as objects, by column name. */
export const objectsOf = ({ columns, rows }: Table): Record<string, Cell | null>[] =>
  rows.map((row) => Object.fromEntries(columns.map((column, index) => [column, row[index] ?? null])));

const MICROS_PER_DOLLAR = 1_000_000;
const DECIMALS = 6;
const LAMPORTS_PER_SOL = 1_000_000_000;

/** The cost of fees at a price of SOL in dollars, in whole millionths of a dollar. */
const feeMicros = (lamports: number, solPriceUsd: number): number =>
  Math.round((lamports / LAMPORTS_PER_SOL) * solPriceUsd * MICROS_PER_DOLLAR);

/** Groups as a table. The last two columns are empty unless the price of SOL is configured. */
export function groupTable(by: Grouping, groups: readonly Group[], solPriceUsd: number | undefined): Table {
  const isByCluster = by === 'cluster';
  return {
    columns: ['cluster', ...(isByCluster ? [] : [by]), ...SUM_COLUMNS, 'fee_usd_micros', 'margin_usd_micros'],
    rows: groups.map((group) => {
      const sums = SUM_COLUMNS.map((column) => group[column]);
      const fee = solPriceUsd === undefined ? undefined : feeMicros(group.fee_lamports, solPriceUsd);
      const margin = fee === undefined ? undefined : group.settled_usd_micros - fee;
      return [group.cluster, ...(isByCluster ? [] : [group.group]), ...sums, fee, margin];
    }),
  };
}

/** The cells of an entry by their columns. */
const ENTRY: Readonly<Record<string, (entry: ReadEntry) => Cell>> = {
  time: ({ at }) => at,
  kind: ({ kind }) => kind,
  cluster: ({ cluster }) => cluster,
  route: ({ route }) => route,
  wallet: ({ wallet }) => wallet,
  usd_micros: ({ micros }) => micros,
  fee_lamports: ({ feeLamports }) => feeLamports,
  transaction: ({ transaction }) => transaction,
  request_id: ({ requestId }) => requestId,
  node: ({ node }) => node,
  id: ({ id }) => id,
  repair: ({ repair }) => repair,
};

/** Entries as a table. */
export const entryTable = (entries: readonly ReadEntry[]): Table => ({
  columns: Object.keys(ENTRY),
  rows: entries.map((entry) => Object.values(ENTRY).map((cellOf) => cellOf(entry))),
});

/** Payments with an unknown outcome, as a table. */
export const openTable = (payments: readonly OpenPayment[]): Table => ({
  columns: ['since', 'state', 'cluster', 'route', 'wallet', 'usd', 'transaction', 'request_id', 'id'],
  rows: payments.map(({ since, state, cluster, route, wallet, micros, signature, requestId, key }) => {
    return [since, state, cluster, route, wallet, dollars(micros), signature ?? '', requestId, key];
  }),
});

const MICROS = /_micros$/;

/** Converts money to dollars, for a person. */
function inDollars({ columns, rows }: Table): Table {
  const isMicros = columns.map((column) => MICROS.test(column));
  const cell = (value: Cell, column: number): Cell =>
    isMicros[column] && typeof value === 'number' ? (value / MICROS_PER_DOLLAR).toFixed(DECIMALS) : value;
  return { columns: columns.map((column) => column.replace(MICROS, '')), rows: rows.map((row) => row.map(cell)) };
}

/** A table in an output format. */
export function written(table: Table, format: Format): string {
  if (format === 'csv') return csvTable(table);
  if (format === 'json') return `${JSON.stringify(objectsOf(table), undefined, 2)}\n`;
  return textTable(inDollars(table));
}

/** More rows of a table: one per line, without column names. */
export function writtenOn(table: Table, format: Format): string {
  if (format === 'csv') return table.rows.map(csvLine).join('');
  if (format === 'json')
    return objectsOf(table)
      .map((row) => `${JSON.stringify(row)}\n`)
      .join('');
  return inDollars(table)
    .rows.map((row) => `${row.map(plain).join('  ')}\n`)
    .join('');
}

/** The clocks of the books as a table. */
export function clockTable(clocks: ClockRow): Table {
  const jumpMs = jumpOf(clocks);
  const [wall, books] = [clocks.wallMs, clocks.nowMs].map((ms) => new Date(ms).toISOString());
  return {
    columns: ['wall_clock', 'books_clock', 'jump_seconds', 'deletion'],
    rows: [[wall, books, Math.round(jumpMs / 1_000), jumpMs === 0 ? 'on' : 'paused']],
  };
}

/** Discrepancies as a table. `command` appends the entry of a transfer without one. */
export function discrepancyTable(discrepancies: readonly Discrepancy[]): Table {
  const columns = ['fault', 'cluster', 'wallet', 'transaction', 'id', 'journal', 'found', 'command'] as const;
  return { columns, rows: discrepancies.map((each) => columns.map((column) => each[column])) };
}

/** The source of sales reports. */
interface SalesSource {
  /** Undefined if nothing is sold. */
  readonly books: Books | undefined;
  readonly solPriceUsd: number | undefined;
  /** The clock of the journal. */
  readonly now: () => number;
}

const DAY = '24h';
const KNOWN = ['since', 'by', 'limit'];
const LIMIT = /^[1-9]\d{0,4}$/;
const NOTHING = { groups: [], count: 0 };

/** Answers a query of `since`, `by` and `limit` with sales as JSON; undefined if the query is invalid. */
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
