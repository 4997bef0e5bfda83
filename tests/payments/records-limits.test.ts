import { NETWORKS } from '@asset-gateway/protocol';
import { expect, it } from 'vitest';
import { type NewPayment, PAYMENTS } from '../../packages/gateway/src/payments/record.ts';
import { landed, ledgerSuite, newPayment, REFUSED, requirementOf, settle, signatureOf } from '../kit/ledger.ts';

ledgerSuite('the limits of payments', (ledger) => {
  const PAYER = 'one payer';
  const next = (): NewPayment => newPayment({ payer: PAYER });

  /** A purchase whose upstream call fails, so that the payment is released. */
  async function fail(payment: NewPayment): Promise<string> {
    const verdict = await ledger.payments.reserve(payment);
    if (verdict === 'reserved') await ledger.payments.release(payment.key, payment.owner, true);
    return verdict;
  }

  it('P14 a payer has at most 4 payments of many at once', async () => {
    const verdicts = await Promise.all(Array.from({ length: 9 }, () => ledger.payments.reserve(next())));
    expect(verdicts.toSorted()).toEqual([...Array(5).fill('payer_busy'), ...Array(4).fill('reserved')]);
  });

  it('a payment reaches an upstream at most 3 times while its memo is good, also across a restart', async () => {
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

  it('a payment counts its calls, also after it has settled', async () => {
    const payment = next();
    await fail(payment);
    await settle(ledger, payment);
    expect(await ledger.payments.calls(payment.key)).toBe(2);
    await ledger.payments.called(payment.key);
    await ledger.reopen();
    expect(await ledger.payments.calls(payment.key)).toBe(3);
  });
});

const LIMIT = 100;
const EXPIRED = { outcome: 'refused', reason: 'expired' } as const;

ledgerSuite('the hourly budget of fees', (ledger) => {
  const costing = (feeLamports: number, change: Partial<NewPayment> = {}) => newPayment({ feeLamports, ...change });

  /** Starts to settle a payment. */
  async function send(payment: NewPayment, { isNewPayer = false, feePayer = 'fee payer' } = {}): Promise<string> {
    expect(await ledger.payments.reserve(payment)).toBe('reserved');
    const fee = { feePayer, lamports: payment.feeLamports, limit: LIMIT, isNewPayer };
    return ledger.payments.settling(payment.key, payment.owner, { answer: '1', signature: signatureOf(payment), fee });
  }

  const sendNew = (feeLamports: number) => send(costing(feeLamports), { isNewPayer: true });

  /** Lamports that count against the budget: of all payers, and of new payers. */
  async function spent(): Promise<readonly [number, number]> {
    const { all, ofNewPayers } = (await ledger.payments.look(newPayment(), 'fee payer')).fees;
    return [all, ofNewPayers];
  }

  it('P12 is spent up to the limit, and no further', async () => {
    expect(await send(costing(60))).toBe('settling');
    const refused = costing(41);
    expect(await send(refused)).toBe('fees used up');
    expect((await ledger.payments.find(refused.key))?.progress).toBe('reserved');
    expect(await ledger.payments.answer(refused.key)).toBeUndefined();
    expect(await send(costing(40))).toBe('settling');
    expect(await send(costing(1))).toBe('fees used up');
    expect(await spent()).toEqual([LIMIT, 0]);
    expect(await send(costing(LIMIT), { feePayer: 'another' })).toBe('settling');
  });

  it('P12 is not exceeded by payments of many wallets at once', async () => {
    const verdicts = await Promise.all(Array.from({ length: 12 }, () => send(costing(LIMIT / 4))));
    const sent = verdicts.filter((verdict) => verdict === 'settling').length;
    expect(sent).toBe(4);
    expect(await spent()).toEqual([LIMIT, 0]);
    expect(await send(costing(1))).toBe('fees used up');
  });

  it('V3 V4 counts a fee from when it is sent until its payment is proved to be unpaid', async () => {
    const [released, withdrawn, unknown] = [costing(100), costing(100), costing(100)];
    await ledger.payments.reserve(released);
    expect(await spent()).toEqual([0, 0]);
    await ledger.payments.release(released.key, released.owner, true);
    expect(await send(withdrawn)).toBe('settling');
    expect(await send(costing(1))).toBe('fees used up');
    await ledger.payments.resolve(withdrawn.key, { outcome: 'unsent', reason: '' }, withdrawn.owner);
    expect(await spent()).toEqual([0, 0]);
    expect(await send(unknown)).toBe('settling');
    await ledger.payments.resolve(unknown.key, { outcome: 'unknown', signature: undefined });
    await ledger.reopen();
    expect(await send(costing(1))).toBe('fees used up');
    await ledger.payments.resolve(unknown.key, EXPIRED);
    expect(await spent()).toEqual([0, 0]);
    expect(await send(withdrawn)).toBe('settling');
    expect(await spent()).toEqual([LIMIT, 0]);
  });

  it('P12 counts a settlement for an hour from when it was sent', async () => {
    const payment = costing(LIMIT);
    await send(payment);
    ledger.nowMs += 10_000;
    await ledger.payments.resolve(payment.key, landed(payment));
    await ledger.reopen();
    ledger.nowMs += PAYMENTS.feeMs - 10_001 - PAYMENTS.leaseMs;
    await ledger.retention.prune();
    expect(await send(costing(1))).toBe('fees used up');
    ledger.nowMs += 1 + PAYMENTS.leaseMs;
    expect(await spent()).toEqual([0, 0]);
    expect(await send(costing(LIMIT))).toBe('settling');
  });

  it('V4 counts a payment that failed on the chain for an hour, also if it is sent again', async () => {
    const payment = costing(LIMIT);
    await send(payment);
    await ledger.payments.resolve(payment.key, REFUSED);
    for (const milliseconds of [PAYMENTS.refusedMs + 1, PAYMENTS.feeMs - PAYMENTS.refusedMs - 2]) {
      ledger.nowMs += milliseconds;
      await ledger.payments.reserve(payment);
      await ledger.payments.release(payment.key, payment.owner, true);
      await ledger.retention.prune();
      expect(await spent()).toEqual([LIMIT, 0]);
    }
    ledger.nowMs += 1;
    expect(await spent()).toEqual([0, 0]);
    ledger.nowMs += 1;
    await ledger.retention.prune();
    expect(await ledger.payments.find(payment.key)).toBeUndefined();
  });

  it('V4 gives new payers half of the limit, and the others all of it', async () => {
    expect(await sendNew(30)).toBe('settling');
    expect(await sendNew(21)).toBe('fees used up');
    expect(await sendNew(20)).toBe('settling');
    expect(await sendNew(1)).toBe('fees used up');
    expect(await spent()).toEqual([50, 50]);
    expect(await send(costing(50))).toBe('settling');
    expect(await send(costing(1))).toBe('fees used up');
  });

  it.each([
    ['a cent on mainnet', PAYMENTS.knownPayerMicros, NETWORKS.mainnet, 0],
    ['less than a cent', PAYMENTS.knownPayerMicros - 1, NETWORKS.mainnet, 50],
    ['a cent on devnet', PAYMENTS.knownPayerMicros, NETWORKS.devnet, 50],
  ])('V4 W4 after %s has settled, counts so much of its fee as that of a new payer', async (...row) => {
    const [, micros, network, ofNewPayers] = row;
    const payment = costing(50, { network, requirement: requirementOf(micros) });
    expect(await send(payment, { isNewPayer: true })).toBe('settling');
    expect(await sendNew(1)).toBe('fees used up');
    await ledger.payments.resolve(payment.key, landed(payment));
    expect(await spent()).toEqual([50, ofNewPayers]);
    expect(await sendNew(1)).toBe(ofNewPayers === 0 ? 'settling' : 'fees used up');
  });
});
