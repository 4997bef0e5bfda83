import { type LocalClocks, LocalRecords, localClocks } from '../../packages/gateway/src/budget/local-records.ts';
import { LocalStore } from '../../packages/gateway/src/budget/local-store.ts';
import type { Clock } from '../../packages/gateway/src/stores/clock.ts';
import { SqliteDatabase, sqliteIn } from '../../packages/gateway/src/stores/sql/sqlite.ts';
import { makeFolder } from './folder.ts';

/** The store of one process with a test's clocks, and its database. */
export type OpenedStore = Awaited<ReturnType<typeof openLocalStore>>;

/** Options of a store. */
export interface OpenedStoreOptions {
  readonly wallNow?: Clock;
  readonly clocks?: LocalClocks;
  /** A folder that outlives the store; default: a temporary one. */
  readonly folder?: string;
}

/** Opens a store. */
export async function openLocalStore(now: Clock, options: OpenedStoreOptions = {}) {
  const { wallNow = now, clocks = localClocks(now), folder = makeFolder() } = options;
  const database = new SqliteDatabase(sqliteIn(folder), { now });
  const records = new LocalRecords(database, clocks);
  const store = new LocalStore(records, await records.read(), now, wallNow);
  return {
    store,
    database,
    /** Stops as in operation. */
    close: () => records.close().then(() => database.close()),
  };
}
