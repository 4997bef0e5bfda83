import { accessSync, constants, statSync } from 'node:fs';
import Connection from 'libsql/promise';
import type { Database, Row, Statement } from './database.ts';
import { SQLITE } from './dialect.ts';
import { numbered } from './sqlite-connection.ts';

/**
 * Reads in another thread. Each time on a connection of its own: when this thread disposes of an old statement, it waits for whatever
 * the statement's connection is doing.
 */
export async function reportSqlite(path: string, { sql, values = [] }: Statement): Promise<readonly Row[]> {
  const connection = new Connection(path, {});
  try {
    const statement = await connection.prepare(numbered(sql));
    return await statement.all(values);
  } finally {
    connection.close();
  }
}

/** Reads the file of a gateway that may be running. */
export const readSqlite = (path: string): Pick<Database, 'report' | 'dialect'> => ({
  dialect: SQLITE,
  report: (statement) => reportSqlite(path, statement),
});

/** How long a start waits for the check of a large file. That of another one takes no longer, unless the machine is busy. */
const [CHECK_MS, LARGE_BYTES] = [200, 16 * 1024 * 1024];
/** Read at each start. */
const READ_FIRST = ['settings', 'admissions'];

const TEXT_COLUMNS = `select t.name as name, group_concat(c.name) as columns from sqlite_schema t join pragma_table_info(t.name) c
  where t.type = 'table' and c.type = 'TEXT' group by t.name`;
const INVALID = '\ufffd';
/** SQLite reads bytes that are no UTF-8 as this character, and finds it only in text that holds it. */
const isNoText = (column: string): string =>
  `(${column} glob '*${INVALID}*' and instr(cast(${column} as blob), cast('${INVALID}' as blob)) = 0)`;

type Report = Database['report'];

/** The client library ends the process when it reads text that is none. */
async function textFault(report: Report, isAsked: (table: string) => boolean): Promise<string | undefined> {
  for (const { name, columns } of await report({ sql: TEXT_COLUMNS })) {
    if (!isAsked(String(name))) continue;
    const condition = String(columns).split(',').map(isNoText).join(' or ');
    const rows = await report({ sql: `select 1 as found from ${name} where ${condition} limit 1` });
    if (rows.length > 0) return `text in ${name} is no UTF-8`;
  }
  return undefined;
}

async function otherFault(report: Report): Promise<string | undefined> {
  const [row] = await report({ sql: 'pragma quick_check(1)' });
  if (row?.quick_check !== 'ok') return String(row?.quick_check).split('\n').at(-1);
  return textFault(report, (table) => !READ_FIRST.includes(table));
}

const messageOf = ({ message }: Error): string => message;

/**
 * Looks through a whole database file, in another thread. Rejects if damage is found before the start goes on; else the promise that is
 * answered resolves with the damage, if there is any.
 */
export async function checkSqlite(path: string): Promise<{ readonly damage: Promise<string | undefined> }> {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0) return { damage: Promise.resolve(undefined) };
  accessSync(path, constants.R_OK);
  const { report } = readSqlite(path);
  const first = textFault(report, (table) => READ_FIRST.includes(table)).catch(messageOf);
  const damage = first.then((fault) => fault ?? otherFault(report).catch(messageOf));
  const late = new Promise<'late'>((resolve) => setTimeout(resolve, CHECK_MS, 'late').unref());
  const soon = (await first) ?? (await (size < LARGE_BYTES ? damage : Promise.race([damage, late])));
  if (soon !== 'late' && soon !== undefined) throw new Error(`database disk image is malformed: ${soon}`);
  return { damage };
}
