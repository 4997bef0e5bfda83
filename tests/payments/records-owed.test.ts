import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PAYMENTS } from '../../packages/gateway/src/payments/record.ts';
import {
  answerOf,
  type Ledger,
  newPayment,
  onEveryLedger,
  REFUSED,
  SETTLED,
  settle,
  startSettling,
} from './forge-records.ts';

onEveryLedger((open) => {
  let ledger: Ledger;
  beforeEach(async () => {
    ledger = await open();
  });
  afterEach(() => ledger.close());

  /** Lets the store clear up, which it does when something is reserved. */
  async function elapse(milliseconds: number): Promise<void> {
    ledger.nowMs += milliseconds;
    const passer = newPayment();
    await ledger.payments.reserve(passer);
    await ledger.payments.release(passer.key, passer.owner);
  }

  describe('an answer that was paid for', () => {
    it('P18 is owed to its payer for its request until it is delivered', async () => {
      const payment = newPayment();
      await settle(ledger, payment);
      const owed = async () => (await ledger.payments.owed(payment.payer, payment.requestHash))?.key;
      expect(await owed()).toBe(payment.key);
      expect(await ledger.payments.owed('another', payment.requestHash)).toBeUndefined();
      expect(await ledger.payments.owed(payment.payer, 'another')).toBeUndefined();
      expect(
        await ledger.payments.reserve(newPayment({ payer: payment.payer, requestHash: payment.requestHash })),
      ).toBe('owed');
      await ledger.payments.delivered(payment.key);
      expect(await owed()).toBeUndefined();
      expect(
        await ledger.payments.reserve(newPayment({ payer: payment.payer, requestHash: payment.requestHash })),
      ).toBe('reserved');
    });

    it('P18 is owed no more when it is delivered, whoever has looked for it while it was being settled', async () => {
      const payment = newPayment();
      await ledger.payments.reserve(payment);
      await ledger.payments.owed(payment.payer, payment.requestHash);
      await ledger.payments.isKnownPayer(payment.payer);
      await ledger.payments.settling(payment.key, payment.owner, { answer: '1' });
      await ledger.payments.resolve(payment.key, SETTLED);
      await ledger.payments.delivered(payment.key);
      expect(await ledger.payments.owed(payment.payer, payment.requestHash)).toBeUndefined();
    });

    it('P18 is owed across a restart, and so is that it was delivered', async () => {
      const [owed, delivered] = [newPayment(), newPayment()];
      await settle(ledger, owed, '"owed"');
      await settle(ledger, delivered, '"delivered"');
      await ledger.payments.delivered(delivered.key);
      await ledger.reopen();
      expect((await ledger.payments.owed(owed.payer, owed.requestHash))?.key).toBe(owed.key);
      expect(await ledger.payments.owed(delivered.payer, delivered.requestHash)).toBeUndefined();
      expect(await ledger.payments.answer(owed.key)).toBe('"owed"');
      expect(await ledger.payments.answer(delivered.key)).toBe('"delivered"');
      await ledger.payments.delivered(owed.key);
      await ledger.reopen();
      expect(await ledger.payments.owed(owed.payer, owed.requestHash)).toBeUndefined();
    });

    it('is owed for ten minutes', async () => {
      const payment = newPayment();
      await settle(ledger, payment);
      await elapse(PAYMENTS.answerMs - 1);
      expect((await ledger.payments.owed(payment.payer, payment.requestHash))?.key).toBe(payment.key);
      await elapse(1);
      expect(await ledger.payments.owed(payment.payer, payment.requestHash)).toBeUndefined();
      await ledger.reopen();
      expect(await ledger.payments.owed(payment.payer, payment.requestHash)).toBeUndefined();
    });

    it('is owed for ten minutes from when the settlement became known', async () => {
      const payment = newPayment();
      await startSettling(ledger, payment);
      await ledger.payments.unresolved(payment.key);
      await elapse(PAYMENTS.answerMs + 60_000);
      await ledger.reopen();
      await ledger.payments.resolve(payment.key, SETTLED);
      expect(await ledger.payments.answer(payment.key)).toBe('{"n":1}');
      expect((await ledger.payments.owed(payment.payer, payment.requestHash))?.key).toBe(payment.key);
    });

    it('is owed too when the payment had settled unknown to us, and not when it was refused', async () => {
      const [refused, adopted] = [newPayment(), newPayment()];
      await startSettling(ledger, refused);
      await ledger.payments.resolve(refused.key, REFUSED);
      await ledger.payments.adopt(adopted, 'found');
      expect(await ledger.payments.owed(refused.payer, refused.requestHash)).toBeUndefined();
      expect((await ledger.payments.owed(adopted.payer, adopted.requestHash))?.key).toBe(adopted.key);
    });

    it('is kept for ten minutes', async () => {
      const payment = newPayment();
      await settle(ledger, payment);
      await ledger.payments.delivered(payment.key);
      await elapse(PAYMENTS.answerMs - 1);
      expect(await ledger.payments.answer(payment.key)).toBe('{"n":1}');
      ledger.nowMs += 1;
      expect(await ledger.payments.answer(payment.key)).toBeUndefined();
      await elapse(0);
      await ledger.reopen();
      expect(await ledger.payments.answer(payment.key)).toBeUndefined();
      expect((await ledger.payments.find(payment.key))?.progress).toBe('settled');
    });

    it('is kept up to a bound in all, the oldest dropped first also after a restart, whether open or not', async () => {
      const large = answerOf(ledger, 0.168);
      const open = newPayment();
      await startSettling(ledger, open, large);
      const settled = Array.from({ length: 6 }, () => newPayment()).reverse();
      for (const payment of settled) {
        ledger.nowMs += 1;
        await settle(ledger, payment, large);
        await ledger.payments.delivered(payment.key);
      }
      await ledger.reopen();
      await elapse(1);
      const answers = await Promise.all(settled.map(({ key }) => ledger.payments.answer(key)));
      const kept = answers.map((answer) => answer !== undefined);
      expect(kept).toEqual([false, true, true, true, true, true]);
      expect(await ledger.payments.answer(open.key)).toBeUndefined();
      await ledger.payments.resolve(open.key, SETTLED);
      expect((await ledger.payments.owed(open.payer, open.requestHash))?.key).toBe(open.key);
    }, 120_000);
  });

  describe('a record', () => {
    it('V5 of a refused payment is forgotten after 330 s, when no memo of it is good any more', async () => {
      const payment = newPayment();
      await startSettling(ledger, payment);
      await ledger.payments.resolve(payment.key, REFUSED);
      await elapse(330_000);
      expect((await ledger.payments.find(payment.key))?.progress).toBe('refused');
      ledger.nowMs += 1;
      expect(await ledger.payments.find(payment.key)).toBeUndefined();
      await ledger.reopen();
      expect(await ledger.payments.find(payment.key)).toBeUndefined();
      expect(await ledger.payments.reserve(payment)).toBe('reserved');
    });

    it('of a settled payment is forgotten after 24 hours', async () => {
      const payment = newPayment();
      await settle(ledger, payment);
      await ledger.payments.delivered(payment.key);
      await elapse(PAYMENTS.recordMs - 1);
      expect(await ledger.payments.reserve(payment)).toBe('taken');
      await elapse(60_000);
      await ledger.reopen();
      expect(await ledger.payments.find(payment.key)).toBeUndefined();
    });

    it('of a payment whose outcome is open is never forgotten', async () => {
      const payment = newPayment();
      await startSettling(ledger, payment);
      await ledger.payments.unresolved(payment.key);
      for (const days of [1, 30, 365]) {
        await elapse(days * 86_400_000);
        await ledger.reopen();
        await elapse(60_000);
        expect(await ledger.payments.open()).toMatchObject([{ key: payment.key }]);
        expect(await ledger.payments.reserve(payment)).toBe('taken');
      }
    });
  });
});
