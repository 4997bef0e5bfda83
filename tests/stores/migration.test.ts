import Connection from 'libsql';
import { describe, expect, it } from 'vitest';
import { CHANGES } from '../../packages/gateway/src/stores/sql/changes.ts';
import type { Database } from '../../packages/gateway/src/stores/sql/database.ts';
import { PostgresDatabase } from '../../packages/gateway/src/stores/sql/postgres.ts';
import { CHANGES_TABLE } from '../../packages/gateway/src/stores/sql/schema.ts';
import { SqliteDatabase, sqliteIn } from '../../packages/gateway/src/stores/sql/sqlite.ts';
import { makeFolder } from '../kit/folder.ts';
import { askPostgres, openPostgresDatabase, postgresSuite } from '../kit/postgres.ts';

/** The statements of a database whose last change is this one, with data of that time. */
function statementsTo(last: number, engine: 'sqlite' | 'postgres', data: readonly string[]): string[] {
  const changes = CHANGES.filter(({ number }) => number <= last);
  const noted = changes.map(({ number, worksWith }) => `(${number}, ${worksWith})`).join();
  return [
    CHANGES_TABLE,
    ...changes.map((change) => change[engine]),
    `insert into schema_changes values ${noted}`,
    ...data,
  ];
}

/** Opens a database of an earlier version on each engine. */
function onEach(title: string, last: number, data: readonly string[], check: (database: Database) => Promise<void>) {
  it(`${title} in SQLite`, async () => {
    const path = sqliteIn(makeFolder());
    const earlier = new Connection(path);
    for (const sql of statementsTo(last, 'sqlite', data)) earlier.exec(sql);
    earlier.close();
    const database = new SqliteDatabase(path, { now: Date.now });
    await check(database);
    await database.close();
  });
  postgresSuite('on a server', () => {
    it(`${title} in PostgreSQL`, async () => {
      const { url, drop } = await openPostgresDatabase();
      for (const sql of statementsTo(last, 'postgres', data)) await askPostgres(url, sql);
      const database = await PostgresDatabase.load({ url });
      await database.connect();
      await check(database);
      await database.close();
      await drop();
    });
  });
}

describe('an upgrade of the books', () => {
  const wallet = (address: string, times: string) =>
    `insert into wallets (cluster, address, uncharged_at_ms) values ('mainnet', '${address}', '${times}')`;
  const data = [wallet('none', '[]'), wallet('some', '[1764290000000,1764290000001]'), wallet('one', '[5]')];

  onEach('keeps the times of uncharged calls, as rows', 2, data, async (database) => {
    const sql = `select w.address, u.at_ms from uncharged_calls u join wallets w on w.id = u.wallet_id order by u.at_ms`;
    expect(await database.report({ sql })).toEqual([
      { address: 'one', at_ms: 5 },
      { address: 'some', at_ms: 1_764_290_000_000 },
      { address: 'some', at_ms: 1_764_290_000_001 },
    ]);
  });
});
