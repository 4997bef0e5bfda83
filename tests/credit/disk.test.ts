import { fdatasync } from 'node:fs';
import Connection from 'libsql';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import {
  grant,
  HOLDER,
  type Ledger,
  landed,
  newDebit,
  newPurchase,
  openSqliteLedger,
  startSettling,
} from '../kit/ledger.ts';

const FULL = Object.assign(new Error('no room'), { code: 'ENOSPC' });

let ledger: Ledger;
let isFull: boolean;
beforeEach(async () => {
  isFull = false;
  ledger = await openSqliteLedger({
    flush: (file, callback) => (isFull ? setImmediate(callback, FULL) : fdatasync(file, callback)),
  });
});
afterEach(() => ledger.close());

async function spend(micros: number): Promise<void> {
  const debit = newDebit(micros);
  expect((await ledger.accounts.hold(debit)).verdict).toBe('held');
  expect(await ledger.accounts.capture(debit, '{}')).toEqual(expect.any(Number));
}

it('credit is granted once although the disk refused its settlement and took a later debit', async () => {
  await grant(ledger, 5);
  const payment = newPurchase(50);
  await startSettling(ledger, payment);
  isFull = true;
  await expect(ledger.payments.resolve(payment.key, landed(payment))).rejects.toThrow('no room');
  isFull = false;
  await spend(5);
  await ledger.reopen();
  await ledger.payments.resolve(payment.key, landed(payment));
  expect(await ledger.accounts.find(HOLDER)).toMatchObject({ grantedMicros: 55, spentMicros: 5 });
});

it('a hold whose release the database refuses is released when the database is ready again', async () => {
  await grant(ledger, 10);
  const debit = newDebit(5);
  await ledger.accounts.hold(debit);
  const [file] = await ledger.database.report({ sql: 'pragma database_list' });
  const other = new Connection(String(file?.file));
  other.exec('begin immediate');
  await expect(ledger.accounts.release(debit, true)).rejects.toMatchObject({ code: 'SQLITE_BUSY' });
  other.exec('rollback');
  other.close();
  await vi.waitFor(async () => expect(await ledger.accounts.find(HOLDER)).toMatchObject({ holds: 0 }), 10_000);
  expect((await ledger.accounts.hold({ ...debit, owner: 'another' })).verdict).toBe('held');
});

it('a debit that the disk refuses is released, and charged once on retry', async () => {
  await grant(ledger, 10);
  const debit = newDebit(5);
  await ledger.accounts.hold(debit);
  isFull = true;
  await expect(ledger.accounts.capture(debit, '"answer"')).rejects.toThrow('no room');
  await ledger.accounts.release(debit, true).catch(() => undefined);
  isFull = false;
  // The client sends the same request again.
  const again = { ...debit, owner: 'another' };
  const { verdict } = await ledger.accounts.hold(again);
  if (verdict === 'held') await ledger.accounts.capture(again, '"answer"');
  expect(await ledger.accounts.answer(debit.id)).toBe('"answer"');
  await spend(5);
  await ledger.reopen();
  const account = { grantedMicros: 10, spentMicros: 10, heldMicros: 0, holds: 0 };
  expect(await ledger.accounts.find(HOLDER)).toMatchObject(account);
});
