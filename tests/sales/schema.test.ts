import { NETWORKS } from '@asset-gateway/protocol';
import { beforeAll, expect, it } from 'vitest';
import {
  grant,
  HOLDER,
  newDebit,
  newPayment,
  newPurchase,
  REFUSED,
  requirementOf,
  settle,
  sharedLedgerSuite,
  startSettling,
} from '../kit/ledger.ts';

const HOUR_MS = 3_600_000;

/** The views and their columns, as contract section 12 lists them. */
const VIEWS = {
  journal: 'id, at, kind, cluster, wallet, route, micro_usdc, fee_lamports, signature, request_id, node',
  credit_balances: 'cluster, wallet, granted_micro_usdc, spent_micro_usdc, balance_micro_usdc, held_micro_usdc',
  open_payments: 'key, cluster, wallet, route, micro_usdc, state, since, signature',
  sales_by_hour: 'hour, cluster, route, sales, micro_usdc, fee_lamports',
} as const;

sharedLedgerSuite('the views', (ledger) => {
  const call = newPayment({ payer: 'buyer', feeLamports: 10_001 });
  const other = newPayment({ payer: 'buyer', feeLamports: 10_001, requirement: requirementOf(7) });
  const onDevnet = newPayment({ payer: 'buyer', network: NETWORKS.devnet });
  const refused = newPayment({ payer: 'buyer', feeLamports: 5_000 });
  const bundle = newPurchase(1_000, { feeLamports: 10_001 });
  let startMs: number;
  beforeAll(async () => {
    startMs = ledger.nowMs;
    await settle(ledger, call);
    ledger.nowMs += HOUR_MS - 1;
    for (const payment of [other, onDevnet, bundle]) await settle(ledger, payment);
    await startSettling(ledger, refused);
    await ledger.payments.resolve(refused.key, REFUSED);
    ledger.nowMs += 1;
    const debit = newDebit(300);
    await ledger.accounts.hold(debit);
    await ledger.accounts.capture(debit, '"answer"');
    await startSettling(ledger, newPayment({ payer: 'buyer' }));
  });

  const read = (sql: string) => ledger.database.report({ sql });

  it.each(Object.entries(VIEWS))('%s has the columns of the contract in their order', async (view, columns) => {
    const [row = {}] = await read(`select * from ${view}`);
    expect(Object.keys(row).join(', ')).toBe(columns);
  });

  it('sales_by_hour has settlements by the hour, with the fees of refusals', async () => {
    const hour = new Date(startMs).toISOString();
    expect(await read('select * from sales_by_hour order by cluster, route')).toEqual([
      { hour, cluster: 'devnet', route: onDevnet.route, sales: 1, micro_usdc: 5, fee_lamports: 0 },
      { hour, cluster: 'mainnet', route: bundle.route, sales: 1, micro_usdc: 1_000, fee_lamports: 10_001 },
      { hour, cluster: 'mainnet', route: call.route, sales: 2, micro_usdc: 12, fee_lamports: 25_002 },
    ]);
  });
});

/** A copy of a row that was read as `r`, with other values in some columns. */
const copyOf = (table: string, columns: string, changes: Readonly<Record<string, string>>, where = 'true') =>
  `insert into ${table} (${columns}) select ${columns
    .split(', ')
    .map((name) => changes[name] ?? name)
    .join(', ')} from ${table} where ${where}`;

const ENTRY =
  'at, kind, cluster, wallet_id, route, micro_usdc, fee_lamports, signature, request_id, node, key, is_repair';
const PAYMENT =
  `key, wallet_id, request_hash, source, price_usd, micro_usdc, credit_micro_usdc, transaction_base64, requirement,
  owner, route, request_id, state, leased_until_ms, signature, settling_since_ms, fee_lamports`.replace(/\n */, ' ');
const DEBIT =
  'id, wallet_id, micro_usdc, paid_by, route, request_hash, request_id, owner, state, until_ms, captured_at_ms';

const isOpen = `state = 'settling'`;
const addEntry = (changes: Readonly<Record<string, string>>) =>
  copyOf('journal_entries', ENTRY, { key: `'other'`, signature: `'other'`, ...changes }, `kind = 'settlement'`);
const addPayment = (changes: Readonly<Record<string, string>>) =>
  copyOf('payments', PAYMENT, { key: `'other'`, request_hash: `'other'`, ...changes }, isOpen);
const addDebit = (changes: Readonly<Record<string, string>>) =>
  copyOf('debits', DEBIT, { id: `'other'`, ...changes }, `state = 'held'`);

/** Statements that would make an impossible state. */
const IMPOSSIBLE = {
  'a negative grant': 'update wallets set granted_micro_usdc = -1, spent_micro_usdc = 0, held_micro_usdc = 0',
  'a negative sum of debits': 'update wallets set spent_micro_usdc = -1',
  'a negative balance': 'update wallets set spent_micro_usdc = granted_micro_usdc + 1, held_micro_usdc = 0',
  'a negative hold': 'update wallets set held_micro_usdc = -1',
  'a negative number of holds': 'update wallets set holds = -1',
  'a hold above the balance': 'update wallets set held_micro_usdc = granted_micro_usdc - spent_micro_usdc + 1',
  'a second row of one wallet': 'insert into wallets (cluster, address) select cluster, address from wallets',
  'a wallet on an unknown cluster': `insert into wallets (cluster, address) values ('testnet', 'other')`,
  'payments without their wallet': 'delete from wallets',
  'a payment of an unknown wallet': addPayment({ wallet_id: '-1' }),
  'a payment of less than nothing': addPayment({ micro_usdc: '-1' }),
  'a payment that brings less than no credit': addPayment({ credit_micro_usdc: '-1' }),
  'a payment with a negative fee': addPayment({ fee_lamports: '-1' }),
  'a payment in an unknown state': addPayment({ state: `'paid'` }),
  'a second row of one payment': addPayment({ key: 'key' }),
  'a settled payment without a signature': `update payments set signature = null where state = 'settled'`,
  'a second settled payment with one signature': `update payments set state = 'settled', signature = (
    select signature from payments where state = 'settled') where ${isOpen}`,
  'a second open payment of a wallet for one request': addPayment({ request_hash: 'request_hash' }),
  'a payment in progress without a lease': `update payments set leased_until_ms = null where ${isOpen}`,
  'an open payment without its start': `update payments set settling_since_ms = null where ${isOpen}`,
  'a second debit with one id': addDebit({ id: 'id' }),
  'a debit of an unknown wallet': addDebit({ wallet_id: '-1' }),
  'a debit of less than nothing': addDebit({ micro_usdc: '-1' }),
  'a debit in an unknown state': addDebit({ state: `'released'` }),
  'a debit paid by something unknown': addDebit({ paid_by: `'voucher'` }),
  'a captured debit without its time': addDebit({ state: `'captured'` }),
  'a second answer of one payment': 'insert into answers (key, bytes, answer) select key, bytes, answer from answers',
  'an answer of less than no bytes': `insert into answers (key, bytes, answer) values ('other', -1, '')`,
  'an entry of an unknown kind': addEntry({ kind: `'gift'` }),
  'an entry of an unknown wallet': addEntry({ wallet_id: '-1' }),
  'an entry on an unknown cluster': addEntry({ cluster: `'testnet'` }),
  'an entry of less than nothing': addEntry({ micro_usdc: '-1' }),
  'an entry with a negative fee': addEntry({ fee_lamports: '-1' }),
  'an entry without a time': addEntry({ at: 'null' }),
  'an entry without an amount': addEntry({ micro_usdc: 'null' }),
  'an entry that is neither a repair nor none': addEntry({ is_repair: '2' }),
  'a settlement without a signature': addEntry({ signature: 'null' }),
  'a grant without a signature': addEntry({ kind: `'grant'`, signature: 'null' }),
  'a second settlement of one signature': addEntry({ signature: 'signature' }),
  'a second settlement of one payment': addEntry({ key: 'key' }),
  'an amount that is a text': `update journal_entries set micro_usdc = cast('five' as text)`,
} as const;

sharedLedgerSuite('the database rejects', (ledger) => {
  beforeAll(async () => {
    await grant(ledger, 10);
    await ledger.accounts.hold(newDebit(4));
    await startSettling(ledger, newPayment({ payer: HOLDER.wallet }));
  });

  const everything = async () => {
    const tables = ['wallets', 'payments', 'debits', 'answers', 'journal_entries'];
    return Promise.all(tables.map((table) => ledger.database.report({ sql: `select * from ${table} order by 1` })));
  };

  it.each(Object.entries(IMPOSSIBLE))('%s', async (_, sql) => {
    const before = await everything();
    expect(before.map((rows) => rows.length)).toEqual([1, 2, 1, 2, 2]);
    const writing = ledger.database.read({ sql: `${sql} returning 1 as one` });
    await expect(writing).rejects.toThrow(/constraint|cannot store TEXT|of type bigint but expression is of type text/);
    expect(await everything()).toEqual(before);
  });
});
