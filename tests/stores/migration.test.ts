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
  const indexes = {
    sqlite: `select name from pragma_index_list('payments')`,
    postgres: `select indexname as name from pg_indexes where tablename = 'payments'`,
  };

  // Nodes of both versions run only on PostgreSQL. Without the index, the earlier one reads all payments every 30 s.
  onEach('drops no index that a node of the version before needs', 7, [], async (database) => {
    const found = await database.report({ sql: indexes[database.dialect.name] });
    expect(found.some(({ name }) => name === 'payments_leased')).toBe(database.dialect.name === 'postgres');
  });

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

  const walletsCalls = (address: string, calls: string) =>
    `insert into wallets (cluster, address, calls) values ('mainnet', '${address}', '${calls}')`;
  const listed = [
    walletsCalls('none', '[]'),
    walletsCalls('some', '[{"key":"one","atMs":1764290000000},{"key":"two","atMs":5}]'),
  ];

  onEach('keeps the times of calls without a settlement, as rows with their payment', 4, listed, async (database) => {
    const sql = `select w.address, u.payment_key, u.at_ms, u.calls from uncharged_calls u
      join wallets w on w.id = u.wallet_id order by u.at_ms`;
    const row = { address: 'some', calls: 1 };
    expect(await database.report({ sql })).toEqual([
      { ...row, payment_key: 'two', at_ms: 5 },
      { ...row, payment_key: 'one', at_ms: 1_764_290_000_000 },
    ]);
  });

  const payment = (key: string, lamports: number, fee: string) =>
    `insert into payments (key, wallet_id, request_hash, source, price_usd, micro_usdc, credit_micro_usdc, transaction_base64,
      requirement, owner, route, request_id, state, reason, fee_lamports, fee_payer, fee_until_ms, fee_of_new_payer)
      values ('${key}', 1, '', '', '0', 5, 0, '', '{}', '', 'r', '', 'refused', '', ${lamports}, ${fee})`;
  const paid = [
    wallet('some', '[]'),
    payment('unpaid', 1, 'null, null, 0'),
    payment('first', 10, `'payer', 3600001, 1`),
    payment('same minute', 100, `'payer', 3659999, 0`),
    payment('next minute', 1_000, `'payer', 3660000, 0`),
    payment('another', 10_000, `'other', 3600001, 0`),
  ];

  const refusedFor = (reason: string) => `${payment(reason, 1, 'null, null, 0').replace("'', 1,", `'${reason}', 1,`)}`;
  const refused = [wallet('some', '[]'), ...['failed on the chain', 'expired'].map(refusedFor)];

  onEach('knows which refused payments have failed on the chain', 4, refused, async (database) => {
    const sql = 'select reason, failed_on_chain from payments order by reason desc';
    expect(await database.report({ sql })).toEqual([
      { reason: 'failed on the chain', failed_on_chain: 1 },
      { reason: 'expired', failed_on_chain: 0 },
    ]);
  });

  onEach('sums the fees of each minute, and goes on with these sums', 3, paid, async (database) => {
    const read = () => database.read({ sql: 'select * from fees order by fee_payer, until_ms' });
    const other = { fee_payer: 'other', until_ms: 3_660_000, lamports: 10_000, of_new_payers: 0 };
    const [first, next] = [3_660_000, 3_720_000].map((until_ms) => ({ fee_payer: 'payer', until_ms }));
    const nextSums = { ...next, lamports: 1_000, of_new_payers: 0 };
    expect(await read()).toEqual([other, { ...first, lamports: 110, of_new_payers: 10 }, nextSums]);
    const change = async (changes: string, key: string) => {
      const sql = `update payments set ${changes} where key = $1 and {in time} returning key as id`;
      expect(await database.write({ condition: { sql, values: [key] } })).toBeDefined();
    };
    await change('fee_of_new_payer = 0', 'first');
    await change(`fee_payer = null`, 'same minute');
    await change(`fee_payer = 'payer', fee_until_ms = 3720000, fee_of_new_payer = 1`, 'unpaid');
    const last = { fee_payer: 'payer', until_ms: 3_780_000, lamports: 1, of_new_payers: 1 };
    expect(await read()).toEqual([other, { ...first, lamports: 10, of_new_payers: 0 }, nextSums, last]);
    const sql = `delete from payments where key = 'unpaid' and {in time} returning key as id`;
    await database.write({ condition: { sql } });
    expect((await read()).at(-1)).toEqual({ ...last, lamports: 0, of_new_payers: 0 });
  });
});
