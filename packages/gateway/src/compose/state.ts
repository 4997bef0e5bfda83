import { existsSync } from 'node:fs';
import { RedisStore } from '../budget/redis-store.ts';
import type { Store } from '../budget/store.ts';
import { RedisEntries } from '../cache/redis-entries.ts';
import type { OpenShared } from '../cache/shared-entries.ts';
import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/settings.ts';
import { RedisConnection } from '../stores/redis/connection.ts';
import { sqliteIn } from '../stores/sql/sqlite.ts';
import { readSqlite } from '../stores/sql/sqlite-reader.ts';
import { type Local, openLocal } from './local.ts';
import { type Money, openMoney, recover } from './money.ts';
import { openPostgres, readPostgres } from './postgres.ts';

/** Everything that the gateway remembers, and where. */
export interface State {
  /** Slots and sign-ins. */
  readonly store: Store;
  /** Undefined if nothing is sold by several nodes that share no database. */
  readonly money: Money | undefined;
  /** Opens what nodes share of stored answers; absent if there is one node. */
  readonly openShared?: OpenShared;
  /** The first signs, all verify. */
  readonly secrets: readonly string[];
  /** Connects to what is shared, and says when it is lost and found. Rejects if the operator can change something. */
  connect(notice: (message: string) => void): Promise<void>;
  close(): Promise<void>;
}

type Part = Pick<State, 'connect' | 'close'>;

const EVICTS =
  'Redis drops keys when its memory is full, and used nonces with them: set maxmemory-policy to noeviction';

/** What several nodes share and may lose. */
async function openRedis(url: string) {
  const connection = await RedisConnection.load(url);
  const store = new RedisStore(connection);
  const openShared: OpenShared = (options) => new RedisEntries(connection, options);
  return {
    store,
    openShared,
    async connect(notice: (message: string) => void) {
      await connection.connect(notice);
      await store.readEpoch();
      if (await store.mayEvict().catch(() => false)) notice(EVICTS);
    },
    async close() {
      store.close();
      connection.close();
    },
  };
}

/** Opens the folder of this one process, or what several nodes share. */
export async function openState(config: Config): Promise<State> {
  const { redisUrl, databaseUrl, secrets, journalKeepMs } = config;
  const parts: Part[] = [];
  const opened = <T extends Part>(part: T): T => {
    parts.push(part);
    return part;
  };
  const close = async () => {
    for (const part of parts.toReversed()) await part.close();
  };
  try {
    const redis = redisUrl === undefined ? undefined : opened(await openRedis(redisUrl));
    const local = redis ? undefined : opened(await openLocal(config));
    const postgres =
      databaseUrl === undefined ? undefined : opened(await openPostgres(databaseUrl, config.credit !== undefined));
    const database = postgres?.database ?? local?.database;
    const money = database && openMoney(database, { journalKeepMs });
    if (money) opened({ connect: async () => undefined, close: () => money.close() });
    if (money && !postgres) await recover(money);
    const { store } = redis ?? (local as Local);
    return {
      store,
      money,
      ...(redis && { openShared: redis.openShared }),
      secrets: secrets.length > 0 || !local ? secrets : [local.secret],
      async connect(notice) {
        for (const part of parts) await part.connect(notice);
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The database of money, as a command opens it beside a gateway that may be running: nothing is locked, migrated or written. */
export async function openToRead({ databaseUrl, redisUrl, dataDir }: Config) {
  if (databaseUrl !== undefined) return readPostgres(databaseUrl);
  if (redisUrl !== undefined)
    throw new ConfigError(['DATABASE_URL is required: with REDIS_URL alone nothing is sold.']);
  if (!existsSync(sqliteIn(dataDir))) throw new ConfigError([`DATA_DIR: no gateway has served from ${dataDir} yet.`]);
  return { database: readSqlite(sqliteIn(dataDir)), close: async () => undefined };
}
