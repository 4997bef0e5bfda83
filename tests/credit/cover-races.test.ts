import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Call, Trail } from '../../packages/gateway/src/call.ts';
import { CREDIT } from '../../packages/gateway/src/credit/account.ts';
import { ChargedAnswers } from '../../packages/gateway/src/credit/charged-answers.ts';
import { createCover } from '../../packages/gateway/src/credit/covering.ts';
import { Turns } from '../../packages/gateway/src/credit/turns.ts';
import type { Admission } from '../../packages/gateway/src/gates/gate.ts';
import type { CoverablePurchase } from '../../packages/gateway/src/payments/cover.ts';
import { alreadyUsed } from '../../packages/gateway/src/payments/responses.ts';
import { callOf, rowOf } from '../payments/calls.ts';
import { grant, HOLDER, type Ledger, landed, newPurchase, onEveryLedger } from './ledger.ts';

const PRICE = 5;
const BUNDLE = 50;
const ROW = rowOf('rpc.mainnet.helius.getBalance');
const call = { route: ROW, path: callOf(ROW).target } as unknown as Call;
const trail: Trail = { requestId: 'r', client: '127.0.0.1' };
const take = async () => ({ release: () => undefined });
const ANSWER = { json: '{}' };

onEveryLedger((open) => {
  let ledger: Ledger;
  beforeEach(async () => {
    ledger = await open();
  });
  afterEach(() => ledger.close());

  /** One payment as the gate sees it, and what settles it: reserved, then settled, in the ledger's own records. */
  function newPayment(amountMicros: number, priceMicros = PRICE) {
    const { accounts, payments } = ledger;
    const creditMicros = Math.max(0, amountMicros - priceMicros);
    const record = newPurchase(creditMicros);
    const cover = createCover({
      accounts,
      answers: new ChargedAnswers(accounts),
      turns: new Turns(),
      priceMicros,
      limitMicros: 1_000,
      leaseMs: CREDIT.leaseMs,
      purchaseMs: CREDIT.purchaseMs,
      isBought: async (key) => (await payments.find(key)) !== undefined,
      onFailure: () => undefined,
      randomId: randomUUID,
      responseOf: () => ({}),
    });
    const { key, network, requestHash, payer } = record;
    const sent = { key, network, requestHash, payer, inVersion1Header: false, hasTicket: true };
    const purchase = (owner: string): CoverablePurchase => ({
      isSettledBefore: false,
      async spend(take) {
        if ((await payments.reserve({ ...record, owner })) !== 'reserved') throw alreadyUsed('taken');
        return take();
      },
      async settle() {
        await payments.settling(key, owner, { answer: '{}', signature: `signature ${key}` });
        await payments.resolve(key, landed(record));
        return { headers: {} };
      },
      headers: () => ({}),
      [Symbol.asyncDispose]: () => payments.release(key, owner),
    });
    return {
      record,
      async admit(): Promise<Admission> {
        const admitted = await cover.admit(
          { ...sent, memo: 'memo', call, trail, amountMicros, creditMicros },
          purchase(randomUUID()),
        );
        if ('answer' in admitted) throw new Error('it was answered before');
        return admitted;
      },
    };
  }

  const refusal = (code: string) => expect.objectContaining({ code });

  describe('one payment that comes twice at once', () => {
    it('and finds credit the second time is not paid for both by itself and from credit', async () => {
      const payment = newPayment(PRICE);
      const [one, other] = [await payment.admit(), await payment.admit()];
      await one.spend(take);
      await grant(ledger, 2 * PRICE);
      await other.spend(take);
      await expect(other.settle(ANSWER)).rejects.toEqual(refusal('payment_in_progress'));
      await other[Symbol.asyncDispose]();
      await one.settle(ANSWER);
      await one[Symbol.asyncDispose]();
      expect((await ledger.payments.find(payment.record.key))?.progress).toBe('settled');
      expect(await ledger.accounts.find(HOLDER)).toMatchObject({ spentMicros: 0, holds: [] });
    });

    it('is not settled where it was charged to credit', async () => {
      const payment = newPayment(PRICE);
      const [one, other] = [await payment.admit(), await payment.admit()];
      await one.spend(take);
      await grant(ledger, 2 * PRICE);
      await other.spend(take);
      await expect(one.settle(ANSWER)).rejects.toEqual(refusal('payment_in_progress'));
      await one[Symbol.asyncDispose]();
      await other.settle(ANSWER);
      await other[Symbol.asyncDispose]();
      expect(await ledger.payments.find(payment.record.key)).toBeUndefined();
      expect(await ledger.accounts.find(HOLDER)).toMatchObject({ spentMicros: PRICE, holds: [] });
    });

    it('is not ended as a purchase of credit by its copy: whoever else would buy still waits', async () => {
      const payment = newPayment(BUNDLE);
      const [one, copy] = [await payment.admit(), await payment.admit()];
      await one.spend(take);
      await expect(copy.spend(take)).rejects.toEqual(refusal('payment_already_used'));
      await copy[Symbol.asyncDispose]();
      expect((await ledger.accounts.find(HOLDER)).purchase).toMatchObject({ key: payment.record.key });
      await one.settle(ANSWER);
      expect(await ledger.accounts.find(HOLDER)).toMatchObject({ grantedMicros: BUNDLE - PRICE });
      expect((await ledger.accounts.find(HOLDER)).purchase).toBeUndefined();
    });
  });

  describe('a payment that was quoted at another price', () => {
    it('is charged no more than was signed for', async () => {
      await grant(ledger, 100);
      const admitted = await newPayment(3, PRICE).admit();
      await admitted.spend(take);
      await admitted.settle(ANSWER);
      expect(await ledger.accounts.find(HOLDER)).toMatchObject({ spentMicros: 3 });
    });
  });
});
