import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openMoney } from '../../packages/gateway/src/compose/money.ts';
import { SqliteDatabase, sqliteIn } from '../../packages/gateway/src/stores/sql/sqlite.ts';
import { expectBooksInOrder } from '../kit/books.ts';
import { makeFolder } from '../kit/folder.ts';
import { inSuite } from '../kit/in-suite.ts';
import {
  grant,
  HOLDER,
  JOURNAL_KEEP_MS,
  type Ledger,
  newDebit,
  newPurchase,
  openPostgresLedger,
  settle,
} from '../kit/ledger.ts';
import { suiteWith } from '../kit/optional.ts';
import { openPostgresDatabase, postgresSuite } from '../kit/postgres.ts';

const OPTIONS = { journalKeepMs: JOURNAL_KEEP_MS };
/** Ends a line, quotes, and looks like what stands for null. */
const AWKWARD = '{"a":"one, \\"two\\"\\n\\\\N"}\r\n\\N';

const suite = () => {
  const folder = makeFolder();
  const opened = inSuite(openPostgresDatabase);
  let ledger: Ledger;
  const purchase = newPurchase(50_000);

  /** Copies as an operator does. */
  function move() {
    const environment = { PATH: process.env.PATH, DATA_DIR: folder, DATABASE_URL: opened.url };
    return spawnSync('deploy/sqlite-to-postgresql.sh', { env: environment, encoding: 'utf8' });
  }

  beforeAll(async () => {
    const database = new SqliteDatabase(sqliteIn(folder), { now: Date.now });
    const money = openMoney(database, OPTIONS);
    await settle(money, purchase, AWKWARD);
    const debit = newDebit(5);
    const held = await money.accounts.hold(debit);
    if (held.verdict !== 'held') throw new Error(held.verdict);
    await money.accounts.capture(held.debit, AWKWARD);
    await money.close();
    await database.close();
    ledger = await openPostgresLedger(opened.url);
    expect(move()).toEqual(expect.objectContaining({ status: 0, stderr: '' }));
  }, 60_000);
  afterAll(() => ledger.close());

  it('has the same balances, payments and answers', async () => {
    const balances = await ledger.database.report({ sql: 'select * from credit_balances' });
    expect(balances).toEqual([
      {
        cluster: 'mainnet',
        wallet: HOLDER.wallet,
        granted_micro_usdc: 50_000,
        spent_micro_usdc: 5,
        balance_micro_usdc: 49_995,
        held_micro_usdc: 0,
      },
    ]);
    const answers = await ledger.database.report({ sql: 'select answer from answers' });
    expect(new Set(answers.map(({ answer }) => answer))).toEqual(new Set([AWKWARD]));
    await expectBooksInOrder({ url: opened.url });
  });

  it('continues the counters', async () => {
    await grant(ledger, 1_000);
    await expectBooksInOrder({ url: opened.url });
  });

  it('copies nothing a second time', async () => {
    expect(move().status).not.toBe(0);
    await expectBooksInOrder({ url: opened.url });
  });
};

suiteWith('sqlite3', 'money that moves from SQLite', () => postgresSuite('to PostgreSQL', suite));
