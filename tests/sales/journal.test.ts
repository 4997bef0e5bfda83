import { beforeAll, describe, expect, it } from 'vitest';
import type { NewPayment } from '../../packages/gateway/src/payments/record.ts';
import type { Grouping } from '../../packages/gateway/src/sales/books.ts';
import { readTask, sinceOf, UsageError } from '../../packages/gateway/src/sales/options.ts';
import { appendMissing } from '../../packages/gateway/src/sales/payee-history.ts';
import {
  createSalesAnswer,
  csvLine,
  entryTable,
  groupTable,
  tableText,
  textTable,
} from '../../packages/gateway/src/sales/report.ts';
import { append, type JournalEntry, type JournalWrite } from '../../packages/gateway/src/stores/sql/database.ts';
import {
  grant,
  HOLDER,
  JOURNAL_KEEP_MS,
  landed,
  ledgerSuite,
  newPayment,
  newPurchase,
  sharedLedgerSuite,
  signatureOf,
  startSettling,
  UNKNOWN,
} from '../kit/ledger.ts';
import { appendEntry, entryOf } from './kit.ts';

const DAY_MS = 86_400_000;
const WALLET = entryOf().wallet;

sharedLedgerSuite('sales are grouped', (ledger) => {
  let startMs: number;
  beforeAll(async () => {
    startMs = ledger.nowMs;
    const put = (change: Partial<JournalEntry>, atMs = startMs) => appendEntry(ledger.database, entryOf(change), atMs);
    await put({ route: 'one', micros: 100 });
    await put({ route: 'one', micros: 50_000, wallet: 'other' }, startMs + DAY_MS);
    await put({ route: 'one', kind: 'grant', micros: 49_900, feeLamports: 0, wallet: 'other' }, startMs + DAY_MS);
    await put({ route: 'two', kind: 'debit', micros: 300, feeLamports: 0, wallet: 'other' }, startMs + DAY_MS);
    await put({ route: 'two', kind: 'refusal', micros: 7 }, startMs + DAY_MS);
    await put({ route: 'one', cluster: 'devnet', micros: 5 });
  });

  const grouped = async (by: Grouping) => (await ledger.books.groups(0, by)).groups;

  it('by route: settlements, grants, debits and fees', async () => {
    const none = { settlements: 0, refusals: 0, grants: 0, debits: 0 };
    const nothing = { settled_usd_micros: 0, granted_usd_micros: 0, spent_usd_micros: 0, fee_lamports: 10_001 };
    const sold = { settled_usd_micros: 50_100, granted_usd_micros: 49_900, fee_lamports: 20_002 };
    expect(await grouped('route')).toEqual([
      { ...none, ...nothing, cluster: 'mainnet', group: 'one', settlements: 2, grants: 1, ...sold },
      { ...none, ...nothing, cluster: 'mainnet', group: 'two', refusals: 1, debits: 1, spent_usd_micros: 300 },
      { ...none, ...nothing, cluster: 'devnet', group: 'one', settlements: 1, settled_usd_micros: 5 },
    ]);
  });

  it.each([
    ['wallet', [WALLET, 'other', WALLET]],
    ['day', ['2026-11-20', '2026-11-21', '2026-11-20']],
    ['cluster', ['mainnet', 'devnet']],
  ] as const)('by %s, each cluster separately', async (by, groups) => {
    expect((await grouped(by)).map(({ group }) => group)).toEqual(groups);
  });

  it('with a limit: those that sold most, mainnet first, and how many there are', async () => {
    const { groups, count } = await ledger.books.groups(0, 'wallet', 1);
    expect([groups.map(({ group }) => group), count]).toEqual([['other'], 3]);
  });

  it('with the cost of fees at the price of SOL, and the margin', async () => {
    const [row] = JSON.parse(tableText(groupTable('route', await grouped('route'), 150), 'json'));
    expect(row).toMatchObject({ fee_lamports: 20_002, fee_usd_micros: 3_000, margin_usd_micros: 47_100 });
    const [unknown] = JSON.parse(tableText(groupTable('route', await grouped('route'), undefined), 'json'));
    expect(unknown).toMatchObject({ fee_lamports: 20_002, fee_usd_micros: null, margin_usd_micros: null });
  });
});

sharedLedgerSuite('the answer of /sales', (ledger) => {
  const answer = async (query: string) => {
    const answering = createSalesAnswer({ books: ledger.books, solPriceUsd: undefined, now: () => ledger.nowMs });
    return JSON.parse((await answering(new URLSearchParams(query))) ?? '');
  };

  it('has every entry since a moment, to the millisecond, and is always complete', async () => {
    const hourAgoMs = ledger.nowMs - 3_600_000;
    const since = new Date(hourAgoMs).toISOString();
    expect(await answer('since=1h&by=cluster')).toEqual({
      ...{ since, by: 'cluster', isComplete: true, solPriceUsd: null, count: 0, sales: [] },
    });
    for (const atMs of [hourAgoMs - 1, hourAgoMs, ledger.nowMs]) await appendEntry(ledger.database, entryOf(), atMs);
    const told = await answer('since=1h&by=cluster');
    expect(told).toMatchObject({ since, isComplete: true, count: 1, sales: [{ cluster: 'mainnet', settlements: 2 }] });
    ledger.nowMs -= 1;
    expect((await answer('since=1h&by=cluster')).sales).toMatchObject([{ settlements: 3 }]);
    ledger.nowMs += 2;
    expect((await answer('since=1h&by=cluster')).sales).toMatchObject([{ settlements: 1 }]);
    await appendEntry(ledger.database, entryOf({ cluster: 'devnet' }));
    const most = await answer('by=cluster&limit=1');
    expect(most).toMatchObject({ count: 2, sales: [{ cluster: 'mainnet' }] });
    expect(most.sales).toHaveLength(1);
  });
});

describe('the answer of /sales if nothing is sold', () => {
  it('is complete and empty', async () => {
    const answer = createSalesAnswer({ books: undefined, solPriceUsd: 150, now: () => 86_400_000 });
    expect(JSON.parse((await answer(new URLSearchParams())) ?? '')).toEqual({
      ...{ since: '1970-01-01T00:00:00.000Z', by: 'route', isComplete: true, solPriceUsd: 150, count: 0, sales: [] },
    });
  });
});

ledgerSuite('the journal', (ledger) => {
  const ids = async () => {
    const all: number[] = [];
    for await (const entries of ledger.books.entries(0)) all.push(...entries.map(({ id }) => id));
    return all;
  };

  /** Appends ten at a time. */
  async function appendMany(count: number, atMs: number): Promise<void> {
    for (let first = 0; first < count; first += 10)
      await Promise.all(Array.from({ length: 10 }, () => appendEntry(ledger.database, entryOf(), atMs)));
  }

  it('keeps entries for SALES_KEEP_DAYS to the millisecond, and balances permanently', async () => {
    await grant(ledger, 10);
    ledger.nowMs += JOURNAL_KEEP_MS + 1;
    const lastMs = ledger.nowMs - JOURNAL_KEEP_MS;
    // More than are deleted at once.
    await appendMany(510, lastMs - 1);
    await appendEntry(ledger.database, entryOf({ wallet: 'last' }), lastMs);
    await ledger.retention.prune();
    const kept = await ledger.database.report({ sql: `select wallet from journal where kind <> 'opening'` });
    expect(kept).toEqual([{ wallet: 'last' }]);
    expect(await ledger.accounts.find(HOLDER)).toMatchObject({ grantedMicros: 10, spentMicros: 0 });
  });

  it('is read in parts, each entry once, in the order of their ids', async () => {
    await appendMany(1_010, ledger.nowMs);
    const all = await ids();
    expect(all).toHaveLength(1_010);
    expect(all).toEqual([...new Set(all)].sort((one, other) => one - other));
  });

  it('has no entry of a step that was not written', async () => {
    await grant(ledger, 10);
    const before = await ids();
    const condition = { sql: `update wallets set version = 'x' where version = 'other' and {in time} returning id` };
    const step = { condition, changes: [append(entryOf({ wallet: HOLDER.wallet }), ledger.nowMs)] };
    expect(await ledger.database.write(step)).toBeUndefined();
    expect(await ids()).toEqual(before);
  });
});

ledgerSuite('a payment that a repair of the journal has booked', (ledger) => {
  it.each([
    ['a call', newPayment(), false, []],
    ['a bundle', newPurchase(50), false, ['grant']],
    ['a bundle that was granted', newPurchase(50), true, []],
  ] as const)('is adopted with its answer owed, and booked once: %s', async (_, payment, isGranted, kinds) => {
    const { key, payer: wallet, creditMicros = 0 } = payment;
    const settlement = { micros: creditMicros || 5, transaction: signatureOf(payment), isRepair: true } as const;
    const entry = { ...entryOf({ wallet, ...settlement }), key };
    expect(await appendMissing(ledger.database, entry, isGranted ? entry.micros : 0)).toBe('appended');
    const written: JournalWrite[] = [];
    ledger.events.on('written', (each) => written.push(each));
    expect(await ledger.payments.adopt(payment, signatureOf(payment))).toBe(true);
    expect(await ledger.payments.find(key)).toMatchObject({ progress: 'settled', owed: true });
    expect(written.flatMap(({ entries }) => entries.map(({ kind }) => kind))).toEqual(kinds);
    const granted = await ledger.database.report({ sql: 'select granted_micro_usdc from credit_balances' });
    expect(granted).toEqual(creditMicros === 0 ? [] : [{ granted_micro_usdc: creditMicros }]);
    expect(await ledger.books.wrongBalances()).toEqual([]);
  });
});

ledgerSuite('a repair of the journal', (ledger) => {
  const missingOf = (payment: NewPayment) => {
    const of = { wallet: payment.payer, micros: 50, transaction: signatureOf(payment), isRepair: true } as const;
    return { ...entryOf(of), key: payment.key };
  };
  const grants = () => ledger.database.report({ sql: `select micro_usdc from journal where kind = 'grant'` });

  it('X7 appends nothing for a payment that is in progress, which then settles and grants once', async () => {
    const payment = newPurchase(50);
    const repair = () => appendMissing(ledger.database, missingOf(payment), 50, ledger.nowMs);
    expect(await ledger.payments.reserve(payment)).toBe('reserved');
    expect(await repair()).toBe('barred');
    await ledger.payments.beginSettlement(payment.key, payment.owner, { answer: '1', signature: signatureOf(payment) });
    expect(await repair()).toBe('barred');
    await ledger.payments.resolve(payment.key, landed(payment));
    expect(await repair()).toBe('present');
    expect(await grants()).toEqual([{ micro_usdc: 50 }]);
  });

  it('X16 books a payment whose search has ended, and the facilitator may still tell its outcome', async () => {
    const payment = newPurchase(50);
    await startSettling(ledger, payment);
    await ledger.payments.resolve(payment.key, UNKNOWN, payment.owner);
    const open = await ledger.payments.find(payment.key);
    ledger.nowMs += 601_000;
    if (open) await ledger.payments.endSearch(open);
    expect(await ledger.payments.openPayments()).toEqual([]);
    expect(await appendMissing(ledger.database, missingOf(payment), 50, ledger.nowMs)).toBe('appended');
    expect(await ledger.payments.resolve(payment.key, landed(payment))).toMatchObject({ verdict: 'done' });
    expect(await ledger.payments.find(payment.key)).toMatchObject({ progress: 'settled', owed: true });
    expect(await grants()).toEqual([{ micro_usdc: 50 }]);
    expect(await ledger.books.wrongBalances()).toEqual([]);
  });

  it('X17 appends nothing older than the complete part of the journal, or within an hour of it', async () => {
    await grant(ledger, 10);
    ledger.nowMs += JOURNAL_KEEP_MS + 1;
    await ledger.retention.prune();
    const payment = newPurchase(50);
    const repairAt = (atMs?: number) => appendMissing(ledger.database, missingOf(payment), 50, atMs);
    for (const agoMs of [JOURNAL_KEEP_MS, 1, -3_599_000]) expect(await repairAt(ledger.nowMs - agoMs)).toBe('barred');
    expect(await grants()).toEqual([]);
    expect(await repairAt(ledger.nowMs + 3_600_000)).toBe('appended');
    expect(await repairAt()).toBe('present');
    expect(await grants()).toEqual([{ micro_usdc: 50 }]);
  });
});

ledgerSuite('repairs of the journal that run at once', (ledger) => {
  it('append and grant once', async () => {
    const entry = { ...entryOf({ isRepair: true }), key: 'missing' };
    const repair = () => appendMissing(ledger.database, entry, entry.micros);
    const results = await Promise.all(Array.from({ length: 10 }, repair));
    expect(results.toSorted()).toEqual(['appended', ...Array.from({ length: 9 }, () => 'present')]);
    expect(await repair()).toBe('present');
    const granted = await ledger.database.report({ sql: 'select granted_micro_usdc from credit_balances' });
    expect(granted).toEqual([{ granted_micro_usdc: entry.micros }]);
    expect(await ledger.books.wrongBalances()).toEqual([]);
  });
});

const GROUP = {
  ...{ cluster: 'mainnet', group: 'one', settlements: 1, refusals: 0, grants: 0, debits: 0 },
  ...{ settled_usd_micros: 1_234_567, granted_usd_micros: 0, spent_usd_micros: 0, fee_lamports: 10_001 },
};

describe('a table', () => {
  it('is aligned for a person, in dollars', () => {
    const table = groupTable('route', [GROUP], 150);
    const [names = '', row = ''] = tableText(table, 'table').split('\n');
    expect(names.split(/ +/)).toEqual([
      ...['cluster', 'route', 'settlements', 'refusals', 'grants', 'debits'],
      ...['settled_usd', 'granted_usd', 'spent_usd', 'fee_lamports', 'fee_usd', 'margin_usd'],
    ]);
    expect(row.split(/ +/)).toEqual([
      ...['mainnet', 'one', '1', '0', '0', '0', '1.234567', '0.000000', '0.000000', '10001', '0.001500', '1.233067'],
    ]);
  });

  it('contains no control characters of a terminal', () => {
    const hostile = '\u001b[2J\u009b1m\u202eevil\n\r\u2028';
    const text = textTable({ columns: ['name'], rows: [[hostile]] });
    expect(text.split('\n')).toHaveLength(3);
    expect(/[\p{Cc}\p{Cf}\p{Zl}]/u.test(text.replaceAll('\n', ''))).toBe(false);
  });

  it.each([
    ['=1+1', `"'=1+1"`],
    ['+1', `"'+1"`],
    ['-1', `"'-1"`],
    ['@SUM(A1)', `"'@SUM(A1)"`],
    ['\t=1', `"'\t=1"`],
    ['\uff1d1', `"'\uff1d1"`],
    ['a,b', '"a,b"'],
    ['say "yes"', '"say ""yes"""'],
    ['two\nlines', '"two\nlines"'],
    ['two\rlines', '"two\rlines"'],
    ['plain', 'plain'],
    ['', ''],
  ])('%j is no formula of a spreadsheet, and one cell', (text, cell) => {
    expect(csvLine([text, 'x'])).toBe(`${cell},x\r\n`);
  });

  it('leaves numbers as they are, below zero too', () => {
    expect(tableText({ columns: ['one', 'other'], rows: [[-0.5, undefined]] }, 'csv')).toBe('one,other\r\n-0.5,\r\n');
  });

  it('names each member of an entry; JSON has one entry per line', () => {
    const time = { time: '2026-11-20T00:00:00.000Z', atMs: Date.parse('2026-11-20T00:00:00Z') };
    const paid = { usd_micros: 480, fee_lamports: 10_001, request_id: '=cmd()', node: '00112233' };
    const entry = { ...entryOf(), ...paid, ...time, repair: 'repair', id: 1 };
    const lines = tableText(entryTable([entry, entry]), 'json', true)
      .split('\n')
      .slice(0, -1);
    expect(lines.map((line) => JSON.parse(line).request_id)).toEqual(['=cmd()', '=cmd()']);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ time: '2026-11-20T00:00:00.000Z', repair: 'repair' });
    expect(tableText(entryTable([entry]), 'csv', true)).toContain(`"'=cmd()"`);
  });
});

describe('the words of the command', () => {
  const NOW = Date.parse('2026-11-22T12:00:00Z');

  it.each([
    ['7d', NOW - 7 * DAY_MS],
    ['24h', NOW - DAY_MS],
    ['90m', NOW - 5_400_000],
    ['2026-11-01', Date.parse('2026-11-01T00:00:00Z')],
    ['2026-11-01T10:30Z', Date.parse('2026-11-01T10:30:00Z')],
    ['all', 0],
    ['', undefined],
    ['7', undefined],
    ['-7d', undefined],
    ['2026-13-01', undefined],
    ['999999d', undefined],
  ])('since %j: the time that it names, or none', (text, atMs) => expect(sinceOf(text, NOW)).toBe(atMs));

  it('default to a week by route', () => {
    const usual = { by: 'route', format: 'table', repair: false, accept: false, grant: undefined };
    expect(readTask([], NOW)).toEqual({ kind: 'group', sinceMs: NOW - 7 * DAY_MS, ...usual });
    expect(readTask(['--follow'], NOW)).toEqual({ kind: 'follow', sinceMs: NOW, ...usual });
    expect(readTask(['verify', '--repair', '--since', '1d'], NOW)).toMatchObject({ kind: 'verify', repair: true });
  });

  it.each([
    ['--by', 'colour'],
    ['--since', 'yesterday'],
    ['verfy'],
    ['verify', 'unresolved'],
    ['--csv', '--json'],
    ['unresolved', '--since', '7d'],
    ['verify', '--follow'],
    ['--repair'],
    ['--accept'],
    ['verify', '--grant'],
    ['verify', '--grant', 'not a signature'],
    ['verify', '--grant', '1'.repeat(64), '--repair'],
    ['--grant', '1'.repeat(64)],
    ['--by'],
    ['--colour'],
  ])('that are not understood are refused: %s %s', (...words) => {
    expect(() => readTask(words, NOW)).toThrow(UsageError);
  });
});
