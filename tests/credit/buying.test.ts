import { describe, expect, it } from 'vitest';
import { CREDIT, NEW_ACCOUNT } from '../../packages/gateway/src/credit/account.ts';
import { type NewPayment, PAYMENTS } from '../../packages/gateway/src/payments/record.ts';
import { grant, HOLDER, landed, ledgerSuite, newPurchase, REFUSED, startSettling, UNKNOWN } from '../kit/ledger.ts';

const LIMITS = { limitMicros: 1_000, priceMicros: undefined };

ledgerSuite('a purchase of credit', (ledger) => {
  const account = () => ledger.accounts.find(HOLDER);
  const reserve = (payment: NewPayment, limits = {}) =>
    ledger.payments.reserve(payment, { credit: { ...LIMITS, ...limits } });
  const release = ({ key, owner }: NewPayment) => ledger.payments.release(key, owner, false);

  it('is made by one payment at a time, and a copy of that one is not reserved again', async () => {
    const [one, other] = [newPurchase(50), newPurchase(50)];
    expect(await reserve(one)).toBe('reserved');
    expect((await account()).purchase).toEqual({ key: one.key, micros: 50 });
    expect(await reserve({ ...one, owner: 'another' })).toBe('taken');
    expect(await reserve(other)).toBe('under_way');
    await release(other);
    expect(await reserve(other)).toBe('under_way');
    await release(one);
    expect(await account()).toEqual(NEW_ACCOUNT);
    expect(await reserve(other)).toBe('reserved');
  });

  it('takes a wallet to its limit, and not beyond', async () => {
    await grant(ledger, 900);
    expect(await reserve(newPurchase(101))).toBe('over_limit');
    expect(await reserve(newPurchase(100))).toBe('reserved');
  });

  it('is not begun when the balance pays for its call by now', async () => {
    await grant(ledger, 10);
    expect(await reserve(newPurchase(50), { priceMicros: 10 })).toBe('covered');
    expect((await account()).purchase).toBeUndefined();
    expect(await reserve(newPurchase(50), { priceMicros: 11 })).toBe('reserved');
  });

  it.each([
    ['is refused', REFUSED, 0],
    ['settles', 'settled', 50],
  ] as const)('whose payment %s is over', async (_, outcome, grantedMicros) => {
    const payment = newPurchase(50);
    await startSettling(ledger, payment);
    expect((await account()).purchase).toEqual({ key: payment.key, micros: 50 });
    await ledger.payments.resolve(payment.key, outcome === 'settled' ? landed(payment) : outcome);
    expect(await account()).toEqual({ ...NEW_ACCOUNT, grantedMicros });
    expect(await reserve(newPurchase(50))).toBe('reserved');
  });

  it('whose outcome is open is waited for, but not longer than a minute', async () => {
    const payment = newPurchase(50);
    await startSettling(ledger, payment);
    await ledger.payments.resolve(payment.key, UNKNOWN);
    ledger.nowMs += PAYMENTS.inFlightMs - 1;
    expect(await reserve(newPurchase(50))).toBe('under_way');
    expect((await account()).purchase).toEqual({ key: payment.key, micros: 50 });
    ledger.nowMs += PAYMENTS.leaseMs;
    expect((await account()).purchase).toBeUndefined();
    expect(await reserve(newPurchase(50))).toBe('reserved');
    await ledger.payments.resolve(payment.key, landed(payment));
    expect((await account()).grantedMicros).toBe(50);
  });

  describe('of a new wallet', () => {
    const countWallets = async () => {
      const [row] = await ledger.database.read({ sql: 'select count(*) as count from wallets' });
      return Number(row?.count);
    };
    /** Passes the time after which an unused wallet is deleted. */
    const pass = async () => {
      ledger.nowMs += CREDIT.debitMs + PAYMENTS.leaseMs + 1;
      await ledger.retention.prune();
    };

    it.each([
      ['comes to nothing', release],
      ['ends with its process', () => ledger.reopen()],
    ])('W8 leaves no wallet behind when it %s', async (_, end) => {
      const payment = newPurchase(50);
      await reserve(payment);
      await end(payment);
      expect(await account()).toEqual(NEW_ACCOUNT);
      expect(await countWallets()).toBe(1);
      await pass();
      expect(await countWallets()).toBe(0);
    });

    it('W8 leaves its wallet behind when it has settled', async () => {
      await grant(ledger, 50);
      await pass();
      expect(await countWallets()).toBe(1);
    });
  });

  it('W8 that comes to nothing leaves the account of a wallet that has paid before as it was', async () => {
    await grant(ledger, 10);
    const before = await account();
    const payment = newPurchase(50);
    await reserve(payment);
    await release(payment);
    await ledger.reopen();
    expect(await account()).toEqual(before);
  });
});
