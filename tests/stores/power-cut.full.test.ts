import { fdatasync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import Connection from 'libsql';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Money, openMoney } from '../../packages/gateway/src/compose/money.ts';
import type { AtomicWrite } from '../../packages/gateway/src/stores/sql/database.ts';
import { SqliteDatabase, sqliteIn } from '../../packages/gateway/src/stores/sql/sqlite.ts';
import { expectBooksInOrder } from '../kit/books.ts';
import { makeFolder } from '../kit/folder.ts';
import { inEachTest } from '../kit/in-suite.ts';
import {
  grant,
  HOLDER,
  JOURNAL_KEEP_MS,
  landed,
  newDebit,
  newPayment,
  newPurchase,
  openSqliteLedger,
  REFUSED,
  signatureOf,
  startSettling,
  UNSENT,
} from '../kit/ledger.ts';
import { rounds } from '../kit/rounds.ts';

const ROUNDS = rounds(20);
const FILES = ['', '-wal'];

let folder: string;
let money: Money;
/** The files as they were when the last flush that has succeeded began: all that is certain to be on the disk. */
let flushed: readonly Buffer[];
/** A flush does not end before this. */
let disk: Promise<unknown>;
const opened: Money[] = [];

function open(at: string): Money {
  const read = () => FILES.map((suffix) => readFileSync(sqliteIn(at) + suffix));
  const database = new SqliteDatabase(sqliteIn(at), {
    now: Date.now,
    flush: (file, callback) => {
      const before = read();
      fdatasync(file, (error) => {
        disk.then(() => {
          if (!error && at === folder) flushed = before;
          callback(error);
        });
      });
    },
  });
  const one = openMoney(database, JOURNAL_KEEP_MS);
  opened.push(one);
  if (at === folder) flushed = read();
  return one;
}

beforeEach(() => {
  folder = makeFolder();
  disk = Promise.resolve();
  money = open(folder);
});
afterEach(async () => {
  for (const one of opened.splice(0)) {
    await one.close();
    await one.database.close();
  }
});

let cuts = 0;
/** The state that a gateway finds after a power failure now. */
async function afterPowerCut(): Promise<Money> {
  const after = `${folder}/after-${cuts++}`;
  mkdirSync(after);
  for (const [index, suffix] of FILES.entries()) writeFileSync(sqliteIn(after) + suffix, flushed[index] ?? '');
  const found = open(after);
  await expectBooksInOrder({ folder: after });
  return found;
}

describe('a machine whose power fails', () => {
  it('P7 knows of every payment that may have been sent, with its answer', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const payment = newPayment();
      await startSettling(money, payment, '"paid for"');
      const { payments } = await afterPowerCut();
      const signature = signatureOf(payment);
      expect(await payments.find(payment.key)).toMatchObject({ progress: 'settling', signature, height: 7 });
      expect(await payments.answer(payment.key)).toBe('"paid for"');
    }
  });

  it.each(['settled', 'refused'])('P7 knows of every outcome that was answered: %s', async (progress) => {
    for (let round = 0; round < ROUNDS; round++) {
      const wallet = `wallet ${round}`;
      const payment = newPurchase(5, { payer: wallet });
      await startSettling(money, payment);
      await money.payments.resolve(payment.key, progress === 'settled' ? landed(payment) : REFUSED);
      const { payments, accounts } = await afterPowerCut();
      expect(await payments.find(payment.key)).toMatchObject({ progress });
      const { grantedMicros } = await accounts.find({ ...HOLDER, wallet });
      expect(grantedMicros).toBe(progress === 'settled' ? 5 : 0);
    }
  });

  it('P7 does not know of a payment that was taken back before it was sent', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const payment = newPayment();
      await startSettling(money, payment);
      await money.payments.resolve(payment.key, UNSENT, payment.owner);
      const { payments } = await afterPowerCut();
      expect((await payments.find(payment.key))?.progress).toBeUndefined();
    }
  });

  it('knows of every debit that was answered, with its answer', async () => {
    await grant(money, 1_000);
    for (let round = 1; round <= ROUNDS; round++) {
      const debit = newDebit(5);
      await money.accounts.hold(debit);
      await money.accounts.capture(debit, '"charged for"');
      const { accounts } = await afterPowerCut();
      expect(await accounts.find(HOLDER)).toMatchObject({ grantedMicros: 1_000, spentMicros: 5 * round });
      expect(await accounts.answer(debit.id)).toBe('"charged for"');
    }
  });
});

describe('a disk that is slow to flush', () => {
  const payment = newPurchase(5);
  const debit = newDebit(5);
  it.each<[string, () => Promise<unknown>]>([
    ['settling', () => money.payments.beginSettlement(payment.key, payment.owner, { answer: '1' })],
    ['resolve', () => money.payments.resolve(payment.key, landed(payment))],
    ['withdraw', () => money.payments.resolve(payment.key, UNSENT, payment.owner)],
    ['capture', () => money.accounts.capture(debit, '1')],
  ])('P7 is waited for by %s: nothing is sent, answered or given back before', async (name, step) => {
    await grant(money, 5);
    await money.accounts.hold(debit);
    if (name === 'settling') await money.payments.reserve(payment);
    else await startSettling(money, payment);
    let flush: (value?: unknown) => void = () => undefined;
    disk = new Promise((resolve) => {
      flush = resolve;
    });
    let isOver = false;
    const over = step().then(() => {
      isOver = true;
    });
    await pause(100);
    expect(isOver).toBe(false);
    flush();
    await over;
  });

  it('P7 flushes a step that a read commits at the end of an earlier flush', async () => {
    const stepOf = (name: string): AtomicWrite => ({
      condition: { sql: `insert into settings (name, value) values ($1, '') returning name`, values: [name] },
      isDurable: true,
    });
    let second: Promise<unknown> | undefined;
    const database = new SqliteDatabase(sqliteIn(makeFolder()), {
      now: Date.now,
      flush: (file, callback) =>
        fdatasync(file, (error) => {
          second ??= database.write(stepOf('second'));
          callback(error);
        }),
    });
    await database.write(stepOf('first'));
    await database.read({ sql: 'select name from settings' });
    expect(await second).toMatchObject({ name: 'second' });
    await database.close();
  });
});

const FULL = Object.assign(new Error('no room'), { code: 'ENOSPC' });

describe('a disk or a database that refuses a step', () => {
  let isFull = false;
  const ledger = inEachTest(() =>
    openSqliteLedger({
      flush: (file, callback) => (isFull ? setImmediate(callback, FULL) : fdatasync(file, callback)),
    }),
  );

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
    await ledger.accounts.release(debit, true);
    expect(ledger.accounts.background.counts.get('releases')).toBe(1);
    other.exec('rollback');
    other.close();
    await vi.waitFor(async () => expect(await ledger.accounts.find(HOLDER)).toMatchObject({ holds: 0 }), 30_000);
    expect((await ledger.accounts.hold({ ...debit, owner: 'another' })).verdict).toBe('held');
  });

  it('a debit that the disk refuses is released, and charged once on retry', async () => {
    await grant(ledger, 10);
    const debit = newDebit(5);
    await ledger.accounts.hold(debit);
    isFull = true;
    await expect(ledger.accounts.capture(debit, '"answer"')).rejects.toThrow('no room');
    await ledger.accounts.release(debit, true);
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
});
