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

const DAY_MS = 86_400_000;

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

  describe('a record', () => {
    it('P7 of a payment that was refused, came again and is being settled outlives the forgetting of the refusal', async () => {
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

    it('of a payment that was refused and is then proved to be settled stays for 24 hours', async () => {
      const payment = newPayment();
      await startSettling(ledger, payment);
      await ledger.payments.resolve(payment.key, REFUSED);
      await ledger.payments.resolve(payment.key, SETTLED);
      const settled = { progress: 'settled', signature: SETTLED.signature, resolvedAtMs: ledger.nowMs };
      for (const milliseconds of [PAYMENTS.refusedMs + 60_000, DAY_MS - PAYMENTS.refusedMs - 120_000]) {
        await elapse(milliseconds);
        await ledger.reopen();
        expect(await ledger.payments.find(payment.key)).toMatchObject(settled);
      }
      expect(await ledger.payments.answer(payment.key)).toBeUndefined();
      await elapse(60_001);
      expect(await ledger.payments.find(payment.key)).toBeUndefined();
      await ledger.reopen();
      expect(await ledger.payments.find(payment.key)).toBeUndefined();
    });
  });

  describe('an answer', () => {
    it('is counted once, however often it is kept', async () => {
      const [repeated, other] = [newPayment(), newPayment()];
      const large = answerOf(ledger, 0.504);
      for (const payment of [repeated, other]) {
        await settle(ledger, payment, payment === repeated ? large : '"small"');
        await ledger.payments.delivered(payment.key);
      }
      await ledger.payments.keep(repeated.key, large);
      await elapse(31_000);
      expect(await ledger.payments.answer(repeated.key)).toBe(large);
      expect(await ledger.payments.answer(other.key)).toBe('"small"');
    }, 120_000);
  });

  describe('a payment', () => {
    it('reaches an upstream at most 3 times while its memo is good', async () => {
      const payment = newPayment();
      const fail = async () => {
        const verdict = await ledger.payments.reserve(payment);
        if (verdict === 'reserved') {
          await ledger.payments.called(payment.key);
          await ledger.payments.release(payment.key, payment.owner);
        }
        return verdict;
      };
      for (let call = 0; call < 3; call++) expect(await fail()).toBe('reserved');
      for (let minute = 0; minute < 4; minute++) {
        await elapse(61_000);
        expect(await fail()).toBe('exhausted');
      }
    });
  });
});
