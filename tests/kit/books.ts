import { expect } from 'vitest';
import { sqliteIn } from '../../packages/gateway/src/stores/sql/sqlite.ts';
import { readSqlite } from '../../packages/gateway/src/stores/sql/sqlite-connection.ts';
import { askPostgres } from './postgres.ts';

/** A gateway's database for money: SQLite in a folder, or PostgreSQL. */
export type MoneyIn = { readonly folder: string } | { readonly url: string };

/** A transfer as a sandbox chain lists it. */
interface Transfer {
  readonly signature: string;
  readonly from: string;
  readonly amount: bigint;
}

type Read = (sql: string) => Promise<readonly Record<string, unknown>[]>;

/** The sum over a wallet's rows in another table. */
const sumOf = (table: string, condition: string, value = 'micro_usdc'): string =>
  `(select coalesce(sum(${value}), 0) from ${table} where wallet_id = w.id and ${condition})`;

/** Queries that find nothing in correct books. */
const FAULTS = {
  'a balance that differs from the journal': `select w.address from wallets w
    where granted_micro_usdc <> ${sumOf('journal_entries', `kind = 'grant'`)}
    or spent_micro_usdc <> ${sumOf('journal_entries', `kind = 'debit'`)}`,
  'a balance that differs from granted and spent': `select w.address from wallets w left join credit_balances b
    on b.cluster = w.cluster and b.wallet = w.address where w.granted_micro_usdc > 0
    and coalesce(b.balance_micro_usdc, -1) <> w.granted_micro_usdc - w.spent_micro_usdc`,
  'holds that differ from the debits': `select w.address from wallets w
    where held_micro_usdc <> ${sumOf('debits', `state = 'held'`)} or holds <> ${sumOf('debits', `state = 'held'`, '1')}`,
  'a settled payment without its settlement': `select p.key from payments p where p.state = 'settled' and 1 <> (
    select count(*) from journal_entries e where e.kind = 'settlement' and e.key = p.key and e.wallet_id = p.wallet_id
    and e.signature = p.signature and e.micro_usdc = p.micro_usdc)`,
  'a settled payment without the credit that it bought': `select p.key from payments p
    where p.state = 'settled' and p.credit_micro_usdc <> (
    select coalesce(sum(e.micro_usdc), 0) from journal_entries e where e.kind = 'grant' and e.key = p.key)`,
  'a captured debit without its entry': `select d.id from debits d where d.state = 'captured' and d.paid_by = 'payment'
    and 1 <> (select count(*) from journal_entries e where e.kind = 'debit' and e.key = d.id and e.micro_usdc = d.micro_usdc)`,
  'a payment that is both settled and covered': `select p.key from payments p join debits d on d.id = p.key
    where p.state = 'settled' and d.state = 'captured'`,
} as const;

async function reading<T>(database: MoneyIn, task: (read: Read) => Promise<T>): Promise<T> {
  if ('url' in database) return task((sql) => askPostgres(database.url, sql));
  const { report } = readSqlite(sqliteIn(database.folder));
  return task((sql) => report({ sql }));
}

/**
 * The file is sound (SQLite), all sums agree, and the queries find no fault. `transfers`: the transfers to the payee; each has one
 * settlement, and there are no other settlements. The gateway may run meanwhile.
 */
export async function expectBooksInOrder(database: MoneyIn, transfers?: readonly Transfer[]): Promise<void> {
  await reading(database, async (read) => {
    if ('folder' in database) {
      expect(await read('pragma integrity_check')).toEqual([{ integrity_check: 'ok' }]);
      expect(await read('pragma foreign_key_check')).toEqual([]);
    }
    for (const [fault, sql] of Object.entries(FAULTS)) expect({ [fault]: await read(sql) }).toEqual({ [fault]: [] });
    if (!transfers) return;
    const settled = await read(`select signature, wallet, micro_usdc from journal where kind = 'settlement'`);
    const entries = settled.map(({ signature, wallet, micro_usdc: micros }) => `${signature} ${wallet} ${micros}`);
    expect(entries.sort()).toEqual(
      transfers.map(({ signature, from, amount }) => `${signature} ${from} ${amount}`).sort(),
    );
  });
}
