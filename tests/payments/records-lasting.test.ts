import { describe, expect, it } from 'vitest';
import { PAYMENTS } from '../../packages/gateway/src/payments/record.ts';
import { landed, ledgerSuite, newPayment, REFUSED, settle, signatureOf, startSettling } from '../kit/ledger.ts';

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
    it('V5 is forgotten after 330 s, when no memo of it is good any more', async () => {
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
