import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { answerFromCredit, ChargedAnswers } from '../../packages/gateway/src/credit/debiting.ts';
import type { PaymentDependencies } from '../../packages/gateway/src/payments/dependencies.ts';
import { choosePayer } from '../../packages/gateway/src/payments/payer.ts';
import type { Purchase } from '../../packages/gateway/src/payments/purchase-state.ts';
import { AccountQueue } from '../../packages/gateway/src/payments/queue.ts';
import type { NewPayment } from '../../packages/gateway/src/payments/record.ts';
import { beginSettlement } from '../../packages/gateway/src/payments/settlement.ts';
import { TIMES } from '../../packages/gateway/src/times.ts';
import { grant, HOLDER, landed, ledgerSuite, newPurchase, signatureOf, startSettling } from '../kit/ledger.ts';
import { standIn } from '../kit/stand-in.ts';

const PRICE = 5;
const BUNDLE = 50;
const LIMIT = 1_000;
const RETRY_MS = 10;
const ANSWER = { json: '{}' };

ledgerSuite('a payment that credit may cover', (ledger) => {
  /** A payment as the gate sees it, and its purchase without a chain: reserved, then settled, in the ledger. */
  function newPayment(
    amountMicros: number,
    { hasTicket = true, isBound = true, queue = new AccountQueue(RETRY_MS), change = {} as Partial<NewPayment> } = {},
  ) {
    const { accounts, payments } = ledger;
    const creditMicros = Math.max(0, amountMicros - PRICE);
    const record = newPurchase(creditMicros, change);
    const debiting = { accounts, answers: new ChargedAnswers(accounts), holdMs: TIMES.leastHoldMs };
    const sale = { debiting, queue, bundles: [], limitMicros: LIMIT, priceMicros: PRICE };
    const { key, requestHash, route, requestId } = record;
    const look = () => payments.look(record);

    /** Settles what was reserved. */
    async function settle(purchase: Purchase): Promise<void> {
      const facilitator = { feePayer: () => undefined, signatureOf: () => signatureOf(record) };
      await beginSettlement(standIn<PaymentDependencies>({ payments, facilitator }), purchase, {
        answer: '{}',
        height: 7,
      });
      await payments.resolve(key, landed(record));
    }

    return {
      record,
      look,
      /** Chooses what pays. `seen`: what the request saw of the wallet's credit. */
      async choose(seen = look()) {
        const owner = randomUUID();
        const sent = { key, inVersion1Header: false, receipts: undefined, facts: {} };
        const call = { ...sent, request: { requestHash, route, requestId, owner } };
        const payment = { ...record, owner, hasTicket, isBound, amount: String(amountMicros) };
        const purchase = standIn<Purchase>({ context: call, payment, stored: await seen });
        const debit = await choosePayer(sale, purchase, () => payments.reserve(payment, sale));
        return {
          /** The upstream answers: charges or settles. */
          finish: () => (debit ? answerFromCredit(debiting, debit, call, () => async () => ANSWER) : settle(purchase)),
          /** The upstream fails. */
          async fail() {
            const failing = async () => Promise.reject(new Error('failed'));
            if (debit) await answerFromCredit(debiting, debit, call, () => failing).catch(() => undefined);
            else await payments.release(key, owner, true);
          },
        };
      },
      async buy(): Promise<void> {
        await (await this.choose()).finish();
      },
    };
  }

  const progressOf = async ({ record }: ReturnType<typeof newPayment>) =>
    (await ledger.payments.find(record.key))?.progress;
  const account = () => ledger.accounts.find(HOLDER);
  const inProgress = expect.objectContaining({ code: 'payment_in_progress' });

  describe('that comes twice at once', () => {
    it.each(['before', 'after'])(
      'is not charged or reserved again by a copy from %s there was credit',
      async (when) => {
        const payment = newPayment(PRICE);
        const one = await payment.choose();
        const early = await payment.look();
        await grant(ledger, 2 * PRICE);
        const copy = payment.choose(when === 'before' ? Promise.resolve(early) : undefined);
        await expect(copy).rejects.toEqual(inProgress);
        await one.finish();
        expect(await progressOf(payment)).toBe('settled');
        expect(await account()).toMatchObject({ spentMicros: 0, holds: 0 });
      },
    );

    it.each(['settled', 'charged'])(
      'if reserved and held, it is either settled or charged: %s first',
      async (first) => {
        const payment = newPayment(PRICE);
        const before = await payment.look();
        await grant(ledger, 2 * PRICE);
        const held = await payment.choose();
        const reserved = await payment.choose(Promise.resolve(before));
        // Each finds the other one when it tries, and gives way.
        const [loser, winner] = first === 'settled' ? [reserved, held] : [held, reserved];
        await expect(loser.finish()).rejects.toEqual(inProgress);
        await loser.fail();
        await winner.finish();
        expect(await progressOf(payment)).toBe(winner === reserved ? 'settled' : undefined);
        expect(await account()).toMatchObject({ spentMicros: winner === held ? PRICE : 0, heldMicros: 0, holds: 0 });
      },
    );

    it('keeps other purchases of its wallet waiting although its copy is refused', async () => {
      const payment = newPayment(BUNDLE);
      const one = await payment.choose();
      await expect(payment.choose()).rejects.toEqual(inProgress);
      expect((await account()).purchase).toMatchObject({ key: payment.record.key });
      await one.finish();
      expect(await account()).toMatchObject({ grantedMicros: BUNDLE - PRICE });
      expect((await account()).purchase).toBeUndefined();
    });
  });

  it('is known if it was charged itself, and owed the answer that its wallet was charged for', async () => {
    await grant(ledger, 100);
    const paid = newPayment(PRICE);
    await paid.buy();
    const { key, requestHash } = paid.record;
    expect(await paid.look()).toMatchObject({ isCovered: true, owedDebit: undefined });
    const other = newPayment(PRICE, { change: { requestHash } });
    expect(await other.look()).toMatchObject({ isCovered: false, owedDebit: key });
  });

  it('is charged to credit if the answer that was due for its request has been delivered since', async () => {
    await grant(ledger, 2 * PRICE);
    const due = newPurchase(BUNDLE);
    await startSettling(ledger, due);
    const payment = newPayment(PRICE, { change: { requestHash: due.requestHash } });
    const seen = await payment.look();
    await ledger.payments.resolve(due.key, landed(due));
    ledger.payments.delivered(due.key);
    await (await payment.choose(Promise.resolve(seen))).finish();
    expect(await account()).toMatchObject({ spentMicros: PRICE, holds: 0 });
  });

  it.each([
    ['is watched on the chain by a memo of ours', true, 'memo'],
    ['is not watched by a memo that its payer has chosen', false, undefined],
  ])('%s', async (_, isBound, memo) => {
    await grant(ledger, PRICE);
    const payment = newPayment(PRICE, { isBound });
    await payment.buy();
    expect(await account()).toMatchObject({ spentMicros: PRICE });
    expect((await ledger.accounts.debit(payment.record.key))?.memo).toBe(memo);
  });

  it('is charged to credit although an answer to its request is owed, which was looked for before', async () => {
    await grant(ledger, 2 * PRICE);
    const first = newPayment(PRICE);
    await first.buy();
    const { requestHash } = first.record;
    await newPayment(PRICE, { change: { requestHash } }).buy();
    expect(await account()).toMatchObject({ spentMicros: 2 * PRICE, holds: 0 });
  });

  it('and would buy credit is charged to credit that has come since it saw none', async () => {
    const payment = newPayment(BUNDLE);
    const seen = await payment.look();
    await grant(ledger, 2 * PRICE);
    await (await payment.choose(Promise.resolve(seen))).finish();
    expect(await progressOf(payment)).toBeUndefined();
    expect(await account()).toMatchObject({ grantedMicros: 2 * PRICE, spentMicros: PRICE, holds: 0 });
  });

  it('waits for the last credit while another call holds it, and is charged if that call fails', async () => {
    await grant(ledger, PRICE);
    const other = newPayment(PRICE);
    const holding = await newPayment(PRICE).choose();
    const hold = vi.spyOn(ledger.accounts, 'hold');
    const waiting = other.choose();
    await vi.waitFor(async () => expect(await hold.mock.results[0]?.value).toMatchObject({ verdict: 'busy' }));
    await holding.fail();
    await (await waiting).finish();
    expect(await progressOf(other)).toBeUndefined();
    expect(await account()).toMatchObject({ spentMicros: PRICE, holds: 0 });
  });

  it('settles if another call spends the credit first', async () => {
    await grant(ledger, PRICE);
    const payment = newPayment(PRICE);
    const seen = await payment.look();
    await newPayment(PRICE).buy();
    await (await payment.choose(Promise.resolve(seen))).finish();
    expect(await progressOf(payment)).toBe('settled');
    expect(await account()).toMatchObject({ spentMicros: PRICE, holds: 0 });
  });

  describe('that comes while another call of its wallet buys credit', () => {
    async function expectCharged({ record }: ReturnType<typeof newPayment>): Promise<void> {
      expect(await ledger.payments.find(record.key)).toBeUndefined();
      expect(await account()).toMatchObject({ grantedMicros: BUNDLE - PRICE, spentMicros: PRICE, holds: 0 });
    }

    it.each([
      ['would buy credit', BUNDLE],
      ['would pay for one call', PRICE],
    ])('and %s waits for the call on another node, and is charged to its credit', async (_, micros) => {
      const [one, other] = [newPayment(BUNDLE), newPayment(micros)];
      const buying = await one.choose();
      const waiting = other.choose();
      await buying.finish();
      await (await waiting).finish();
      await expectCharged(other);
    });

    it('waits for a call on this node that has not reserved its payment yet', async () => {
      const queue = new AccountQueue(RETRY_MS);
      const [one, other] = [newPayment(BUNDLE, { queue }), newPayment(BUNDLE, { queue })];
      await Promise.all([one, other].map(async (each) => (await each.choose()).finish()));
      await expectCharged((await ledger.payments.find(one.record.key)) ? other : one);
    });

    it('waits although it saw the wallet before the other call had reserved its payment', async () => {
      const [one, other] = [newPayment(BUNDLE), newPayment(BUNDLE)];
      const seen = await other.look();
      const buying = await one.choose();
      const waiting = other.choose(Promise.resolve(seen));
      await buying.finish();
      await (await waiting).finish();
      await expectCharged(other);
    });
  });

  it('is charged to credit when its reservation has lapsed, and never settled then', async () => {
    const payment = newPayment(PRICE);
    const one = await payment.choose();
    await grant(ledger, 2 * PRICE);
    ledger.nowMs += TIMES.leaseMs + 1;
    const other = await payment.choose();
    await expect(one.finish()).rejects.toThrow();
    await one.fail();
    await other.finish();
    expect(await progressOf(payment)).toBeUndefined();
    expect(await account()).toMatchObject({ spentMicros: PRICE, holds: 0 });
  });

  it('releases its hold at once if its request is not answered', async () => {
    await grant(ledger, 100);
    const chosen = await newPayment(PRICE).choose();
    expect(await account()).toMatchObject({ heldMicros: PRICE, holds: 1 });
    await chosen.fail();
    expect(await account()).toMatchObject({ spentMicros: 0, heldMicros: 0, holds: 0 });
  });

  it('is settled, not charged to credit, without the ticket that only its payer has', async () => {
    await grant(ledger, 100);
    const payment = newPayment(PRICE, { hasTicket: false });
    await payment.buy();
    expect(await progressOf(payment)).toBe('settled');
    expect(await account()).toMatchObject({ spentMicros: 0, holds: 0 });
  });

  it.each([
    ['it', PRICE - 1, 0],
    ['its part for one call', BUNDLE, BUNDLE - PRICE + 1],
  ])('X9 is refused if the price has risen above %s: nothing is held or charged', async (_, micros, creditMicros) => {
    await grant(ledger, PRICE);
    const payment = newPayment(micros, { change: { creditMicros } });
    await expect(payment.buy()).rejects.toMatchObject({ code: 'no_matching_requirements' });
    expect(await progressOf(payment)).toBeUndefined();
    expect(await account()).toMatchObject({ spentMicros: 0, heldMicros: 0, holds: 0 });
  });

  it('settles at its own price if the price has risen and credit does not suffice', async () => {
    await grant(ledger, PRICE - 1);
    const payment = newPayment(PRICE - 1);
    await payment.buy();
    expect(await progressOf(payment)).toBe('settled');
    expect(await account()).toMatchObject({ spentMicros: 0, holds: 0 });
  });
});
