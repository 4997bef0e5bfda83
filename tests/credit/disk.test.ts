import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  grant,
  HOLDER,
  type Ledger,
  landed,
  newDebit,
  newPurchase,
  openFolderLedger,
  startSettling,
} from './ledger.ts';

const FULL = 0;

describe('credit on a disk that refuses a write and takes the next one', () => {
  let ledger: Ledger;
  let roomy: number;
  beforeEach(async () => {
    ledger = await openFolderLedger();
    roomy = ledger.bytesFree;
  });
  afterEach(() => ledger.close());

  async function spend(micros: number): Promise<void> {
    const debit = newDebit(micros);
    expect(await ledger.accounts.hold(debit)).toBe('held');
    expect(await ledger.accounts.capture(debit, '{}')).toMatchObject({ movements: expect.anything() });
  }

  it('is granted once, though its settlement was not written and a later debit was', async () => {
    const payment = newPurchase(50);
    await startSettling(ledger, payment);
    ledger.bytesFree = FULL;
    await expect(ledger.payments.resolve(payment.key, landed(payment))).rejects.toThrow('DATA_DIR');
    ledger.bytesFree = roomy;
    await spend(5);
    await ledger.reopen();
    await ledger.payments.resolve(payment.key, landed(payment));
    expect(await ledger.accounts.find(HOLDER)).toMatchObject({ grantedMicros: 50, spentMicros: 5 });
  });

  it('is not set aside for ever where what it was set aside for was never charged', async () => {
    await grant(ledger, 5);
    const debit = newDebit(5);
    await ledger.accounts.hold(debit);
    ledger.bytesFree = FULL;
    await expect(ledger.accounts.capture(debit, '{}')).rejects.toThrow('DATA_DIR');
    await ledger.accounts.release(debit, true);
    ledger.bytesFree = roomy;
    await spend(5);
    await ledger.reopen();
    expect(await ledger.accounts.find(HOLDER)).toMatchObject({ grantedMicros: 5, spentMicros: 5, holds: [] });
  });
});
