import { randomBytes } from 'node:crypto';
import { Background } from '../../background.ts';

const countedFees = (feePayer: string, nowMs: string, newPayers: string): string =>
  `select coalesce(sum(fee_lamports), 0) from payments
  where fee_payer = ${feePayer} and fee_until_ms > ${nowMs} and fee_of_new_payer >= ${newPayers}`;

/** Takes a lock and then reads: a query inside a function sees the fees that other nodes have committed. */
export const FEES_FUNCTION = `create function counted_fees(text, bigint, bigint) returns bigint volatile language plpgsql as $$
begin
  perform pg_advisory_xact_lock(8403, hashtext($1));
  return (${countedFees('$1', '$2', '$3')});
end $$`;

/** The differences between the SQL of the two databases. All other SQL is the same. */
export const SQLITE = {
  name: 'sqlite' as 'sqlite' | 'postgres',
  /** The type of 64-bit integers. */
  integer: 'integer',
  /** The type of a moment: text in ISO 8601 (SQLite), or `timestamptz`. Both take ISO 8601 text and compare in order. */
  instant: 'text',
  /** An automatic primary key. */
  counter: 'integer primary key',
  /** The end of `create table`: SQLite checks column types only in strict tables. */
  strict: 'strict',
  /** A moment from milliseconds since the Unix epoch. */
  instantOf: (milliseconds: string) => `strftime('%Y-%m-%dT%H:%M:%fZ', ${milliseconds} / 1000.0, 'unixepoch')`,
  /** The hour of a moment, as a moment. */
  hourOf: (instant: string) => `substr(${instant}, 1, 13) || ':00:00.000Z'`,
  /** The day (UTC) of a moment, as `YYYY-MM-DD`. */
  dayOf: (instant: string) => `substr(${instant}, 1, 10)`,
  /** The fees that count against a fee payer's budget: all (0), or those of new payers (1). Concurrent steps run this one by one. */
  countedFees: (feePayer: string, nowMs: string, newPayers: string) => `(${countedFees(feePayer, nowMs, newPayers)})`,
};

export type Dialect = typeof SQLITE;

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
  note(statement: Statement): Promise<unknown>;
  close(): Promise<void>;
}

/** The first row, which must exist. */
export function only(rows: readonly Row[]): Row {
  const [row] = rows;
  if (!row) throw new Error('the database has left out a row');
  return row;
}

/** A value as a text; empty for null. */
export const text = (value: Value | undefined): string => String(value ?? '');

/** The members of an object in its row, by a table of columns; columns that are null are left out. */
export function membersIn(row: Row, columns: Readonly<Record<string, string>>) {
  const stored = Object.entries(columns).filter(([column]) => row[column] !== null);
  return Object.fromEntries(stored.map(([column, member]) => [member, row[column]]));
}

/** The names of columns for a query. */
export const namesIn = (table: string, columns: Readonly<Record<string, string>>): string =>
  Object.keys(columns)
    .map((column) => `${table}.${column}`)
    .join(', ');

/** The columns of an object, by a table of its members; members that are missing are null. */
export function columnsOf<T extends object>(object: T, columns: Readonly<Record<string, keyof T>>) {
  const row: Record<string, Value> = {};
  for (const [column, member] of Object.entries(columns)) row[column] = (object[member] ?? null) as Value;
  return row;
}

/** Inserts a row of the wallet that the guard names as `id`. */
export function insertion(table: string, row: Row) {
  let [names, parameters, count] = ['wallet_id', '{guard.id}', 0];
  for (const name of Object.keys(row)) {
    names += `, ${name}`;
    parameters += `, $${++count}`;
  }
  return { sql: `insert into ${table} (${names}) select ${parameters} where {guarded}`, values: Object.values(row) };
}

/** The kind of a journal entry. A refusal moves no money, but may have cost a fee. */
export type JournalKind = 'settlement' | 'refusal' | 'grant' | 'debit';

/** A movement of money. It is appended in the same step and never changed. */
export interface JournalEntry {
  readonly kind: JournalKind;
  /** `mainnet` or `devnet`. */
  readonly cluster: string;
  readonly wallet: string;
  /** Millionths of a dollar. */
  readonly micros: number;
  /** The fee of the gateway's own fee payer; 0 if nothing was sent or a remote facilitator pays. */
  readonly feeLamports: number;
  /** base58 signature of its transaction, even of a refused one; empty if unknown. */
  readonly transaction: string;
  /** The route id; empty if unknown. */
  readonly route: string;
  readonly requestId: string;
  /** The key of the payment; absent for a debit by signature. Unique for each kind. */
  readonly key?: string;
  /** Appended later by `sales verify --repair` or the watch, from the chain. */
  readonly isRepair?: true;
}

/** Names this process. */
const NODE = randomBytes(4).toString('hex');

/** Appends an entry to a step whose guard names the wallet as `id`. */
export const append = ({ transaction, ...entry }: JournalEntry, nowMs: number): Statement =>
  insertion('journal_entries', {
    at: new Date(nowMs).toISOString(),
    kind: entry.kind,
    cluster: entry.cluster,
    route: entry.route,
    micro_usdc: entry.micros,
    fee_lamports: entry.feeLamports,
    signature: transaction === '' ? null : transaction,
    request_id: entry.requestId,
    node: NODE,
    key: entry.key ?? null,
    is_repair: entry.isRepair ? 1 : 0,
  });

/** A step that was written, for metrics and for requests that wait for their wallet. */
export interface Written {
  readonly network: string;
  readonly wallet: string;
  readonly entries: readonly JournalEntry[];
}

export type OnWritten = (written: Written) => void;

const KEEP = `insert into answers (key, until_ms, bytes, answer) select $1, $2, $3, $4 where {guarded} on conflict (key) do update
  set until_ms = excluded.until_ms, bytes = excluded.bytes, answer = excluded.answer`;

/** An answer and its expiry; null while its payment is open. */
export interface StoredAnswer {
  /** The key of its payment or debit. */
  readonly key: string;
  /** JSON. */
  readonly answer: string;
  readonly untilMs: number | null;
}

/** Stores an answer in the step that charges for it. */
export const keepAnswer = ({ key, answer, untilMs }: StoredAnswer) => ({
  sql: KEEP,
  values: [key, untilMs, Buffer.byteLength(answer), answer],
});

/** How long an answer is stored, and owed if it was not delivered, in milliseconds; longer than any nonce or memo is valid. */
export const ANSWER_MS = 600_000;

/** What payments and credit have in common: a database, its clock, and the answers that were paid for. */
export class Ledger {
  protected readonly database: Database;
  protected readonly onWritten: OnWritten;
  readonly background: Background;

  constructor(database: Database, onWritten: OnWritten = () => undefined, background = new Background()) {
    this.database = database;
    this.onWritten = onWritten;
    this.background = background;
  }

  /** The database's clock in milliseconds since the Unix epoch. It never steps. */
  now(): number {
    return Math.floor(this.database.now());
  }

  /** The stored answer of a payment or debit. */
  async answer(key: string): Promise<string | undefined> {
    const sql = 'select answer from answers where key = $1 and (until_ms is null or until_ms > $2)';
    const [row] = await this.database.read({ sql, values: [key, this.now()] });
    return row && String(row.answer);
  }

  /** Stores an answer that was fetched again. */
  async keep(key: string, answer: string): Promise<void> {
    const { sql, values } = keepAnswer({ key, answer, untilMs: this.now() + ANSWER_MS });
    const guard = { sql: `${sql.replace('{guarded}', '{in time}')} returning key`, values };
    await this.database.write({ guard, isDurable: true });
  }
}
