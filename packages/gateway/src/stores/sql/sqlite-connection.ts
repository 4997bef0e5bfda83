import { isUtf8 } from 'node:buffer';
import { accessSync, constants, renameSync, rmSync, statSync } from 'node:fs';
import Connection, { type Database as Connected } from 'libsql';
import ThreadedConnection from 'libsql/promise';
import { makePrivate } from '../lock.ts';
import { advance, clockIn, READ_CLOCK, writeClock } from './books-clock.ts';
import {
  type AtomicWrite,
  type ClockRow,
  type Database,
  SQLITE,
  type SqlRow,
  type SqlValue,
  type Statement,
} from './database.ts';
import { CHANGES_TABLE, missingChanges, NOTE_CHANGE, SCHEMA_STATE, type SchemaState } from './schema.ts';

/** How long the start, and readers in other threads, wait for another process to release its lock, in milliseconds. */
const BUSY_MS = 1_000;
/** How long this thread waits for that, in milliseconds. */
const LOOP_MS = 10;

/** Whether another process has locked the file. */
export const isLocked = (error: unknown): boolean =>
  String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY');

/**
 * Returns a statement in the SQL of SQLite, where `$1` would be a name and `?1` is the first parameter. Changes run after their condition.
 * The id of the condition's row follows their own parameters.
 */
export function numbered({ sql, values = [] }: Statement): string {
  const conditional = sql.replaceAll('{in time}', 'true').replaceAll('{condition holds}', 'true');
  return conditional.replaceAll('{condition.id}', `$${values.length + 1}`).replaceAll(/\$(\d+)/g, '?$1');
}

/** Returns the bytes of a file; undefined if it is missing. */
const fileBytesOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.size;

/** Makes the file with a first page if it is missing. Throws if the file is empty, because it must have lost its content. */
function makeFile(path: string): void {
  const size = fileBytesOf(path);
  if (size === 0) throw new Error('the file was cut off');
  if (size !== undefined) {
    makePrivate(path);
    return;
  }
  // SQLite would write the log of a lost file into the new file.
  if (fileBytesOf(`${path}-wal`)) throw new Error('the file was cut off from its log, gateway.db-wal');
  const draft = `${path}.new`;
  for (const each of [draft, `${draft}-journal`]) rmSync(each, { force: true });
  makePrivate(draft);
  const connection = new Connection(draft);
  connection.exec('pragma user_version = 1');
  connection.close();
  renameSync(draft, path);
}

function open(path: string): Connected {
  const connection = new Connection(path, { timeout: BUSY_MS });
  // Commits write only to the log. Flushes and checkpoints run in other threads.
  connection.exec(
    'pragma journal_mode = wal; pragma synchronous = normal; pragma wal_autocheckpoint = 0; pragma foreign_keys = on',
  );
  return connection;
}

function inTransaction<T>(connection: Connected, work: () => T): T {
  // Lock the database first. A prepared statement that finds it locked stays active, and then no transaction can end.
  connection.exec('begin immediate');
  try {
    const result = work();
    connection.exec('commit');
    return result;
  } catch (error) {
    if (connection.inTransaction) connection.exec('rollback');
    throw error;
  }
}

function migrate(connection: Connected): void {
  connection.exec(CHANGES_TABLE);
  for (const change of missingChanges(connection.prepare(SCHEMA_STATE).get() as SchemaState)) {
    connection.exec(change.sqlite);
    connection.prepare(numbered({ sql: NOTE_CHANGE })).run([change.number, change.worksWith]);
  }
}

/** A synchronous connection to a database file, in this thread. */
export class SqliteConnection {
  readonly #connection: Connected;
  readonly #prepared = new Map<string, ReturnType<Connected['prepare']>>();

  /** Opens the file, or makes it, and migrates its schema. Throws if it is unusable. */
  constructor(path: string) {
    makeFile(path);
    this.#connection = open(path);
    try {
      inTransaction(this.#connection, () => migrate(this.#connection));
      this.#connection.exec(`pragma busy_timeout = ${LOOP_MS}`);
    } catch (error) {
      this.#connection.close();
      throw error;
    }
  }

  read(statement: Statement): readonly SqlRow[] {
    return this.#prepare(statement).all(statement.values ?? []) as SqlRow[];
  }

  /** Moves the clocks to a time of the wall clock. `expectedMs`: as in `advance`. */
  moveClock(wallMs: number, expectedMs?: number): ClockRow {
    const last = clockIn(this.read(READ_CLOCK));
    const row = advance(last, wallMs, expectedMs);
    this.#run({ condition: writeClock(row, last) });
    return row;
  }

  /** Commits all writes in one transaction, or none. Returns the row of each. `also`: a further part of the transaction. */
  commit(group: readonly { readonly write: AtomicWrite }[], also?: () => void): (SqlRow | undefined)[] {
    try {
      return inTransaction(this.#connection, () => {
        const rows = group.map(({ write }) => this.#run(write));
        also?.();
        return rows;
      });
    } catch (error) {
      // A statement that has failed in `get` keeps failing, or runs again with its old values.
      if (!isLocked(error)) this.#prepared.clear();
      throw error;
    }
  }

  /**
   * Copies the log into the database file and flushes it. This is needed after a failed flush, because the system may have dropped writes.
   */
  rewrite(): void {
    const { busy } = this.#connection.prepare('pragma wal_checkpoint(truncate)').get() as { busy: number };
    if (busy !== 0) throw new Error('the database is being read');
  }

  /** Closes the connection, after copying the log into the database file if that is possible. */
  close(): void {
    this.#prepared.clear();
    try {
      this.rewrite();
    } catch {
      // The commits stay in the log.
    }
    this.#connection.close();
  }

  /** Returns the prepared statement. Prepares each text once. */
  #prepare(asked: Statement) {
    const prepared = this.#prepared.get(asked.sql) ?? this.#connection.prepare(numbered(asked));
    this.#prepared.set(asked.sql, prepared);
    return prepared;
  }

  /** Runs a statement. Returns its row. If it returns none, returns an empty row if it has changed rows. */
  #execute(asked: Statement, conditionId: SqlValue = null): SqlRow | undefined {
    const { sql, values = [] } = asked;
    const bound = sql.includes('{condition.id}') ? [...values, conditionId] : values;
    if (sql.includes(' returning ')) return this.#prepare(asked).get(bound) as SqlRow | undefined;
    return this.#prepare(asked).run(bound).changes > 0 ? {} : undefined;
  }

  #run({ condition, changes = [] }: AtomicWrite): SqlRow | undefined {
    const row = this.#execute(condition);
    if (!row) return undefined;
    for (const change of changes) Object.assign(row, this.#execute(change, row.id));
    return row;
  }
}

/**
 * Reads a file in another thread, on a connection of its own, because disposing of an old statement blocks this thread while its connection
 * is busy.
 */
async function reading<T>(path: string, read: (connection: ThreadedConnection) => Promise<T>): Promise<T> {
  const connection = new ThreadedConnection(path, { timeout: BUSY_MS });
  try {
    return await read(connection);
  } finally {
    connection.close();
  }
}

/** Opens the file of a gateway that may be running, for reading. */
export const readSqlite = (path: string): Pick<Database, 'report' | 'dialect'> => ({
  dialect: SQLITE,
  report: (asked) =>
    reading(path, async (connection) => (await connection.prepare(numbered(asked))).all(asked.values ?? [])),
});

/**
 * How long a start waits for the check of a file of LARGE_BYTES or more, in milliseconds. It waits for the whole check of a smaller file,
 * which usually takes less.
 */
const CHECK_MS = 200;
const LARGE_BYTES = 16 * 1024 * 1024;
/** The condition for tables that every start reads. */
const READ_FIRST = `t.name in ('settings', 'admissions')`;
/** The condition for the other tables. */
const OTHERS = `t.name not in ('settings', 'admissions')`;

/**
 * SQL for each table with its text columns and the column that orders its rows, the schema first. Names are read as bytes, because they may
 * be damaged too.
 */
const textColumns = (
  tables: string,
): string => `select cast(t.name as blob) as tables, cast(group_concat(c.name) as blob) as columns, iif(t.wr, '0', 'rowid') as orders
  from pragma_table_list t join pragma_table_info(t.name) c
  where t.schema = 'main' and t.type = 'table' and c.type = 'TEXT' and ${tables} group by t.name
  order by t.name <> 'sqlite_schema'`;

/** SQL condition: a text is not ASCII. It also looks for NUL, because SQLite stops comparing a text there. */
const isBeyondAscii = (column: string): string =>
  `${column} glob '*[^' || char(1) || '-' || char(127) || ']*' or instr(cast(${column} as blob), x'00') > 0`;

/**
 * SQL for the next row with a text that is not ASCII. Returns its texts as bytes. Returns one row at a time, because the library would read
 * further rows in this thread. Tables without row ids hold only ASCII, so the first such row of one is damaged.
 */
const nextBeyondAscii = (table: string, columns: readonly string[], order: string): string => `select ${order} as place,
  ${columns.map((column) => `cast(${column} as blob)`)} from ${table}
  where ${order} > ?1 and (${columns.map(isBeyondAscii).join(' or ')}) order by 1 limit 1`;

/** Whether all texts of a row are UTF-8, or missing. */
const isText = ({ place, ...texts }: Readonly<Record<string, ArrayBuffer | null>>): boolean =>
  Object.values(texts).every((bytes) => bytes === null || isUtf8(bytes));

const decodeText = (bytes: ArrayBuffer): string => new TextDecoder().decode(bytes);

/** Returns where a text is not UTF-8, if any. Reading such a text would end the process in the client library. */
async function textFault(connection: ThreadedConnection, tables: string): Promise<string | undefined> {
  const columns = await connection.prepare(textColumns(tables));
  for (const row of await columns.all()) {
    const table = decodeText(row.tables);
    const next = await connection.prepare(nextBeyondAscii(table, decodeText(row.columns).split(','), row.orders));
    let [found] = await next.all([-1]);
    while (found && isText(found)) [found] = await next.all([found.place]);
    if (found) return `text in ${table} is not UTF-8`;
  }
  return undefined;
}

async function otherFault(connection: ThreadedConnection): Promise<string | undefined> {
  const check = await connection.prepare('pragma quick_check(1)');
  const [{ quick_check: found }] = await check.all();
  if (found !== 'ok') return String(found).split('\n').at(-1);
  return textFault(connection, OTHERS);
}

/**
 * Returns the damage that a failed read shows. Throws the error if another process has locked the file, because then the file was not read.
 */
function damageOf(error: Error & { readonly code?: string }): string {
  if (isLocked(error)) throw error;
  return error.message;
}

/**
 * Checks a whole database file in another thread. Rejects if it finds damage or a lock while the start waits. Otherwise it resolves; its
 * `damage` resolves later with the damage, if any, or rejects because of a lock.
 */
export async function checkSqlite(path: string): Promise<{ readonly damage: Promise<string | undefined> }> {
  const size = fileBytesOf(path) ?? 0;
  if (size === 0) return { damage: Promise.resolve(undefined) };
  accessSync(path, constants.R_OK);
  const first = reading(path, (connection) => textFault(connection, READ_FIRST)).catch(damageOf);
  const damage = first.then((fault) => fault ?? reading(path, otherFault).catch(damageOf));
  damage.catch(() => undefined);
  const late = new Promise<'late'>((resolve) => setTimeout(resolve, CHECK_MS, 'late').unref());
  const soon = (await first) ?? (await (size < LARGE_BYTES ? damage : Promise.race([damage, late])));
  if (soon !== 'late' && soon !== undefined) throw new Error(`database disk image is malformed: ${soon}`);
  return { damage };
}
