import { setTimeout as pause } from 'node:timers/promises';
import { NETWORKS } from '@asset-gateway/protocol';
import { describe } from 'vitest';
import { type Money, openMoney, recover } from '../../packages/gateway/src/compose/money.ts';
import type { NewDebit } from '../../packages/gateway/src/credit/account.ts';
import type { NewPayment } from '../../packages/gateway/src/payments/record.ts';
import type { Database } from '../../packages/gateway/src/stores/sql/database.ts';
import { PostgresDatabase } from '../../packages/gateway/src/stores/sql/postgres.ts';
import { SqliteDatabase, type SqliteOptions, sqliteIn } from '../../packages/gateway/src/stores/sql/sqlite.ts';
import { TIMES } from '../../packages/gateway/src/times.ts';
import { makeFolder } from './folder.ts';
import { inEachTest, inSuite } from './in-suite.ts';
import { openPostgresDatabase, postgresSuite } from './postgres.ts';

/** Payments and credit in a database, with a clock that a test moves. */
export interface Ledger extends Pick<Money, 'accounts' | 'books' | 'database' | 'payments' | 'retention' | 'events'> {
  nowMs: number;
  /** The most bytes of all answers together. */
  readonly answerBytes: number;
  /** Ends the process and starts a new one on the same database. */
  reopen(): Promise<void>;
  /** A second node on the same database; undefined if the database allows only one process. */
  openOther?(): Promise<Money>;
  close(): Promise<void>;
}

/** A database with some methods replaced. */
export const changed = (database: Database, change: Partial<Database>): Database =>
  new Proxy(database, {
    get(target, name) {
      const member = Reflect.get(change, name) ?? Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });

const START_MS = Date.parse('2026-11-20T00:00:00Z');
/** The limit of all answers in tests. */
const FEW_BYTES = 256 * 1024;
/** The default of SALES_KEEP_DAYS. */
export const JOURNAL_KEEP_MS = 400 * 86_400_000;

/** A ledger in a new folder. */
export async function openSqliteLedger(options: Omit<SqliteOptions, 'now'> = {}): Promise<Ledger> {
  const file = sqliteIn(makeFolder());
  const ledger = { nowMs: START_MS, answerBytes: FEW_BYTES };
  const open = () =>
    openMoney(new SqliteDatabase(file, { now: () => ledger.nowMs, ...options }), JOURNAL_KEEP_MS, FEW_BYTES);
  const end = (money: Money) => money.close().then(() => money.database.close());
  let money = open();
  const ends = {
    async reopen() {
      await end(money);
      money = open();
      await recover(money);
      Object.assign(ledger, money, ends);
    },
    close: () => end(money),
  };
  return Object.assign(ledger, money, ends);
}

const TABLES = 'wallets, payments, debits, answers, journal_entries, fees';

/** A ledger in a PostgreSQL database, emptied first. */
export async function openPostgresLedger(url: string): Promise<Ledger> {
  const ledger = { nowMs: START_MS, answerBytes: FEW_BYTES };
  const nodes = new Set<Money>();
  const openOther = async () => {
    const database = await PostgresDatabase.load({ url, clock: () => ledger.nowMs });
    await database.connect();
    // A busy server is tried again.
    while (!database.isReady()) await pause(20);
    const money = openMoney(database, JOURNAL_KEEP_MS, FEW_BYTES);
    nodes.add(money);
    return money;
  };
  const end = async (node: Money) => {
    nodes.delete(node);
    await node.close();
    await node.database.close();
  };
  let money = await openOther();
  await money.database.report({ sql: `truncate ${TABLES} restart identity cascade` });
  await money.database.report({ sql: 'update books set pruned_id = 0, complete_since = null' });
  const ends = {
    async reopen() {
      await end(money);
      ledger.nowMs += TIMES.leaseMs;
      money = await openOther();
      Object.assign(ledger, money, ends);
    },
    openOther,
    close: async () => void (await Promise.all([...nodes].map(end))),
  };
  return Object.assign(ledger, money, ends);
}

/** On a busy machine, the server may answer too late, which the gateway reports. Other failures are not retried. */
const TOO_LATE = {
  count: 3,
  condition: /timeout exceeded when trying to connect|Query read timeout|PostgreSQL does not answer/,
};

type Suite = (ledger: Ledger) => void;

/** Registers a suite for SQLite and for PostgreSQL, with a new ledger for each test. */
export const ledgerSuite = (title: string, suite: Suite): void => register(title, suite, inEachTest);

/** Registers a suite for SQLite and for PostgreSQL, with one ledger for all its tests. */
export const sharedLedgerSuite = (title: string, suite: Suite): void => register(title, suite, inSuite);

function register(title: string, suite: Suite, start: typeof inSuite): void {
  describe(`${title} in SQLite`, () => suite(start(() => openSqliteLedger())));
  const inPostgres = () => {
    const opened = inSuite(openPostgresDatabase);
    suite(start(() => openPostgresLedger(opened.url)));
  };
  postgresSuite(`${title} in PostgreSQL`, inPostgres, { retry: TOO_LATE });
}

let serial = 0;
const next = (): string => String(++serial).padStart(8, '0');

/** A requirement of this many micro-USDC, with the members that records use. */
export const requirementOf = (micros: number) =>
  ({ amount: String(micros), asset: 'usdc' }) as NewPayment['requirement'];

/** A new payment. */
export function newPayment(change: Partial<NewPayment> = {}): NewPayment {
  const number = next();
  return {
    key: `${NETWORKS.mainnet}:${number}`,
    network: NETWORKS.mainnet,
    requestHash: `request-${number}`,
    payer: `payer-${number}`,
    source: 'source',
    memo: 'memo',
    priceUsd: '0.000005',
    creditMicros: 0,
    transaction: 'AAAA',
    requirement: requirementOf(5),
    owner: `owner-${number}`,
    route: 'rpc.mainnet.helius.getBalance',
    requestId: `r-${number}`,
    feeLamports: 0,
    ...change,
  };
}

export const HOLDER = { network: NETWORKS.mainnet, wallet: 'wallet' };

/** The holder's payment for this much credit. */
export const newPurchase = (creditMicros: number, change: Partial<NewPayment> = {}): NewPayment =>
  newPayment({
    payer: HOLDER.wallet,
    priceUsd: '0',
    creditMicros,
    requirement: requirementOf(creditMicros),
    route: 'credit.mainnet.buy',
    ...change,
  });

/** A new debit of the holder. */
export const newDebit = (micros: number, change: Partial<NewDebit> = {}): NewDebit => {
  const number = next();
  return {
    ...HOLDER,
    by: 'signature',
    id: `debit-${number}`,
    micros,
    route: 'rpc.mainnet.helius.getBalance',
    requestHash: `request-${number}`,
    owner: `owner-${number}`,
    requestId: `r-${number}`,
    ...change,
  };
};

/** The signature of a payment's transaction. */
export const signatureOf = ({ key }: Pick<NewPayment, 'key'>): string => `signature of ${key}`;

/** The proof of a landed payment. */
export const landed = (payment: Pick<NewPayment, 'key'>) =>
  ({ outcome: 'settled', signature: signatureOf(payment) }) as const;

/** The transaction failed on the chain. */
export { FAILED_ON_CHAIN as REFUSED } from '../../packages/gateway/src/payments/facilitator/facilitator.ts';

export const UNKNOWN = { outcome: 'unknown', signature: undefined } as const;

/** Nothing was sent. */
export const UNSENT = { outcome: 'unsent', reason: 'no RPC' } as const;

type Paying = Pick<Ledger, 'payments'>;

/** Moves a payment as far as `settling`. */
export async function startSettling({ payments }: Paying, payment: NewPayment, answer = '{"n":1}'): Promise<void> {
  const verdict = await payments.reserve(payment);
  if (verdict !== 'reserved') throw new Error(verdict);
  await payments.beginSettlement(payment.key, payment.owner, { answer, signature: signatureOf(payment), height: 7 });
}

/** Settles a payment. */
export async function settle(ledger: Paying, payment: NewPayment, answer?: string): Promise<void> {
  await startSettling(ledger, payment, answer);
  await ledger.payments.resolve(payment.key, landed(payment));
}

/** Grants the holder this much credit. */
export const grant = (ledger: Paying, micros: number, change: Partial<NewPayment> = {}): Promise<void> =>
  settle(ledger, newPurchase(micros, change));
