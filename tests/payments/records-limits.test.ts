import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NewPayment } from '../../packages/gateway/src/payments/record.ts';
import { type Ledger, newPayment, onEveryLedger, REFUSED, SETTLED, startSettling } from './forge-records.ts';

onEveryLedger((open) => {
  let ledger: Ledger;
  beforeEach(async () => {
    ledger = await open();
  });
  afterEach(() => ledger.close());

  const PAYER = 'one payer';
  const next = (): NewPayment => newPayment({ payer: PAYER });
  const reserve = (payment = next()) => ledger.payments.reserve(payment);

  /** One purchase whose upstream is asked and fails, so that the payment is given back. */
  async function fail(payment: NewPayment): Promise<string> {
    const verdict = await ledger.payments.reserve(payment);
    if (verdict === 'reserved') {
      await ledger.payments.called(payment.key);
      await ledger.payments.release(payment.key, payment.owner);
    }
    return verdict;
  }

  describe('a payer', () => {
    it('P14 has at most 4 payments at once, until one is given back', async () => {
      const four = [next(), next(), next(), next()];
      for (const payment of four) expect(await reserve(payment)).toBe('reserved');
      const fifth = next();
      expect(await reserve(fifth)).toBe('payer_busy');
      expect(await ledger.payments.find(fifth.key)).toBeUndefined();
      expect(await reserve(newPayment({ payer: 'another' }))).toBe('reserved');
      await ledger.payments.release(four[0]?.key ?? '', four[0]?.owner ?? '');
      expect(await reserve(fifth)).toBe('reserved');
      expect(await reserve()).toBe('payer_busy');
    });

    it.each([
      ['is settled', (key: string) => ledger.payments.resolve(key, SETTLED)],
      ['is refused', (key: string) => ledger.payments.resolve(key, REFUSED)],
      ['has no known outcome', (key: string) => ledger.payments.unresolved(key)],
      ['is withdrawn', (key: string, owner: string) => ledger.payments.withdraw(key, owner)],
    ])('P14 has room again when a payment %s', async (_, end) => {
      const four = [next(), next(), next(), next()];
      for (const payment of four) await startSettling(ledger, payment);
      expect(await reserve()).toBe('payer_busy');
      await end(four[2]?.key ?? '', four[2]?.owner ?? '');
      expect(await reserve()).toBe('reserved');
    });

    it('P14 has at most 10 upstream calls in 60 s that no settlement followed', async () => {
      for (let call = 0; call < 10; call++) {
        ledger.nowMs += 1;
        expect(await fail(next())).toBe('reserved');
      }
      expect(await reserve()).toBe('payer_busy');
      expect(await reserve(newPayment({ payer: 'another' }))).toBe('reserved');
      ledger.nowMs += 59_990;
      expect(await reserve()).toBe('payer_busy');
      ledger.nowMs += 1;
      expect(await fail(next())).toBe('reserved');
      expect(await reserve()).toBe('payer_busy');
    });

    it('P14 is not counted for what a settlement followed', async () => {
      for (let call = 0; call < 30; call++) {
        const payment = next();
        expect(await reserve(payment)).toBe('reserved');
        await ledger.payments.called(payment.key);
        await ledger.payments.settling(payment.key, payment.owner, { answer: '1' });
        await ledger.payments.resolve(payment.key, SETTLED);
        await ledger.payments.delivered(payment.key);
      }
      expect(await reserve()).toBe('reserved');
    });

    it('is not counted for payments that never reached an upstream', async () => {
      for (let attempt = 0; attempt < 30; attempt++) {
        const payment = next();
        expect(await reserve(payment)).toBe('reserved');
        await ledger.payments.release(payment.key, payment.owner);
      }
    });
  });

  describe('a payment', () => {
    it('reaches an upstream at most 3 times', async () => {
      const payment = next();
      const verdicts: string[] = [];
      for (let call = 0; call < 5; call++) verdicts.push(await fail(payment));
      expect(verdicts).toEqual(['reserved', 'reserved', 'reserved', 'exhausted', 'exhausted']);
      expect(await ledger.payments.find(payment.key)).toBeUndefined();
      expect(await fail(next())).toBe('reserved');
    });

    it('is not counted while nobody has reserved it', async () => {
      const payment = next();
      for (let call = 0; call < 5; call++) await ledger.payments.called(payment.key);
      expect(await fail(payment)).toBe('reserved');
    });
  });
});
