import type { ComponentChild } from 'preact';
import { Table as PlainTable } from '../parts/table.tsx';
import type { Figures, Wanted } from './figures.ts';
import type { Growth } from './history.ts';
import { count, UNKNOWN } from './words.ts';

export type Cell = ComponentChild;

interface TableProps {
  readonly caption: string;
  readonly head: readonly string[];
  /** The first cell names the row. */
  readonly rows: readonly (readonly Cell[])[];
  /** How many rows there are, where these are not all. */
  readonly of?: number;
  readonly empty?: string;
}

const isNumber = (cell: Cell): boolean => /^[-–$\d]/.test(String(cell ?? UNKNOWN));

/** More than anybody reads. */
export const MOST_ROWS = 50;

/** A table of figures, by the places of its cells. */
export function Table({ caption, head, rows, of = 0, empty = 'None yet.' }: TableProps) {
  const columns = head.map((title, at) => ({
    title,
    isNumber: at > 0 && isNumber(rows[0]?.[at]),
    cell: (row: readonly Cell[]) => (typeof row[at] === 'number' ? count(row[at]) : (row[at] ?? UNKNOWN)),
  }));
  const all = Math.max(of, rows.length);
  const more = all > MOST_ROWS ? `: the first ${MOST_ROWS} of ${count(all)}` : '';
  return <PlainTable caption={caption + more} columns={columns} rows={rows.slice(0, MOST_ROWS)} empty={empty} />;
}

/** How full something is, for the eye; its figures stand beside it. */
export function Bar({ part }: { readonly part: number }) {
  return (
    <span class="bar" aria-hidden="true">
      <span style={{ width: `${Math.min(100, Math.max(0, part * 100))}%` }} />
    </span>
  );
}

/** What views of figures are made from. */
export interface Shown {
  readonly now: Figures;
  /** What was added in the last minutes; nothing before the second look. */
  readonly lately: Growth | undefined;
}

interface CountsProps extends Shown {
  readonly caption: string;
  readonly name: string;
  readonly label: string;
  readonly wanted?: Wanted;
  /** What the texts of the label are called. */
  readonly words?: Readonly<Record<string, string>>;
  /** Leaves out what has never happened. */
  readonly isShort?: boolean;
}

/** A counter by one of its labels: in all, and a minute lately. */
export function Counts({ caption, name, label, wanted, words = {}, isShort = false, now, lately }: CountsProps) {
  const added = lately?.figures.by(name, [label], wanted);
  const totals = [...now.by(name, [label], wanted)].filter(([, total]) => total > 0 || !isShort);
  const rows = totals.map(([group, total]) => [
    words[group] ?? group,
    total,
    lately && ((added?.get(group) ?? 0) / lately.seconds) * 60,
  ]);
  return <Table caption={caption} head={[label, 'since the start', 'a minute']} rows={rows} />;
}
