import type { Dialect } from './dialect.ts';

/** A value of a column or a parameter. Integers are safe integers. */
export type Value = string | number | null;

export type Row = Readonly<Record<string, Value>>;

/** A statement in the SQL that SQLite and PostgreSQL share; `$1` is the first of its values. */
export interface Statement {
  readonly sql: string;
  readonly values?: readonly Value[];
}

/** Statements that are written together or not at all. Two of them must not change the same row. */
export interface Step {
  /**
   * Has the condition `{in time}` and ends in `returning`. If it returns no row, nothing is written. In SQLite `returning` may be
   * left out: the answer is then an empty row if a row was changed.
   */
  readonly guard: Statement;
  /**
   * Each must have the condition `{guarded}`, so that it writes nothing if the guard returned no row. `{guard.id}` is the column
   * `id` of the guard's row. One that ends in `returning` adds its columns to the result.
   */
  readonly changes?: readonly Statement[];
  /** Whether the step must be on disk before the promise resolves. Otherwise it survives the process but not a power cut. */
  readonly isDurable?: boolean;
}

/** A database of money: SQLite in DATA_DIR, or PostgreSQL. Methods reject while it is unavailable. */
export interface Database {
  readonly dialect: Dialect;
  /** The database's clock in milliseconds since the Unix epoch. It never steps. */
  now(): number;
  /** Whether the last request to the database was answered. */
  isReady(): boolean;
  read(statement: Statement): Promise<readonly Row[]>;
  /** Like `read`, for slow queries: they delay no request. */
  report(statement: Statement): Promise<readonly Row[]>;
  /**
   * Writes a step. Answers the returned columns, or undefined if the guard returned no row. After a rejection the step may or may not
   * be written. If a connection was lost, a step that was written may answer undefined: read and compare.
   */
  write(step: Step): Promise<Row | undefined>;
  /** Writes one guard soon. A crash may lose it; at worst an answer is then delivered twice. Later reads see it. */
  note(statement: Statement): void;
  close(): Promise<void>;
}

/** The first row, which must exist. */
export function only(rows: readonly Row[]): Row {
  const [row] = rows;
  if (!row) throw new Error('the database has left out a row');
  return row;
}
