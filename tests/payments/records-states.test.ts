import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { Payments } from '../../packages/gateway/src/payments/payments.ts';
import { type NewPayment, PAYMENTS } from '../../packages/gateway/src/payments/record.ts';
import type { Database, Step } from '../../packages/gateway/src/stores/sql/database.ts';
import { ledgerSuite, newPayment, REFUSED, settle, signatureOf, startSettling, UNKNOWN } from '../kit/ledger.ts';

const byAnother = (payment: NewPayment): NewPayment => ({ ...payment, owner: 'another' });

ledgerSuite('a payment', (ledger) => {
  it('P7 that was being settled is known again after a crash, its outcome open, with everything noted', async () => {
    const payment = newPayment();
    await startSettling(ledger, payment, '{"lamports":18446744073709551615}');
    await ledger.reopen();
    const noted = { signature: signatureOf(payment), height: 7, progress: 'unresolved' };
    const times = { settlingSinceMs: expect.any(Number), leasedUntilMs: expect.any(Number) };
    const record = { ...payment, calls: 0, ...noted, ...times };
    expect(await ledger.payments.find(payment.key)).toEqual(record);
    expect(await ledger.payments.open()).toEqual([record]);
    expect(await ledger.payments.answer(payment.key)).toBe('{"lamports":18446744073709551615}');
    expect((await ledger.payments.look({ ...payment, key: 'another' })).dueKey).toBe(payment.key);
    expect(await ledger.payments.reserve(byAnother(payment))).toBe('taken');
    const { payer, requestHash } = payment;
    expect(await ledger.payments.reserve(newPayment({ payer, requestHash }))).toBe('owed');
    await ledger.payments.resolve(payment.key, REFUSED, payment.owner);
    expect((await ledger.payments.find(payment.key))?.progress).toBe('unresolved');
    await ledger.payments.resolve(payment.key, REFUSED);
    expect((await ledger.payments.find(payment.key))?.progress).toBe('refused');
  });

  it('that had settled before it was known can keep an answer later', async () => {
    const payment = newPayment();
    await ledger.payments.adopt(payment, 'found');
    await ledger.payments.keep(payment.key, '{"later":true}');
    await ledger.reopen();
    expect(await ledger.payments.answer(payment.key)).toBe('{"later":true}');
    expect(await ledger.payments.find(payment.key)).toMatchObject({ progress: 'settled', owed: true });
  });
});

ledgerSuite('P22 a payment abandoned by a running process', (ledger) => {
  it('P22 during a renewal of its lease is free after that lease', async () => {
    const { database } = ledger;
    let beforeWrite: () => Promise<unknown> = async () => undefined;
    const held: Database = Object.create(database, {
      write: { value: (step: Step) => beforeWrite().then(() => database.write(step)) },
      read: { value: database.read.bind(database) },
      now: { value: database.now.bind(database) },
    });
    const payments = new Payments(held);
    const payment = newPayment();
    expect(await payments.reserve(payment)).toBe('reserved');
    const test = new EventTarget();
    const renewing = once(test, 'renewing');
    beforeWrite = () => {
      test.dispatchEvent(new Event('renewing'));
      return once(test, 'renew');
    };
    await renewing;
    beforeWrite = () => Promise.reject(new Error('the database is down'));
    await payments.release(payment.key, payment.owner, false);
    let renewals = 0;
    beforeWrite = async () => void renewals++;
    test.dispatchEvent(new Event('renew'));
    const again = () => ledger.payments.reserve(byAnother(payment));
    await expect.poll(again).toBe('taken');
    await new Promise((resolve) => setTimeout(resolve, PAYMENTS.renewMs + 500));
    expect(renewals).toBe(0);
    ledger.nowMs += PAYMENTS.leaseMs;
    expect(await again()).toBe('reserved');
    payments.close();
  });
});

const DAY_MS = 86_400_000;

ledgerSuite('how long payments are known', (ledger) => {
  async function elapse(milliseconds: number): Promise<void> {
    ledger.nowMs += milliseconds;
    await ledger.retention.prune();
  }

  /** Rows of a payment, whether it reads as known or not. */
  const rowsOf = (key: string) =>
    ledger.database.report({ sql: 'select state from payments where key = $1', values: [key] });

  describe('a refused payment', () => {
    it('V5 is forgotten after 330 s, when its memo has expired', async () => {
      const payment = newPayment();
      await startSettling(ledger, payment);
      await ledger.payments.resolve(payment.key, REFUSED);
      await elapse(330_000);
      expect((await ledger.payments.find(payment.key))?.progress).toBe('refused');
      ledger.nowMs += 1;
      expect(await ledger.payments.find(payment.key)).toBeUndefined();
      expect(await ledger.payments.reserve(payment)).toBe('reserved');
      await ledger.payments.release(payment.key, payment.owner, false);
      await elapse(1);
      expect(await rowsOf(payment.key)).toEqual([]);
    });

    it('P7 that came again and is being settled outlives the forgetting of the refusal', async () => {
      const payment = newPayment();
      await startSettling(ledger, payment);
      await ledger.payments.resolve(payment.key, REFUSED);
      await elapse(PAYMENTS.refusedMs - 1_000);
      ledger.nowMs += 2_000;
      await startSettling(ledger, payment);
      await elapse(60_000);
      await ledger.reopen();
      expect((await ledger.payments.find(payment.key))?.progress).toBe('unresolved');
    });
  });

  it('a settled payment is forgotten after 24 hours', async () => {
    const payment = newPayment();
    await settle(ledger, payment);
    ledger.payments.delivered(payment.key);
    await elapse(PAYMENTS.recordMs);
    expect(await ledger.payments.reserve(payment)).toBe('taken');
    await elapse(1);
    expect(await ledger.payments.find(payment.key)).toBeUndefined();
    expect(await rowsOf(payment.key)).toEqual([]);
  });

  it('a payment whose outcome is open is never forgotten, nor is its answer', async () => {
    const payment = newPayment();
    await startSettling(ledger, payment);
    await ledger.payments.resolve(payment.key, UNKNOWN);
    for (const days of [1, 30, 365]) {
      await elapse(days * DAY_MS);
      await ledger.reopen();
      await ledger.retention.prune();
      expect(await ledger.payments.open()).toMatchObject([{ key: payment.key }]);
      expect(await ledger.payments.reserve(payment)).toBe('taken');
      expect(await ledger.payments.answer(payment.key)).toBe('{"n":1}');
    }
  });
});
