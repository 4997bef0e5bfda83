import { dollars } from '@asset-gateway/protocol';
import type { Group, Grouping, OpenPayment, ReadEntry } from './books.ts';
import type { Format } from './options.ts';
import { type Cell, csvLine, csvTable, objectsOf, plain, type Table, textTable } from './table.ts';
import type { Discrepancy } from './verify.ts';

const MICROS_PER_DOLLAR = 1_000_000;
const DECIMALS = 6;
const LAMPORTS_PER_SOL = 1_000_000_000;

/** What fees cost at a price of SOL in dollars, in whole millionths of a dollar. */
export const feeMicros = (lamports: number, solPriceUsd: number): number =>
  Math.round((lamports / LAMPORTS_PER_SOL) * solPriceUsd * MICROS_PER_DOLLAR);

/** What a group of sales comes to, with what fees cost where the price of SOL is known. */
export const columnsOf = (by: Grouping): readonly string[] => [
  ...(by === 'cluster' ? ['cluster'] : ['cluster', by]),
  'settlements',
  'refusals',
  'grants',
  'debits',
  'settled_usd_micros',
  'granted_usd_micros',
  'spent_usd_micros',
  'fee_lamports',
  'fee_usd_micros',
  'margin_usd_micros',
];

function rowOf(by: Grouping, group: Group, solPriceUsd: number | undefined): readonly Cell[] {
  const { cluster, settlements, refusals, grants, debits, settledMicros, grantedMicros, spentMicros, feeLamports } =
    group;
  return [
    ...(by === 'cluster' ? [cluster] : [cluster, group.group]),
    ...[settlements, refusals, grants, debits, settledMicros, grantedMicros, spentMicros, feeLamports],
    ...(solPriceUsd === undefined
      ? [undefined, undefined]
      : [feeMicros(feeLamports, solPriceUsd), settledMicros - feeMicros(feeLamports, solPriceUsd)]),
  ];
}

/** Groups as a table. */
export const groupTable = (by: Grouping, groups: readonly Group[], solPriceUsd: number | undefined): Table => ({
  columns: columnsOf(by),
  rows: groups.map((group) => rowOf(by, group, solPriceUsd)),
});

const ENTRY_COLUMNS = [
  'time',
  'kind',
  'cluster',
  'route',
  'wallet',
  'usd_micros',
  'fee_lamports',
  'transaction',
  'request_id',
  'node',
  'id',
  'repair',
];

/** Entries as a table. */
export const entryTable = (entries: readonly ReadEntry[]): Table => ({
  columns: ENTRY_COLUMNS,
  rows: entries.map((entry) => {
    const { at, kind, cluster, route, wallet, micros, feeLamports, transaction, requestId, node, id, isRepair } = entry;
    const whose = [at, kind, cluster, route, wallet];
    return [...whose, micros, feeLamports, transaction, requestId, node, id, isRepair ? 'repair' : ''];
  }),
});

/** Payments whose outcome is not known, as a table. */
export const openTable = (payments: readonly OpenPayment[]): Table => ({
  columns: ['since', 'state', 'cluster', 'route', 'wallet', 'usd', 'transaction', 'request_id', 'id'],
  rows: payments.map(({ since, state, cluster, route, wallet, micros, signature = '', requestId, key }) => {
    return [since, state, cluster, route, wallet, dollars(micros), signature, requestId, key];
  }),
});

const MICROS = /_micros$/;

/** Money in dollars, as a person reads it. */
function inDollars({ columns, rows }: Table): Table {
  const isMicros = columns.map((column) => MICROS.test(column));
  const cell = (value: Cell, column: number): Cell =>
    isMicros[column] && typeof value === 'number' ? (value / MICROS_PER_DOLLAR).toFixed(DECIMALS) : value;
  return { columns: columns.map((column) => column.replace(MICROS, '')), rows: rows.map((row) => row.map(cell)) };
}

/** A table as it was asked for. */
export function written(table: Table, format: Format): string {
  if (format === 'csv') return csvTable(table);
  if (format === 'json') return `${JSON.stringify(objectsOf(table), undefined, 2)}\n`;
  return textTable(inDollars(table));
}

/** Rows of a table that goes on: without its names, and each on a line of its own. */
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

/** What does not agree, as a table. */
export const discrepancyTable = (discrepancies: readonly Discrepancy[]): Table => ({
  columns: ['fault', 'cluster', 'wallet', 'transaction', 'id', 'journal', 'found'],
  rows: discrepancies.map(({ fault, cluster, wallet, transaction, id, journal, found }) => [
    ...[fault, cluster, wallet, transaction, id],
    ...[journal, found],
  ]),
});
