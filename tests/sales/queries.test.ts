import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Money, openMoney } from '../../packages/gateway/src/compose/money.ts';
import type { NewPayment } from '../../packages/gateway/src/payments/record.ts';
import { JOURNAL_KEEP_MS } from '../../packages/gateway/src/stores/sql/journal.ts';
import { PostgresDatabase } from '../../packages/gateway/src/stores/sql/postgres.ts';
import { SqliteDatabase, sqliteIn } from '../../packages/gateway/src/stores/sql/sqlite.ts';
import { makeFolder } from '../kit/folder.ts';
import { inSuite } from '../kit/in-suite.ts';
import {
  HOLDER,
  newDebit,
  newPayment,
  newPurchase,
  REFUSED,
  requirementOf,
  settle,
  signatureOf,
  startSettling,
} from '../kit/ledger.ts';
import { suiteWith } from '../kit/optional.ts';
import { askPostgres, openPostgresDatabase, postgresSuite } from '../kit/postgres.ts';
import { until } from '../payments/fault-buyer.ts';
import { appendEntry, entryOf } from './entries.ts';

type Engine = 'sqlite' | 'postgres';
type Rows = readonly Readonly<Record<string, string>>[];

const TITLES = [
  ...['Sold today', 'Margin by route', 'Top wallets', 'Credit outstanding', 'Open payments'],
  ...["One wallet's history", 'Refusals', 'Fees', 'Weekly growth', 'A payment by its transaction'],
];

/** The queries of docs/sales.md by their titles. */
function documented(engine: Engine): ReadonlyMap<string, string> {
  const [, queries = ''] = readFileSync('docs/sales.md', 'utf8').split('\n## Ten queries\n');
  const sections = (queries.split('\n## ')[0] ?? '').split(/^### \d+\. /m).slice(1);
  return new Map(
    sections.map((section) => {
      const blocks = [...section.matchAll(/^```sql\n(.*?)^```$/gms)].map(([, sql = '']) => sql);
      const [first = '', second = first] = blocks;
      return [section.slice(0, section.indexOf('\n')), engine === 'sqlite' ? first : second];
    }),
  );
}

/** Runs a program with a text on its standard input, and answers the rows of CSV that it writes. */
async function run(words: readonly string[], input: string, environment: NodeJS.ProcessEnv = {}): Promise<Rows> {
  const [program = '', ...rest] = words;
  const child = spawn(program, rest, { env: { PATH: process.env.PATH, ...environment } });
  const [output, errors]: [string[], string[]] = [[], []];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk.toString()));
  child.stdin.end(input);
  const code = await new Promise((resolve) => child.once('close', resolve));
  expect([code, errors.join('')]).toEqual([0, '']);
  const [names = '', ...lines] = output.join('').replaceAll('"', '').split(/\r?\n/).filter(Boolean);
  const columns = names.split(',');
  return lines.map((line) => Object.fromEntries(line.split(',').map((cell, index) => [columns[index], cell])));
}

const OPTIONS = { journalKeepMs: JOURNAL_KEEP_MS };

/** A database of money, and how one of its own programs reads it. */
interface Place {
  readonly engine: Engine;
  readonly money: Money;
  query(sql: string): Promise<Rows>;
  stop(): Promise<void>;
}

async function openFolder(): Promise<Place> {
  const folder = makeFolder();
  const money = openMoney(new SqliteDatabase(sqliteIn(folder), { now: Date.now }), OPTIONS);
  return {
    engine: 'sqlite',
    money,
    query: (sql) => run(['sqlite3', '-readonly', '-header', '-csv', sqliteIn(folder)], sql),
    async stop() {
      await money.close().then(() => money.database.close());
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const VIEWS = 'journal, credit_balances, open_payments, sales_by_hour';

/** `psql` reads as a role that may do nothing else than select from the views. */
async function openDatabase(): Promise<Place> {
  const { url, drop } = await openPostgresDatabase();
  const database = await PostgresDatabase.load({ url });
  await database.connect();
  const money = openMoney(database, OPTIONS);
  const books = new URL(url);
  books.username = `books_${books.pathname.slice(1)}`;
  await askPostgres(url, `create role ${books.username} login; grant select on ${VIEWS} to ${books.username}`);
  return {
    engine: 'postgres',
    money,
    query: (sql) => run(['psql', '--csv', '--no-psqlrc', books.href], sql, { PGTZ: 'UTC' }),
    async stop() {
      await money.close().then(() => database.close());
      await drop();
      await askPostgres(new URL('/postgres', url).href, `drop role if exists ${books.username}`);
    },
  };
}

const DAY_MS = 86_400_000;
const [PRICE, CALL, BUNDLE, FEE] = [500, 5, 50_000, 10_001];
const [WALLET_ROUTE, RPC_ROUTE, CREDIT_ROUTE] = [
  'wallet.mainnet.helius.balances',
  'rpc.mainnet.helius.getBalance',
  'credit.mainnet.buy',
];
const SOL_PRICE_USD = 150;
/** The price of lamports. */
const inDollars = (lamports: number) => expect.closeTo((lamports * SOL_PRICE_USD) / 1e9, 5);
const dollars = (micros: number): number => Math.round(micros) / 1_000_000;

/** Numbers as numbers: one database writes 5.0e-04, the other 0.000500. */
const asNumbers = (rows: Rows) =>
  rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, text]) => [name, /^-?[\d.]+(e-\d+)?$/.test(text) ? Number(text) : text]),
    ),
  );

/** The day of the test must not end in its middle. */
async function startOfTest(): Promise<number> {
  const leftMs = DAY_MS - (Date.now() % DAY_MS);
  if (leftMs < 60_000) await pause(leftMs);
  return Date.now();
}

/** The Monday of a day's week. */
const weekOf = (ms: number): string =>
  new Date(ms - ((new Date(ms).getUTCDay() + 6) % 7) * DAY_MS).toISOString().slice(0, 10);

const PAYERS = ['buyer-0', 'buyer-1', 'buyer-2'];

/** A payment for a call of the wallet API. */
const paymentOf = (payer: string, change: Partial<NewPayment> = {}): NewPayment =>
  newPayment({ payer, route: WALLET_ROUTE, requirement: requirementOf(PRICE), feeLamports: FEE, ...change });

function suite(open: () => Promise<Place>): void {
  const place = inSuite(open);
  let nowMs: number;
  /** Purchases so far: payments of each buyer, and calls from credit. */
  const bought = { payments: [0, 0, 0], calls: 0 };
  const bundlePaid = newPurchase(BUNDLE, { feeLamports: FEE });
  const paid = () => bought.payments.reduce((sum, count) => sum + count, 0);

  async function buy(index: number): Promise<void> {
    await settle(place.money, paymentOf(PAYERS[index] ?? ''));
    bought.payments[index] = (bought.payments[index] ?? 0) + 1;
  }
  async function callFromCredit(): Promise<void> {
    const debit = newDebit(CALL, { route: RPC_ROUTE });
    expect((await place.money.accounts.hold(debit)).verdict).toBe('held');
    expect(await place.money.accounts.capture(debit, '{}')).toEqual(expect.any(Number));
    bought.calls++;
  }

  beforeAll(async () => {
    nowMs = await startOfTest();
    // A week ago as many as two payments were made.
    for (const micros of [700, 300]) {
      const old = entryOf({ wallet: 'old', route: WALLET_ROUTE, micros, feeLamports: FEE });
      await appendEntry(place.money.database, old, nowMs - 7 * DAY_MS);
    }
    await settle(place.money, bundlePaid);
  }, 60_000);

  const rowsOf = async (title: string, change: (sql: string) => string = (sql) => sql) => {
    const sql = documented(place.engine).get(title);
    if (sql === undefined) throw new Error(`docs/sales.md has no query ${title}`);
    return asNumbers(await place.query(change(sql)));
  };

  it('answer while purchases are written, none of which fails', { timeout: 120_000 }, async () => {
    let isOver = false;
    const repeat = async (task: () => Promise<void>) => {
      while (!isOver) await task().then(() => pause(20));
    };
    const load = Promise.all([repeat(() => buy(0)), repeat(() => buy(1)), repeat(callFromCredit)]);
    load.catch(() => undefined);
    try {
      await until(() => bought.payments.every((count, index) => index === 2 || count > 0) && bought.calls > 0);
      for (const title of [...TITLES, ...TITLES]) {
        const [paidBefore, callsBefore] = [paid(), bought.calls];
        const rows = await rowsOf(title);
        if (title !== 'Sold today') continue;
        const [debits, , settlements] = rows.map(({ entries }) => Number(entries));
        expect(debits).toBeGreaterThanOrEqual(callsBefore);
        expect(settlements).toBeGreaterThanOrEqual(paidBefore + 1);
      }
    } finally {
      isOver = true;
      await load;
    }
  });

  describe('agree with the purchases', () => {
    const [refused, unknown] = [paymentOf('poor'), paymentOf('unlucky')];
    beforeAll(async () => {
      await buy(2);
      await startSettling(place.money, refused);
      await place.money.payments.resolve(refused.key, REFUSED);
      await startSettling(place.money, unknown);
      await place.money.payments.unresolved(unknown.key);
    });

    const today = () => new Date(nowMs).toISOString().slice(0, 10);
    const weekAgo = () => new Date(nowMs - 7 * DAY_MS).toISOString().slice(0, 10);
    const sold = () => paid() * PRICE;

    it('Sold today', async () => {
      expect(await rowsOf('Sold today')).toEqual([
        { cluster: 'mainnet', kind: 'debit', entries: bought.calls, dollars: dollars(bought.calls * CALL) },
        { cluster: 'mainnet', kind: 'grant', entries: 1, dollars: dollars(BUNDLE) },
        { cluster: 'mainnet', kind: 'refusal', entries: 1, dollars: dollars(PRICE) },
        { cluster: 'mainnet', kind: 'settlement', entries: paid() + 1, dollars: dollars(sold() + BUNDLE) },
      ]);
    });

    it('Margin by route', async () => {
      const route = (name: string, sales: number, micros: number, settlements = sales) => ({
        ...{ route: name, sales, dollars: dollars(micros), fees: inDollars(settlements * FEE) },
        margin: expect.closeTo((micros - (settlements * FEE * SOL_PRICE_USD) / 1_000) / 1e6, 5),
      });
      // The refused payment has cost its fee.
      const direct = route(WALLET_ROUTE, paid() + 2, sold() + 1_000, paid() + 3);
      expect(await rowsOf('Margin by route')).toEqual([route(CREDIT_ROUTE, 1, BUNDLE), direct]);
    });

    it('Top wallets', async () => {
      const wallets = [
        { wallet: HOLDER.wallet, payments: 1, dollars: dollars(BUNDLE) },
        { wallet: 'old', payments: 2, dollars: dollars(1_000) },
        ...PAYERS.map((wallet, index) => {
          const payments = bought.payments[index] ?? 0;
          return { wallet, payments, dollars: dollars(payments * PRICE) };
        }),
      ];
      const isBefore = (one: string, other: string) => (one < other ? -1 : 1);
      wallets.sort((one, other) => other.dollars - one.dollars || isBefore(one.wallet, other.wallet));
      expect(await rowsOf('Top wallets')).toEqual(wallets);
    });

    it('Credit outstanding', async () => {
      expect(await rowsOf('Credit outstanding')).toEqual([
        { cluster: 'mainnet', wallets: 1, dollars: dollars(BUNDLE - bought.calls * CALL), held: 0 },
      ]);
    });

    it('Open payments', async () => {
      expect(await rowsOf('Open payments')).toEqual([
        {
          ...{ since: expect.stringContaining(today()), cluster: 'mainnet', route: WALLET_ROUTE },
          ...{ micro_usdc: PRICE, state: 'unresolved', wallet: unknown.payer, signature: signatureOf(unknown) },
        },
      ]);
    });

    it("One wallet's history", async () => {
      const rows = await rowsOf("One wallet's history", (sql) => sql.replace('WALLET', HOLDER.wallet));
      const total = Math.min(100, bought.calls + 2);
      expect(rows).toHaveLength(total);
      const debit = { cluster: 'mainnet', kind: 'debit', route: RPC_ROUTE, micro_usdc: CALL, signature: '' };
      expect(rows[0]).toEqual({ ...debit, at: expect.stringContaining(today()), request_id: expect.any(String) });
      const bundle = rows.filter(({ kind }) => kind !== 'debit').map(({ kind, signature }) => [kind, signature]);
      const both = ['grant', 'settlement'].map((kind) => [kind, signatureOf(bundlePaid)]);
      expect(bundle.sort()).toEqual(bought.calls > 98 ? [] : both);
    });

    it('Refusals', async () => {
      expect(await rowsOf('Refusals')).toEqual([{ day: today(), route: WALLET_ROUTE, refusals: 1, fee_lamports: FEE }]);
    });

    it('Fees', async () => {
      const [recent, old] = [(paid() + 2) * FEE, 2 * FEE];
      expect(await rowsOf('Fees')).toEqual([
        { day: today(), lamports: recent, dollars: inDollars(recent) },
        { day: weekAgo(), lamports: old, dollars: inDollars(old) },
      ]);
    });

    it('Weekly growth', async () => {
      const micros = sold() + BUNDLE;
      expect(await rowsOf('Weekly growth')).toEqual([
        {
          ...{ week: weekOf(nowMs), sales: paid() + 1, dollars: dollars(micros) },
          growth_percent: expect.closeTo((100 * micros) / 1_000 - 100, 1),
        },
        { week: weekOf(nowMs - 7 * DAY_MS), sales: 2, dollars: dollars(1_000), growth_percent: '' },
      ]);
    });

    it('A payment by its transaction', async () => {
      const rows = await rowsOf('A payment by its transaction', (sql) =>
        sql.replace('SIGNATURE', signatureOf(bundlePaid)),
      );
      const entry = { cluster: 'mainnet', wallet: HOLDER.wallet, route: CREDIT_ROUTE, micro_usdc: BUNDLE };
      const written = { at: expect.stringContaining(today()), request_id: expect.any(String) };
      expect(rows).toEqual([
        { ...entry, ...written, kind: 'settlement', fee_lamports: FEE },
        { ...entry, ...written, kind: 'grant', fee_lamports: 0 },
      ]);
    });
  });
}

describe('docs/sales.md', () => {
  it('has ten queries', () => {
    for (const engine of ['sqlite', 'postgres'] as const) {
      expect([...documented(engine).keys()]).toEqual(TITLES);
      for (const sql of documented(engine).values()) expect(sql).toMatch(/;\n$/);
    }
  });
});
suiteWith('sqlite3', 'the queries of docs/sales.md with sqlite3', () => suite(openFolder));
postgresSuite('the queries of docs/sales.md in PostgreSQL', () => {
  suiteWith('psql', 'with psql', () => suite(openDatabase));
});
