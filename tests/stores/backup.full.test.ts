import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Local, openLocal } from '../../packages/gateway/src/compose/local.ts';
import { type Money, openMoney } from '../../packages/gateway/src/compose/money.ts';
import { SqliteDatabase, sqliteIn } from '../../packages/gateway/src/stores/sql/sqlite.ts';
import { expectBooksInOrder } from '../kit/books.ts';
import { node, runCommand, startCommand } from '../kit/command.ts';
import { makeFolder } from '../kit/folder.ts';
import { inSuite } from '../kit/in-suite.ts';
import {
  grant,
  HOLDER,
  JOURNAL_KEEP_MS,
  type Ledger,
  newDebit,
  newPayment,
  newPurchase,
  openPostgresLedger,
  settle,
} from '../kit/ledger.ts';
import { suiteWith } from '../kit/optional.ts';
import { openPostgresDatabase, postgresSuite } from '../kit/postgres.ts';
import { startChains, startSellingGateway } from '../kit/test-gateway.ts';
import { ask, newBuyer, newPath, ROOMY } from '../payments/fault-buyer.ts';
import { ROOM } from './contract.ts';

const [, COMMANDS = ''] =
  /## SQLite[\s\S]*?```sh\n([\s\S]*?)```/.exec(readFileSync('docs/operating/restarts-and-state.md', 'utf8')) ?? [];

let folder: string;
let restored: string;
beforeEach(() => {
  folder = makeFolder();
  restored = `${folder}/restored`;
  mkdirSync(restored);
});

/** Does what docs/operating/restarts-and-state.md says, in its own process, while the database is in use. */
async function copy(): Promise<void> {
  const env = { DATA_DIR: folder, COPY: sqliteIn(restored) };
  expect(await runCommand(['sh', '-ec', COMMANDS], { env })).toMatchObject({ code: 0, stderr: '' });
}

async function openAll(dataDir: string): Promise<Local & { readonly money: Money }> {
  const local = await openLocal({ dataDir });
  const money = openMoney(local.database, JOURNAL_KEEP_MS);
  return { ...local, money, close: () => money.close().then(local.close) };
}

suiteWith('sqlite3', 'a copy of a database that is in use', () => {
  it('serves answers bought before and after it was made, without a charge', async () => {
    const solana = await startChains();
    const { mainnet, provider } = solana;
    const first = await startSellingGateway(ROOMY, { solana, dataDir: folder });
    const [before, after, later] = [newPath(), newPath(), newPath()];
    const buyer = await newBuyer(mainnet);
    const payments = new Map<string, string>();
    for (const path of [before, after, later]) payments.set(path, await buyer.pay(first.url + path));
    const bought = await ask(first.url + before, payments.get(before));
    await Promise.all([copy(), ask(`${first.url}/healthz`)]);
    expect((await ask(first.url + after, payments.get(after))).status).toBe(200);
    await first.gateway.stop();

    const second = await startSellingGateway(ROOMY, { solana, dataDir: restored });
    const calls = provider.arrivals.length;
    const again = await ask(second.url + before, payments.get(before));
    expect([again.status, again.isReplayed, again.text]).toEqual([200, true, bought.text]);
    expect((await ask(second.url + after, payments.get(after))).status).toBe(200);
    expect(mainnet.transfers).toHaveLength(2);
    expect(provider.arrivals.length - calls).toBe(1);
    expect((await ask(second.url + later, payments.get(later))).status).toBe(200);
    await expectBooksInOrder({ folder: restored }, mainnet.transfers);
    expect(mainnet.transfers).toHaveLength(3);
  });

  it('has the secret, the credit and the owed answers of its time, and accepts no earlier sign-in', async () => {
    const budget = { key: 'budget', limit: 5, windowMs: 60_000, inFlightMs: 0 };
    const now = await openAll(folder);
    const take = (owner: string) => now.store.admit({ budget, owner, inFlightLimit: ROOM });
    const payment = newPayment();
    await settle(now.money, payment, '"owed"');
    await grant(now.money, 50);
    await take('one');
    await copy();
    now.money.payments.delivered(payment.key);
    await grant(now.money, 50);
    const then = await openAll(restored);
    expect(then.secret).toBe(now.secret);
    expect(then.store.epoch()).not.toBe(now.store.epoch());
    expect([now.store.view(budget).left, then.store.view(budget).left]).toEqual([4, 4]);
    expect((await then.money.payments.look({ ...payment, key: 'another' })).due.at(-1)?.key).toBe(payment.key);
    expect(await then.money.payments.answer(payment.key)).toBe('"owed"');
    expect((await then.money.accounts.find(HOLDER)).grantedMicros).toBe(50);
    expect(statSync(sqliteIn(restored)).mode & 0o077).toBe(0);
    await then.close();
    await now.close();
  });

  it('is made while the database is written to, and its books are in order', async () => {
    const writer = startCommand(node('tests/stores/busy-store.mjs', folder));
    await once(writer.child.stdout as Readable, 'data');
    await pause(300);
    await copy();
    expect(writer.child.exitCode).toBeNull();
    writer.child.kill('SIGKILL');
    await writer.ended;
    await expectBooksInOrder({ folder: restored });
    const copied = await openAll(restored);
    const [settled] = await copied.database.report({
      sql: `select count(*) as count from payments where state = 'settled'`,
    });
    expect(settled?.count).toBeGreaterThan(0);
    await copied.close();
  });
});

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
    const money = openMoney(database, JOURNAL_KEEP_MS);
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
    const credit = { granted_micro_usdc: 50_000, spent_micro_usdc: 5, balance_micro_usdc: 49_995, held_micro_usdc: 0 };
    expect(balances).toEqual([{ cluster: 'mainnet', wallet: HOLDER.wallet, ...credit }]);
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
