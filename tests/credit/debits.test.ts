import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Account, CREDIT, NEW_ACCOUNT } from '../../packages/gateway/src/credit/account.ts';
import type { NewPayment } from '../../packages/gateway/src/payments/record.ts';
import { grant, HOLDER, type Ledger, newDebit, newPurchase, onEveryLedger, startSettling } from './ledger.ts';

const LIMIT = { limitMicros: 1_000 };

onEveryLedger((open) => {
  let ledger: Ledger;
  beforeEach(async () => {
    ledger = await open();
  });
  afterEach(() => ledger.close());

  const account = (): Promise<Account> => ledger.accounts.find(HOLDER);

  describe('a debit', () => {
    it('is charged once, however often that is asked, and its answer is kept', async () => {
      await grant(ledger, 10);
      const debit = newDebit(4);
      expect(await ledger.accounts.hold(debit)).toBe('held');
      await ledger.accounts.capture(debit, '"answer"');
      await ledger.accounts.capture(debit, '"answer"');
      await ledger.reopen();
      expect(await account()).toMatchObject({ grantedMicros: 10, spentMicros: 4, holds: [] });
      expect(await ledger.accounts.answer(debit.id)).toBe('"answer"');
      expect(await ledger.accounts.hold({ ...debit, owner: 'another' })).toBe('captured');
    });

    it('W5 has its answer as soon as it reads as captured, before the disk has either', async () => {
      await grant(ledger, 10);
      const debit = newDebit(4);
      await ledger.accounts.hold(debit);
      const capturing = ledger.accounts.capture(debit, '"answer"');
      let progress: string | undefined;
      while (progress !== 'captured') progress = (await ledger.accounts.debit(debit.id))?.progress;
      expect(await ledger.accounts.answer(debit.id)).toBe('"answer"');
      await capturing;
      expect(await ledger.accounts.answer(debit.id)).toBe('"answer"');
    });

    it("that took too long is nobody's, and of two that then have one id one is charged", async () => {
      await grant(ledger, 10);
      const slow = newDebit(4);
      await ledger.accounts.hold(slow);
      expect(await ledger.accounts.hold({ ...slow, owner: 'another' })).toBe('running');
      ledger.nowMs += CREDIT.leaseMs + 1;
      const again = { ...slow, owner: 'another' };
      expect(await ledger.accounts.hold(again)).toBe('held');
      expect(await ledger.accounts.capture(slow, '"slow"')).toBe('running');
      await ledger.accounts.release(slow, true);
      expect(await ledger.accounts.capture(again, '"again"')).toMatchObject({ spentMicros: 4 });
      expect(await ledger.accounts.capture(slow, '"slow"')).toBe('running');
      expect(await account()).toMatchObject({ spentMicros: 4 });
    });

    it('whose price somebody else has set aside meanwhile is to be tried again, and not to be paid anew', async () => {
      await grant(ledger, 4);
      const [slow, other] = [newDebit(4), newDebit(4)];
      await ledger.accounts.hold(slow);
      ledger.nowMs += CREDIT.leaseMs + 1;
      await ledger.accounts.hold(other);
      expect(await ledger.accounts.capture(slow, '""')).toBe('busy');
      await ledger.accounts.capture(other, '""');
      expect(await ledger.accounts.capture(slow, '""')).toBe('insufficient');
    });

    it('is held for as long as its call may take', async () => {
      await grant(ledger, 4);
      await ledger.accounts.hold(newDebit(4), { leaseMs: 75_000 });
      ledger.nowMs += 74_000;
      expect(await ledger.accounts.hold(newDebit(4))).toBe('busy');
      ledger.nowMs += 2_000;
      expect(await ledger.accounts.hold(newDebit(4))).toBe('held');
    });
  });

  describe('a wallet', () => {
    it('whose calls come to nothing ten times in a minute waits, and one whose calls never reached an upstream does not', async () => {
      await grant(ledger, 10);
      const attempt = async (isCalled: boolean) => {
        const debit = newDebit(1);
        const verdict = await ledger.accounts.hold(debit);
        if (verdict === 'held') await ledger.accounts.release(debit, isCalled);
        return verdict;
      };
      for (let call = 0; call < 30; call++) expect(await attempt(false)).toBe('held');
      for (let call = 0; call < CREDIT.unchargedCalls; call++) expect(await attempt(true)).toBe('held');
      expect(await attempt(true)).toBe('failing');
      ledger.nowMs += CREDIT.unchargedWindowMs;
      expect(await attempt(true)).toBe('held');
    });

    it('has at most eight calls on their way', async () => {
      await grant(ledger, 100);
      const debits = Array.from({ length: CREDIT.holdsPerWallet }, () => newDebit(1));
      for (const debit of debits) expect(await ledger.accounts.hold(debit)).toBe('held');
      expect(await ledger.accounts.hold(newDebit(1))).toBe('busy');
      for (const debit of debits.slice(1)) await ledger.accounts.release(debit, false);
      expect(await ledger.accounts.hold(newDebit(1))).toBe('held');
    });

    it('can use the signature again at once whose process has died', async () => {
      await grant(ledger, 8);
      const [lost, other] = [newDebit(4), newDebit(4)];
      await ledger.accounts.hold(lost);
      await ledger.accounts.hold(other);
      // Charged while the first was held: what is on the disk has its hold.
      await ledger.accounts.capture(other, '""');
      await ledger.reopen();
      const verdict = await ledger.accounts.hold({ ...lost, owner: 'another' });
      expect(['held', 'running']).toContain(verdict);
      ledger.nowMs += CREDIT.leaseMs;
      expect(await ledger.accounts.hold({ ...lost, owner: 'a third' })).toBe('held');
    });
  });

  describe('a purchase', () => {
    async function giveBack(payment: NewPayment): Promise<void> {
      expect(await ledger.payments.reserve(payment)).toBe('reserved');
      await ledger.payments.release(payment.key, payment.owner);
    }

    it('is noted for one payment at a time, and a copy of that one joins it', async () => {
      const [one, other] = [newPurchase(50), newPurchase(50)];
      const start = ({ key }: { readonly key: string }, micros = 50) =>
        ledger.accounts.startPurchase(HOLDER, { key, micros }, LIMIT);
      expect(await start(one)).toBe('started');
      expect(await start(one)).toBe('joined');
      expect(await start(other)).toBe('under_way');
      await giveBack(other);
      expect(await start(other)).toBe('under_way');
      await giveBack(one);
      expect(await start(other, LIMIT.limitMicros + 1)).toBe('over_limit');
      expect(await start(other)).toBe('started');
    });

    it.each([
      ['is refused', { progress: 'refused', reason: 'failed' } as const],
      ['settles', { progress: 'settled', signature: 'signature' } as const],
    ])('whose payment %s is over', async (_, proof) => {
      const payment = newPurchase(50);
      await ledger.accounts.startPurchase(HOLDER, { key: payment.key, micros: 50 }, LIMIT);
      await startSettling(ledger, payment);
      await ledger.payments.resolve(payment.key, proof);
      const { purchase, grantedMicros } = await account();
      expect([purchase, grantedMicros]).toEqual([undefined, proof.progress === 'settled' ? 50 : 0]);
    });

    it('whose payment is given back is over', async () => {
      const payment = newPurchase(50);
      await ledger.accounts.startPurchase(HOLDER, { key: payment.key, micros: 50 }, LIMIT);
      await giveBack(payment);
      expect((await account()).purchase).toBeUndefined();
    });

    const isKept = async () => (await ledger.accounts.read(HOLDER))[1]?.version !== undefined;
    const start = ({ key }: NewPayment) => ledger.accounts.startPurchase(HOLDER, { key, micros: 50 }, LIMIT);

    it('is not begun where the balance pays for its call by now', async () => {
      await grant(ledger, 10);
      const { key } = newPurchase(50);
      const startFor = (priceMicros: number) =>
        ledger.accounts.startPurchase(HOLDER, { key, micros: 50 }, { ...LIMIT, priceMicros });
      expect(await startFor(10)).toBe('covered');
      expect((await account()).purchase).toBeUndefined();
      expect(await startFor(11)).toBe('started');
    });

    it('W8 of a new wallet that comes to nothing leaves no account', async () => {
      const [given, refused] = [newPurchase(50), newPurchase(50)];
      await giveBack(newPurchase(50));
      expect(await isKept()).toBe(false);
      await start(given);
      expect(await isKept()).toBe(true);
      await giveBack(given);
      expect(await isKept()).toBe(false);
      await start(refused);
      await startSettling(ledger, refused);
      await ledger.payments.resolve(refused.key, { progress: 'refused', reason: 'failed' });
      expect(await isKept()).toBe(false);
    });

    it('W8 of a new wallet whose process dies leaves no account, in a folder at once', async () => {
      await start(newPurchase(50));
      await ledger.reopen();
      ledger.nowMs += CREDIT.purchaseMs;
      // On Redis the document has a time to live, which tests/redis/lives.test.ts measures.
      expect(await isKept()).toBe(ledger.openOther !== undefined);
      expect(await account()).toEqual(NEW_ACCOUNT);
    });

    it('W8 that lapses with nobody to end it leaves no account in a folder', async () => {
      await start(newPurchase(50));
      ledger.nowMs += CREDIT.purchaseMs + 60_000;
      await giveBack(newPurchase(0, { payer: 'another' }));
      expect(await isKept()).toBe(ledger.openOther !== undefined);
    });

    it('W8 that comes to nothing leaves the account of a wallet that has paid before as it was', async () => {
      await grant(ledger, 10);
      const before = await account();
      const payment = newPurchase(50);
      await start(payment);
      await giveBack(payment);
      await ledger.reopen();
      expect(await account()).toEqual(before);
    });
  });
});
