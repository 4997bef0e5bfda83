import { once } from 'node:events';
import { NETWORKS } from '@asset-gateway/protocol';
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../packages/gateway/src/limits.ts';
import type { Settlement } from '../../packages/gateway/src/payments/facilitator/facilitator.ts';
import { Payments } from '../../packages/gateway/src/payments/payments.ts';
import type { NewPayment } from '../../packages/gateway/src/payments/record.ts';
import { TIMES } from '../../packages/gateway/src/times.ts';
import { inEachTest } from '../kit/in-suite.ts';
import {
  changed,
  grant,
  landed,
  ledgerSuite,
  newDebit,
  newPayment,
  openSqliteLedger,
  REFUSED,
  requirementOf,
  settle,
  signatureOf,
  startSettling,
  UNKNOWN,
  UNSENT,
} from '../kit/ledger.ts';

const byAnother = (payment: NewPayment): NewPayment => ({ ...payment, owner: 'another' });

const EXPIRED = { outcome: 'refused', reason: 'expired' } as const;

ledgerSuite('an answer that was paid for', (ledger) => {
  const answerTo = ({ key }: Pick<NewPayment, 'key'>) => ledger.payments.answer(key);

  /** An answer of this share of the bytes for all answers. */
  const answerOf = (share: number): string => `"${'é'.repeat(Math.floor((ledger.answerBytes * share) / 2))}"`;

  /** The answers that are stored, whether they are given or not. */
  const stored = async (): Promise<string[]> => {
    const rows = await ledger.database.report({ sql: 'select answer from answers order by number' });
    return rows.map(({ answer }) => String(answer));
  };

  const bytesStored = async (): Promise<number> => Buffer.byteLength((await stored()).join(''));

  it('is kept while the outcome is open, and for ten minutes from when it is known', async () => {
    const payment = newPayment();
    await startSettling(ledger, payment);
    ledger.nowMs += 10 * TIMES.answerMs;
    await ledger.retention.prune();
    await ledger.payments.resolve(payment.key, landed(payment));
    ledger.payments.delivered(payment.key);
    ledger.nowMs += TIMES.answerMs - 1;
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
    ledger.nowMs += TIMES.answerMs;
    await ledger.payments.keep(payment.key, '"second"');
    ledger.nowMs += TIMES.answerMs - 1;
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
      ledger.payments.beginSettlement(payment.key, payment.owner, { answer: '"bought"' }),
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
    expect((await ledger.payments.look({ ...opened, key: 'another' })).due.at(-1)?.key).toBe(opened.key);
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
    (await ledger.payments.look({ ...newPayment(), payer, requestHash })).due.at(-1)?.key;

  it('P18 is owed to its payer for its request until it is delivered, across restarts', async () => {
    const payment = newPayment();
    const { payer, requestHash } = payment;
    await settle(ledger, payment);
    await ledger.reopen();
    expect(await due(payment)).toBe(payment.key);
    expect(await ledger.payments.answer(payment.key)).toBe('{"n":1}');
    expect(await due({ payer: 'another', requestHash })).toBeUndefined();
    expect(await due({ payer, requestHash: 'another' })).toBeUndefined();
    expect(await ledger.payments.reserve(newPayment({ payer, requestHash }))).toBe('due');
    ledger.payments.delivered(payment.key);
    // In PostgreSQL a note may be written after a read that follows it.
    await expect.poll(() => due(payment)).toBeUndefined();
    await ledger.reopen();
    expect(await due(payment)).toBeUndefined();
    expect(await ledger.payments.reserve(newPayment({ payer, requestHash }))).toBe('reserved');
  });

  it('is owed too if the payment had settled before it was known, and not if it was refused', async () => {
    const [refused, adopted] = [newPayment(), newPayment()];
    await startSettling(ledger, refused);
    await ledger.payments.resolve(refused.key, REFUSED);
    expect(await ledger.payments.adopt(adopted, 'found')).toBe(true);
    expect([await due(refused), await due(adopted)]).toEqual([undefined, adopted.key]);
  });

  it('is owed for the last settled payment, unless one with an open outcome exists', async () => {
    const { payer, requestHash } = newPayment();
    const [first, second, open] = Array.from({ length: 3 }, () => newPayment({ payer, requestHash }));
    if (!first || !second || !open) throw new Error('no payments');
    for (const payment of [first, second]) await ledger.payments.reserve(payment);
    for (const payment of [second, first]) {
      ledger.nowMs += 1;
      await ledger.payments.adopt(payment, landed(payment).signature);
    }
    expect(await due(first)).toBe(first.key);
    ledger.nowMs += TIMES.answerMs - 1;
    expect(await due(first)).toBe(first.key);
    ledger.nowMs += 1;
    await startSettling(ledger, open);
    await ledger.payments.adopt(newPayment({ payer, requestHash }), 'another');
    expect(await due(first)).toBe(open.key);
  });
});

it('an answer in SQLite is not owed to a request that comes in the turn of its delivery', async () => {
  const ledger = await openSqliteLedger();
  const payment = newPayment();
  await settle(ledger, payment);
  const { payer, requestHash } = payment;
  ledger.payments.delivered(payment.key);
  expect((await ledger.payments.look({ ...newPayment(), payer, requestHash })).due).toEqual([]);
  await ledger.close();
});

ledgerSuite('the limits of payments', (ledger) => {
  const PAYER = 'one payer';
  const next = (): NewPayment => newPayment({ payer: PAYER });

  /** A purchase whose upstream call fails, so that the payment is released. */
  async function fail(payment: NewPayment): Promise<string> {
    const verdict = await ledger.payments.reserve(payment);
    if (verdict === 'reserved') await ledger.payments.release(payment.key, payment.owner, true);
    return verdict;
  }

  it('P14 a payer has at most 4 payments of many at once, on two nodes', async () => {
    const other = (await ledger.openOther?.())?.payments ?? ledger.payments;
    const most = LIMITS.paymentsInFlight;
    const reserving = Array.from({ length: most + 5 }, (_, n) => (n % 2 ? other : ledger.payments).reserve(next()));
    const verdicts = await Promise.all(reserving);
    expect(verdicts.toSorted()).toEqual([...Array(5).fill('payer_busy'), ...Array(most).fill('reserved')]);
  });

  it.each<[string, (payment: NewPayment) => Promise<unknown>]>([
    ['has settled', ({ key }) => ledger.payments.resolve(key, landed({ key }))],
    ['is refused', ({ key }) => ledger.payments.resolve(key, EXPIRED)],
    ['was not sent', ({ key, owner }) => ledger.payments.resolve(key, UNSENT, owner)],
    ['has an unknown outcome', ({ key }) => ledger.payments.resolve(key, UNKNOWN)],
  ])('P14 a payment leaves room for another one of its payer when it %s', async (_, end) => {
    const sent = Array.from({ length: LIMITS.paymentsInFlight }, next);
    for (const payment of sent) await startSettling(ledger, payment);
    expect(await ledger.payments.reserve(next())).toBe('payer_busy');
    await end(sent[0] as NewPayment);
    expect(await ledger.payments.reserve(next())).toBe('reserved');
    expect(await ledger.payments.reserve(next())).toBe('payer_busy');
  });

  it('P14 payments whose process has died leave room when they cannot be going on any more', async () => {
    for (let count = 0; count < 4; count++) await ledger.payments.reserve(next());
    await ledger.payments.close();
    ledger.nowMs += TIMES.inFlightMs - 1;
    expect(await ledger.payments.reserve(next())).toBe('payer_busy');
    ledger.nowMs += 1;
    expect(await ledger.payments.reserve(next())).toBe('reserved');
  });

  it.each<[string, (payment: NewPayment) => Promise<unknown>]>([
    ['are released', ({ key, owner }) => ledger.payments.release(key, owner, true)],
    ['are refused', ({ key }) => ledger.payments.resolve(key, EXPIRED)],
    ['have an unknown outcome', ({ key }) => ledger.payments.resolve(key, UNKNOWN)],
  ])('P14 a payer has at most 10 upstream calls in a minute whose payments %s', async (what, end) => {
    for (let count = 0; count < 10; count++) {
      const payment = next();
      if (what === 'are released') expect(await ledger.payments.reserve(payment)).toBe('reserved');
      else await startSettling(ledger, payment);
      await end(payment);
    }
    ledger.nowMs += TIMES.failuresMs - 1;
    expect(await ledger.payments.reserve(next())).toBe('payer_busy');
    ledger.nowMs += 1;
    expect(await ledger.payments.reserve(next())).toBe('reserved');
  });

  it('P14 calls that were paid for, or not made, do not count against their payer', async () => {
    for (let count = 0; count < 12; count++) {
      const [paid, unused] = [next(), next()];
      expect(await fail(paid)).toBe('reserved');
      await settle(ledger, paid);
      expect(await ledger.payments.calls(paid.key)).toBe(2);
      await ledger.payments.reserve(unused);
      await ledger.payments.release(unused.key, unused.owner, false);
    }
    expect((await ledger.payments.look(next())).recentCalls).toBe(0);
  });

  it('a call that may have an effect is asked for once, although its process has died', async () => {
    const payment = newPayment({ payer: PAYER, mayHaveEffect: true });
    expect(await ledger.payments.reserve(payment)).toBe('reserved');
    await ledger.reopen();
    ledger.nowMs += TIMES.leaseMs;
    await ledger.retention.prune();
    expect(await ledger.payments.reserve(payment)).toBe('called');
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

  it('a payment counts its calls, also if its lease lapses before its release', async () => {
    const payment = next();
    for (let call = 0; call < LIMITS.callsPerAnswer; call++) {
      expect(await ledger.payments.reserve(payment)).toBe('reserved');
      ledger.nowMs += TIMES.leaseMs;
      await ledger.payments.release(payment.key, payment.owner, true);
    }
    expect(await ledger.payments.reserve(payment)).toBe('exhausted');
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
const MINUTE_MS = 60_000;

ledgerSuite('the hourly budget of fees', (ledger) => {
  const costing = (feeLamports: number, change: Partial<NewPayment> = {}) => newPayment({ feeLamports, ...change });

  /** Starts to settle a payment. */
  async function send(payment: NewPayment, { isNewPayer = false, feePayer = 'fee payer' } = {}): Promise<string> {
    expect(await ledger.payments.reserve(payment)).toBe('reserved');
    const fee = { feePayer, lamports: payment.feeLamports, limit: LIMIT, isNewPayer };
    return ledger.payments.beginSettlement(payment.key, payment.owner, {
      answer: '1',
      signature: signatureOf(payment),
      fee,
    });
  }

  const sendNew = (feeLamports: number) => send(costing(feeLamports), { isNewPayer: true });

  /** Lamports that count against the budget: of all payers, and of new payers. */
  async function spent(): Promise<readonly [number, number]> {
    const { all, ofNewPayers } = (await ledger.payments.look(newPayment(), 'fee payer')).fees;
    return [all, ofNewPayers];
  }

  const rowsOf = (table: string) => ledger.database.read({ sql: `select * from ${table}` });

  /** The sums of the minutes as they are stored, and as the payments add up to them. */
  async function sums() {
    const columns =
      'fee_payer, cast(sum(lamports) as bigint) as lamports, cast(sum(of_new_payers) as bigint) as of_new_payers';
    const added = `select fee_payer, (fee_until_ms / ${MINUTE_MS} + 1) * ${MINUTE_MS} as until_ms, fee_lamports as lamports,
      fee_lamports * fee_of_new_payer as of_new_payers from payments where fee_payer is not null`;
    const [stored, summed] = ['select * from fees', added].map((from) =>
      ledger.database.read({
        sql: `select until_ms, ${columns} from (${from}) as f group by 1, 2 having sum(lamports) > 0 order by 1`,
      }),
    );
    return { stored: await stored, summed: await summed };
  }

  it("X10 is kept as one sum for each minute, for any outcomes of two nodes' payments", async () => {
    const nodes = [ledger.payments, (await ledger.openOther?.())?.payments ?? ledger.payments];
    const outcomes = [landed, () => EXPIRED, () => REFUSED, () => UNSENT, () => UNKNOWN];
    for (let round = 0; round < 3; round++) {
      const buying = Array.from({ length: 30 }, async (_, number) => {
        const [node, other] = number % 2 ? nodes : nodes.toReversed();
        const requirement = requirementOf(number % 3 ? 5 : LIMITS.knownPayerMicros);
        const payment = costing(1 + (number % 7), { requirement });
        const { key, owner, feeLamports: lamports } = payment;
        await node?.reserve(payment);
        const fee = { feePayer: 'fee payer', lamports, limit: 1_000, isNewPayer: number % 2 === 0 };
        await node?.beginSettlement(key, owner, { answer: '1', signature: signatureOf(payment), fee });
        const outcome = outcomes[number % outcomes.length]?.(payment) ?? UNKNOWN;
        // Both nodes see what the chain shows.
        await Promise.all([node?.resolve(key, outcome, owner), other?.resolve(key, outcome)]);
      });
      await Promise.all(buying);
      ledger.nowMs += MINUTE_MS;
    }
    const { stored, summed } = await sums();
    expect(stored).toHaveLength(3);
    expect(stored).toEqual(summed);
  });

  it('X10 counts a fee once although the reply of its step was lost', async () => {
    const { database } = ledger;
    const write = database.write.bind(database);
    const payment = costing(60);
    await ledger.payments.reserve(payment);
    database.write = async (step) => void (await write(step));
    const fee = { feePayer: 'fee payer', lamports: 60, limit: LIMIT, isNewPayer: false };
    expect(await ledger.payments.beginSettlement(payment.key, payment.owner, { answer: '1', fee })).toBe('settling');
    expect(await spent()).toEqual([60, 0]);
    await ledger.payments.resolve(payment.key, EXPIRED);
    database.write = write;
    expect(await spent()).toEqual([0, 0]);
  });

  it('P12 is spent up to the limit, and no further', async () => {
    expect(await send(costing(60))).toBe('settling');
    const refused = costing(41);
    expect(await send(refused)).toBe('fees_used_up');
    expect((await ledger.payments.find(refused.key))?.progress).toBe('reserved');
    expect(await ledger.payments.answer(refused.key)).toBeUndefined();
    expect(await send(costing(40))).toBe('settling');
    expect(await send(costing(1))).toBe('fees_used_up');
    expect(await spent()).toEqual([LIMIT, 0]);
    expect(await send(costing(LIMIT), { feePayer: 'another' })).toBe('settling');
  });

  it('P12 is not exceeded by payments of many wallets at once', async () => {
    const verdicts = await Promise.all(Array.from({ length: 12 }, () => send(costing(LIMIT / 4))));
    const sent = verdicts.filter((verdict) => verdict === 'settling').length;
    expect(sent).toBe(4);
    expect(await spent()).toEqual([LIMIT, 0]);
    expect(await send(costing(1))).toBe('fees_used_up');
  });

  it('V3 V4 counts a fee from when it is sent until its payment is proved to be unpaid', async () => {
    const [released, withdrawn, unknown] = [costing(100), costing(100), costing(100)];
    await ledger.payments.reserve(released);
    expect(await spent()).toEqual([0, 0]);
    await ledger.payments.release(released.key, released.owner, true);
    expect(await send(withdrawn)).toBe('settling');
    expect(await send(costing(1))).toBe('fees_used_up');
    await ledger.payments.resolve(withdrawn.key, { outcome: 'unsent', reason: '' }, withdrawn.owner);
    expect(await spent()).toEqual([0, 0]);
    expect(await send(unknown)).toBe('settling');
    await ledger.payments.resolve(unknown.key, { outcome: 'unknown', signature: undefined });
    await ledger.reopen();
    expect(await send(costing(1))).toBe('fees_used_up');
    await ledger.payments.resolve(unknown.key, EXPIRED);
    expect(await spent()).toEqual([0, 0]);
    expect(await send(withdrawn)).toBe('settling');
    expect(await spent()).toEqual([LIMIT, 0]);
  });

  it('P12 counts a settlement for an hour from when it was sent, rounded up to a minute', async () => {
    ledger.nowMs += 1;
    const payment = costing(LIMIT);
    await send(payment);
    const untilMs = ledger.nowMs + TIMES.feeMs + MINUTE_MS - 1;
    ledger.nowMs += 10_000;
    await ledger.payments.resolve(payment.key, landed(payment));
    await ledger.reopen();
    ledger.nowMs = untilMs - 1;
    await ledger.retention.prune();
    expect(await send(costing(1))).toBe('fees_used_up');
    ledger.nowMs = untilMs;
    expect(await spent()).toEqual([0, 0]);
    expect(await send(costing(LIMIT))).toBe('settling');
    await ledger.retention.prune();
    expect(await rowsOf('fees')).toHaveLength(1);
  });

  it('V4 counts a payment that failed on the chain for an hour, also if it is sent again', async () => {
    const payment = costing(LIMIT);
    await send(payment);
    await ledger.payments.resolve(payment.key, REFUSED);
    for (const milliseconds of [TIMES.rememberedMs + 1, TIMES.feeMs - TIMES.rememberedMs - 2]) {
      ledger.nowMs += milliseconds;
      await ledger.payments.reserve(payment);
      await ledger.payments.release(payment.key, payment.owner, true);
      await ledger.retention.prune();
      expect(await spent()).toEqual([LIMIT, 0]);
    }
    ledger.nowMs += MINUTE_MS + 1;
    expect(await spent()).toEqual([0, 0]);
    await ledger.retention.prune();
    expect(await ledger.payments.find(payment.key)).toBeUndefined();
  });

  it('V4 gives new payers half of the limit, and other payers all', async () => {
    expect(await sendNew(30)).toBe('settling');
    expect(await sendNew(21)).toBe('fees_used_up');
    expect(await sendNew(20)).toBe('settling');
    expect(await sendNew(1)).toBe('fees_used_up');
    expect(await spent()).toEqual([50, 50]);
    expect(await send(costing(50))).toBe('settling');
    expect(await send(costing(1))).toBe('fees_used_up');
  });

  it.each([
    ['a cent on mainnet', LIMITS.knownPayerMicros, NETWORKS.mainnet, 0],
    ['less than a cent', LIMITS.knownPayerMicros - 1, NETWORKS.mainnet, 50],
    ['a cent on devnet', LIMITS.knownPayerMicros, NETWORKS.devnet, 50],
  ])('V4 W4 after %s has settled, counts so much of its fee as that of a new payer', async (...row) => {
    const [, micros, network, ofNewPayers] = row;
    const payment = costing(50, { network, requirement: requirementOf(micros) });
    expect(await send(payment, { isNewPayer: true })).toBe('settling');
    expect(await sendNew(1)).toBe('fees_used_up');
    await ledger.payments.resolve(payment.key, landed(payment));
    expect(await spent()).toEqual([50, ofNewPayers]);
    expect(await sendNew(1)).toBe(ofNewPayers === 0 ? 'settling' : 'fees_used_up');
  });
});

ledgerSuite('a payment', (ledger) => {
  it('P7 that was being settled is known again after a crash, its outcome open, with everything noted', async () => {
    const payment = newPayment();
    await startSettling(ledger, payment, '{"lamports":18446744073709551615}');
    await ledger.reopen();
    const noted = { height: 7, progress: 'unresolved', calls: 1, hasFailedOnChain: false };
    const times = { settlingSinceMs: expect.any(Number), leasedUntilMs: expect.any(Number) };
    expect(await ledger.payments.openPayments()).toEqual([
      { ...payment, ...noted, ...times, signature: signatureOf(payment) },
    ]);
    expect(await ledger.payments.answer(payment.key)).toBe('{"lamports":18446744073709551615}');
    expect((await ledger.payments.look({ ...payment, key: 'another' })).due.at(-1)?.key).toBe(payment.key);
    expect(await ledger.payments.reserve(byAnother(payment))).toBe('taken');
    const { payer, requestHash } = payment;
    expect(await ledger.payments.reserve(newPayment({ payer, requestHash }))).toBe('due');
  });

  it('that had settled before it was known can keep an answer later', async () => {
    const payment = newPayment();
    await ledger.payments.adopt(payment, 'found');
    await ledger.payments.keep(payment.key, '{"later":true}');
    await ledger.reopen();
    expect(await ledger.payments.answer(payment.key)).toBe('{"later":true}');
    expect(await ledger.payments.find(payment.key)).toMatchObject({ progress: 'settled', owed: true });
  });
});

// The lease is renewed above the database.
describe('P22 a payment abandoned by a running process', () => {
  const ledger = inEachTest(() => openSqliteLedger());

  it('P22 during a renewal of its lease is free after that lease', async () => {
    const { database } = ledger;
    let beforeWrite: () => Promise<unknown> = async () => undefined;
    const held = changed(database, { write: (step) => beforeWrite().then(() => database.write(step)) });
    const payments = new Payments(held);
    const payment = newPayment();
    expect(await payments.reserve(payment)).toBe('reserved');
    const test = new EventTarget();
    const renewing = once(test, 'renewing');
    beforeWrite = () => {
      test.dispatchEvent(new Event('renewing'));
      return once(test, 'renew');
    };
    await renewing;
    beforeWrite = () => Promise.reject(new Error('the database is down'));
    await payments.release(payment.key, payment.owner, false);
    let renewals = 0;
    beforeWrite = async () => void renewals++;
    test.dispatchEvent(new Event('renew'));
    const again = () => ledger.payments.reserve(byAnother(payment));
    await expect.poll(again).toBe('taken');
    await new Promise((resolve) => setTimeout(resolve, TIMES.renewMs + 500));
    expect(renewals).toBe(0);
    ledger.nowMs += TIMES.leaseMs;
    expect(await again()).toBe('reserved');
    payments.close();
  });
});

const DAY_MS = 86_400_000;

ledgerSuite('payments that have failed on the chain', (ledger) => {
  const PAYER = 'payer';
  const failing = (change: Partial<NewPayment> = {}) => newPayment({ payer: PAYER, feeLamports: 10, ...change });
  const fail = async (payment: NewPayment, outcome: Settlement = REFUSED) => {
    await startSettling(ledger, payment);
    await ledger.payments.resolve(payment.key, outcome);
  };
  const closedUntilMs = async (change: Partial<NewPayment> = {}) =>
    (await ledger.payments.look(failing(change))).closedUntilMs;

  it('P12 close their wallet on one cluster from the third within an hour, also for the next process', async () => {
    const startMs = ledger.nowMs;
    const last = failing();
    await startSettling(ledger, last);
    for (let count = 0; count < LIMITS.failedOnChain; count++) {
      expect(await closedUntilMs()).toBe(0);
      await fail(failing());
      ledger.nowMs += 60_000;
    }
    expect(await closedUntilMs()).toBe(startMs + TIMES.feeMs);
    await ledger.reopen();
    await ledger.retention.prune();
    expect(await closedUntilMs()).toBe(startMs + TIMES.feeMs);
    expect(await closedUntilMs({ payer: 'another' })).toBe(0);
    expect(await closedUntilMs({ network: NETWORKS.devnet })).toBe(0);
    await ledger.payments.resolve(last.key, REFUSED);
    expect(await closedUntilMs()).toBe(startMs + 60_000 + TIMES.feeMs);
    ledger.nowMs = startMs + 60_000 + TIMES.feeMs;
    expect(await closedUntilMs()).toBe(0);
  });

  it('P12 close their wallet for a call that was looked up before and waited', async () => {
    const waiting = failing();
    const seen = await ledger.payments.look(waiting);
    for (let count = 0; count < LIMITS.failedOnChain; count++) await fail(failing());
    expect(await ledger.payments.reserve(waiting, undefined, seen)).toBe('payer_busy');
    expect(await ledger.payments.find(waiting.key)).toBeUndefined();
  });

  it.each<[string, Partial<NewPayment>, Settlement]>([
    ['that cost us no fee', { feeLamports: 0 }, REFUSED],
    ['that have never landed', {}, EXPIRED],
  ])('P12 do not include those %s', async (_, change, outcome) => {
    for (let count = 0; count < LIMITS.failedOnChain; count++) await fail(failing(change), outcome);
    expect(await closedUntilMs()).toBe(0);
  });
});

ledgerSuite('how long payments are known', (ledger) => {
  async function elapse(milliseconds: number): Promise<void> {
    ledger.nowMs += milliseconds;
    await ledger.retention.prune();
  }

  /** Rows of a payment, whether it reads as known or not. */
  const rowsOf = (key: string) =>
    ledger.database.report({ sql: 'select state from payments where key = $1', values: [key] });

  describe('a refused payment', () => {
    it('V5 is forgotten after 360 s, when its memo has expired', async () => {
      const payment = newPayment();
      await startSettling(ledger, payment);
      await ledger.payments.resolve(payment.key, REFUSED);
      await elapse(360_000);
      expect((await ledger.payments.find(payment.key))?.progress).toBe('refused');
      ledger.nowMs += 1;
      expect(await ledger.payments.find(payment.key)).toBeUndefined();
      expect(await ledger.payments.reserve(payment)).toBe('reserved');
      await ledger.payments.release(payment.key, payment.owner, false);
      await elapse(1);
      expect(await rowsOf(payment.key)).toEqual([]);
    });

    it('P7 that came again and is being settled outlives the forgetting of the refusal', async () => {
      const payment = newPayment();
      await startSettling(ledger, payment);
      await ledger.payments.resolve(payment.key, REFUSED);
      await elapse(TIMES.rememberedMs - 1_000);
      ledger.nowMs += 2_000;
      await startSettling(ledger, payment);
      await elapse(60_000);
      await ledger.reopen();
      expect((await ledger.payments.find(payment.key))?.progress).toBe('unresolved');
    });
  });

  it('a settled payment is forgotten after 24 hours', async () => {
    const payment = newPayment();
    await settle(ledger, payment);
    ledger.payments.delivered(payment.key);
    await elapse(TIMES.recordMs);
    expect(await ledger.payments.reserve(payment)).toBe('taken');
    await elapse(1);
    expect(await ledger.payments.find(payment.key)).toBeUndefined();
    expect(await rowsOf(payment.key)).toEqual([]);
  });

  it('a payment whose outcome is open is never forgotten, nor is its answer', async () => {
    const payment = newPayment();
    await startSettling(ledger, payment);
    await ledger.payments.resolve(payment.key, UNKNOWN);
    for (const days of [1, 30, 365]) {
      await elapse(days * DAY_MS);
      await ledger.reopen();
      await ledger.retention.prune();
      expect(await ledger.payments.openPayments()).toMatchObject([{ key: payment.key }]);
      expect(await ledger.payments.reserve(payment)).toBe('taken');
      expect(await ledger.payments.answer(payment.key)).toBe('{"n":1}');
    }
  });
});
