import { expect, it } from 'vitest';
import { type NewPayment, PAYMENTS } from '../../packages/gateway/src/payments/record.ts';
import { grant, landed, ledgerSuite, newDebit, newPayment, REFUSED, settle, startSettling } from '../kit/ledger.ts';

ledgerSuite('an answer that was paid for', (ledger) => {
  const answerTo = ({ key }: Pick<NewPayment, 'key'>) => ledger.payments.answer(key);

  /** An answer of this share of the bytes for all answers. */
  const answerOf = (share: number): string => `"${'é'.repeat(Math.floor((ledger.answerBytes * share) / 2))}"`;

  /** The answers that are stored, whether they are given or not. */
  const stored = async (): Promise<string[]> =>
    (await ledger.database.report({ sql: 'select answer from answers order by number' })).map(({ answer }) =>
      String(answer),
    );

  const bytesStored = async (): Promise<number> => Buffer.byteLength((await stored()).join(''));

  it('is kept while the outcome is open, and for ten minutes from when it is known', async () => {
    const payment = newPayment();
    await startSettling(ledger, payment);
    ledger.nowMs += 10 * PAYMENTS.answerMs;
    await ledger.retention.prune();
    await ledger.payments.resolve(payment.key, landed(payment));
    ledger.payments.delivered(payment.key);
    ledger.nowMs += PAYMENTS.answerMs - 1;
    await ledger.retention.prune();
    expect(await answerTo(payment)).toBe('{"n":1}');
    ledger.nowMs += 1;
    expect(await answerTo(payment)).toBeUndefined();
    expect(await stored()).toEqual(['{"n":1}']);
    await ledger.retention.prune();
    expect(await stored()).toEqual([]);
    expect((await ledger.payments.find(payment.key))?.progress).toBe('settled');
  });

  it('is kept again for ten minutes when it was fetched again', async () => {
    const payment = newPayment();
    await settle(ledger, payment, '"first"');
    ledger.nowMs += PAYMENTS.answerMs;
    await ledger.payments.keep(payment.key, '"second"');
    ledger.nowMs += PAYMENTS.answerMs - 1;
    await ledger.retention.prune();
    expect(await answerTo(payment)).toBe('"second"');
    ledger.nowMs += 1;
    expect(await answerTo(payment)).toBeUndefined();
  });

  it.each([
    ['refused', ({ key }: NewPayment) => ledger.payments.resolve(key, REFUSED)],
    [
      'withdrawn',
      ({ key, owner }: NewPayment) => ledger.payments.resolve(key, { outcome: 'unsent', reason: '' }, owner),
    ],
  ])('is dropped if its payment is %s', async (_, end) => {
    const payment = newPayment();
    await startSettling(ledger, payment);
    await end(payment);
    expect(await answerTo(payment)).toBeUndefined();
    expect(await stored()).toEqual([]);
  });

  it('W5 is there from when its payment or its debit counts as paid', async () => {
    await grant(ledger, 100);
    const [payment, debit] = [newPayment(), newDebit(5)];
    await ledger.payments.reserve(payment);
    await ledger.accounts.hold(debit);
    let isOver = false;
    const paying = Promise.all([
      ledger.payments.settling(payment.key, payment.owner, { answer: '"bought"' }),
      ledger.accounts.capture(debit, '"charged"'),
    ]).finally(() => {
      isOver = true;
    });
    do {
      const isSettling = (await ledger.payments.find(payment.key))?.progress === 'settling';
      if (isSettling) expect(await answerTo(payment)).toBe('"bought"');
      const isCaptured = (await ledger.accounts.debit(debit.id))?.progress === 'captured';
      if (isCaptured) expect(await ledger.accounts.answer(debit.id)).toBe('"charged"');
      await new Promise((resolve) => setImmediate(resolve));
    } while (!isOver);
    await paying;
    expect([await answerTo(payment), await ledger.accounts.answer(debit.id)]).toEqual(['"bought"', '"charged"']);
  });

  it('W5 is dropped when there are too many bytes, the oldest first, also after a restart and while it is open', async () => {
    const large = answerOf(0.168);
    const opened = newPayment();
    await startSettling(ledger, opened, large);
    // The order of their keys is not that of their answers.
    const settled = Array.from({ length: 6 }, () => newPayment()).reverse();
    for (const payment of settled) await settle(ledger, payment, large);
    await ledger.reopen();
    await ledger.retention.prune();
    const answers = await Promise.all(settled.map(answerTo));
    expect(answers.map((answer) => answer === large)).toEqual([false, true, true, true, true, true]);
    expect(await answerTo(opened)).toBeUndefined();
    await ledger.payments.resolve(opened.key, landed(opened));
    expect((await ledger.payments.look({ ...opened, key: 'another' })).dueKey).toBe(opened.key);
  });

  it('is counted once, also if it is stored again', async () => {
    const [repeated, other] = [newPayment(), newPayment()];
    const large = answerOf(0.504);
    await settle(ledger, repeated, large);
    await settle(ledger, other, '"small"');
    for (let again = 0; again < 3; again++) await ledger.payments.keep(repeated.key, large);
    await ledger.retention.prune();
    expect(await stored()).toEqual([large, '"small"']);
  });

  it('keeps to the bound while others are being written', async () => {
    const large = answerOf(0.3);
    for (let round = 0; round < 3; round++) {
      const settling = Array.from({ length: 4 }, () => settle(ledger, newPayment(), large));
      await Promise.all([...settling, ledger.retention.prune()]);
    }
    await ledger.retention.prune();
    expect(await bytesStored()).toBeLessThanOrEqual(ledger.answerBytes);
    expect(await stored()).toEqual([large, large, large]);
  });
});

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
