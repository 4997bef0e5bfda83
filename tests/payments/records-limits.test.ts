import { describe, expect, it } from 'vitest';
import type { NewPayment } from '../../packages/gateway/src/payments/record.ts';
import { landed, ledgerSuite, newPayment, REFUSED, settle, startSettling } from '../kit/ledger.ts';

ledgerSuite('the limits of payments', (ledger) => {
  const PAYER = 'one payer';
  const next = (): NewPayment => newPayment({ payer: PAYER });
  const reserve = (payment = next()) => ledger.payments.reserve(payment);

  /** A purchase whose upstream call fails, so that the payment is released. */
  async function fail(payment: NewPayment): Promise<string> {
    const verdict = await ledger.payments.reserve(payment);
    if (verdict === 'reserved') await ledger.payments.release(payment.key, payment.owner, true);
    return verdict;
  }

  describe('a payer', () => {
    it('P14 has at most 4 payments at once, until one is released', async () => {
      const four = [next(), next(), next(), next()];
      for (const payment of four) expect(await reserve(payment)).toBe('reserved');
      const fifth = next();
      expect(await reserve(fifth)).toBe('payer_busy');
      expect(await ledger.payments.find(fifth.key)).toBeUndefined();
      expect(await reserve(newPayment({ payer: 'another' }))).toBe('reserved');
      await ledger.payments.release(four[0]?.key ?? '', four[0]?.owner ?? '', false);
      expect(await reserve(fifth)).toBe('reserved');
      expect(await reserve()).toBe('payer_busy');
    });

    it('P14 has at most 4 payments of many at once', async () => {
      const verdicts = await Promise.all(Array.from({ length: 9 }, () => reserve()));
      expect(verdicts.toSorted()).toEqual([...Array(5).fill('payer_busy'), ...Array(4).fill('reserved')]);
    });

    it.each([
      ['is settled', ({ key }: NewPayment) => ledger.payments.resolve(key, landed({ key }))],
      ['is refused', ({ key }: NewPayment) => ledger.payments.resolve(key, REFUSED)],
      ['has no known outcome', ({ key }: NewPayment) => ledger.payments.unresolved(key)],
      ['is withdrawn', ({ key, owner }: NewPayment) => ledger.payments.withdraw(key, owner)],
    ])('P14 has room again when a payment %s', async (_, end) => {
      const four = [next(), next(), next(), next()];
      for (const payment of four) await startSettling(ledger, payment);
      expect(await reserve()).toBe('payer_busy');
      await end(four[2] ?? next());
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
  });

  describe('a payment', () => {
    it('reaches an upstream at most 3 times while its memo is good, also across a restart', async () => {
      const payment = next();
      for (let call = 0; call < 3; call++) expect(await fail(payment)).toBe('reserved');
      for (let minute = 0; minute < 5; minute++) {
        expect(await fail(payment)).toBe('exhausted');
        expect(await ledger.payments.find(payment.key)).toBeUndefined();
        await ledger.reopen();
        ledger.nowMs += 61_000;
      }
      expect(await fail(next())).toBe('reserved');
    });

    it('counts its calls, also after it has settled', async () => {
      const payment = next();
      await fail(payment);
      await settle(ledger, payment);
      expect(await ledger.payments.calls(payment.key)).toBe(2);
      await ledger.payments.called(payment.key);
      await ledger.reopen();
      expect(await ledger.payments.calls(payment.key)).toBe(3);
    });
  });
});
