import { UNKNOWN } from '@asset-gateway/protocol';
import type { ComponentChild } from 'preact';
import { count } from '../parts/format.ts';
import { Table as PlainTable } from '../parts/table.tsx';
import { plain } from '../parts/text.ts';
import type { Count } from './use-history.ts';

export type Cell = ComponentChild;

interface OperateTableProps {
  readonly caption: string;
  readonly head: readonly string[];
  /** The rows. The first cell of a row is its header. */
  readonly rows: readonly (readonly Cell[])[];
  /** The number of all rows, if these are fewer. */
  readonly of?: number;
  /** The text that follows the caption if there are no rows. */
  readonly empty?: string;
}

const isNumber = (cell: Cell): boolean => /^[-–$\d]/.test(String(cell ?? UNKNOWN));

export const MAX_ROWS = 50;

/** A table of figures, or one line if it has none. */
export function Table({ caption, head, rows, of = 0, empty = 'none yet.' }: OperateTableProps) {
  if (rows.length === 0)
    return (
      <p class="small">
        {caption}: <span class="muted">{empty}</span>
      </p>
    );
  const columns = head.map((title, at) => ({
    title,
    isNumber: at > 0 && isNumber(rows[0]?.[at]),
    cell: (row: readonly Cell[]) => (typeof row[at] === 'number' ? count(row[at]) : (row[at] ?? UNKNOWN)),
  }));
  const all = Math.max(of, rows.length);
  const more = all > MAX_ROWS ? `: the first ${MAX_ROWS} of ${count(all)}` : '';
  return <PlainTable caption={caption + more} columns={columns} rows={rows.slice(0, MAX_ROWS)} />;
}

/** A bar filled to a fraction. Screen readers read the figures beside it. */
export const Bar = ({ fraction }: { readonly fraction: number }) => (
  <span class="bar" aria-hidden="true">
    <span style={{ width: `${Math.min(100, Math.max(0, fraction * 100))}%` }} />
  </span>
);

interface CountsProps {
  readonly caption: string;
  /** The label that names the rows. */
  readonly label: string;
  readonly counts: readonly Count[];
  /** Words for the label's values. */
  readonly words?: Readonly<Record<string, string>>;
}

/** A counter by labels, largest first. Omits zeros. */
export function Counts({ caption, label, counts, words = {} }: CountsProps) {
  const rows = counts
    .filter(([, total]) => total !== 0)
    .sort(([, one], [, other]) => other - one)
    .map(([group, total, perMinute]) => [words[group] ?? plain(group), total, perMinute]);
  return <Table caption={caption} head={[label, 'since start', 'per minute, 5 min']} rows={rows} />;
}
