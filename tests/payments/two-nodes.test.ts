import { Refusal } from '@asset-gateway/protocol';
import { afterAll, expect, it, onTestFinished, vi } from 'vitest';
import { type Money, openMoney } from '../../packages/gateway/src/compose/money.ts';
import { nodeCrypto } from '../../packages/gateway/src/crypto.ts';
import { renewLease } from '../../packages/gateway/src/payments/changes.ts';
import type { PaymentDependencies } from '../../packages/gateway/src/payments/dependencies.ts';
import type { Settlement } from '../../packages/gateway/src/payments/facilitator/facilitator.ts';
import { Payments } from '../../packages/gateway/src/payments/payments.ts';
import type { Purchase } from '../../packages/gateway/src/payments/purchase-state.ts';
import { Reconciler } from '../../packages/gateway/src/payments/reconcile.ts';
import type { NewPayment } from '../../packages/gateway/src/payments/record.ts';
import { beginSettlement, conclude, recordOutcome, send } from '../../packages/gateway/src/payments/settlement.ts';
import { TIMES } from '../../packages/gateway/src/times.ts';
import {
  HOLDER,
  JOURNAL_KEEP_MS,
  landed,
  ledgerSuite,
  newPurchase,
  REFUSED,
  signatureOf,
  startSettling,
  UNKNOWN,
  UNSENT,
} from '../kit/ledger.ts';
import { standIn } from '../kit/stand-in.ts';
import { openMarket } from './forge.ts';

const CREDIT = 45;
const [ANSWER, LATE] = ['{"n":1}', '{"late":true}'];
const EXPIRED = { outcome: 'refused', reason: 'expired' } as const;

const market = await openMarket();
afterAll(() => market.chain.close());
/** One that can be sent again. */
const transaction = market.genuine.wire.toString('base64');

ledgerSuite('a payment whose node stands still until its lease has lapsed', (ledger) => {
  /** Another node on the same books. */
  async function openOther(): Promise<Money> {
    if (ledger.openOther) return ledger.openOther();
    const other = openMoney(ledger.database, JOURNAL_KEEP_MS);
    onTestFinished(() => other.close());
    return other;
  }

  /** The first node stands still: it renews no lease. */
  async function standStill(): Promise<void> {
    await ledger.payments.close();
    ledger.nowMs += TIMES.leaseMs;
  }

  /** The first node's purchase. Its facilitator gives this answer, and nothing certain when it is asked again. */
  function purchaseOf(payment: NewPayment, answer: Settlement = UNKNOWN) {
    const settle = vi.fn(async (): Promise<Settlement> => UNKNOWN).mockResolvedValueOnce(answer);
    const facilitator = { settle, feePayer: () => undefined, signatureOf: () => signatureOf(payment) };
    const reading = {
      payments: ledger.payments,
      crypto: nodeCrypto,
      chains: new Map(),
      facilitator: standIn<PaymentDependencies['facilitator']>(facilitator),
    };
    const reconciler = new Reconciler(reading);
    onTestFinished(() => reconciler.close());
    const dependencies = standIn<PaymentDependencies>({ ...reading, reconciler, onFailure: vi.fn() });
    const context = { inVersion1Header: false, request: {}, facts: {} };
    const purchase = standIn<Purchase>({ payment, context, stored: { paidOnMainnet: [] } });
    return { dependencies, purchase, settle };
  }

  /** Undefined without a refusal, or its code and the state of the payment. */
  const toldBy = (work: Promise<unknown>) =>
    work.then(
      () => undefined,
      (error) => (error instanceof Refusal ? `${error.code} ${error.details.payment?.state}` : error),
    );

  /** A payment as the books have it. */
  async function booksOf({ key }: NewPayment) {
    const sql = 'select kind from journal_entries where key = $1 order by kind';
    const entries = await ledger.database.report({ sql, values: [key] });
    const { progress, owner } = (await ledger.payments.find(key)) ?? {};
    return { progress, owner, answer: await ledger.payments.answer(key), kinds: entries.map(({ kind }) => kind) };
  }

  const SOLD = ['grant', 'settlement'];
  const REJECTED = 'payment_rejected refused';
  const PENDING = 'settlement_pending pending';
  const lands = (payment: NewPayment): Settlement => landed(payment);
  const fails = () => REFUSED;
  const unsent = () => UNSENT;
  const unknown = () => UNKNOWN;
  const expires = () => EXPIRED;

  it.each([
    ['has landed', 'that it has landed', lands, lands, undefined, SOLD],
    ['has landed', 'that it has failed', lands, fails, undefined, SOLD],
    ['has landed', 'that nothing was sent', lands, unsent, undefined, SOLD],
    ['has landed', 'nothing certain', lands, unknown, undefined, SOLD],
    ['has never landed', 'that it has landed', expires, lands, undefined, ['grant', 'refusal', 'settlement']],
    ['has never landed', 'that it has failed', expires, fails, REJECTED, ['refusal']],
    ['has never landed', 'that nothing was sent', expires, unsent, REJECTED, ['refusal']],
    ['has never landed', 'nothing certain', expires, unknown, REJECTED, ['refusal']],
    ['may still land', 'that it has landed', unknown, lands, undefined, SOLD],
    ['may still land', 'that it has failed', unknown, fails, PENDING, []],
    ['may still land', 'that nothing was sent', unknown, unsent, PENDING, []],
    ['may still land', 'nothing certain', unknown, unknown, PENDING, []],
  ] as const)(
    'P6 P22 while it settles: another node finds that it %s, the first one then says %s',
    async (_, __, found, late, told, kinds) => {
      const payment = newPurchase(CREDIT, { transaction });
      await startSettling(ledger, payment, ANSWER);
      await standStill();
      await (await openOther()).payments.resolve(payment.key, found(payment));
      const { dependencies, purchase, settle } = purchaseOf(payment, late(payment));
      const outcome = await recordOutcome(dependencies, purchase, await send(dependencies, purchase));
      expect(await toldBy(conclude(dependencies, purchase, outcome))).toBe(told);
      const books = await booksOf(payment);
      expect(books.kinds).toEqual(kinds);
      // The answer of a refused payment is gone, also if it turns out to have landed.
      expect(books.answer).toBe(found === expires ? undefined : ANSWER);
      const grantedMicros = told === undefined ? CREDIT : 0;
      expect(await ledger.accounts.find(HOLDER)).toMatchObject({ grantedMicros, spentMicros: 0 });
      // Only a payment that may still land is sent again.
      expect(settle).toHaveBeenCalledTimes(found === unknown && late === unknown ? 2 : 1);
    },
  );

  it('P6 P22 while it settles: the first node cannot call it unsent once another node may have sent it', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const first = new Payments(ledger.database);
    const payment = newPurchase(CREDIT, { transaction });
    await startSettling({ payments: first }, payment, ANSWER);
    ledger.nowMs += TIMES.leaseMs;
    const { payments } = await openOther();
    expect((await payments.nextOpen(() => true)).map(({ key }) => key)).toEqual([payment.key]);
    // The first node goes on, and renews its leases.
    vi.advanceTimersByTime(TIMES.renewMs);
    await first.close();
    await first.resolve(payment.key, UNSENT, payment.owner);
    const open = { progress: 'unresolved', owner: payment.owner, answer: ANSWER, kinds: [] };
    expect(await booksOf(payment)).toEqual(open);
    await payments.resolve(payment.key, landed(payment));
    expect(await booksOf(payment)).toEqual({ ...open, progress: 'settled', kinds: SOLD });
  });

  const UNUSED = 'state_unavailable unused';
  const steps = {
    reserved: async () => undefined,
    released: ({ payments }: Money, { key, owner }: NewPayment) => payments.release(key, owner, true),
    settling: ({ payments }: Money, { key, owner }: NewPayment) =>
      payments.beginSettlement(key, owner, { answer: ANSWER }),
    async unresolved(node: Money, payment: NewPayment) {
      await steps.settling(node, payment);
      await node.payments.resolve(payment.key, UNKNOWN, payment.owner);
    },
    async settled(node: Money, payment: NewPayment) {
      await steps.settling(node, payment);
      await node.payments.resolve(payment.key, landed(payment), payment.owner);
    },
    async refused(node: Money, payment: NewPayment) {
      await steps.settling(node, payment);
      await node.payments.resolve(payment.key, REFUSED, payment.owner);
    },
  };

  it.each([
    ['reserved', UNUSED],
    ['released', UNUSED],
    ['settling', PENDING],
    ['unresolved', PENDING],
    ['settled', PENDING],
    ['refused', PENDING],
  ] as const)(
    'P1 P22 while its upstream is called: the first node settles nothing once another node has it as %s',
    async (step, told) => {
      const payment = newPurchase(CREDIT, { transaction });
      expect(await ledger.payments.reserve(payment)).toBe('reserved');
      await standStill();
      const other = await openOther();
      const taken = { ...payment, owner: 'the other node' };
      expect(await other.payments.reserve(taken)).toBe('reserved');
      await steps[step](other, taken);
      const before = await booksOf(payment);
      const { dependencies, purchase } = purchaseOf(payment);
      expect(await toldBy(beginSettlement(dependencies, purchase, { answer: LATE, height: 7 }))).toBe(told);
      await ledger.payments.release(payment.key, payment.owner, true);
      expect(await booksOf(payment)).toEqual(before);
    },
  );

  it.each<[string, (node: Payments, key: string) => Promise<unknown>]>([
    ['release', (node, key) => node.release(key, 'first', true)],
    ['settlement', (node, key) => node.beginSettlement(key, 'first', { answer: LATE }).catch(() => undefined)],
    ['outcome', (node, key) => node.resolve(key, UNSENT, 'first')],
  ])('P22 while its upstream is called: a late %s of an earlier request does not end the lease', async (_, late) => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const node = new Payments(ledger.database);
    const payment = newPurchase(CREDIT, { transaction });
    await node.reserve({ ...payment, owner: 'first' });
    ledger.nowMs += TIMES.leaseMs;
    expect(await node.reserve({ ...payment, owner: 'second' })).toBe('reserved');
    await late(node, payment.key);
    ledger.nowMs += TIMES.renewMs;
    vi.advanceTimersByTime(TIMES.renewMs);
    await node.close();
    ledger.nowMs += TIMES.leaseMs - 1;
    expect(await ledger.payments.find(payment.key)).toMatchObject({ progress: 'reserved', owner: 'second' });
  });

  it('P1 P22 while its upstream is called: the first node keeps no payment whose call another node has refused', async () => {
    const payment = newPurchase(CREDIT, { transaction, mayHaveEffect: true });
    expect(await ledger.payments.reserve(payment)).toBe('reserved');
    await standStill();
    const { payments } = await openOther();
    const again = { ...payment, owner: 'the other node' };
    expect(await payments.reserve(again)).toBe('called');
    const renewal = renewLease(payment.key, payment.owner, ledger.nowMs);
    expect(await ledger.database.write({ condition: renewal })).toBeUndefined();
    const { dependencies, purchase } = purchaseOf(payment);
    expect(await toldBy(beginSettlement(dependencies, purchase, { answer: LATE, height: 7 }))).toBe(UNUSED);
    expect(await payments.reserve(again)).toBe('called');
  });
});
