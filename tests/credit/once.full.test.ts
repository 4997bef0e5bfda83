import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { openMoney } from '../../packages/gateway/src/compose/money.ts';
import type { AtomicWrite } from '../../packages/gateway/src/stores/sql/database.ts';
import { TIMES } from '../../packages/gateway/src/times.ts';
import { inEachTest, inSuite } from '../kit/in-suite.ts';
import {
  changed,
  grant,
  HOLDER,
  JOURNAL_KEEP_MS,
  ledgerSuite,
  newDebit,
  newPayment,
  openPostgresLedger,
  requirementOf,
} from '../kit/ledger.ts';
import { openPostgresDatabase, postgresSuite } from '../kit/postgres.ts';
import { samples } from '../kit/rounds.ts';

const PRICE = 5;
const COPIES = 4;

ledgerSuite('copies of a payment for a call that may have an effect', (ledger) => {
  const newPaid = () => {
    const payment = newPayment({ payer: HOLDER.wallet, mayHaveEffect: true, requirement: requirementOf(PRICE) });
    const debit = newDebit(PRICE, {
      ...{ id: payment.key, by: 'payment' as const, requestHash: payment.requestHash, mayHaveEffect: true },
    });
    return { payment, debit };
  };

  it.each(['arrives', 'is lost'])('cannot be reserved slowly and held meanwhile if its reply %s', async (fate) => {
    await grant(ledger, 100);
    const { payment, debit } = newPaid();
    const isPostgres = ledger.database.dialect.name === 'postgres';
    const slow = changed(ledger.database, {
      write({ condition, ...others }: AtomicWrite) {
        const sql = isPostgres ? condition.sql.replace('returning id', 'returning pg_sleep(0.3), id') : condition.sql;
        return ledger.database.write({ ...others, condition: { ...condition, sql } });
      },
    });
    const other = openMoney(slow, JOURNAL_KEEP_MS);
    const reserving = other.payments.reserve(payment);
    await pause(100);
    let isLost = fate === 'is lost';
    const lossy = changed(ledger.database, {
      async write(step: AtomicWrite) {
        const row = await ledger.database.write(step);
        if (!row || !isLost) return row;
        isLost = false;
        throw new Error('the connection is lost');
      },
    });
    const holding = openMoney(lossy, JOURNAL_KEEP_MS);
    expect((await holding.accounts.hold(debit)).verdict).toBe('running');
    expect(await reserving).toBe('reserved');
    await Promise.all([other.close(), holding.close()]);
    expect(await ledger.accounts.find(HOLDER)).toMatchObject({ heldMicros: 0, holds: 0 });
  });

  it('lead to at most one call when they are held, reserved and released at once', async () => {
    await grant(ledger, 10_000);
    const calls = new Map<string, number>();
    const called = async (key: string) => {
      calls.set(key, (calls.get(key) ?? 0) + 1);
      await pause(Math.random() * 3);
    };
    const byCredit = async (copy: ReturnType<typeof newPaid>['debit']) => {
      const debit = { ...copy, owner: randomUUID() };
      await pause(Math.random() * 8);
      if ((await ledger.accounts.hold(debit)).verdict !== 'held') return;
      const end = Math.random();
      const isCalled = end > 0.3;
      if (isCalled) await called(debit.id);
      if (end < 0.7 || typeof (await ledger.accounts.capture(debit, '{}')) === 'string')
        await ledger.accounts.release(debit, isCalled);
    };
    const byPayment = async (copy: ReturnType<typeof newPaid>['payment']) => {
      const payment = { ...copy, owner: randomUUID() };
      await pause(Math.random() * 8);
      if ((await ledger.payments.reserve(payment)) !== 'reserved') return;
      const isCalled = Math.random() > 0.3;
      if (isCalled) await called(payment.key);
      await ledger.payments.release(payment.key, payment.owner, isCalled);
    };
    for (let round = 0; round < samples(30); round++) {
      ledger.nowMs += TIMES.failuresMs;
      const paid = [newPaid(), newPaid()];
      const copies = Array.from({ length: COPIES }, () => paid).flat();
      await Promise.all(copies.flatMap(({ payment, debit }) => [byCredit(debit), byPayment(payment)]));
      for (const { payment } of paid) expect(calls.get(payment.key) ?? 0).toBeLessThanOrEqual(1);
    }
    expect(calls.size).toBeGreaterThan(0);
    expect(await ledger.accounts.find(HOLDER)).toMatchObject({ heldMicros: 0, holds: 0 });
  }, 300_000);
});

postgresSuite('a hold that PostgreSQL begins and then delays', () => {
  const opened = inSuite(openPostgresDatabase);
  const ledger = inEachTest(() => openPostgresLedger(opened.url));

  it.each(['payment', 'signature'] as const)('does not call again what a copy by %s called meanwhile', async (by) => {
    await grant(ledger, 100);
    const debit = newDebit(PRICE, { by, mayHaveEffect: true });
    const gate = new pg.Client({ connectionString: opened.url });
    onTestFinished(() => gate.end());
    await gate.connect();
    await gate.query('select pg_advisory_lock(7)');
    const delayed = changed(ledger.database, {
      write({ condition, ...others }: AtomicWrite) {
        const waiting = 'where (select pg_advisory_xact_lock_shared(7)) is not null and cluster';
        const sql = condition.sql.replace('where cluster', waiting);
        return ledger.database.write({ ...others, condition: { ...condition, sql } });
      },
    });
    const node = openMoney(delayed, JOURNAL_KEEP_MS);
    onTestFinished(() => node.close());
    const holding = node.accounts.hold({ ...debit, owner: 'another' });
    const waiting = `select 1 from pg_locks where locktype = 'advisory' and not granted`;
    while ((await gate.query(waiting)).rowCount === 0);
    expect((await ledger.accounts.hold(debit)).verdict).toBe('held');
    await ledger.accounts.release(debit, true);
    await gate.query('select pg_advisory_unlock(7)');
    expect((await holding).verdict).toBe('called');
    expect(await ledger.accounts.find(HOLDER)).toMatchObject({ heldMicros: 0, holds: 0 });
  });
});
