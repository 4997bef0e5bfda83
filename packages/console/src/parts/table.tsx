import type { ComponentChildren, ComponentProps } from 'preact';
import { useId } from 'preact/hooks';

/** A table column. The first column holds the row headers. */
export interface Column<Row> {
  readonly title: string;
  /** Whether to align right. */
  readonly isNumber?: boolean;
  readonly cell: (row: Row) => ComponentChildren;
}

interface TableProps<Row> {
  readonly caption: string;
  /** Shows the caption to screen readers only, if a visible heading says the same. */
  readonly isCaptionHidden?: boolean;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** Shown if there are no rows. */
  readonly empty?: string;
}

const cellsOf = <Row,>(row: Row, columns: readonly Column<Row>[]) =>
  columns.map(({ title, isNumber, cell }, at) => {
    const Cell = at === 0 ? 'th' : 'td';
    return (
      <Cell key={title} scope={at === 0 ? 'row' : undefined} class={isNumber ? 'number' : undefined}>
        {cell(row)}
      </Cell>
    );
  });

/** A table that scrolls if it is wide, by keyboard too. */
export function Table<Row>({ caption, isCaptionHidden, columns, rows, empty = 'None.' }: TableProps<Row>) {
  const id = useId();
  return (
    <section class="scroll" aria-labelledby={id} tabIndex={0}>
      <table>
        <caption id={id} class={isCaptionHidden ? 'unseen' : 'small muted'}>
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
            <tr key={at}>{cellsOf(row, columns)}</tr>
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

/** Names and values. False omits an entry. */
export type Terms = readonly (readonly [name: string, value: ComponentChildren] | false)[];

/** A list of names and values. */
export const TermList = ({ of: terms, ...rest }: { readonly of: Terms } & ComponentProps<'dl'>) => (
  <dl {...rest}>
    {terms.map(
      (term) =>
        term && (
          <div key={term[0]}>
            <dt>{term[0]}</dt>
            <dd>{term[1]}</dd>
          </div>
        ),
    )}
  </dl>
);
