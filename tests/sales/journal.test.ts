import { afterEach, beforeEach, expect, it } from 'vitest';
import { append, JOURNAL_KEEP_MS } from '../../packages/gateway/src/stores/sql/journal.ts';
import { grant, HOLDER, type Ledger, onBothDatabases } from '../kit/ledger.ts';
import { appendEntry, entryOf } from './entries.ts';

onBothDatabases('the journal', (open) => {
  let ledger: Ledger;
  beforeEach(async () => {
    ledger = await open();
  });
  afterEach(() => ledger.close());

  const ids = async () => {
    const all: number[] = [];
    for await (const entries of ledger.books.entries(0)) all.push(...entries.map(({ id }) => id));
    return all;
  };

  /** Appends ten at a time. */
  async function appendMany(count: number, atMs: number): Promise<void> {
    for (let first = 0; first < count; first += 10) {
      await Promise.all(Array.from({ length: 10 }, () => appendEntry(ledger.database, entryOf(), atMs)));
    }
  }

  it('keeps entries for the time of SALES_KEEP_DAYS, to the millisecond, and balances for good', async () => {
    await grant(ledger, 10);
    ledger.nowMs += JOURNAL_KEEP_MS + 1;
    const lastMs = ledger.nowMs - JOURNAL_KEEP_MS;
    // More than are deleted at once.
    await appendMany(510, lastMs - 1);
    await appendEntry(ledger.database, entryOf({ wallet: 'last' }), lastMs);
    await ledger.retention.prune();
    const kept = await ledger.database.report({ sql: 'select wallet from journal' });
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
    const guard = { sql: `update wallets set version = 'x' where version = 'other' and {in time} returning id` };
    const step = { guard, changes: [append(entryOf({ wallet: HOLDER.wallet }), ledger.nowMs)] };
    expect(await ledger.database.write(step)).toBeUndefined();
    expect(await ids()).toEqual(before);
  });
});
