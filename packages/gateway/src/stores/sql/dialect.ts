/** What differs between the SQL of the two databases. Everything else in statements and schema is the same. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres';
  /** The type of 64-bit integers. */
  readonly integer: string;
  /** The type of a moment: text in ISO 8601 (SQLite), or `timestamptz`. Both take ISO 8601 text and compare in order. */
  readonly instant: string;
  /** A primary key that the database counts up. */
  readonly counter: string;
  /** What ends `create table`: SQLite checks the types of columns only in strict tables. */
  readonly strict: string;
  /** A moment from milliseconds since the Unix epoch. */
  instantOf(milliseconds: string): string;
  /** The hour of a moment, as a moment. */
  hourOf(instant: string): string;
  /** The day (UTC) of a moment, as `YYYY-MM-DD`. */
  dayOf(instant: string): string;
}

export const SQLITE: Dialect = {
  name: 'sqlite',
  integer: 'integer',
  instant: 'text',
  counter: 'integer primary key',
  strict: 'strict',
  instantOf: (milliseconds) => `strftime('%Y-%m-%dT%H:%M:%fZ', ${milliseconds} / 1000.0, 'unixepoch')`,
  hourOf: (instant) => `substr(${instant}, 1, 13) || ':00:00.000Z'`,
  dayOf: (instant) => `substr(${instant}, 1, 10)`,
};

export const POSTGRES: Dialect = {
  name: 'postgres',
  integer: 'bigint',
  instant: 'timestamptz',
  counter: 'bigint generated always as identity primary key',
  strict: '',
  instantOf: (milliseconds) => `to_timestamp(${milliseconds} / 1000.0)`,
  hourOf: (instant) => `date_trunc('hour', ${instant}, 'UTC')`,
  dayOf: (instant) => `to_char(${instant} at time zone 'UTC', 'YYYY-MM-DD')`,
};
