import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { Background } from '../../background.ts';
import { LIMITS } from '../../limits.ts';
import { TIMES } from '../../times.ts';
import { monotonicMs } from '../clock.ts';

/** The differences between the SQL of the two databases. All other SQL is the same. */
export const SQLITE = {
  name: 'sqlite' as 'sqlite' | 'postgres',
  /** SQL for the day (UTC) of a moment, as `YYYY-MM-DD`. */
  dayOf: (instant: string) => `substr(${instant}, 1, 10)`,
  /** SQL for the texts of a JSON list, as rows. */
  textsIn: (json: string) => `select value from json_each(${json})`,
  /**
   * SQL for the fees that count against a fee payer's budget, in lamports: all (0), or those of new payers (1). Concurrent writes run this
   * one by one.
   */
  countedFees: (feePayer: string, nowMs: string, newPayers: string) =>
    `(select coalesce(sum(case when ${newPayers} = 1 then of_new_payers else lamports end), 0) from fees
  where fee_payer = ${feePayer} and until_ms > ${nowMs})`,
};

export type Dialect = typeof SQLITE;

export const POSTGRES: Dialect = {
  name: 'postgres',
  dayOf: (instant) => `to_char(${instant} at time zone 'UTC', 'YYYY-MM-DD')`,
  textsIn: (json) => `select jsonb_array_elements_text(cast(${json} as jsonb))`,
  countedFees: (...values) => `counted_fees(${values.join(', ')})`,
};

const DUPLICATE = /^(?:23505|SQLITE_CONSTRAINT_(?:UNIQUE|PRIMARYKEY))$/;

/** Whether a write failed because another one has inserted the same key. */
export const isDuplicate = (error: unknown): boolean => DUPLICATE.test(String((error as { code?: unknown }).code));

const CREATED_MEANWHILE = /^(?:23505|42710|42P07)$/;

/** Whether PostgreSQL could not create a table, because another node has just created it: `if not exists` does not rule that out. */
export const isCreatedMeanwhile = (error: unknown): boolean =>
  CREATED_MEANWHILE.test(String((error as { code?: unknown }).code));

/** A value of a column or a parameter. Integers are safe integers. */
export type SqlValue = string | number | null;

export type SqlRow = Readonly<Record<string, SqlValue>>;

/** A statement in the SQL that SQLite and PostgreSQL share; `$1` is the first of its values. */
export interface Statement {
  readonly sql: string;
  readonly values?: readonly SqlValue[];
  /** The most bytes of the result, if there can be many. The time-out grows with it. */
  readonly bytes?: number;
}

/** Statements that are written together or not at all. Two of them must not change the same row. */
export interface AtomicWrite {
  /**
   * The statement that decides: if it returns no row, nothing is written. It contains `{in time}` and ends in `returning`. In SQLite
   * `returning` may be left out; then the result is an empty row if a row was changed.
   */
  readonly condition: Statement;
  /**
   * The other statements. Each contains `{condition holds}`, so that it writes nothing if the condition returned no row. `{condition.id}`
   * is the column `id` of the condition's row. A statement that ends in `returning` adds its columns to the result.
   */
  readonly changes?: readonly Statement[];
  /** Whether the write must be on disk before the promise resolves. Otherwise it survives a crash of the process but not a power cut. */
  readonly isDurable?: boolean;
}

/** Returns the values of all statements of a write. */
export const valuesOf = ({ condition, changes = [] }: AtomicWrite): SqlValue[] =>
  [condition, ...changes].flatMap(({ values = [] }) => values);

/** Returns how many bytes the texts among these values have. */
export function bytesOf(values: readonly SqlValue[]): number {
  let bytes = 0;
  for (const value of values) if (typeof value === 'string') bytes += Buffer.byteLength(value);
  return bytes;
}

/** The row with both clocks, as they were when it was written (books-clock.ts). */
export interface ClockRow {
  /** The books' clock. Like all times here it is in milliseconds since the Unix epoch; 0 in a new database. */
  readonly nowMs: number;
  /** The wall clock when the row was written. */
  readonly wallMs: number;
  /** How far the wall clock may differ from the books' clock, in milliseconds, because an operator has accepted that. */
  readonly acceptedMs: number;
  /** What the books' clock showed at the last step of the wall clock. */
  readonly steppedMs: number;
}

/** A database of money: SQLite in DATA_DIR, or PostgreSQL. Methods reject while it is unavailable. */
export interface Database {
  readonly dialect: Dialect;
  /** Returns the books' clock in milliseconds since the Unix epoch. It never goes back (books-clock.ts). */
  now(): number;
  /** Returns the wall time of a moment of the books' clock, for journal entries and receipts. */
  wallAt(nowMs: number): number;
  /** Returns both clocks as they are now. */
  clock(): Promise<ClockRow>;
  /** Whether the last request to the database was answered. */
  isReady(): boolean;
  read(statement: Statement): Promise<readonly SqlRow[]>;
  /** Reads by a slow query, which delays no request. */
  report(statement: Statement): Promise<readonly SqlRow[]>;
  /**
   * Writes all statements or none. Returns the columns that they return, or undefined if the condition returned no row. If this rejects,
   * the write may or may not have happened. After a lost connection it may return undefined although the write happened. In both cases,
   * read and compare.
   */
  write(write: AtomicWrite): Promise<SqlRow | undefined>;
  close(): Promise<void>;
}

/** Returns the first row, which must exist. */
export function only(rows: readonly SqlRow[]): SqlRow {
  const [row] = rows;
  if (!row) throw new Error('the database has left out a row');
  return row;
}

/** Returns a value as text. Null becomes the empty text. */
export const text = (value: SqlValue | undefined): string => String(value ?? '');

/** Returns the members of an object in its row, by a table of columns. Leaves out columns that are null. */
export function membersIn(row: SqlRow, columns: Readonly<Record<string, string>>) {
  const stored = Object.entries(columns).filter(([column]) => row[column] !== null);
  return Object.fromEntries(stored.map(([column, member]) => [member, row[column]]));
}

/** Returns the names of columns for a query. */
export const namesIn = (table: string, columns: Readonly<Record<string, string>>): string =>
  Object.keys(columns)
    .map((column) => `${table}.${column}`)
    .join(', ');

/** Returns the values of an object's members in the order of a table of columns; null for missing members. */
export const valuesIn = <T extends object>(object: T, columns: Readonly<Record<string, keyof T>>): SqlValue[] =>
  Object.values(columns).map((member) => (object[member] ?? null) as SqlValue);

/**
 * Returns a function that makes the statement to insert one row with the values of these columns, in this order. The row belongs to the
 * wallet that the condition names as `id`.
 */
export function insertion(table: string, columns: readonly string[], otherwise = '') {
  const parameters = columns.map((_, index) => `$${index + 1}`);
  const sql = `insert into ${table} (${['wallet_id', ...columns].join(', ')})
  select ${['{condition.id}', ...parameters].join(', ')} where {condition holds}${otherwise}`;
  return (values: readonly SqlValue[]): Statement => ({ sql, values });
}

/** The kind of a journal entry. A refusal moves no money, but it may have cost a fee. */
export type JournalKind = 'settlement' | 'refusal' | 'grant' | 'debit';

/** A movement of money. It is written in the same transaction as the movement, and never changes. */
export interface JournalEntry {
  readonly kind: JournalKind;
  /** `mainnet` or `devnet`. */
  readonly cluster: string;
  readonly wallet: string;
  /** Millionths of a dollar. */
  readonly micros: number;
  /** The fee of the gateway's own fee payer; 0 if nothing was sent or a remote facilitator pays. */
  readonly feeLamports: number;
  /** The base58 signature of its transaction, even of a refused one; empty if unknown. */
  readonly transaction: string;
  /** The route id; empty if unknown. */
  readonly route: string;
  readonly requestId: string;
  /** The key of the payment; absent for a debit by signature. A key has at most one entry of each kind. */
  readonly key?: string;
  /** Set if `sales verify --repair`, `--grant` or the watch of covered payments has appended it later, from the chain. */
  readonly isRepair?: true;
}

/** A random name of this process, for the journal's `node`. */
const NODE = randomBytes(4).toString('hex');

const INSERT_ENTRY = insertion('journal_entries', [
  'at',
  'kind',
  'cluster',
  'route',
  'micro_usdc',
  'fee_lamports',
  'signature',
  'request_id',
  'node',
  'key',
  'is_repair',
]);

/**
 * Returns the statement that appends an entry in a write whose condition names the wallet as `id`. `wallMs`: its time, in milliseconds by
 * the wall clock.
 */
export const append = ({ transaction, ...entry }: JournalEntry, wallMs: number): Statement =>
  INSERT_ENTRY([
    new Date(wallMs).toISOString(),
    entry.kind,
    entry.cluster,
    entry.route,
    entry.micros,
    entry.feeLamports,
    transaction === '' ? null : transaction,
    entry.requestId,
    NODE,
    entry.key ?? null,
    entry.isRepair ? 1 : 0,
  ]);

/** The journal entries of one write, for metrics and for requests that wait for their wallet. */
export interface JournalWrite {
  readonly network: string;
  readonly wallet: string;
  readonly entries: readonly JournalEntry[];
}

export interface MoneyEvents {
  /** Emitted after each write of this process. */
  written: [JournalWrite];
  /** Emitted with the duration of each durable write, even of one that failed. */
  committed: [ms: number];
}

const KEEP = `insert into answers (key, until_ms, bytes, answer) select $1, $2, $3, $4 where {condition holds} on conflict (key) do update
  set until_ms = excluded.until_ms, bytes = excluded.bytes, answer = excluded.answer`;

/**
 * Returns the statement that stores an answer, in the write that charges for it. `key`: the key of its payment or debit. `answer`: JSON.
 * `untilMs`: null while its payment is open.
 */
export const keepAnswer = (key: string, answer: string, untilMs: number | null) => ({
  sql: KEEP,
  values: [key, untilMs, Buffer.byteLength(answer), answer],
});

/** What payments and credit have in common: a database, its clock, and the stored answers that clients have paid for. */
export abstract class MoneyStore {
  /** The table whose rows pay for answers, and its key column. */
  protected abstract readonly paidBy: { readonly table: 'payments' | 'debits'; readonly key: 'key' | 'id' };
  protected readonly database: Database;
  protected readonly events: EventEmitter<MoneyEvents>;
  readonly background: Background;

  constructor(database: Database, events = new EventEmitter<MoneyEvents>(), background = new Background()) {
    this.database = database;
    this.events = events;
    this.background = background;
  }

  /** Returns the books' clock in milliseconds since the Unix epoch. It never goes back (books-clock.ts). */
  now(): number {
    return Math.floor(this.database.now());
  }

  /** Whether a rejected write may still take effect: on a database server it may, in SQLite it cannot. */
  get mayWriteLater(): boolean {
    return this.database.dialect.name === 'postgres';
  }

  /** Records that an answer was handed to the operating system on its way to the payer, who may still have missed it. */
  delivered(key: string): void {
    const { table, key: column } = this.paidBy;
    const sql = `update ${table} set owed_until_ms = null where ${column} = $1 and owed_until_ms is not null and {in time}
  returning ${column}`;
    void this.background.run('deliveries', () => this.write({ condition: { sql, values: [key] } }));
  }

  /** Writes all statements or none. Measures the duration of a durable write. */
  protected async write(write: AtomicWrite): Promise<SqlRow | undefined> {
    const startedMs = monotonicMs();
    try {
      return await this.database.write(write);
    } finally {
      if (write.isDurable) this.events.emit('committed', monotonicMs() - startedMs);
    }
  }

  /** Returns the stored answer of a payment or debit. */
  async answer(key: string): Promise<string | undefined> {
    const sql = 'select answer from answers where key = $1 and (until_ms is null or until_ms > $2)';
    const [row] = await this.database.read({ sql, values: [key, this.now()], bytes: LIMITS.oneAnswerBytes });
    return row && String(row.answer);
  }

  /** Stores an answer that was fetched again. */
  async keep(key: string, answer: string): Promise<void> {
    const { sql, values } = keepAnswer(key, answer, this.now() + TIMES.answerMs);
    const condition = { sql: `${sql.replace('{condition holds}', '{in time}')} returning key`, values };
    await this.write({ condition, isDurable: true });
  }
}
