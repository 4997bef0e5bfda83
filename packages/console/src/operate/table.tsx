import type { ComponentChild } from 'preact';
import { Table as PlainTable } from '../parts/table.tsx';
import type { Figures, Wanted } from './figures.ts';
import type { Growth } from './history.ts';
import { count, UNKNOWN } from './trends.ts';

export type Cell = ComponentChild;

interface TableProps {
  readonly caption: string;
  readonly head: readonly string[];
  /** The first cell is the row header. */
  readonly rows: readonly (readonly Cell[])[];
  /** The total number of rows, if these are not all. */
  readonly of?: number;
  readonly empty?: string;
}

const isNumber = (cell: Cell): boolean => /^[-–$\d]/.test(String(cell ?? UNKNOWN));

export const MAX_ROWS = 50;

/** A table of figures. */
export function Table({ caption, head, rows, of = 0, empty = 'None yet.' }: TableProps) {
  const columns = head.map((title, at) => ({
    title,
    isNumber: at > 0 && isNumber(rows[0]?.[at]),
    cell: (row: readonly Cell[]) => (typeof row[at] === 'number' ? count(row[at]) : (row[at] ?? UNKNOWN)),
  }));
  const all = Math.max(of, rows.length);
  const more = all > MAX_ROWS ? `: the first ${MAX_ROWS} of ${count(all)}` : '';
  return <PlainTable caption={caption + more} columns={columns} rows={rows.slice(0, MAX_ROWS)} empty={empty} />;
}

/** A bar that is filled to a fraction; screen readers read the figures next to it. */
export function Bar({ fraction }: { readonly fraction: number }) {
  return (
    <span class="bar" aria-hidden="true">
      <span style={{ width: `${Math.min(100, Math.max(0, fraction * 100))}%` }} />
    </span>
  );
}

/** The figures that sections show. */
export interface Shown {
  readonly now: Figures;
  /** The growth in the last minutes; undefined before the second scrape. */
  readonly recent: Growth | undefined;
}

interface CountsProps extends Shown {
  readonly caption: string;
  readonly name: string;
  readonly label: string;
  readonly wanted?: Wanted;
  /** Names for the values of the label. */
  readonly words?: Readonly<Record<string, string>>;
  /** Leaves out zeros. */
  readonly isShort?: boolean;
}

/** A counter by one label: in total, and per minute recently. */
export function Counts({ caption, name, label, wanted, words = {}, isShort = false, now, recent }: CountsProps) {
  const added = recent?.figures.by(name, [label], wanted);
  const totals = [...now.by(name, [label], wanted)].filter(([, total]) => total > 0 || !isShort);
  const rows = totals.map(([group, total]) => [
    words[group] ?? group,
    total,
    recent && ((added?.get(group) ?? 0) / recent.seconds) * 60,
  ]);
  return <Table caption={caption} head={[label, 'since start', 'per minute']} rows={rows} />;
}
