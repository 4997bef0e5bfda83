import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { TestOptions } from 'vitest';
import { descendantsOf } from '../../scripts/processes.mjs';
import { freePort } from '../http/ports.ts';
import { endsAfterTests } from './ends.ts';
import { placesOfRun } from './folder.ts';
import { findProgram, suiteWith } from './optional.ts';

type Values = readonly (string | number | null)[];

/** A PostgreSQL server on a free port, without a password. */
export type PostgresServer = Awaited<ReturnType<typeof startPostgres>>;

/** Options of a server. */
export interface PostgresOptions {
  readonly settings?: Readonly<Record<string, string>>;
  /** Makes the data folder in place of an empty one, such as `pg_basebackup` for a standby. */
  readonly prepare?: (data: string) => void;
  readonly port?: number;
}

/** A suite that needs PostgreSQL. */
export const postgresSuite = (title: string, body: () => void, options: TestOptions = {}): void =>
  suiteWith('postgres', title, body, options);

/** Tests kill processes, never the system, so written data need not reach the disk. The data folder is in memory. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  fsync: 'off',
  full_page_writes: 'off',
  max_connections: '200',
  shared_buffers: '32MB',
  max_wal_size: '128MB',
  log_min_messages: 'fatal',
};

/** The server's user, because it does not run as root. */
function user(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((each) => each.startsWith('postgres:'));
  const [, , uid, gid] = line?.split(':') ?? [];
  return { uid: Number(uid ?? 65534), gid: Number(gid ?? 65534) };
}

/** Makes a folder that belongs to the server's user. */
export function makeOwn(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const owner = user();
  if (owner) chownSync(folder, owner.uid, owner.gid);
}

const TERMINATE = `select count(pg_terminate_backend(pid)) as ended from pg_stat_activity where application_name = 'asset-gateway'`;

const programOf = (name: string): string => {
  const path = findProgram(name);
  if (path === undefined) throw new Error(`${name} is not installed`);
  return path;
};

/** Runs one of PostgreSQL's programs as the server's user. */
export function runPostgresProgram(name: string, words: readonly string[], environment: object = {}): string {
  const options = { ...user(), encoding: 'utf8', env: { PATH: process.env.PATH, ...environment }, cwd: '/' } as const;
  const { status, stdout, stderr } = spawnSync(programOf(name), words, options);
  if (status !== 0) throw new Error(`${name} ended with ${status}: ${stderr}`);
  return stdout;
}

/** The folder of a run for an empty data folder and the shared server's data. */
const sharedFolder = (): string => join(placesOfRun().memory, 'postgres');

/** An empty data folder. A run makes it once, because a copy takes less time. */
async function emptyData(): Promise<string> {
  const folder = sharedFolder();
  const [data, ready] = [join(folder, 'empty'), join(folder, 'empty.ready')];
  makeOwn(folder);
  if (await isFirst(join(folder, 'empty.begun'))) {
    const words = `-D ${data} -U postgres -A trust -E UTF8 --locale=C --no-sync`.split(' ');
    runPostgresProgram('initdb', words);
    writeFileSync(ready, '');
  }
  await until(() => existsSync(ready));
  return data;
}

async function isFirst(path: string): Promise<boolean> {
  try {
    writeFileSync(path, '', { flag: 'wx' });
    return true;
  } catch {
    return false;
  }
}

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 1_000; attempt++) {
    if (await isTrue()) return;
    await pause(20);
  }
  throw new Error('PostgreSQL does not start');
}

const untilReady = (url: string): Promise<void> =>
  until(async () => (await ask(url, 'select 1 as one').catch(() => [])).length === 1);

async function ask(url: string, sql: string, values: Values = []): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(sql, [...values])).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}

function signalAll(child: ChildProcess | undefined, signal: NodeJS.Signals): void {
  if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  for (const pid of [child.pid, ...descendantsOf([child.pid]).map(({ id }) => id)]) {
    try {
      process.kill(pid, signal);
    } catch {
      // The process has just ended.
    }
  }
}

function launch(data: string, port: number, settings: PostgresOptions['settings'], isShared: boolean): ChildProcess {
  const all = Object.entries({ ...SETTINGS, port: String(port), ...settings });
  const words = ['-D', data, ...all.flatMap(([name, value]) => ['-c', `${name}=${value}`])];
  return spawn(programOf('postgres'), words, { ...user(), cwd: '/', stdio: 'ignore', detached: isShared });
}

const urlOf = (port: number, database = 'postgres', name = 'postgres'): string =>
  `postgres://${name}@127.0.0.1:${port}/${database}`;

async function createDatabase(port: number): Promise<string> {
  const name = `gateway_${randomBytes(6).toString('hex')}`;
  await ask(urlOf(port), `create database ${name} template template0`);
  return name;
}

/** Starts a server of a test's own, which the test may kill. Ends it after the file's tests. */
export async function startPostgres({ settings, prepare, port }: PostgresOptions = {}) {
  const folder = join(placesOfRun().memory, `postgres-${randomBytes(6).toString('hex')}`);
  makeOwn(folder);
  const data = join(folder, 'data');
  if (prepare) prepare(data);
  else copyData(await emptyData(), data);
  const own = port ?? (await freePort());
  let child: ChildProcess | undefined;
  const end = async (signal: NodeJS.Signals) => {
    const ending = child;
    child = undefined;
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return;
    const ended = once(ending, 'exit');
    if (signal === 'SIGKILL') signalAll(ending, signal);
    else ending.kill(signal);
    await ended;
  };
  const start = async () => {
    child = launch(data, own, settings, false);
    await untilReady(urlOf(own));
  };
  const stop = endsAfterTests(async () => {
    signalAll(child, 'SIGCONT');
    await end('SIGQUIT');
    rmSync(folder, { recursive: true, force: true });
  });
  await start();
  return {
    port: own,
    /** The folder of its data. */
    data,
    /** The URL of a database. */
    url: (database?: string, name?: string) => urlOf(own, database, name),
    query: (sql: string, values?: Values, database?: string) => ask(urlOf(own, database), sql, values),
    /** Makes an empty database. Returns its name. */
    createDatabase: () => createDatabase(own),
    /** Ends the connections of all gateways. Returns how many there were. */
    async endConnections(): Promise<number> {
      const [row] = await ask(urlOf(own), TERMINATE);
      return Number(row?.ended);
    },
    /** Sends SIGKILL to every process of the server. */
    kill: () => end('SIGKILL'),
    /** Starts the server again on the same port. */
    start,
    /** Sends SIGSTOP to every process. The server then accepts connections but answers nothing. */
    freeze: () => signalAll(child, 'SIGSTOP'),
    thaw: () => signalAll(child, 'SIGCONT'),
    stop,
  };
}

function copyData(from: string, to: string): void {
  const { status, stderr } = spawnSync('cp', ['-r', from, to], { ...user(), cwd: '/', encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}

/** A new database on the server that all files of a run share. */
export async function openPostgresDatabase(): Promise<{ readonly url: string; drop(): Promise<void> }> {
  const port = await sharedPort();
  const name = await createDatabase(port);
  return {
    url: urlOf(port, name),
    drop: async () => void (await ask(urlOf(port), `drop database if exists ${name} with (force)`)),
  };
}

/** Asks a database once. */
export const askPostgres = ask;

async function sharedPort(): Promise<number> {
  const folder = sharedFolder();
  const empty = await emptyData();
  const ready = join(folder, 'shared.ready');
  if (await isFirst(join(folder, 'shared.begun'))) {
    const port = await freePort();
    copyData(empty, join(folder, 'shared'));
    const child = launch(join(folder, 'shared'), port, {}, true);
    child.unref();
    await untilReady(urlOf(port));
    writeFileSync(ready, String(port));
  }
  await until(() => existsSync(ready) && readFileSync(ready, 'utf8') !== '');
  return Number(readFileSync(ready, 'utf8'));
}
