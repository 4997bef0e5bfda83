import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { readConfig } from '@asset-gateway/gateway';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openState } from '../../packages/gateway/src/compose/state.ts';
import { type SolanaSandbox, startSolanaSandbox } from '../../packages/sandbox/src/solana-sandbox.ts';
import { buyCredit, spend, startCreditGateway } from '../credit/gateway.ts';
import { makeFolder } from '../kit/folder.ts';
import { suiteWith } from '../kit/optional.ts';
import { askPostgres, openPostgresDatabase, postgresSuite } from '../kit/postgres.ts';
import { CANARY_PROVIDER_KEY, type SellingGateway } from '../kit/selling-gateway.ts';
import { callOf } from '../payments/calls.ts';
import { ask, type Buyer, newBuyer, newPath, until } from '../payments/fault-buyer.ts';
import { openWallet, type Wallet } from '../payments/wallets.ts';
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
  const [names = '', ...lines] = output.join('').split(/\r?\n/).filter(Boolean);
  const columns = names.split(',');
  return lines.map((line) => Object.fromEntries(line.split(',').map((cell, index) => [columns[index], cell])));
}

/** Where a gateway keeps its money, and how a program of the database reads it. */
interface Place {
  readonly engine: Engine;
  readonly variables: Readonly<Record<string, string>>;
  query(sql: string): Promise<Rows>;
  remove(): Promise<void>;
}

async function openFolder(): Promise<Place> {
  const DATA_DIR = makeFolder();
  return {
    engine: 'sqlite',
    variables: { DATA_DIR },
    query: (sql) => run(['sqlite3', '-readonly', '-header', '-csv', `${DATA_DIR}/gateway.db`], sql),
    remove: async () => rmSync(DATA_DIR, { recursive: true, force: true }),
  };
}

const VIEWS = 'journal, credit_balances, open_payments, sales_by_hour';

/** `psql` reads as a role that may do nothing else than select from the views. */
async function openDatabase(): Promise<Place> {
  const { url, drop } = await openPostgresDatabase();
  const DATA_DIR = makeFolder();
  const books = new URL(url);
  books.username = `books_${books.pathname.slice(1)}`;
  let isGranted = false;
  return {
    engine: 'postgres',
    variables: { DATABASE_URL: url, DATA_DIR },
    async query(sql) {
      if (!isGranted)
        await askPostgres(url, `create role ${books.username} login; grant select on ${VIEWS} to ${books.username}`);
      isGranted = true;
      return run(['psql', '--csv', '--no-psqlrc', books.href], sql, { PGTZ: 'UTC' });
    },
    async remove() {
      await drop();
      await askPostgres(new URL('/postgres', url).href, `drop role if exists ${books.username}`);
      rmSync(DATA_DIR, { recursive: true, force: true });
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
const call = callOf(RPC_ROUTE);
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

function suite(open: () => Promise<Place>): void {
  let place: Place;
  let solana: SolanaSandbox;
  let gateway: SellingGateway;
  let buyers: readonly Buyer[];
  let holder: Wallet;
  let nowMs: number;
  /** Purchases so far: payments of each buyer, and calls from credit. */
  const bought = { payments: [0, 0, 0], calls: 0 };
  const paid = () => bought.payments.reduce((sum, count) => sum + count, 0);

  async function buy(index: number): Promise<void> {
    const url = gateway.url + newPath();
    expect((await ask(url, await buyers[index]?.pay(url))).status).toBe(200);
    bought.payments[index] = (bought.payments[index] ?? 0) + 1;
  }
  async function callFromCredit(): Promise<void> {
    expect((await spend(gateway, call, holder.signIn)).status).toBe(200);
    bought.calls++;
  }

  beforeAll(async () => {
    place = await open();
    nowMs = await startOfTest();
    solana = await startSolanaSandbox({ key: CANARY_PROVIDER_KEY });
    const { money, connect, close } = await openState(readConfig({ ...solana.variables, ...place.variables }));
    await connect(() => undefined);
    if (!money) throw new Error('nothing is sold');
    // A week ago as many as two payments were made.
    for (const micros of [700, 300]) {
      const old = entryOf({ wallet: 'old', route: WALLET_ROUTE, micros, feeLamports: FEE });
      await appendEntry(money.database, old, nowMs - 7 * DAY_MS);
    }
    await close();
    gateway = await startCreditGateway({ solana }, place.variables);
    buyers = await Promise.all([0, 1, 2].map(() => newBuyer(solana.mainnet)));
    holder = await openWallet(solana);
    expect((await buyCredit(gateway, holder, BUNDLE)).status).toBe(200);
  }, 60_000);
  afterAll(async () => {
    await gateway.stop();
    await solana.close();
    await place.remove();
  });

  const rowsOf = async (title: string, change: (sql: string) => string = (sql) => sql) => {
    const sql = documented(place.engine).get(title);
    if (sql === undefined) throw new Error(`docs/sales.md has no query ${title}`);
    return asNumbers(await place.query(change(sql)));
  };

  it('answer while the gateway is under load, which fails no call', { timeout: 120_000 }, async () => {
    let isOver = false;
    const repeat = async (task: () => Promise<void>) => {
      while (!isOver) await task();
    };
    const load = Promise.all([
      repeat(() => buy(0)),
      repeat(() => buy(0)),
      repeat(() => buy(1)),
      repeat(callFromCredit),
    ]);
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
    let refused: Buyer;
    let pending: { readonly wallet: string; readonly signature: string };
    beforeAll(async () => {
      await buy(2);
      const { faults } = solana.mainnet;
      refused = await newBuyer(solana.mainnet, 1n);
      const url = gateway.url + newPath();
      const payment = await refused.pay(url);
      faults.lie = { simulateOk: true };
      expect((await ask(url, payment)).status).toBe(402);
      faults.reset();
      const [other, buyer] = [gateway.url + newPath(), await newBuyer(solana.mainnet)];
      const unknown = await buyer.pay(other);
      Object.assign(faults, {
        dropAfterBroadcast: true,
        refuse: { getSignatureStatuses: { code: -32_000, message: 'not now' } },
      });
      expect((await ask(other, unknown)).status).toBe(503);
      const transfer = solana.mainnet.transfers.find(({ from }) => from === buyer.address);
      pending = { wallet: buyer.address, signature: transfer?.signature ?? '' };
    }, 60_000);

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
        { wallet: holder.address, payments: 1, dollars: dollars(BUNDLE) },
        { wallet: 'old', payments: 2, dollars: dollars(1_000) },
        ...buyers.map(({ address }, index) => {
          const payments = bought.payments[index] ?? 0;
          return { wallet: address, payments, dollars: dollars(payments * PRICE) };
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
          ...{ micro_usdc: PRICE, state: 'unresolved', ...pending },
        },
      ]);
    });

    it("One wallet's history", async () => {
      const rows = await rowsOf("One wallet's history", (sql) => sql.replace('WALLET', holder.address));
      const total = Math.min(100, bought.calls + 2);
      expect(rows).toHaveLength(total);
      const debit = { cluster: 'mainnet', kind: 'debit', route: RPC_ROUTE, micro_usdc: CALL, signature: '' };
      expect(rows[0]).toEqual({ ...debit, at: expect.stringContaining(today()), request_id: expect.any(String) });
      const [transfer] = solana.mainnet.transfers.filter(({ from }) => from === holder.address);
      const bundle = rows.filter(({ kind }) => kind !== 'debit').map(({ kind, signature }) => [kind, signature]);
      const both = ['grant', 'settlement'].map((kind) => [kind, transfer?.signature]);
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
      const [transfer] = solana.mainnet.transfers.filter(({ from }) => from === holder.address);
      const rows = await rowsOf('A payment by its transaction', (sql) =>
        sql.replace('SIGNATURE', transfer?.signature ?? ''),
      );
      const entry = { cluster: 'mainnet', wallet: holder.address, route: CREDIT_ROUTE, micro_usdc: BUNDLE };
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
