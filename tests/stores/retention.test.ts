import { describe, expect, it } from 'vitest';
import { TIMES } from '../../packages/gateway/src/times.ts';
import {
  grant,
  HOLDER,
  JOURNAL_KEEP_MS,
  ledgerSuite,
  newDebit,
  newPayment,
  settle,
  startSettling,
} from '../kit/ledger.ts';

const DAY_MS = 86_400_000;

ledgerSuite('retention', (ledger) => {
  const count = async (table: string) => {
    const [row] = await ledger.database.report({ sql: `select count(*) as count from ${table}` });
    return Number(row?.count);
  };
  const debit = async (micros: number) => {
    const held = newDebit(micros);
    expect(await ledger.accounts.hold(held)).toMatchObject({ verdict: 'held' });
    await ledger.accounts.capture(held, '"answer"');
  };

  describe('of the journal', () => {
    const dated = async (id: 'min' | 'max', atMs: number) => {
      const at = new Date(atMs).toISOString();
      const sql = `update journal_entries set at = '${at}' where id = (select ${id}(id) from journal_entries)`;
      await ledger.database.report({ sql });
    };

    it('X17 keeps the sums of deleted entries, so that every balance can be compared for ever', async () => {
      await grant(ledger, 1_000);
      await debit(300);
      ledger.nowMs += JOURNAL_KEEP_MS + 1;
      await debit(200);
      await ledger.retention.prune();
      const opening = { kind: 'opening', cluster: 'mainnet', wallet: HOLDER.wallet, micro_usdc: 700 };
      const rows = await ledger.database.report({
        sql: 'select kind, cluster, wallet, micro_usdc from journal order by micro_usdc',
      });
      expect(rows).toEqual([{ ...opening, kind: 'debit', micro_usdc: 200 }, opening]);
      expect(await ledger.books.wrongBalances()).toEqual([]);
      expect(await ledger.books.completeSinceMs()).toBe(ledger.nowMs);

      ledger.nowMs += JOURNAL_KEEP_MS + 1;
      await ledger.retention.prune();
      expect(await count('journal_entries')).toBe(0);
      expect(await ledger.books.wrongBalances()).toEqual([]);
      await ledger.database.report({ sql: 'update wallets set spent_micro_usdc = spent_micro_usdc - 1' });
      const { wallet } = HOLDER;
      expect(await ledger.books.wrongBalances()).toEqual([{ cluster: 'mainnet', wallet, journal: 500, found: 501 }]);
    });

    it("X17 goes by the order of the entries, so an entry with a wrong clock's date stops nothing and is deleted with its neighbours", async () => {
      await settle(ledger, newPayment());
      await settle(ledger, newPayment());
      await dated('min', ledger.nowMs + 9 * JOURNAL_KEEP_MS);
      ledger.nowMs += JOURNAL_KEEP_MS + 1;
      await settle(ledger, newPayment());
      await dated('max', ledger.nowMs - 2 * JOURNAL_KEEP_MS);
      await settle(ledger, newPayment());
      const first = ledger.nowMs - 1_000;
      await dated('max', first);
      await ledger.retention.prune();
      expect(await count('journal_entries')).toBe(1);
      // What was deleted may be as young as the first entry that is kept.
      expect(await ledger.books.completeSinceMs()).toBe(first);
      ledger.nowMs += JOURNAL_KEEP_MS;
      await ledger.retention.prune();
      expect(await count('journal_entries')).toBe(0);
      expect(await ledger.books.completeSinceMs()).toBe(ledger.nowMs);
    });

    it('X17 keeps the first entries if another clock, or this one before it was corrected, has dated them after now', async () => {
      await settle(ledger, newPayment());
      await dated('max', ledger.nowMs + 1);
      await ledger.retention.prune();
      expect(await count('journal_entries')).toBe(1);
      expect(await ledger.books.completeSinceMs()).toBe(0);
      await dated('max', ledger.nowMs - JOURNAL_KEEP_MS - 1);
      await settle(ledger, newPayment());
      await dated('max', ledger.nowMs + DAY_MS);
      await settle(ledger, newPayment());
      await ledger.retention.prune();
      expect(await count('journal_entries')).toBe(2);
      expect(await ledger.books.completeSinceMs()).toBe(ledger.nowMs);
    });
  });

  it('X5 of one part that fails stops no other', async () => {
    await settle(ledger, newPayment());
    await ledger.database.report({ sql: 'alter table openings rename to moved' });
    ledger.nowMs += JOURNAL_KEEP_MS + 1;
    await expect(ledger.retention.prune()).rejects.toThrow(/openings/);
    await ledger.database.report({ sql: 'alter table moved rename to openings' });
    expect(await count('answers')).toBe(0);
    expect(await count('payments')).toBe(0);
    expect(await count('journal_entries')).toBe(1);
    await ledger.retention.prune();
    expect(await count('journal_entries')).toBe(0);
  });

  it('deletes the reservations of a process that has died, and keeps its settlements', async () => {
    const states = async () => {
      await ledger.retention.prune();
      const rows = await ledger.database.report({ sql: 'select state from payments order by state' });
      return rows.map(({ state }) => state);
    };
    await ledger.payments.reserve(newPayment());
    await startSettling(ledger, newPayment());
    ledger.nowMs += TIMES.leaseMs + TIMES.answerMs - 1;
    expect(await states()).toEqual(['reserved', 'settling']);
    ledger.nowMs += 1;
    expect(await states()).toEqual(['settling']);
  });

  it('X11 deletes everything that has expired at once, in batches', async () => {
    const rows = 20_000;
    const values = (first: number) =>
      Array.from(
        { length: 1_000 },
        (_, index) => `('expired-${first + index}', ${ledger.nowMs + first + index}, 0, '')`,
      ).join();
    for (let first = 0; first < rows; first += 1_000)
      await ledger.database.report({
        sql: `insert into answers (key, until_ms, bytes, answer) values ${values(first)}`,
      });
    ledger.nowMs += DAY_MS;
    let written = 0;
    const write = ledger.database.write.bind(ledger.database);
    ledger.database.write = (step) => {
      written++;
      return write(step);
    };
    await ledger.retention.prune();
    ledger.database.write = write;
    expect(await count('answers')).toBe(0);
    // A batch has fifty rows at least, and a thousand at most.
    expect(written).toBeLessThan(rows / 50 + 20);
    expect(written).toBeGreaterThan(rows / 1_000);
  });
});
