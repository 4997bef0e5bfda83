import { expect, it } from 'vitest';
import { appendMissing } from '../../packages/gateway/src/sales/payee-history.ts';
import { append, type Written } from '../../packages/gateway/src/stores/sql/database.ts';
import { grant, HOLDER, JOURNAL_KEEP_MS, ledgerSuite, newPayment, newPurchase, signatureOf } from '../kit/ledger.ts';
import { appendEntry, entryOf } from './kit.ts';

ledgerSuite('the journal', (ledger) => {
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

  it('keeps entries for SALES_KEEP_DAYS to the millisecond, and balances permanently', async () => {
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

ledgerSuite('a payment that a repair of the journal has booked', (ledger) => {
  it.each([
    ['a call', newPayment(), false, []],
    ['a bundle', newPurchase(50), false, ['grant']],
    ['a bundle that was granted', newPurchase(50), true, []],
  ] as const)('is adopted with its answer owed, and booked once: %s', async (_, payment, isGranted, kinds) => {
    const { key, payer: wallet, creditMicros = 0 } = payment;
    const settlement = { micros: creditMicros || 5, transaction: signatureOf(payment), isRepair: true } as const;
    const entry = { ...entryOf({ wallet, ...settlement }), key };
    expect(await appendMissing(ledger.database, entry, isGranted)).toBe(true);
    const written: Written[] = [];
    ledger.events.on('written', (each) => written.push(each));
    expect(await ledger.payments.adopt(payment, signatureOf(payment))).toBe(true);
    expect(await ledger.payments.find(key)).toMatchObject({ progress: 'settled', owed: true });
    expect(written.flatMap(({ entries }) => entries.map(({ kind }) => kind))).toEqual(kinds);
    const granted = await ledger.database.report({ sql: 'select granted_micro_usdc from credit_balances' });
    expect(granted).toEqual(creditMicros === 0 ? [] : [{ granted_micro_usdc: creditMicros }]);
    expect(await ledger.books.wrongBalances()).toEqual([]);
  });
});

ledgerSuite('repairs of the journal that run at once', (ledger) => {
  it('append and grant once', async () => {
    const entry = { ...entryOf({ isRepair: true }), key: 'missing' };
    const repair = () => appendMissing(ledger.database, entry, true);
    const results = await Promise.all(Array.from({ length: 10 }, repair));
    expect(results.filter((isAppended) => isAppended)).toHaveLength(1);
    expect(await repair()).toBe(false);
    const granted = await ledger.database.report({ sql: 'select granted_micro_usdc from credit_balances' });
    expect(granted).toEqual([{ granted_micro_usdc: entry.micros }]);
    expect(await ledger.books.wrongBalances()).toEqual([]);
  });
});
