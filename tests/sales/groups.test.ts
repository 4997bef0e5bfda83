import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { GROUPINGS, type Grouping } from '../../packages/gateway/src/sales/books.ts';
import { createSalesAnswer, groupTable, written } from '../../packages/gateway/src/sales/report.ts';
import type { JournalEntry } from '../../packages/gateway/src/stores/sql/database.ts';
import { sharedLedgerSuite } from '../kit/ledger.ts';
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
    expect(await grouped('route')).toEqual([
      {
        ...{ cluster: 'mainnet', group: 'one', settlements: 2, refusals: 0, grants: 1, debits: 0 },
        ...{ settled_usd_micros: 50_100, granted_usd_micros: 49_900, spent_usd_micros: 0, fee_lamports: 20_002 },
      },
      {
        ...{ cluster: 'mainnet', group: 'two', settlements: 0, refusals: 1, grants: 0, debits: 1 },
        ...{ settled_usd_micros: 0, granted_usd_micros: 0, spent_usd_micros: 300, fee_lamports: 10_001 },
      },
      {
        ...{ cluster: 'devnet', group: 'one', settlements: 1, refusals: 0, grants: 0, debits: 0 },
        ...{ settled_usd_micros: 5, granted_usd_micros: 0, spent_usd_micros: 0, fee_lamports: 10_001 },
      },
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
    const [row] = JSON.parse(written(groupTable('route', await grouped('route'), 150), 'json'));
    expect(row).toMatchObject({ fee_lamports: 20_002, fee_usd_micros: 3_000, margin_usd_micros: 47_100 });
    const [unknown] = JSON.parse(written(groupTable('route', await grouped('route'), undefined), 'json'));
    expect(unknown).toMatchObject({ fee_lamports: 20_002, fee_usd_micros: null, margin_usd_micros: null });
  });
});

sharedLedgerSuite('sales of generated entries', (ledger) => {
  it('have the same sums in every grouping', async () => {
    const change = fc.record({
      kind: fc.constantFrom('settlement', 'refusal', 'grant', 'debit'),
      cluster: fc.constantFrom('mainnet', 'devnet'),
      route: fc.string({ unit: 'grapheme' }),
      wallet: fc.string({ maxLength: 1 }),
      micros: fc.nat(),
      feeLamports: fc.nat(),
    });
    const timed = fc.tuple(change, fc.date({ min: new Date(0), max: new Date('2099-12-31'), noInvalidDate: true }));
    const all = fc.sample(timed, 200);
    for (const [each, at] of all)
      await appendEntry(ledger.database, entryOf(each as Partial<JournalEntry>), at.getTime());
    const sumOf = (kind?: string) =>
      all.reduce((sum, [each]) => sum + (kind ? Number(each.kind === kind) * each.micros : each.feeLamports), 0);
    for (const by of GROUPINGS) {
      const { groups, count } = await ledger.books.groups(0, by);
      const totals = (['settled_usd_micros', 'granted_usd_micros', 'spent_usd_micros', 'fee_lamports'] as const).map(
        (name) => groups.reduce((sum, group) => sum + group[name], 0),
      );
      expect({ by, totals }).toEqual({ by, totals: ['settlement', 'grant', 'debit', undefined].map(sumOf) });
      const entries = groups.map(
        ({ settlements, refusals, grants, debits }) => settlements + refusals + grants + debits,
      );
      expect([count, entries.reduce((sum, each) => sum + each, 0)]).toEqual([groups.length, all.length]);
    }
  });
});

sharedLedgerSuite('the answer of /sales', (ledger) => {
  const answer = async (query: string) => {
    const { books } = ledger;
    const json = await createSalesAnswer({ books, solPriceUsd: undefined, now: () => ledger.nowMs })(
      new URLSearchParams(query),
    );
    return JSON.parse(json ?? '');
  };

  it('has every entry since a moment, to the millisecond, and is always complete', async () => {
    const hourAgoMs = ledger.nowMs - 3_600_000;
    const since = new Date(hourAgoMs).toISOString();
    expect(await answer('since=1h&by=cluster')).toEqual({
      ...{ since, by: 'cluster', isComplete: true, solPriceUsd: null, count: 0, sales: [] },
    });
    for (const atMs of [hourAgoMs - 1, hourAgoMs, ledger.nowMs]) await appendEntry(ledger.database, entryOf(), atMs);
    const told = await answer('since=1h&by=cluster');
    expect(told).toMatchObject({
      since,
      isComplete: true,
      count: 1,
      sales: [{ cluster: 'mainnet', settlements: 2 }],
    });
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
