import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PAYMENTS } from '../../packages/gateway/src/stores/payments.ts';
import { type Ledger, newPayment, openLedger, REFUSED, SETTLED, settle, startSettling } from './forge-records.ts';

let ledger: Ledger;
beforeEach(() => {
  ledger = openLedger();
});
afterEach(() => ledger.close());

/** Lets the store clear up, which it does when something is reserved. */
function elapse(milliseconds: number): void {
  ledger.nowMs += milliseconds;
  const passer = newPayment();
  ledger.payments.reserve(passer);
  ledger.payments.release(passer.key, passer.owner);
}

describe('an answer that was paid for', () => {
  it('P18 is owed to its payer for its request until it is delivered', async () => {
    const payment = newPayment();
    await settle(ledger, payment);
    const owed = () => ledger.payments.owed(payment.payer, payment.requestHash)?.key;
    expect(owed()).toBe(payment.key);
    expect(ledger.payments.owed('another', payment.requestHash)).toBeUndefined();
    expect(ledger.payments.owed(payment.payer, 'another')).toBeUndefined();
    expect(ledger.payments.reserve(newPayment({ payer: payment.payer, requestHash: payment.requestHash }))).toBe(
      'owed',
    );
    ledger.payments.delivered(payment.key);
    expect(owed()).toBeUndefined();
    expect(ledger.payments.reserve(newPayment({ payer: payment.payer, requestHash: payment.requestHash }))).toBe(
      'reserved',
    );
  });

  it('P18 is owed across a restart, and so is that it was delivered', async () => {
    const [owed, delivered] = [newPayment(), newPayment()];
    await settle(ledger, owed, '"owed"');
    await settle(ledger, delivered, '"delivered"');
    ledger.payments.delivered(delivered.key);
    await ledger.reopen();
    expect(ledger.payments.owed(owed.payer, owed.requestHash)?.key).toBe(owed.key);
    expect(ledger.payments.owed(delivered.payer, delivered.requestHash)).toBeUndefined();
    expect(ledger.payments.answer(owed.key)).toBe('"owed"');
    expect(ledger.payments.answer(delivered.key)).toBe('"delivered"');
    ledger.payments.delivered(owed.key);
    await ledger.reopen();
    expect(ledger.payments.owed(owed.payer, owed.requestHash)).toBeUndefined();
  });

  it('is owed for ten minutes', async () => {
    const payment = newPayment();
    await settle(ledger, payment);
    elapse(PAYMENTS.answerMs - 1);
    expect(ledger.payments.owed(payment.payer, payment.requestHash)?.key).toBe(payment.key);
    elapse(1);
    expect(ledger.payments.owed(payment.payer, payment.requestHash)).toBeUndefined();
    await ledger.reopen();
    expect(ledger.payments.owed(payment.payer, payment.requestHash)).toBeUndefined();
  });

  it('is owed too when the payment had settled unknown to us, and not when it was refused', async () => {
    const [refused, adopted] = [newPayment(), newPayment()];
    await startSettling(ledger, refused);
    await ledger.payments.resolve(refused.key, REFUSED);
    await ledger.payments.adopt(adopted, 'found');
    expect(ledger.payments.owed(refused.payer, refused.requestHash)).toBeUndefined();
    expect(ledger.payments.owed(adopted.payer, adopted.requestHash)?.key).toBe(adopted.key);
  });

  it('is kept for ten minutes', async () => {
    const payment = newPayment();
    await settle(ledger, payment);
    ledger.payments.delivered(payment.key);
    elapse(PAYMENTS.answerMs - 1);
    expect(ledger.payments.answer(payment.key)).toBe('{"n":1}');
    ledger.nowMs += 1;
    expect(ledger.payments.answer(payment.key)).toBeUndefined();
    elapse(0);
    await ledger.reopen();
    expect(ledger.payments.answer(payment.key)).toBeUndefined();
    expect(ledger.payments.find(payment.key)?.progress).toBe('settled');
  });

  it('is kept up to 256 MiB in all, the oldest dropped first also after a restart, those of open payments in any case', async () => {
    const large = `"${'x'.repeat(43 * 1024 * 1024)}"`;
    const open = newPayment();
    await startSettling(ledger, open, large);
    const settled = Array.from({ length: 6 }, () => newPayment()).reverse();
    for (const payment of settled) {
      ledger.nowMs += 1;
      await settle(ledger, payment, large);
      ledger.payments.delivered(payment.key);
    }
    await ledger.reopen();
    elapse(1);
    const kept = settled.map(({ key }) => ledger.payments.answer(key) !== undefined);
    expect(kept).toEqual([false, false, true, true, true, true]);
    expect(ledger.payments.answer(open.key)).toBe(large);
    await ledger.payments.resolve(open.key, SETTLED);
    expect(ledger.payments.owed(open.payer, open.requestHash)?.key).toBe(open.key);
  }, 120_000);
});

describe('a record', () => {
  it('of a refused payment is forgotten after 120 s', async () => {
    const payment = newPayment();
    await startSettling(ledger, payment);
    await ledger.payments.resolve(payment.key, REFUSED);
    elapse(PAYMENTS.refusedMs);
    expect(ledger.payments.find(payment.key)?.progress).toBe('refused');
    ledger.nowMs += 1;
    expect(ledger.payments.find(payment.key)).toBeUndefined();
    await ledger.reopen();
    expect(ledger.payments.find(payment.key)).toBeUndefined();
    expect(ledger.payments.reserve(payment)).toBe('reserved');
  });

  it('of a settled payment is forgotten after 24 hours', async () => {
    const payment = newPayment();
    await settle(ledger, payment);
    ledger.payments.delivered(payment.key);
    elapse(PAYMENTS.recordMs - 1);
    expect(ledger.payments.reserve(payment)).toBe('taken');
    elapse(60_000);
    await ledger.reopen();
    expect(ledger.payments.find(payment.key)).toBeUndefined();
  });

  it('of a payment whose outcome is open is never forgotten', async () => {
    const payment = newPayment();
    await startSettling(ledger, payment);
    ledger.payments.unresolved(payment.key);
    for (const days of [1, 30, 365]) {
      elapse(days * 86_400_000);
      await ledger.reopen();
      elapse(60_000);
      expect(ledger.payments.open()).toMatchObject([{ key: payment.key }]);
      expect(ledger.payments.reserve(payment)).toBe('taken');
    }
  });
});
