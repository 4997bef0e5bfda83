import { chmodSync, closeSync, openSync } from 'node:fs';
import { hostname } from 'node:os';
import Connection, { type Database as Connected } from 'libsql';

const MODE = 0o600;

/**
 * Makes an empty file that only its owner can read. It does not open an existing file, because closing it would drop the locks that
 * this process holds on it.
 */
export function makePrivate(path: string): void {
  try {
    closeSync(openSync(path, 'wx', MODE));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    chmodSync(path, MODE);
  }
}

/** The lock of a folder, held until it is closed or its process ends. */
export interface FolderLock {
  close(): Promise<void>;
}

const FILE = 'gateway.db.lock';
const ATTEMPTS = 50;

const isBusy = (error: unknown): boolean => /locked|busy/i.test((error as Error).message);

/** Runs a statement; false if another process holds the lock. */
function run(connection: Connected, sql: string): boolean {
  try {
    connection.exec(sql);
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Writes the name of this process, which others can read, and then holds the write lock of the file. */
function take(connection: Connected): boolean {
  const name = quoted(`process ${process.pid} on ${hostname()}`);
  const note = `create table if not exists holder (id integer primary key, name text); replace into holder values (1, ${name})`;
  return run(connection, 'begin immediate') && run(connection, `${note}; commit`) && run(connection, 'begin immediate');
}

function holderIn(connection: Connected): string {
  const row = connection.prepare('select name from holder where id = 1').get() as { name?: string } | undefined;
  return row?.name ?? 'another process';
}

/**
 * Locks a folder for one process, or answers which one holds it. The lock is that of an SQLite file: it ends with its process, and only
 * users who may write to the folder can take it.
 */
export async function lockFolder(folder: string): Promise<{ lock: FolderLock } | { holder: string }> {
  const path = `${folder}/${FILE}`;
  makePrivate(path);
  const connection = new Connection(path);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    if (take(connection)) return { lock: { close: async () => void connection.close() } };
    if (connection.inTransaction) run(connection, 'rollback');
    try {
      const holder = holderIn(connection);
      connection.close();
      return { holder };
    } catch (error) {
      // The holder is writing its name.
      if (!isBusy(error) && !/no such table/.test((error as Error).message)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  connection.close();
  return { holder: 'another process' };
}
