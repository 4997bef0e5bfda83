import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { Payments } from '../../packages/gateway/src/payments/payments.ts';
import { PAYMENTS } from '../../packages/gateway/src/payments/record.ts';
import type { Database, Step } from '../../packages/gateway/src/stores/sql/database.ts';
import { landed, ledgerSuite, newPayment, REFUSED, settle, signatureOf, startSettling } from '../kit/ledger.ts';

ledgerSuite('a payment', (ledger) => {
  const progressOf = async (key: string) => (await ledger.payments.find(key))?.progress;

  describe('a reservation', () => {
    it('P1 is given once', async () => {
      const payment = newPayment();
      expect(await ledger.payments.reserve(payment)).toBe('reserved');
      expect(await ledger.payments.reserve({ ...payment, owner: 'another' })).toBe('taken');
      expect(await ledger.payments.reserve(payment)).toBe('taken');
      expect(await ledger.payments.find(payment.key)).toEqual({ ...payment, progress: 'reserved' });
    });

    it('P22 is released only by its owner, and can then be taken again', async () => {
      const payment = newPayment();
      await ledger.payments.reserve(payment);
      await ledger.payments.release(payment.key, 'another', false);
      expect(await progressOf(payment.key)).toBe('reserved');
      await ledger.payments.release(payment.key, payment.owner, false);
      expect(await progressOf(payment.key)).toBeUndefined();
      expect(await ledger.payments.reserve({ ...payment, owner: 'another' })).toBe('reserved');
      await ledger.payments.release(payment.key, payment.owner, false);
      expect(await progressOf(payment.key)).toBe('reserved');
    });

    it('P22 continues only for its owner, and not after its release', async () => {
      const payment = newPayment();
      const facts = { answer: '1' };
      await expect(ledger.payments.settling(payment.key, payment.owner, facts)).rejects.toThrow();
      await ledger.payments.reserve(payment);
      await expect(ledger.payments.settling(payment.key, 'another', facts)).rejects.toThrow();
      await ledger.payments.release(payment.key, payment.owner, false);
      await expect(ledger.payments.settling(payment.key, payment.owner, facts)).rejects.toThrow();
      expect(await ledger.payments.answer(payment.key)).toBeUndefined();
    });

    it('ends with its process', async () => {
      const payment = newPayment();
      await ledger.payments.reserve(payment);
      await ledger.reopen();
      expect(await progressOf(payment.key)).toBeUndefined();
      expect(await ledger.payments.reserve(payment)).toBe('reserved');
    });

    it('can be released when there is none', async () => {
      await expect(ledger.payments.release('none', 'none', false)).resolves.toBeUndefined();
    });
  });

  describe('a payment that is being settled', () => {
    it('P7 is known again after a crash, its outcome open, with its answer and everything noted', async () => {
      const payment = newPayment();
      await startSettling(ledger, payment, '{"lamports":18446744073709551615}');
      await ledger.reopen();
      const record = {
        ...payment,
        signature: signatureOf(payment),
        height: 7,
        progress: 'unresolved',
        settlingSinceMs: expect.any(Number),
      };
      expect(await ledger.payments.find(payment.key)).toEqual(record);
      expect(await ledger.payments.open()).toEqual([record]);
      expect(await ledger.payments.answer(payment.key)).toBe('{"lamports":18446744073709551615}');
      expect((await ledger.payments.look(payment)).dueKey).toBe(payment.key);
      expect(await ledger.payments.reserve({ ...payment, owner: 'another' })).toBe('taken');
      expect(
        await ledger.payments.reserve(newPayment({ payer: payment.payer, requestHash: payment.requestHash })),
      ).toBe('owed');
    });

    it('P22 cannot be released', async () => {
      const payment = newPayment();
      await startSettling(ledger, payment);
      await ledger.payments.release(payment.key, payment.owner, false);
      expect(await progressOf(payment.key)).toBe('settling');
      await expect(ledger.payments.settling(payment.key, payment.owner, { answer: '2' })).rejects.toThrow();
      expect(await ledger.payments.answer(payment.key)).toBe('{"n":1}');
    });

    it('P6 is open while its outcome is unknown, across a restart, with the reported signature', async () => {
      const payment = newPayment();
      await startSettling(ledger, payment);
      expect(await ledger.payments.open()).toEqual([]);
      await ledger.payments.unresolved(payment.key, 'told');
      expect(await ledger.payments.open()).toMatchObject([{ key: payment.key, signature: 'told' }]);
      await ledger.reopen();
      expect(await ledger.payments.open()).toMatchObject([{ key: payment.key, signature: 'told' }]);
    });

    it('is withdrawn by its owner only, as if it had never been', async () => {
      const payment = newPayment();
      await startSettling(ledger, payment);
      await ledger.payments.withdraw(payment.key, 'another');
      expect(await progressOf(payment.key)).toBe('settling');
      await ledger.payments.withdraw(payment.key, payment.owner);
      expect(await progressOf(payment.key)).toBeUndefined();
      await ledger.reopen();
      expect(await progressOf(payment.key)).toBeUndefined();
      expect(await ledger.payments.reserve(payment)).toBe('reserved');
    });

    it('is not withdrawn once its outcome is open or known', async () => {
      const [open, known] = [newPayment(), newPayment()];
      await startSettling(ledger, open);
      await ledger.payments.unresolved(open.key);
      await settle(ledger, known);
      for (const { key, owner } of [open, known]) await ledger.payments.withdraw(key, owner);
      expect([await progressOf(open.key), await progressOf(known.key)]).toEqual(['unresolved', 'settled']);
    });
  });

  describe('proof', () => {
    it.each([
      ['settled', landed],
      ['refused', () => REFUSED],
    ])('moves an open payment to %s permanently', async (progress, proofOf) => {
      const payment = newPayment();
      await startSettling(ledger, payment);
      await ledger.payments.unresolved(payment.key);
      await ledger.payments.resolve(payment.key, proofOf(payment));
      const record = { progress, resolvedAtMs: ledger.nowMs };
      expect(await ledger.payments.find(payment.key)).toMatchObject(record);
      expect(await ledger.payments.open()).toEqual([]);
      await ledger.reopen();
      expect(await ledger.payments.find(payment.key)).toMatchObject(record);
      expect(await ledger.payments.open()).toEqual([]);
    });

    it('that contradicts earlier proof is ignored: a settled payment stays settled', async () => {
      const payment = newPayment();
      await settle(ledger, payment);
      const settledAtMs = ledger.nowMs;
      ledger.nowMs += 5_000;
      await ledger.payments.resolve(payment.key, REFUSED);
      await ledger.payments.resolve(payment.key, { ...landed(payment), signature: 'another' });
      await ledger.payments.unresolved(payment.key, 'another');
      await ledger.reopen();
      const record = { progress: 'settled', signature: signatureOf(payment), resolvedAtMs: settledAtMs };
      expect(await ledger.payments.find(payment.key)).toMatchObject(record);
      expect((await ledger.payments.find(payment.key))?.reason).toBeUndefined();
    });

    it('that only an owner reports counts only while that owner holds the payment', async () => {
      const [held, lapsed] = [newPayment(), newPayment()];
      await startSettling(ledger, lapsed);
      await ledger.reopen();
      await startSettling(ledger, held);
      for (const { key, owner } of [held, lapsed]) await ledger.payments.resolve(key, REFUSED, owner);
      expect([await progressOf(held.key), await progressOf(lapsed.key)]).toEqual(['refused', 'unresolved']);
      expect(await ledger.payments.open()).toMatchObject([{ key: lapsed.key }]);
      expect(await ledger.payments.reserve(newPayment({ payer: lapsed.payer, requestHash: lapsed.requestHash }))).toBe(
        'owed',
      );
      await ledger.payments.resolve(lapsed.key, REFUSED);
      expect(await progressOf(lapsed.key)).toBe('refused');
    });

    it('of an unknown payment is ignored', async () => {
      await ledger.payments.resolve('none', landed({ key: 'none' }));
      await ledger.payments.unresolved('none', 'signature');
      expect(await progressOf('none')).toBeUndefined();
      expect(await ledger.payments.open()).toEqual([]);
    });
  });

  describe('a payment that had settled before it was known', () => {
    it('is adopted as settled, without an answer, which can be kept later', async () => {
      const payment = newPayment();
      await ledger.payments.adopt(payment, 'found');
      await ledger.reopen();
      expect(await ledger.payments.find(payment.key)).toMatchObject({
        progress: 'settled',
        signature: 'found',
        owed: true,
      });
      expect(await ledger.payments.answer(payment.key)).toBeUndefined();
      await ledger.payments.keep(payment.key, '{"later":true}');
      await ledger.reopen();
      expect(await ledger.payments.answer(payment.key)).toBe('{"later":true}');
      expect(await ledger.payments.reserve(payment)).toBe('taken');
    });
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
    const again = () => ledger.payments.reserve({ ...payment, owner: 'another' });
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

    it('that is then proved to be settled is known for 24 hours', async () => {
      const payment = newPayment();
      await startSettling(ledger, payment);
      await ledger.payments.resolve(payment.key, REFUSED);
      await ledger.payments.resolve(payment.key, landed(payment));
      const settled = { progress: 'settled', signature: signatureOf(payment), resolvedAtMs: ledger.nowMs };
      for (const milliseconds of [PAYMENTS.refusedMs + 60_000, DAY_MS - PAYMENTS.refusedMs - 120_000]) {
        await elapse(milliseconds);
        await ledger.reopen();
        expect(await ledger.payments.find(payment.key)).toMatchObject(settled);
      }
      expect(await ledger.payments.answer(payment.key)).toBeUndefined();
      await elapse(60_001);
      expect(await ledger.payments.find(payment.key)).toBeUndefined();
      expect(await rowsOf(payment.key)).toEqual([]);
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
    await ledger.payments.unresolved(payment.key);
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
