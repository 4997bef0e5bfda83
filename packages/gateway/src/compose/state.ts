import { existsSync } from 'node:fs';
import { Background } from '../background.ts';
import { RedisStore } from '../budget/redis-store.ts';
import type { Store } from '../budget/store.ts';
import { RedisEntries } from '../cache/redis-entries.ts';
import type { OpenShared } from '../cache/shared-entries.ts';
import { closeAll, openTogether } from '../closing.ts';
import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/settings.ts';
import { RedisConnection } from '../stores/redis/connection.ts';
import { type Database, POSTGRES, type Statement } from '../stores/sql/database.ts';
import { PostgresDatabase } from '../stores/sql/postgres.ts';
import { databaseUrls, isOfConnection, loadServers } from '../stores/sql/postgres-server.ts';
import { SchemaTooNew } from '../stores/sql/schema.ts';
import { sqliteIn } from '../stores/sql/sqlite.ts';
import { readSqlite } from '../stores/sql/sqlite-connection.ts';
import { type SpanNames, type Tracing, untraced } from '../traces/tracing.ts';
import { type Local, openLocal, READ_SECRET } from './local.ts';
import { type Money, openMoney, recover } from './money.ts';

/** Returns the first table in a statement, for the name of its span. A span never contains a statement's values. */
const tableOf = ({ sql }: Statement): string => /\b(?:from|into|update) (\w+)/i.exec(sql)?.[1] ?? 'settings';

const DATABASE_SPANS: SpanNames<Database> = {
  read: (statement) => `read ${tableOf(statement)}`,
  report: (statement) => `read ${tableOf(statement)}`,
  write: ({ condition }) => `write ${tableOf(condition)}`,
};

const STORE_SPANS: SpanNames<Store> = { admit: 'take slot', useNonce: 'use nonce' };

const READ_COMMIT = { sql: `select current_setting('synchronous_commit') as value` };
const FORGETS =
  'DATABASE_URL: CREDIT=on requires synchronous_commit=on, because otherwise a server crash can lose credit that customers have paid for. This server has it off.';

/** The errors about the server's certificate, each with its remedy. The first match decides. */
const CERTIFICATES: readonly (readonly [code: RegExp, advice: string])[] = [
  [/ALTNAME/, 'name the host as the certificate does'],
  [
    /CERT|^UNABLE_TO/,
    'the gateway checks it in every mode but no-verify; name the certificate of its authority with sslrootcert=/path/to/ca.pem, or ' +
      'encrypt without a check with sslmode=no-verify',
  ],
];

/** Turns an error of PostgreSQL into advice for the operator. Its messages contain no secret. */
function databaseFault(error: unknown): unknown {
  const { code, message } = error as { readonly code?: string; readonly message: string };
  const fault = (text: string) => new ConfigError([`DATABASE_URL: ${text}.`]);
  if (error instanceof SchemaTooNew)
    return fault(`the database was made by a later version (${message}): start that version`);
  if (code === undefined) return error;
  const [, advice] = CERTIFICATES.find(([of]) => of.test(code)) ?? [];
  return fault(`PostgreSQL says "${message}" (${code})${advice ? `: ${advice}` : ''}`);
}

/** Opens money in PostgreSQL. While the server does not answer, the gateway retries and serves free routes. */
export async function openPostgres(url: string, hasCredit: boolean) {
  const database = await PostgresDatabase.load({ url });
  return {
    database,
    async connect(notice: (message: string) => void) {
      await database.connect(notice).catch((error) => {
        throw databaseFault(error);
      });
      const [commit] = hasCredit ? await database.read(READ_COMMIT).catch(() => []) : [];
      if (commit?.value === 'off') throw new ConfigError([FORGETS]);
    },
    close: () => database.close(),
  };
}

/** How long the command `sales` waits for a connection, in milliseconds. */
export const COMMAND_CONNECT_MS = 5_000;
const NEVER_USED = 'DATABASE_URL: no gateway has used this database yet.';

/** Opens money in PostgreSQL read-only, on the first host that answers, which may be a standby. */
async function readPostgres(url: string) {
  const urls = databaseUrls(url);
  const newServer = await loadServers(urls, COMMAND_CONNECT_MS);
  let fault: unknown;
  for (const _ of urls) {
    const server = newServer();
    try {
      const [row] = await server.report(`select to_regclass('journal_entries') is not null as is_used`, []);
      if (!row?.is_used) throw new ConfigError([NEVER_USED]);
      const database: Pick<Database, 'report' | 'dialect'> = {
        dialect: POSTGRES,
        report: ({ sql, values = [] }) => server.report(sql, values),
      };
      return { database, close: () => server.close() };
    } catch (error) {
      await server.close();
      fault ??= error;
    }
  }
  if (fault instanceof ConfigError) throw fault;
  if (!isOfConnection(fault)) throw databaseFault(fault);
  throw new ConfigError([`DATABASE_URL: PostgreSQL does not answer (${(fault as Error).message}).`]);
}

const EVICTS = 'Redis drops keys when its memory is full, including used nonces: set maxmemory-policy to noeviction';

/** Opens Redis, for data that may be lost. */
async function openRedis(url: string, background: Background) {
  const connection = await RedisConnection.load(url);
  const store = new RedisStore(connection, undefined, background);
  const openShared: OpenShared = (options) => new RedisEntries(connection, options, background);
  return {
    store,
    openShared,
    async connect(notice: (message: string) => void) {
      await connection.connect(notice);
      await store.readEpoch();
      if (connection.refusal !== undefined) throw new ConfigError([`REDIS_URL: ${connection.refusal}.`]);
      if (connection.isConnected && (await background.run('redis', () => store.mayEvict()))) notice(EVICTS);
    },
    close: () => closeAll([connection, store]),
  };
}

/** The stored state of a gateway. */
export interface State {
  /** The store of slots and sign-ins. */
  readonly store: Store;
  /** All data about money; undefined for several nodes without a common database, which sell nothing. */
  readonly money: Money | undefined;
  /** Opens the part of the cache that nodes share; undefined if there is one node. */
  readonly openShared: OpenShared | undefined;
  /** The first secret signs. All secrets verify. */
  readonly secrets: readonly string[];
  /** Connects. Rejects with a fault that the operator can fix. Later faults are reported by `notice`. */
  connect(notice: (message: string) => void): Promise<void>;
  close(): Promise<void>;
}

/** Opens the folder of a single node, or the databases that nodes share. */
export function openState(
  config: Config,
  tracing: Pick<Tracing, 'spanned'> = untraced,
  background: Background = new Background(),
): Promise<State> {
  const { redisUrl, databaseUrl, secrets, journalKeepMs } = config;
  return openTogether(async (closeLater) => {
    const redis = redisUrl === undefined ? undefined : closeLater(await openRedis(redisUrl, background));
    const local = redis ? undefined : closeLater(await openLocal(config, background));
    const postgres =
      databaseUrl === undefined ? undefined : closeLater(await openPostgres(databaseUrl, config.credit !== undefined));
    const database = postgres?.database ?? local?.database;
    const spanned = database && tracing.spanned<Database>(database, DATABASE_SPANS);
    const money = spanned && closeLater(openMoney(spanned, journalKeepMs, undefined, background));
    if (money && !postgres) await recover(money);
    const { store } = redis ?? (local as Local);
    return {
      store: tracing.spanned<Store>(store, STORE_SPANS),
      money,
      openShared: redis?.openShared,
      secrets: secrets.length > 0 || !local ? secrets : [local.secret],
      async connect(notice: (message: string) => void) {
        for (const part of [redis, local, postgres]) await part?.connect(notice);
      },
    };
  });
}

/** Opens the database of money read-only, without locks or migrations, while a gateway may be running. */
export async function openToRead({ databaseUrl, redisUrl, dataDir }: Config) {
  if (databaseUrl !== undefined) return readPostgres(databaseUrl);
  if (redisUrl !== undefined)
    throw new ConfigError(['DATABASE_URL is required: with REDIS_URL alone nothing is sold.']);
  if (!existsSync(sqliteIn(dataDir))) throw new ConfigError([`DATA_DIR: no gateway has served from ${dataDir} yet.`]);
  return { database: readSqlite(sqliteIn(dataDir)), close: async () => undefined };
}

/** Returns the secrets of a deployment. If only its folder has one, reads the folder as `openToRead` does. */
export async function signingSecretsOf({ secrets, redisUrl, dataDir }: Config): Promise<readonly string[]> {
  if (secrets.length > 0 || redisUrl !== undefined || !existsSync(sqliteIn(dataDir))) return secrets;
  return (await readSqlite(sqliteIn(dataDir)).report(READ_SECRET)).map(({ value }) => String(value));
}
