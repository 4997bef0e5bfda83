import { expect, it, onTestFinished } from 'vitest';
import { openMoney } from '../../packages/gateway/src/compose/money.ts';
import { countCalls } from '../../packages/gateway/src/credit/rows.ts';
import { LIMITS } from '../../packages/gateway/src/limits.ts';
import { TIMES } from '../../packages/gateway/src/times.ts';
import {
  changed,
  grant,
  HOLDER,
  JOURNAL_KEEP_MS,
  ledgerSuite,
  newDebit,
  newPayment,
  requirementOf,
} from '../kit/ledger.ts';

const PRICE = 5;

ledgerSuite('a debit for a call that may have an effect', (ledger) => {
  const newOnce = async (change = {}) => {
    await grant(ledger, 100);
    return newDebit(PRICE, { mayHaveEffect: true, ...change });
  };
  const account = () => ledger.accounts.find(HOLDER);
  const again = async (debit: Awaited<ReturnType<typeof newOnce>>) =>
    (await ledger.accounts.hold({ ...debit, owner: 'again' })).verdict;

  it('is not held again once its call has failed, also after a restart', async () => {
    const debit = await newOnce();
    expect((await ledger.accounts.hold(debit)).verdict).toBe('held');
    await ledger.accounts.release(debit, true);
    expect(await again(debit)).toBe('called');
    await ledger.reopen();
    expect(await again(debit)).toBe('called');
    expect(await account()).toMatchObject({ spentMicros: 0, heldMicros: 0, holds: 0, uncharged: 1 });
  });

  it('counts as an uncharged call once it has failed, and not while it runs', async () => {
    await grant(ledger, 100);
    const newHold = async (mayHaveEffect = true) => {
      const debit = newDebit(PRICE, { mayHaveEffect });
      return { debit, verdict: (await ledger.accounts.hold(debit)).verdict };
    };
    for (let count = 1; count < LIMITS.unchargedCalls; count++)
      await ledger.accounts.release((await newHold(false)).debit, true);
    const running = [];
    for (let count = 0; count < LIMITS.holdsPerWallet; count++) running.push(await newHold());
    expect(running.map(({ verdict }) => verdict)).toEqual(running.map(() => 'held'));
    const payment = newPayment({ payer: HOLDER.wallet });
    expect((await ledger.payments.look(payment)).recentCalls).toBe(LIMITS.unchargedCalls - 1);
    expect((await newHold()).verdict).toBe('busy');
    for (const { debit } of running) await ledger.accounts.release(debit, true);
    expect((await newHold()).verdict).toBe('failing');
    expect((await account()).uncharged).toBe(LIMITS.unchargedCalls - 1 + LIMITS.holdsPerWallet);
  });

  it('is not held again although its process has died during the call', async () => {
    const debit = await newOnce();
    expect((await ledger.accounts.hold(debit)).verdict).toBe('held');
    await ledger.reopen();
    ledger.nowMs += TIMES.leastHoldMs;
    await ledger.retention.prune();
    expect(await again(debit)).toBe('called');
    expect(await account()).toMatchObject({ spentMicros: 0, heldMicros: 0, holds: 0 });
  });

  it('is not held again for as long as its nonce or memo is good', async () => {
    const debit = await newOnce();
    await ledger.accounts.hold(debit);
    await ledger.accounts.release(debit, true);
    ledger.nowMs += TIMES.rememberedMs;
    await ledger.retention.prune();
    expect(await again(debit)).toBe('called');
  });

  it('is held again if its call was not made', async () => {
    const debit = await newOnce();
    await ledger.accounts.hold(debit);
    await ledger.accounts.release(debit, false);
    expect(await again(debit)).toBe('held');
    expect(await account()).toMatchObject({ heldMicros: PRICE, holds: 1, uncharged: 0 });
  });

  it('leaves no uncharged call when it is charged, also if it took too long', async () => {
    const [quick, slow] = [await newOnce(), await newOnce()];
    for (const debit of [quick, slow]) await ledger.accounts.hold(debit);
    expect(await ledger.accounts.capture(quick, '{}')).toBe(200 - PRICE);
    ledger.nowMs += TIMES.leastHoldMs;
    await ledger.retention.prune();
    expect(await ledger.accounts.capture(slow, '{}')).toBe(200 - 2 * PRICE);
    expect(await account()).toMatchObject({ spentMicros: 2 * PRICE, heldMicros: 0, holds: 0, uncharged: 0 });
  });

  it('keeps its payment from being settled once its call has failed, and the other way round', async () => {
    const payment = newPayment({ payer: HOLDER.wallet, mayHaveEffect: true, requirement: requirementOf(PRICE) });
    const debit = await newOnce({ id: payment.key, by: 'payment' });
    await ledger.accounts.hold(debit);
    await ledger.accounts.release(debit, true);
    expect(await ledger.payments.reserve(payment)).toBe('called');
    const other = newPayment({ payer: HOLDER.wallet, mayHaveEffect: true, requirement: requirementOf(PRICE) });
    expect(await ledger.payments.reserve(other)).toBe('reserved');
    await ledger.payments.release(other.key, other.owner, true);
    expect(await again({ ...debit, id: other.key, requestHash: other.requestHash })).toBe('called');
  });

  it('is not held for a payment whose process has died during its call', async () => {
    const payment = newPayment({ payer: HOLDER.wallet, mayHaveEffect: true, requirement: requirementOf(PRICE) });
    const debit = await newOnce({ id: payment.key, by: 'payment', requestHash: payment.requestHash });
    expect(await ledger.payments.reserve(payment)).toBe('reserved');
    await ledger.reopen();
    ledger.nowMs += TIMES.leaseMs;
    expect(await again(debit)).toBe('called');
    expect(await again(debit)).toBe('called');
    expect(await ledger.payments.reserve({ ...payment, owner: 'again' })).toBe('called');
    expect(await account()).toMatchObject({ spentMicros: 0, heldMicros: 0, holds: 0 });
  });

  it('is not held or reserved after a request that owns no reservation has released its payment', async () => {
    const payment = newPayment({ payer: HOLDER.wallet, mayHaveEffect: true, requirement: requirementOf(PRICE) });
    const debit = await newOnce({ id: payment.key, by: 'payment', requestHash: payment.requestHash });
    expect(await ledger.payments.reserve(payment)).toBe('reserved');
    await ledger.payments.close();
    ledger.nowMs += TIMES.leaseMs;
    await ledger.payments.release(payment.key, 'another', false);
    expect(await again(debit)).toBe('called');
    expect(await ledger.payments.reserve({ ...payment, owner: 'again' })).toBe('called');
  });

  it('keeps a node that has stood still during the call for its payment from settling it', async () => {
    const payment = newPayment({ payer: HOLDER.wallet, mayHaveEffect: true, requirement: requirementOf(PRICE) });
    const debit = await newOnce({ id: payment.key, by: 'payment', requestHash: payment.requestHash });
    expect(await ledger.payments.reserve(payment)).toBe('reserved');
    await ledger.payments.close();
    ledger.nowMs += TIMES.leaseMs;
    expect(await again(debit)).toBe('called');
    await expect(ledger.payments.beginSettlement(payment.key, payment.owner, { answer: '{}' })).rejects.toThrow('lost');
    expect(await ledger.payments.find(payment.key)).toBeUndefined();
  });

  it('is not held if nothing tells whether its payment has made a call', async () => {
    const debit = await newOnce({ by: 'payment' });
    const { sql } = countCalls(debit.id);
    const failing = changed(ledger.database, {
      read: async (statement) => {
        if (statement.sql === sql) throw new Error('no answer');
        return ledger.database.read(statement);
      },
    });
    const node = openMoney(failing, JOURNAL_KEEP_MS);
    onTestFinished(() => node.close());
    await expect(node.accounts.hold(debit)).rejects.toThrow('no answer');
    expect(await account()).toMatchObject({ spentMicros: 0, heldMicros: 0, holds: 0 });
  });

  it('keeps its payment from being reserved by a request that has looked at it before', async () => {
    const payment = newPayment({ payer: HOLDER.wallet, mayHaveEffect: true, requirement: requirementOf(PRICE) });
    const debit = await newOnce({ id: payment.key, by: 'payment' });
    const seen = await ledger.payments.look(payment);
    await ledger.accounts.hold(debit);
    expect(await ledger.payments.reserve(payment, undefined, seen)).toBe('taken');
    await ledger.accounts.capture(debit, '{}');
    expect(await ledger.payments.reserve(payment, undefined, seen)).toBe('taken');
    expect(await ledger.payments.find(payment.key)).toBeUndefined();
    expect(await account()).toMatchObject({ spentMicros: PRICE, heldMicros: 0, holds: 0, uncharged: 0 });
  });

  it('is held again after a failed call without an effect', async () => {
    const debit = await newOnce({ mayHaveEffect: false });
    await ledger.accounts.hold(debit);
    await ledger.accounts.release(debit, true);
    expect(await again(debit)).toBe('held');
  });
});
