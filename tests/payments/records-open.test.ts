import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PAYMENTS } from '../../packages/gateway/src/stores/payments.ts';
import { type Ledger, newPayment, openLedger, SETTLED, startSettling } from './forge-records.ts';

let ledger: Ledger;
beforeEach(() => {
  ledger = openLedger();
});
afterEach(() => ledger.close());

function elapse(milliseconds: number): void {
  ledger.nowMs += milliseconds;
  const passer = newPayment();
  ledger.payments.reserve(passer);
  ledger.payments.release(passer.key, passer.owner);
}

describe('answers', () => {
  it('are owed for ten minutes from when the settlement became known', async () => {
    const payment = newPayment();
    await startSettling(ledger, payment);
    ledger.payments.unresolved(payment.key);
    elapse(PAYMENTS.answerMs + 60_000);
    await ledger.reopen();
    await ledger.payments.resolve(payment.key, SETTLED);
    expect(ledger.payments.answer(payment.key)).toBe('{"n":1}');
    expect(ledger.payments.owed(payment.payer, payment.requestHash)?.key).toBe(payment.key);
  });
});
