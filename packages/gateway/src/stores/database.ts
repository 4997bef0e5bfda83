import { randomBytes } from 'node:crypto';
import { chmodSync, closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { type Database, open, type RootDatabase } from 'lmdb';
import { Damage } from './damage.ts';
import { damageOf } from './lmdb-check.ts';

const FILE = 'gateway.lmdb';
const UNFINISHED = 'gateway.new.lmdb';
/** Nobody else's, whatever the folder's own mode: the secret is in it. */
const MODE = 0o600;
const MAX_TABLES = 20;

function flush(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Makes an empty one under another name first: a file that is not whole then was damaged, not left behind by a first start. */
async function make(folder: string): Promise<void> {
  const unfinished = `${folder}/${UNFINISHED}`;
  const lock = `${unfinished}-lock`;
  for (const path of [unfinished, lock]) rmSync(path, { force: true });
  closeSync(openSync(unfinished, 'wx', MODE));
  await open({ path: unfinished }).close();
  rmSync(lock, { force: true });
  if (process.platform !== 'win32') flush(unfinished);
  renameSync(unfinished, databaseIn(folder));
  if (process.platform !== 'win32') flush(folder);
}

/** The file of a folder's database. */
export const databaseIn = (folder: string): string => `${folder}/${FILE}`;

/** Opens the database of a folder to read, beside a process that may be writing. Tables that are not there are nothing. */
export const readDatabase = (folder: string): RootDatabase =>
  open({ path: databaseIn(folder), maxDbs: MAX_TABLES, readOnly: true });

/** Opens the database of a folder, and makes it where there is none. Rejects with the damage of a file that is not whole. */
export async function openDatabase(folder: string): Promise<RootDatabase> {
  const path = databaseIn(folder);
  if (!existsSync(path)) await make(folder);
  const damage = damageOf(path);
  if (damage !== undefined) throw new Damage(damage);
  const root = open({ path, maxDbs: MAX_TABLES });
  chmodSync(path, MODE);
  return root;
}

const SECRET = /^[\w-]{43}$/;

function readSecret(settings: Database<string, string>): string | undefined {
  let secret: string | undefined;
  try {
    secret = settings.get('secret');
  } catch {
    throw new Damage('the secret cannot be read');
  }
  if (secret !== undefined && !SECRET.test(secret)) throw new Damage('the secret is none');
  return secret;
}

/** The secret of a database, made once and kept. */
export async function secretOf(root: RootDatabase): Promise<string> {
  const settings = root.openDB<string, string>({ name: 'settings' });
  const known = readSecret(settings);
  if (known !== undefined) return known;
  const secret = randomBytes(32).toString('base64url');
  await settings.put('secret', secret);
  await settings.flushed;
  return secret;
}
