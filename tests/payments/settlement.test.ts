import { HEADERS, Refusal } from '@asset-gateway/protocol';
import { afterAll, afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { RequestFacts } from '../../packages/gateway/src/call.ts';
import { nodeCrypto } from '../../packages/gateway/src/crypto.ts';
import type { PaymentDependencies } from '../../packages/gateway/src/payments/dependencies.ts';
import type { Settlement } from '../../packages/gateway/src/payments/facilitator/facilitator.ts';
import { Payments } from '../../packages/gateway/src/payments/payments.ts';
import type { Purchase } from '../../packages/gateway/src/payments/purchase-state.ts';
import { Reconciler } from '../../packages/gateway/src/payments/reconcile.ts';
import type { NewPayment, PaymentRecord } from '../../packages/gateway/src/payments/record.ts';
import {
  beginSettlement,
  conclude,
  deliveryOf,
  receiptOfPayment,
  recordOutcome,
  send,
} from '../../packages/gateway/src/payments/settlement.ts';
import type { ReceiptIssuer } from '../../packages/gateway/src/receipts/response.ts';
import type { AtomicWrite } from '../../packages/gateway/src/stores/sql/database.ts';
import { TIMES } from '../../packages/gateway/src/times.ts';
import { inEachTest, inSuite } from '../kit/in-suite.ts';
import {
  changed,
  landed,
  ledgerSuite,
  newPayment,
  openPostgresLedger,
  openSqliteLedger,
  REFUSED,
  signatureOf,
  startSettling,
  UNKNOWN,
  UNSENT,
} from '../kit/ledger.ts';
import { openPostgresDatabase, postgresSuite } from '../kit/postgres.ts';
import { standIn } from '../kit/stand-in.ts';
import { openMarket } from './forge.ts';

const ANSWER = '{"n":1}';
/** Lamports of fees in an hour. */
const LIMIT = 100;

const market = await openMarket();
afterAll(() => market.chain.close());
afterEach(() => void vi.restoreAllMocks());
/** One that can be sent again. */
const transaction = market.genuine.wire.toString('base64');

/** Notes the settlement of a reserved payment. */
async function noted(payments: Payments, payment: NewPayment, own: object = { signatureOf }, isCalled = true) {
  const [steps, facts]: [string[], Partial<RequestFacts>] = [[], {}];
  const facilitator = { feeBudgetPerHour: LIMIT, feePayer: () => 'fee payer', ...own };
  const onStep = (step: string) => void steps.push(step);
  const dependencies = standIn<PaymentDependencies>({ payments, facilitator, onStep });
  const context = { facts, inVersion1Header: false };
  const purchase = standIn<Purchase>({ payment, context, stored: { paidOnMainnet: [] } });
  const told = await beginSettlement(dependencies, purchase, { answer: ANSWER, height: 7, isCalled }).catch(
    (error: unknown) => error,
  );
  const { code, details } = told instanceof Refusal ? told : { code: told, details: undefined };
  const record = await payments.find(payment.key);
  const answer = await payments.answer(payment.key);
  return { code, state: details?.payment?.state, progress: record?.progress, answer, steps, facts };
}

const UNSTORED = { progress: 'reserved', answer: undefined, steps: [], facts: {} };

it('a settlement begins without a signature if another facilitator will make it', async () => {
  const { payments } = await openSqliteLedger();
  onTestFinished(() => payments.close());
  const payment = newPayment();
  await payments.reserve(payment);
  expect(await noted(payments, payment, {})).toMatchObject({ code: undefined, progress: 'settling' });
  expect(await payments.find(payment.key)).not.toHaveProperty('signature');
});

it('a purchase waits five seconds for the look-up of a settlement with an unknown outcome', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const record = standIn<PaymentRecord>({ ...newPayment(), progress: 'unresolved' });
  const payments = { find: async () => record };
  const reconciler = { reconcile: () => new Promise<void>(() => undefined) };
  const purchase = standIn<Purchase>({ payment: newPayment(), context: { inVersion1Header: false } });
  const outcome = { settlement: UNKNOWN, record, balanceMicros: undefined };
  const told = conclude(standIn<PaymentDependencies>({ payments, reconciler }), purchase, outcome);
  await Promise.all([
    vi.advanceTimersByTimeAsync(5_000),
    expect(told).rejects.toMatchObject({ code: 'settlement_pending' }),
  ]);
});

ledgerSuite('a settlement that may not begin', (ledger) => {
  it('is refused when the payer has another open payment for its request: it stays unused', async () => {
    const [first, second] = [newPayment(), newPayment()];
    const payment = { ...second, payer: first.payer, requestHash: first.requestHash };
    for (const each of [first, payment]) expect(await ledger.payments.reserve(each)).toBe('reserved');
    const begun = { progress: 'settling', answer: ANSWER, steps: ['store'], facts: { payment: { state: 'pending' } } };
    expect(await noted(ledger.payments, first)).toEqual({ code: undefined, state: undefined, ...begun });
    expect(await noted(ledger.payments, payment)).toEqual({ code: 'settlement_pending', state: 'unused', ...UNSTORED });
  });

  it('is refused when the fee budget is used up: the payment stays unused', async () => {
    const payment = newPayment({ feeLamports: LIMIT + 1 });
    expect(await ledger.payments.reserve(payment)).toBe('reserved');
    const refused = { code: 'facilitator_unavailable', state: 'unused', ...UNSTORED };
    expect(await noted(ledger.payments, payment)).toEqual(refused);
  });

  it('is refused when another request has reserved the payment since', async () => {
    const payment = newPayment();
    expect(await ledger.payments.reserve({ ...payment, owner: 'another' })).toBe('reserved');
    expect(await noted(ledger.payments, payment)).toEqual({ code: 'state_unavailable', state: 'unused', ...UNSTORED });
  });
});

ledgerSuite('a purchase of credit, which calls no upstream,', (ledger) => {
  it.each([
    ['was not sent', UNSENT],
    ['failed on the chain', REFUSED],
  ])('leaves no uncharged call if its payment %s', async (_, outcome) => {
    const payment = newPayment({ creditMicros: 5 });
    await ledger.payments.reserve(payment);
    expect(await noted(ledger.payments, payment, { signatureOf }, false)).toMatchObject({ progress: 'settling' });
    expect(await ledger.payments.look(newPayment({ payer: payment.payer }))).toMatchObject({ recentCalls: 0 });
    await ledger.payments.resolve(payment.key, outcome, payment.owner);
    expect(await ledger.payments.look(newPayment({ payer: payment.payer }))).toMatchObject({ recentCalls: 0 });
  });
});

postgresSuite('a settlement whose write was given up', () => {
  const opened = inSuite(openPostgresDatabase);
  const ledger = inEachTest(() => openPostgresLedger(opened.url));

  /** A reserved payment on a node whose write of the settlement is given up, and whose later writes may fail. */
  async function givenUp({ mayWrite = true, tookMs = 0 } = {}) {
    let late: AtomicWrite | undefined;
    const writeLate = async () => late && ledger.database.write(late);
    let onRead: () => Promise<unknown> = async () => undefined;
    const database = changed(ledger.database, {
      async write(step) {
        if (late && !mayWrite) throw new Error('no answer');
        if (late || !step.isDurable) return ledger.database.write(step);
        late = step;
        ledger.nowMs += tookMs;
        throw new Error('Query read timeout');
      },
      async read(statement) {
        const rows = await ledger.database.read(statement);
        if (late) await onRead();
        return rows;
      },
    });
    const payments = new Payments(database);
    onTestFinished(() => payments.close());
    const payment = newPayment();
    expect(await payments.reserve(payment)).toBe('reserved');
    const ask = (isCalled = true) => noted(payments, payment, { signatureOf }, isCalled);
    const atRead = (task: () => Promise<unknown>) => {
      onRead = task;
    };
    return { payment, ask, writeLate, atRead };
  }

  it('of its reservation leaves the payment unused, although the database has written it', async () => {
    const database = changed(ledger.database, {
      async write(step) {
        await ledger.database.write(step);
        throw new Error('Query read timeout');
      },
    });
    const payments = new Payments(database);
    onTestFinished(() => payments.close());
    const payment = newPayment({ mayHaveEffect: true });
    const again = () => ledger.payments.reserve({ ...payment, owner: 'again' });
    await expect(payments.reserve(payment)).rejects.toThrow('timeout');
    await expect.poll(again).toBe('reserved');
    expect((await ledger.payments.look(payment)).record).toMatchObject({ owner: 'again', calls: 1 });
  });

  it('P6 is pending if the database writes it after it was given up', async () => {
    const { ask, writeLate, atRead } = await givenUp();
    let reads = 0;
    atRead(async () => reads++ === 0 && writeLate());
    const pending = { code: 'settlement_pending', state: 'pending', progress: 'settling', answer: ANSWER };
    expect(await ask()).toEqual({ ...pending, steps: [], facts: {} });
  });

  it('P6 is not written any more once the payment is called unused', async () => {
    const { payment, ask, writeLate } = await givenUp();
    expect(await ask()).toEqual({ code: 'state_unavailable', state: 'unused', ...UNSTORED, progress: undefined });
    expect(await writeLate()).toBeUndefined();
    expect(await ledger.payments.find(payment.key)).toBeUndefined();
    expect((await ledger.payments.look(payment)).calls).toBe(1);
  });

  it('counts no upstream call if none was made', async () => {
    const { payment, ask, writeLate } = await givenUp();
    expect(await ask(false)).toMatchObject({ code: 'state_unavailable', state: 'unused', progress: undefined });
    expect(await writeLate()).toBeUndefined();
    expect(await ledger.payments.look(payment)).toMatchObject({ calls: 0, recentCalls: 0 });
  });

  it('P6 is pending if the database cannot be read then', async () => {
    const { ask, atRead } = await givenUp();
    let reads = 0;
    atRead(async () => {
      if (reads++ === 0) throw new Error('no answer');
    });
    expect(await ask()).toEqual({ code: 'state_unavailable', state: 'pending', ...UNSTORED });
  });

  it('P6 is not written any more once the payment is called unused, although its lease has lapsed meanwhile', async () => {
    const { ask, writeLate } = await givenUp({ tookMs: TIMES.leaseMs });
    expect(await ask()).toEqual({ code: 'state_unavailable', state: 'unused', ...UNSTORED, progress: undefined });
    expect(await writeLate()).toBeUndefined();
  });

  it('P6 is pending if its lease has lapsed and the database takes no write that would rule it out', async () => {
    const { ask } = await givenUp({ mayWrite: false, tookMs: TIMES.leaseMs });
    expect(await ask()).toEqual({ code: 'state_unavailable', state: 'pending', ...UNSTORED, progress: undefined });
  });

  it('P6 is pending if the database takes no write that would rule it out', async () => {
    const { ask } = await givenUp({ mayWrite: false });
    expect(await ask()).toEqual({ code: 'state_unavailable', state: 'pending', ...UNSTORED });
  });
});

/** What a facilitator answers, call by call. */
type Answer = (payment: NewPayment) => Settlement | Error;

const unknown: Answer = () => UNKNOWN;
const unsent: Answer = () => UNSENT;
const refused: Answer = () => REFUSED;
const fails: Answer = () => new Error('no answer');

const SETTLED = { code: undefined, state: undefined, progress: 'settled' };
const PENDING = { code: 'settlement_pending', state: 'pending', progress: 'unresolved' };
const UNUSED = { code: 'facilitator_unavailable', state: 'unused', progress: undefined };
const REJECTED = { code: 'payment_rejected', state: 'refused', progress: 'refused' };

ledgerSuite('a purchase whose settlement has begun', (ledger) => {
  /** The purchase of a payment that is being settled, by a facilitator that gives these answers. */
  async function begin(answers: readonly Answer[], change: Partial<NewPayment> = {}) {
    const payment = newPayment({ transaction, ...change });
    await startSettling(ledger, payment, ANSWER);
    const [outcomes, failures]: [string[], unknown[]] = [[], []];
    const settle = vi.fn(async () => {
      const answer = answers[settle.mock.calls.length - 1]?.(payment) ?? UNKNOWN;
      if (answer instanceof Error) throw answer;
      return answer;
    });
    const reading = { payments: ledger.payments, crypto: nodeCrypto, chains: new Map() };
    const facilitator = standIn<PaymentDependencies['facilitator']>({ settle });
    const reconciler = new Reconciler({ ...reading, facilitator });
    onTestFinished(() => reconciler.close());
    const dependencies = standIn<PaymentDependencies>({
      ...reading,
      facilitator,
      reconciler,
      onFailure: (error: unknown) => void failures.push(error),
      onSettlement: (outcome: string) => void outcomes.push(outcome),
    });
    const purchase = standIn<Purchase>({ payment, context: { inVersion1Header: false, request: {}, facts: {} } });
    return { payment, dependencies, purchase, settle, outcomes, failures };
  }

  type Begun = Awaited<ReturnType<typeof begin>>;

  const settled = async ({ dependencies, purchase }: Begun) =>
    recordOutcome(dependencies, purchase, await send(dependencies, purchase));

  /** What the client reads, and what the books record. */
  async function ended(
    { dependencies, purchase, payment }: Begun,
    outcome: Awaited<ReturnType<typeof settled>> | undefined,
  ) {
    const told = await conclude(dependencies, purchase, outcome).catch((error: unknown) => error);
    const { code, details } = told instanceof Refusal ? told : { code: undefined, details: undefined };
    const stored = await ledger.payments.find(payment.key);
    return { code, state: details?.payment?.state, progress: stored?.progress };
  }

  it.each<[string, readonly Answer[], object, string]>([
    ['is settled if it has landed', [landed], SETTLED, 'settled'],
    ['is refused if it has failed on the chain', [refused], REJECTED, 'refused'],
    ['is unused if nothing was sent', [unsent], UNUSED, 'unsent'],
    ['is looked up at once if its outcome is unknown', [unknown, landed], SETTLED, 'unknown'],
    ['is pending while its outcome is unknown', [unknown, unknown], PENDING, 'unknown'],
    ['is pending after a failure, which proves nothing', [fails, unknown], PENDING, 'unknown'],
  ])('%s', async (_, answers, expected, outcome) => {
    const begun = await begin(answers);
    expect(await ended(begun, await settled(begun))).toEqual(expected);
    expect(begun.settle).toHaveBeenCalledTimes(answers.length);
    expect(begun.outcomes).toEqual([outcome]);
    expect(begun.failures).toEqual(answers[0] === fails ? [new Error('no answer')] : []);
  });

  it('is pending while it takes too long, and is not sent again', async () => {
    const begun = await begin([]);
    expect(await ended(begun, undefined)).toEqual({ ...PENDING, progress: 'settling' });
    expect(begun.settle).not.toHaveBeenCalled();
  });

  describe('while the database does not answer', () => {
    const lost = new Error('the database has ended');
    const losing = (...methods: readonly ('resolve' | 'find')[]) => {
      for (const method of methods) vi.spyOn(Payments.prototype, method).mockRejectedValueOnce(lost);
    };

    it('is settled if it has landed', async () => {
      const begun = await begin([landed]);
      losing('resolve', 'find');
      const { signature } = landed(begun.payment);
      const concluded = await conclude(begun.dependencies, begun.purchase, await settled(begun));
      expect(concluded).toEqual({ record: { ...begun.payment, progress: 'unresolved', signature } });
      expect(begun.failures).toEqual([lost]);
    });

    it.each<[string, Answer, readonly ('resolve' | 'find')[]]>([
      ['nothing was sent', unsent, ['resolve']],
      ['nothing was sent, and its record cannot be read', unsent, ['resolve', 'find']],
      ['it was refused', refused, ['resolve']],
    ])('is pending although %s, because no record says so', async (_, answer, methods) => {
      const begun = await begin([answer]);
      losing(...methods);
      expect(await ended(begun, await settled(begun))).toEqual({ ...PENDING, progress: 'settling' });
    });
  });

  describe('and has ended', () => {
    const CREDIT = 45;
    const answer = { json: ANSWER };

    it('owes its answer until that is delivered', async () => {
      const begun = await begin([landed]);
      const { dependencies, purchase, payment } = begun;
      const concluded = await conclude(dependencies, purchase, await settled(begun));
      const { receipt } = deliveryOf(dependencies, purchase, answer, concluded);
      expect(receipt).not.toHaveProperty('grantedMicros');
      expect(receipt.headers).not.toHaveProperty(HEADERS.credit);
      expect(await ledger.payments.find(payment.key)).toMatchObject({ owed: true });
      receipt.onDelivered?.();
      await expect.poll(() => ledger.payments.find(payment.key)).toMatchObject({ owed: false });
    });

    it.each([
      ['is bought', false, {}, false],
      ['is fetched again', true, { owed: false }, true],
      ['is fetched first by another request', true, { owed: true }, false],
    ])('is a repeat only if its answer was delivered before: it %s', async (_, isReplayed, change, isRepeat) => {
      const { payment } = await begin([]);
      const record = { ...payment, progress: 'settled', signature: 'sent', ...change } as const;
      const call = { inVersion1Header: false, receipts: undefined, request: payment };
      const { sale, headers } = receiptOfPayment(record, call, isReplayed);
      expect(sale).toEqual({ micros: 5, asset: 'usdc', transaction: 'sent', isRepeat });
      expect(headers[HEADERS.replayed]).toBe(isReplayed ? 'true' : undefined);
    });

    it.each([
      ['it began to settle', { settlingSinceMs: 1, resolvedAtMs: 2 }, 1],
      ['the chain showed it', { resolvedAtMs: 2 }, 2],
    ])('has a receipt of the time when %s', async (_, times, paidAtMs) => {
      const { payment } = await begin([]);
      const extensionsFor = vi.fn(() => ({}));
      const receipts = standIn<ReceiptIssuer>({ extensionsFor });
      const call = { inVersion1Header: false, receipts, request: payment };
      receiptOfPayment({ ...payment, progress: 'settled', ...times }, call, false);
      expect(extensionsFor).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ paidAtMs }));
    });

    it.each([
      ['names the credit that it has brought, and the balance', CREDIT, `balance=${CREDIT}`],
      ['names no balance that the database did not tell', undefined, undefined],
    ])('%s', async (_, balanceMicros, header) => {
      const begun = await begin([landed], { creditMicros: CREDIT });
      const outcome = await settled(begun);
      expect(outcome.balanceMicros).toBe(CREDIT);
      const concluded = await conclude(begun.dependencies, begun.purchase, { ...outcome, balanceMicros });
      const { receipt } = deliveryOf(begun.dependencies, begun.purchase, answer, concluded);
      expect([receipt.grantedMicros, receipt.headers[HEADERS.credit]]).toEqual([CREDIT, header]);
    });
  });
});
