import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import './parts.css';

/** A column of a table. The first column holds the row headers. */
export interface Column<Row> {
  readonly title: string;
  /** Aligned right. */
  readonly isNumber?: boolean;
  readonly cell: (row: Row) => ComponentChildren;
}

interface TableProps<Row> {
  readonly caption: string;
  /** Leaves the caption to screen readers if a visible heading says the same. */
  readonly isCaptionHidden?: boolean;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** Shown if there are no rows. */
  readonly empty?: string;
}

function Cells<Row>({ row, columns }: Pick<TableProps<Row>, 'columns'> & { readonly row: Row }) {
  return (
    <tr>
      {columns.map(({ title, isNumber, cell }, at) => {
        const look = isNumber ? 'number' : undefined;
        return at === 0 ? (
          <th key={title} scope="row" class={look}>
            {cell(row)}
          </th>
        ) : (
          <td key={title} class={look}>
            {cell(row)}
          </td>
        );
      })}
    </tr>
  );
}

/** A table that scrolls if it is wide, also by keyboard. */
export function Table<Row>({ caption, isCaptionHidden, columns, rows, empty = 'None.' }: TableProps<Row>) {
  const id = useId();
  return (
    <section class="scroll" aria-labelledby={id} tabIndex={0}>
      <table>
        <caption id={id} class={isCaptionHidden ? 'unseen' : undefined}>
          {caption}
        </caption>
        <thead>
          <tr>
            {columns.map(({ title, isNumber }) => (
              <th key={title} scope="col" class={isNumber ? 'number' : undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <Cells key={at} row={row} columns={columns} />
          ))}
          {rows.length === 0 && (
            <tr>
              <td class="muted" colSpan={columns.length}>
                {empty}
              </td>
            </tr>
          )}
        </tbody>
      </table>
    </section>
  );
}
