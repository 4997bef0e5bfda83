/** The differences between the SQL of the two databases. All other SQL is the same. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres';
  /** The type of 64-bit integers. */
  readonly integer: string;
  /** The type of a moment: text in ISO 8601 (SQLite), or `timestamptz`. Both take ISO 8601 text and compare in order. */
  readonly instant: string;
  /** An automatic primary key. */
  readonly counter: string;
  /** The end of `create table`: SQLite checks column types only in strict tables. */
  readonly strict: string;
  /** A moment from milliseconds since the Unix epoch. */
  instantOf(milliseconds: string): string;
  /** The hour of a moment, as a moment. */
  hourOf(instant: string): string;
  /** The day (UTC) of a moment, as `YYYY-MM-DD`. */
  dayOf(instant: string): string;
  /** The fees that count against a fee payer's budget: all (0), or those of new payers (1). Concurrent steps run this one by one. */
  countedFees(feePayer: string, nowMs: string, newPayers: string): string;
}

const countedFees = (feePayer: string, nowMs: string, newPayers: string): string =>
  `select coalesce(sum(fee_lamports), 0) from payments
  where fee_payer = ${feePayer} and fee_until_ms > ${nowMs} and fee_of_new_payer >= ${newPayers}`;

/** Takes a lock and then reads: a query inside a function sees the fees that other nodes have committed. */
export const FEES_FUNCTION = `create function counted_fees(text, bigint, bigint) returns bigint volatile language plpgsql as $$
begin
  perform pg_advisory_xact_lock(8403, hashtext($1));
  return (${countedFees('$1', '$2', '$3')});
end $$`;

export const SQLITE: Dialect = {
  name: 'sqlite',
  integer: 'integer',
  instant: 'text',
  counter: 'integer primary key',
  strict: 'strict',
  instantOf: (milliseconds) => `strftime('%Y-%m-%dT%H:%M:%fZ', ${milliseconds} / 1000.0, 'unixepoch')`,
  hourOf: (instant) => `substr(${instant}, 1, 13) || ':00:00.000Z'`,
  dayOf: (instant) => `substr(${instant}, 1, 10)`,
  countedFees: (feePayer, nowMs, newPayers) => `(${countedFees(feePayer, nowMs, newPayers)})`,
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
  countedFees: (...values) => `counted_fees(${values.join(', ')})`,
};

/**
 * Whether a step failed because a concurrent one has inserted the same key. Only PostgreSQL runs steps concurrently; in SQLite the
 * guard finds the row.
 */
export const isDuplicate = (error: unknown): boolean => (error as { code?: unknown }).code === '23505';
