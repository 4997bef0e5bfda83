import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Admission } from '../../packages/gateway/src/call.ts';
import { CREDIT } from '../../packages/gateway/src/credit/account.ts';
import { ChargedAnswers } from '../../packages/gateway/src/credit/debiting.ts';
import { beginCover } from '../../packages/gateway/src/payments/covering.ts';
import { AccountQueue } from '../../packages/gateway/src/payments/queue.ts';
import { type NewPayment, PAYMENTS } from '../../packages/gateway/src/payments/record.ts';
import { refusalOf } from '../../packages/gateway/src/payments/responses.ts';
import { grant, HOLDER, landed, ledgerSuite, newPurchase, signatureOf, startSettling } from '../kit/ledger.ts';

const PRICE = 5;
const BUNDLE = 50;
const LIMIT = 1_000;
const RETRY_MS = 10;
const take = async () => ({ release: () => undefined });
const ANSWER = { json: '{}' };

ledgerSuite('a payment that credit may cover', (ledger) => {
  /** A payment as the gate sees it, and its purchase without a chain: reserved, then settled, in the ledger. */
  function newPayment(
    amountMicros: number,
    { hasTicket = true, queue = new AccountQueue(RETRY_MS), change = {} as Partial<NewPayment> } = {},
  ) {
    const { accounts, payments } = ledger;
    const creditMicros = Math.max(0, amountMicros - PRICE);
    const record = newPurchase(creditMicros, change);
    const answers = new ChargedAnswers(accounts);
    const dependencies = { accounts, answers, queue, leaseMs: CREDIT.leaseMs, onFailure: () => undefined };
    const { key, network, payer, requestHash, route, requestId } = record;
    const sent = { key, inVersion1Header: false, receipts: undefined };
    const payment = { network, payer, hasTicket, memo: 'memo', priceMicros: PRICE, amount: String(amountMicros) };
    const purchase = (owner: string): Admission => ({
      async spend(take) {
        const credit = { limitMicros: LIMIT, priceMicros: PRICE };
        const verdict = await payments.reserve({ ...record, owner }, credit);
        if (verdict !== 'reserved') throw refusalOf(verdict);
        return take();
      },
      async settle() {
        const verdict = await payments.settling(key, owner, { answer: '{}', signature: signatureOf(record) });
        if (verdict !== 'settling') throw refusalOf('taken');
        await payments.resolve(key, landed(record));
        return { headers: {} };
      },
      headers: () => ({}),
      [Symbol.asyncDispose]: () => payments.release(key, owner, true),
    });
    return {
      record,
      begin: () => {
        const request = { requestHash, route, requestId, owner: randomUUID() };
        return beginCover(dependencies, { ...sent, request }, payment);
      },
      async admit(): Promise<Admission> {
        const cover = await this.begin();
        if ((await cover.known()) ?? (await cover.owed())) throw new Error('it was answered before');
        return cover.orBy(purchase(randomUUID()));
      },
      /** Admits it, takes a slot and settles. */
      async buy(): Promise<void> {
        await using admitted = await this.admit();
        await admitted.spend(take);
        await admitted.settle(ANSWER);
      },
    };
  }

  const progressOf = async ({ record }: ReturnType<typeof newPayment>) =>
    (await ledger.payments.find(record.key))?.progress;
  const account = () => ledger.accounts.find(HOLDER);
  const inProgress = expect.objectContaining({ code: 'payment_in_progress' });

  describe('that comes twice at once', () => {
    it.each(['before', 'after'])(
      'is neither charged nor reserved again by a copy that came %s there was credit',
      async (when) => {
        const payment = newPayment(PRICE);
        await using one = await payment.admit();
        await using early = await payment.admit();
        await one.spend(take);
        await grant(ledger, 2 * PRICE);
        await using late = await payment.admit();
        await expect((when === 'before' ? early : late).spend(take)).rejects.toEqual(inProgress);
        await one.settle(ANSWER);
        expect(await progressOf(payment)).toBe('settled');
        expect(await account()).toMatchObject({ spentMicros: 0, holds: 0 });
      },
    );

    it.each(['settled', 'charged'])(
      'and is reserved as well as held is either settled or charged: %s first',
      async (first) => {
        const payment = newPayment(PRICE);
        const one = await payment.admit();
        await grant(ledger, 2 * PRICE);
        const other = await payment.admit();
        await one.spend(take);
        await other.spend(take);
        // Whichever tries first finds the other one, and gives way.
        const [loser, winner] = first === 'settled' ? [one, other] : [other, one];
        await expect(loser.settle(ANSWER)).rejects.toEqual(inProgress);
        await loser[Symbol.asyncDispose]();
        await winner.settle(ANSWER);
        await winner[Symbol.asyncDispose]();
        expect(await progressOf(payment)).toBe(winner === one ? 'settled' : undefined);
        expect(await account()).toMatchObject({ spentMicros: winner === other ? PRICE : 0, heldMicros: 0, holds: 0 });
      },
    );

    it('keeps other purchases of its wallet waiting although its copy is refused', async () => {
      const payment = newPayment(BUNDLE);
      await using one = await payment.admit();
      await one.spend(take);
      const copy = await payment.admit();
      await expect(copy.spend(take)).rejects.toEqual(inProgress);
      await copy[Symbol.asyncDispose]();
      expect((await account()).purchase).toMatchObject({ key: payment.record.key });
      await one.settle(ANSWER);
      expect(await account()).toMatchObject({ grantedMicros: BUNDLE - PRICE });
      expect((await account()).purchase).toBeUndefined();
    });
  });

  it('is known if it was charged itself, and owed the answer that its wallet was charged for', async () => {
    await grant(ledger, 100);
    const paid = newPayment(PRICE);
    await paid.buy();
    await using same = await paid.begin();
    expect([await same.known(), await same.owed()]).toEqual([expect.objectContaining({ answer: ANSWER }), undefined]);
    const { requestHash } = paid.record;
    await using other = await newPayment(PRICE, { change: { requestHash } }).begin();
    expect([await other.known(), await other.owed()]).toEqual([undefined, expect.objectContaining({ answer: ANSWER })]);
  });

  it('is charged to credit if the answer that was due for its request has been delivered since', async () => {
    await grant(ledger, 2 * PRICE);
    const due = newPurchase(BUNDLE);
    await startSettling(ledger, due);
    await using one = await newPayment(PRICE, { change: { requestHash: due.requestHash } }).admit();
    await ledger.payments.resolve(due.key, landed(due));
    ledger.payments.delivered(due.key);
    await one.spend(take);
    await one.settle(ANSWER);
    expect(await account()).toMatchObject({ spentMicros: PRICE, holds: 0 });
  });

  describe('that would buy credit while another call of its wallet does', () => {
    async function expectCharged({ record }: ReturnType<typeof newPayment>): Promise<void> {
      expect(await ledger.payments.find(record.key)).toBeUndefined();
      expect(await account()).toMatchObject({ grantedMicros: BUNDLE - PRICE, spentMicros: PRICE, holds: 0 });
    }

    it('waits for the call on another node, and is charged to its credit', async () => {
      const [one, other] = [newPayment(BUNDLE), newPayment(BUNDLE)];
      await using buying = await one.admit();
      await buying.spend(take);
      await using waiting = await other.admit();
      const spent = waiting.spend(take);
      await buying.settle(ANSWER);
      await spent;
      await waiting.settle(ANSWER);
      await expectCharged(other);
    });

    it('waits for a call on this node that has not reserved its payment yet', async () => {
      const queue = new AccountQueue(RETRY_MS);
      const [one, other] = [newPayment(BUNDLE, { queue }), newPayment(BUNDLE, { queue })];
      await using buying = await one.admit();
      await using waiting = await other.admit();
      const both = [buying.spend(take), waiting.spend(take)];
      await both[0];
      await buying.settle(ANSWER);
      await both[1];
      await waiting.settle(ANSWER);
      await expectCharged(other);
    });
  });

  it('is charged to credit when its reservation has lapsed, and never settled then', async () => {
    const payment = newPayment(PRICE);
    const one = await payment.admit();
    await one.spend(take);
    await grant(ledger, 2 * PRICE);
    ledger.nowMs += PAYMENTS.leaseMs + 1;
    await using other = await payment.admit();
    await other.spend(take);
    await expect(one.settle(ANSWER)).rejects.toThrow();
    await one[Symbol.asyncDispose]();
    await other.settle(ANSWER);
    expect(await progressOf(payment)).toBeUndefined();
    expect(await account()).toMatchObject({ spentMicros: PRICE, holds: 0 });
  });

  it('releases its hold at once if its request is not admitted', async () => {
    await grant(ledger, 100);
    const covering = await newPayment(PRICE).begin();
    expect(await account()).toMatchObject({ heldMicros: PRICE, holds: 1 });
    await covering[Symbol.asyncDispose]();
    expect(await account()).toMatchObject({ spentMicros: 0, heldMicros: 0, holds: 0 });
  });

  it('is settled, not charged to credit, without the ticket that only its payer has', async () => {
    await grant(ledger, 100);
    const payment = newPayment(PRICE, { hasTicket: false });
    await payment.buy();
    expect(await progressOf(payment)).toBe('settled');
    expect(await account()).toMatchObject({ spentMicros: 0, holds: 0 });
  });

  it('is charged no more than was signed for, whatever the price is now', async () => {
    await grant(ledger, 100);
    await newPayment(3).buy();
    expect(await account()).toMatchObject({ spentMicros: 3 });
  });
});
