import { expect, it } from 'vitest';
import { type NewPayment, PAYMENTS } from '../../packages/gateway/src/payments/record.ts';
import { landed, ledgerSuite, newPayment, REFUSED, settle, startSettling } from '../kit/ledger.ts';

ledgerSuite('an answer that was paid for and not delivered', (ledger) => {
  /** The payment that a new payment of this payer for this request finds open or owed. */
  const due = async ({ payer, requestHash }: { payer: string; requestHash: string }) =>
    (await ledger.payments.look({ ...newPayment(), payer, requestHash })).dueKey;

  /** In PostgreSQL a note may be written after a read that follows it. */
  const untilNotDue = (payment: NewPayment) => expect.poll(() => due(payment), { timeout: 10_000 }).toBeUndefined();

  it('P18 is owed to its payer for its request until it is delivered', async () => {
    const payment = newPayment();
    const { payer, requestHash } = payment;
    await settle(ledger, payment);
    expect(await due(payment)).toBe(payment.key);
    expect(await due({ payer: 'another', requestHash })).toBeUndefined();
    expect(await due({ payer, requestHash: 'another' })).toBeUndefined();
    expect(await ledger.payments.reserve(newPayment({ payer, requestHash }))).toBe('owed');
    ledger.payments.delivered(payment.key);
    await untilNotDue(payment);
    expect(await ledger.payments.reserve(newPayment({ payer, requestHash }))).toBe('reserved');
  });

  it('P18 is owed across a restart, and so is that it was delivered', async () => {
    const [owed, delivered] = [newPayment(), newPayment()];
    await settle(ledger, owed, '"owed"');
    await settle(ledger, delivered, '"delivered"');
    ledger.payments.delivered(delivered.key);
    await untilNotDue(delivered);
    await ledger.reopen();
    expect([await due(owed), await due(delivered)]).toEqual([owed.key, undefined]);
    expect(await ledger.payments.answer(owed.key)).toBe('"owed"');
    expect(await ledger.payments.answer(delivered.key)).toBe('"delivered"');
    ledger.payments.delivered(owed.key);
    await untilNotDue(owed);
    await ledger.reopen();
    expect(await due(owed)).toBeUndefined();
  });

  it('is owed for ten minutes from when the settlement became known', async () => {
    const payment = newPayment();
    await startSettling(ledger, payment);
    await ledger.payments.unresolved(payment.key);
    ledger.nowMs += PAYMENTS.answerMs + 60_000;
    await ledger.reopen();
    await ledger.payments.resolve(payment.key, landed(payment));
    ledger.nowMs += PAYMENTS.answerMs - 1;
    expect(await ledger.payments.answer(payment.key)).toBe('{"n":1}');
    expect(await due(payment)).toBe(payment.key);
    ledger.nowMs += 1;
    expect(await due(payment)).toBeUndefined();
    expect(await ledger.payments.reserve(newPayment({ ...payment, key: 'a later one' }))).toBe('reserved');
  });

  it('is owed too if the payment had settled before it was known, and not if it was refused', async () => {
    const [refused, adopted] = [newPayment(), newPayment()];
    await startSettling(ledger, refused);
    await ledger.payments.resolve(refused.key, REFUSED);
    expect(await ledger.payments.adopt(adopted, 'found')).toBe(true);
    expect([await due(refused), await due(adopted)]).toEqual([undefined, adopted.key]);
  });

  it('is owed of the last payment that has settled; one whose outcome is open comes first', async () => {
    const { payer, requestHash } = newPayment();
    const [first, second, open] = Array.from({ length: 3 }, () => newPayment({ payer, requestHash }));
    if (!first || !second || !open) throw new Error('no payments');
    for (const payment of [first, second]) await ledger.payments.reserve(payment);
    for (const payment of [second, first]) {
      ledger.nowMs += 1;
      await ledger.payments.adopt(payment, landed(payment).signature);
    }
    expect(await due(first)).toBe(first.key);
    ledger.nowMs += PAYMENTS.answerMs - 1;
    expect(await due(first)).toBe(first.key);
    ledger.nowMs += 1;
    await startSettling(ledger, open);
    await ledger.payments.adopt(newPayment({ payer, requestHash }), 'another');
    expect(await due(first)).toBe(open.key);
  });
});
