import { chmodSync, closeSync, openSync } from 'node:fs';
import { hostname } from 'node:os';
import Connection, { type Database as Connected } from 'libsql';

const MODE = 0o600;

/**
 * Makes an empty file that only its owner can read. Does not open an existing file, because closing it would drop the locks that this
 * process holds on it.
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
  /** The file of the lock, which must stay in place. */
  readonly path: string;
  close(): Promise<void>;
}

const FILE = 'gateway.db.lock';
const ATTEMPTS = 50;
/** How long a new owner waits for readers of its name, in milliseconds. */
const READERS_MS = 1_000;

/** Does some work with the lock's file. Returns undefined if another process holds the lock, or has not written its name yet. */
function unlessBusy<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (/locked|busy|no such table/i.test((error as Error).message)) return undefined;
    throw error;
  }
}

/** Runs statements in turn. Returns false if another process holds the lock. */
const run = (connection: Connected, ...statements: string[]): boolean =>
  unlessBusy(() => {
    for (const sql of statements) connection.exec(sql);
    return true;
  }) ?? false;

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/**
 * Writes the name of a process, which other processes can read. Returns false if another process holds the lock. The commit waits for
 * readers, because they would otherwise make it fail repeatedly.
 */
function writeName(connection: Connected, name: string): boolean {
  const note = `create table if not exists holder (id integer primary key, name text); replace into holder values (1, ${quoted(name)})`;
  const written = `pragma busy_timeout = ${READERS_MS}; ${note}; commit; pragma busy_timeout = 0`;
  return run(connection, 'begin immediate', written);
}

/** Returns the name in the file; undefined while a new owner writes its own. */
const lockOwnerIn = (connection: Connected) =>
  unlessBusy(() => connection.prepare('select name from holder where id = 1').get() as { name: string } | undefined)
    ?.name;

/**
 * Locks a folder for one process. Returns the lock, or the name of the process that holds it. The lock is that of an SQLite file. So it
 * ends with its process, and only users who may write to the folder can take it.
 */
export async function lockFolder(folder: string): Promise<{ lock: FolderLock } | { lockedBy: string }> {
  const path = `${folder}/${FILE}`;
  makePrivate(path);
  const name = `process ${process.pid} on ${hostname()}`;
  let wroteName = false;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    // A failed statement stays active and keeps the connection's read lock, so each attempt has its own connection.
    const connection = new Connection(path);
    const isNamed = writeName(connection, name);
    if (isNamed && run(connection, 'begin immediate'))
      return { lock: { path, close: async () => void connection.close() } };
    wroteName ||= isNamed;
    if (connection.inTransaction) run(connection, 'rollback');
    const lockedBy = lockOwnerIn(connection);
    connection.close();
    // If this call has written the name, another process has taken the lock right after, and is about to write its own name.
    if (lockedBy !== undefined && !(wroteName && lockedBy === name)) return { lockedBy };
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return { lockedBy: 'another process' };
}
