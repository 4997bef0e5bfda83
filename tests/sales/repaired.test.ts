import { expect, it } from 'vitest';
import { appendMissing } from '../../packages/gateway/src/sales/repair.ts';
import type { Written } from '../../packages/gateway/src/stores/sql/journal.ts';
import { newPayment, newPurchase, onBothDatabases, signatureOf } from '../kit/ledger.ts';
import { entryOf } from './entries.ts';

onBothDatabases('a payment that a repair of the journal has booked', (open) => {
  it.each([
    ['a call', newPayment(), false, []],
    ['a bundle', newPurchase(50), false, ['grant']],
    ['a bundle that was granted', newPurchase(50), true, []],
  ] as const)('is adopted with its answer owed, and booked once: %s', async (_, payment, isGranted, kinds) => {
    const ledger = await open();
    const { key, payer: wallet, creditMicros = 0 } = payment;
    const settlement = { micros: creditMicros || 5, transaction: signatureOf(payment), isRepair: true } as const;
    const entry = { ...entryOf({ wallet, ...settlement }), key };
    expect(await appendMissing(ledger.database, entry, isGranted)).toBe(true);
    const written: Written[] = [];
    ledger.watch((each) => written.push(each));
    expect(await ledger.payments.adopt(payment, signatureOf(payment))).toBe(true);
    expect(await ledger.payments.find(key)).toMatchObject({ progress: 'settled', owed: true });
    expect(written.flatMap(({ entries }) => entries.map(({ kind }) => kind))).toEqual(kinds);
    const granted = await ledger.database.report({ sql: 'select granted_micro_usdc from credit_balances' });
    expect(granted).toEqual(creditMicros === 0 ? [] : [{ granted_micro_usdc: creditMicros }]);
    expect(await ledger.books.wrongBalances()).toEqual([]);
    await ledger.close();
  });
});
