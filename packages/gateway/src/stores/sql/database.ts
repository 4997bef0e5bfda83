import type { Dialect } from './dialect.ts';

/** A value of a column or a parameter. Integers are safe integers. */
export type Value = string | number | null;

export type Row = Readonly<Record<string, Value>>;

/** One SQL statement in the SQL that SQLite and PostgreSQL share; `$1` is the first of its values. */
export interface Statement {
  readonly sql: string;
  readonly values?: readonly Value[];
}

/** Statements that are written together or not at all. No row may be changed by two of them. */
export interface Step {
  /** Ends in `returning`, with the condition `{in time}`. If it returns no row, nothing is written. */
  readonly guard: Statement;
  /**
   * Each must have the condition `{guarded}`, so that it writes nothing if the guard returned no row. `{guard.id}` is the column
   * `id` of the guard's row. One that ends in `returning` adds its columns to the result.
   */
  readonly changes?: readonly Statement[];
  /** Whether it must be on disk before the promise resolves. Without, it survives the process but not a power cut. */
  readonly isDurable?: boolean;
}

/** A database of money: SQLite in DATA_DIR, or PostgreSQL. Every method rejects while the database cannot be used. */
export interface Database {
  readonly dialect: Dialect;
  /** The database's clock in milliseconds since the Unix epoch. It never steps. */
  now(): number;
  /** Whether the database answered last. */
  isReady(): boolean;
  read(statement: Statement): Promise<readonly Row[]>;
  /** Like `read`, for queries that take long: they delay no request. */
  report(statement: Statement): Promise<readonly Row[]>;
  /**
   * Writes a step. Answers the returned columns, or undefined if the guard returned no row. After a rejection it is not known
   * whether the step was written, and a lost connection can make a step that was written answer undefined: read and compare.
   */
  write(step: Step): Promise<Row | undefined>;
  /** Writes one statement, a guard, soon; if it is lost, the worst is that an answer is delivered twice. Later reads find it. */
  note(statement: Statement): void;
  close(): Promise<void>;
}

/** A row that must be there. */
export function only(rows: readonly Row[]): Row {
  const [row] = rows;
  if (!row) throw new Error('the database has left out a row');
  return row;
}
