import { randomBytes } from 'node:crypto';
import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Background } from '../background.ts';
import { LocalRecords, localClocks } from '../budget/local-records.ts';
import { LocalStore } from '../budget/local-store.ts';
import { type CloseLater, openTogether } from '../closing.ts';
import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/settings.ts';
import { steadyClock, timeOfDay } from '../stores/clock.ts';
import { type FolderLock, lockFolder } from '../stores/lock.ts';
import { SchemaTooNew } from '../stores/sql/schema.ts';
import { SqliteDatabase, sqliteIn } from '../stores/sql/sqlite.ts';
import { checkSqlite } from '../stores/sql/sqlite-connection.ts';

const EARLIER = ['gateway.lmdb', 'slots.jsonl'];
const SECRET = /^[\w-]{43}$/;

/** Returns a fault of DATA_DIR, with advice for the operator. */
const fault = (advice: string): ConfigError => new ConfigError([`DATA_DIR: ${advice}`]);

const DAMAGED =
  ': restore a backup of it, or move it away and start with an empty one, which loses its secret, all credit and the ' +
  'state of payments';

/** Turns an error of the folder into advice for the operator. */
function folderFault(error: unknown, folder: string): unknown {
  const { message, code = '' } = error as NodeJS.ErrnoException;
  const ofFile = (what: string, advice: string) => fault(`gateway.db in ${folder} ${what} (${message})${advice}.`);
  if (error instanceof SchemaTooNew)
    return ofFile('is of a later version', ': start that version, or restore a backup');
  if (/malformed|not a database|disk I\/O|cut off|secret/.test(message)) return ofFile('is damaged', DAMAGED);
  if (!/SQLITE|EACCES|EROFS|EPERM|ENOSPC/.test(code) && !/readonly|unable to open|full/i.test(message)) return error;
  return ofFile('cannot be opened or written', '');
}

/** Makes a folder and its missing parents. Where no folder can be made, such as in /proc, Node's recursive mkdir would never return. */
function makeFolders(folder: string): void {
  if (existsSync(folder)) return;
  makeFolders(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function makeFolder(folder: string): void {
  try {
    makeFolders(folder);
    accessSync(folder, constants.W_OK);
  } catch {
    throw fault(`the folder ${folder} cannot be created or written.`);
  }
  if (!statSync(folder).isDirectory()) throw fault(`${folder} is a file; name a folder.`);
}

async function claimFolder(folder: string): Promise<FolderLock> {
  const locking = await lockFolder(folder).catch(({ code, message }: NodeJS.ErrnoException) => {
    const why = code ?? message;
    throw /NOTADB|CORRUPT/.test(why)
      ? fault(`gateway.db.lock in ${folder} is damaged (${why}): delete it while no gateway serves from there.`)
      : fault(`the folder ${folder} cannot hold a lock (${why}): it needs free space on a local disk.`);
  });
  if ('lock' in locking) return locking.lock;
  throw fault(
    `${locking.lockedBy} serves from ${folder}; stop it first, or set another DATA_DIR to serve beside it. Several gateways need REDIS_URL.`,
  );
}

/** Reads the secret of a folder's database. */
export const READ_SECRET = { sql: `select value from settings where name = 'secret'` };

/** Returns the secret of a database. The first start makes it. */
async function secretOf(database: SqliteDatabase): Promise<string> {
  const [row] = await database.read(READ_SECRET);
  if (row && !SECRET.test(String(row.value))) throw new Error('the secret is invalid');
  if (row) return String(row.value);
  const secret = randomBytes(32).toString('base64url');
  const sql = `insert into settings (name, value) select 'secret', $1 where {in time} returning name as id`;
  await database.write({ condition: { sql, values: [secret] }, isDurable: true });
  return secret;
}

/** The folder of one process. */
export interface Local {
  readonly database: SqliteDatabase;
  readonly store: LocalStore;
  /** The folder's secret, for operators who set none. The first start makes it. */
  readonly secret: string;
  /** Reports what the operator should know about the folder. */
  connect(notice: (message: string) => void): Promise<void>;
  close(): Promise<void>;
}

/** Opens and locks a folder, which one process at a time may use. */
async function openFolder(dataDir: string, background: Background, closeLater: CloseLater) {
  makeFolder(dataDir);
  const lock = closeLater(await claimFolder(dataDir));
  const now = steadyClock();
  const { damage } = await checkSqlite(sqliteIn(dataDir));
  const options = { now, wallNow: timeOfDay, files: [lock.path], background };
  const database = closeLater(new SqliteDatabase(sqliteIn(dataDir), options));
  const secret = await secretOf(database);
  const records = closeLater(new LocalRecords(database, localClocks(now), background));
  const store = new LocalStore(records, await records.read(), now, timeOfDay);
  return {
    database,
    store,
    secret,
    async connect(notice: (message: string) => void) {
      const earlier = EARLIER.filter((name) => existsSync(`${dataDir}/${name}`)).join(', ');
      if (earlier !== '')
        notice(`DATA_DIR holds data of an earlier version (${earlier}), which stays unchanged: docs/upgrading.md`);
      damage.then(
        (found) => found !== undefined && notice(`DATA_DIR: gateway.db is damaged (${found}): restore a backup of it`),
        ({ message }: Error) => notice(`DATA_DIR: gateway.db was not checked for damage (${message})`),
      );
    },
  };
}

/** Opens the folder. Rejects with advice for the operator if it cannot be used. */
export const openLocal = ({ dataDir }: Pick<Config, 'dataDir'>, background = new Background()): Promise<Local> =>
  openTogether((closeLater) => openFolder(dataDir, background, closeLater)).catch((error) => {
    throw error instanceof ConfigError ? error : folderFault(error, dataDir);
  });
