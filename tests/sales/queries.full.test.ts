import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { inSuite } from '../kit/in-suite.ts';
import {
  HOLDER,
  type Ledger,
  newDebit,
  newPayment,
  newPurchase,
  openPostgresLedger,
  openSqliteLedger,
  REFUSED,
  requirementOf,
  settle,
  signatureOf,
  startSettling,
} from '../kit/ledger.ts';
import { suiteWith } from '../kit/optional.ts';
import { askPostgres, openPostgresDatabase, postgresSuite } from '../kit/postgres.ts';
import { appendEntry, entryOf } from './kit.ts';

type Engine = 'sqlite' | 'postgres';
type Rows = readonly Readonly<Record<string, string>>[];

/** The queries of docs/sales.md by their titles. */
function documented(engine: Engine): ReadonlyMap<string, string> {
  const [, queries = ''] = readFileSync('docs/sales.md', 'utf8').split('\n## Ten queries\n');
  const sections = (queries.split('\n## ')[0] ?? '').split(/^### \d+\. /m).slice(1);
  return new Map(
    sections.map((section) => {
      const [, sql = ''] = /^```sql\n(.*?)^```$/ms.exec(section) ?? [];
      const [, inPostgres, inSqlite] = /In PostgreSQL, write `(.+)`\sfor\s`(.+)`/.exec(section) ?? [];
      const own = engine === 'postgres' && inSqlite !== undefined ? sql.replace(inSqlite, `${inPostgres}`) : sql;
      return [section.slice(0, section.indexOf('\n')), own];
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

/** A ledger, and how the program of its database reads it. */
type Place = Ledger & { readonly engine: Engine; query(sql: string): Promise<Rows> };

async function openFolder(): Promise<Place> {
  const ledger = await openSqliteLedger();
  const [database] = await ledger.database.report({ sql: 'pragma database_list' });
  const query = (sql: string) => run(['sqlite3', '-readonly', '-header', '-csv', String(database?.file)], sql);
  return Object.assign(ledger, { engine: 'sqlite', query } as const);
}

const VIEWS = 'journal, credit_balances, open_payments, sales_by_hour';

/** `psql` reads as a role that may do nothing else than select from the views. */
async function openDatabase(): Promise<Place> {
  const { url, drop } = await openPostgresDatabase();
  const ledger = await openPostgresLedger(url);
  const { close } = ledger;
  const books = new URL(url);
  books.username = `books_${books.pathname.slice(1)}`;
  await askPostgres(url, `create role ${books.username} login; grant select on ${VIEWS} to ${books.username}`);
  return Object.assign(ledger, {
    engine: 'postgres',
    query: (sql: string) => run(['psql', '--csv', '--no-psqlrc', books.href], sql, { PGTZ: 'UTC' }),
    async close() {
      await close().then(drop);
      await askPostgres(new URL('/postgres', url).href, `drop role if exists ${books.username}`);
    },
  } as const);
}

const DAY_MS = 86_400_000;
const [PRICE, CALL, BUNDLE, FEE] = [500, 5, 50_000, 10_001];
const [WALLET_ROUTE, RPC_ROUTE, CREDIT_ROUTE] = [
  'wallet.mainnet.helius.balances',
  'rpc.mainnet.helius.getBalance',
  'credit.mainnet.buy',
];
const SOL_PRICE_USD = 150;
const dollars = (micros: number): number => Math.round(micros) / 1_000_000;
const lamportsInDollars = (lamports: number): number => (lamports * SOL_PRICE_USD) / 1e9;
const near = (value: number) => expect.closeTo(value, 5);

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

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
/** The Monday of a day's week. */
const weekOf = (ms: number): string => dayOf(ms - ((new Date(ms).getUTCDay() + 6) % 7) * DAY_MS);

/** A payment for a call of the wallet API. */
const paymentBy = (payer: string) =>
  newPayment({ payer, route: WALLET_ROUTE, requirement: requirementOf(PRICE), feeLamports: FEE });

const DEBIT = newDebit(CALL, { route: RPC_ROUTE });
const [BUNDLE_PAID, REFUSED_PAYMENT, UNKNOWN] = [
  newPurchase(BUNDLE, { feeLamports: FEE }),
  paymentBy('poor'),
  paymentBy('unlucky'),
];

/** Two payments of a week ago; today three, a bundle, a call from it, a refusal and a payment with an unknown outcome. */
async function sell({ database, payments, accounts, nowMs }: Ledger): Promise<void> {
  for (const micros of [700, 300]) {
    const old = entryOf({ wallet: 'old', route: WALLET_ROUTE, micros, feeLamports: FEE });
    await appendEntry(database, old, nowMs - 7 * DAY_MS);
  }
  for (const payment of [BUNDLE_PAID, ...['buyer-0', 'buyer-0', 'buyer-1'].map(paymentBy)])
    await settle({ payments }, payment);
  expect((await accounts.hold(DEBIT)).verdict).toBe('held');
  expect(await accounts.capture(DEBIT, '{}')).toEqual(expect.any(Number));
  await startSettling({ payments }, REFUSED_PAYMENT);
  await payments.resolve(REFUSED_PAYMENT.key, REFUSED);
  await startSettling({ payments }, UNKNOWN);
  await payments.resolve(UNKNOWN.key, { outcome: 'unknown', signature: undefined });
}

const SOLD = 3 * PRICE + BUNDLE;

/** A route whose settlements and refusals have cost this many fees. */
const marginOf = (route: string, sales: number, micros: number, fees: number) => ({
  ...{ route, sales, dollars: dollars(micros), fees: near(lamportsInDollars(fees * FEE)) },
  margin: near(dollars(micros) - lamportsInDollars(fees * FEE)),
});

/** What each query finds. */
function expectedOn(nowMs: number): Readonly<Record<string, readonly object[]>> {
  const [today, weekAgo] = [dayOf(nowMs), dayOf(nowMs - 7 * DAY_MS)];
  const [at, mainnet] = [expect.stringContaining(today), { cluster: 'mainnet' }];
  const signature = signatureOf(BUNDLE_PAID);
  const ofBundle = { at, ...mainnet, request_id: BUNDLE_PAID.requestId, route: CREDIT_ROUTE, micro_usdc: BUNDLE };
  return {
    'Sold today': [
      { ...mainnet, kind: 'debit', entries: 1, dollars: dollars(CALL) },
      { ...mainnet, kind: 'grant', entries: 1, dollars: dollars(BUNDLE) },
      { ...mainnet, kind: 'refusal', entries: 1, dollars: dollars(PRICE) },
      { ...mainnet, kind: 'settlement', entries: 4, dollars: dollars(SOLD) },
    ],
    'Margin by route': [marginOf(CREDIT_ROUTE, 1, BUNDLE, 1), marginOf(WALLET_ROUTE, 5, 3 * PRICE + 1_000, 6)],
    'Top wallets': [
      { wallet: HOLDER.wallet, payments: 1, dollars: dollars(BUNDLE) },
      { wallet: 'buyer-0', payments: 2, dollars: dollars(2 * PRICE) },
      { wallet: 'old', payments: 2, dollars: dollars(1_000) },
      { wallet: 'buyer-1', payments: 1, dollars: dollars(PRICE) },
    ],
    'Credit outstanding': [{ ...mainnet, wallets: 1, dollars: dollars(BUNDLE - CALL), held: 0 }],
    'Open payments': [
      {
        ...{ since: at, ...mainnet, route: WALLET_ROUTE, micro_usdc: PRICE, state: 'unresolved' },
        ...{ wallet: UNKNOWN.payer, signature: signatureOf(UNKNOWN) },
      },
    ],
    "One wallet's history": [
      { at, ...mainnet, kind: 'debit', route: RPC_ROUTE, micro_usdc: CALL, signature: '', request_id: DEBIT.requestId },
      { ...ofBundle, kind: expect.stringMatching(/^(?:grant|settlement)$/), signature },
      { ...ofBundle, kind: expect.stringMatching(/^(?:grant|settlement)$/), signature },
    ],
    Refusals: [{ day: today, route: WALLET_ROUTE, refusals: 1, fee_lamports: FEE }],
    Fees: [
      { day: today, lamports: 5 * FEE, dollars: near(lamportsInDollars(5 * FEE)) },
      { day: weekAgo, lamports: 2 * FEE, dollars: near(lamportsInDollars(2 * FEE)) },
    ],
    'Weekly growth': [
      {
        ...{ week: weekOf(nowMs), sales: 4, dollars: dollars(SOLD) },
        growth_percent: expect.closeTo((100 * SOLD) / 1_000 - 100, 1),
      },
      { week: weekOf(nowMs - 7 * DAY_MS), sales: 2, dollars: dollars(1_000), growth_percent: '' },
    ],
    'A payment by its transaction': [
      { ...ofBundle, wallet: HOLDER.wallet, kind: 'settlement', fee_lamports: FEE },
      { ...ofBundle, wallet: HOLDER.wallet, kind: 'grant', fee_lamports: 0 },
    ],
  };
}

const TITLES = Object.keys(expectedOn(Date.now()));

function suite(open: () => Promise<Place>): void {
  const place = inSuite(open);
  beforeAll(async () => {
    place.nowMs = await startOfTest();
    await sell(place);
  }, 60_000);

  it.each(TITLES)('%s', async (title) => {
    const sql = documented(place.engine).get(title) ?? 'none';
    const asked = sql.replace('WALLET', HOLDER.wallet).replace('SIGNATURE', signatureOf(BUNDLE_PAID));
    expect(asNumbers(await place.query(asked))).toEqual(expectedOn(place.nowMs)[title]);
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
