import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PAYMENTS } from '../../packages/gateway/src/stores/payments.ts';
import { type Ledger, newPayment, onEveryLedger, SETTLED, startSettling } from './forge-records.ts';

onEveryLedger((open) => {
  let ledger: Ledger;
  beforeEach(async () => {
    ledger = await open();
  });
  afterEach(() => ledger.close());

  async function elapse(milliseconds: number): Promise<void> {
    ledger.nowMs += milliseconds;
    const passer = newPayment();
    await ledger.payments.reserve(passer);
    await ledger.payments.release(passer.key, passer.owner);
  }

  describe('answers', () => {
    it('are owed for ten minutes from when the settlement became known', async () => {
      const payment = newPayment();
      await startSettling(ledger, payment);
      await ledger.payments.unresolved(payment.key);
      await elapse(PAYMENTS.answerMs + 60_000);
      await ledger.reopen();
      await ledger.payments.resolve(payment.key, SETTLED);
      expect(await ledger.payments.answer(payment.key)).toBe('{"n":1}');
      expect((await ledger.payments.owed(payment.payer, payment.requestHash))?.key).toBe(payment.key);
    });
  });
});
