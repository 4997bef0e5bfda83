import { HEADERS, Refusal, type RefusalDetails } from '@asset-gateway/protocol';
import { describe, expect, it, vi } from 'vitest';
import type { Admission, Answer } from '../../packages/gateway/src/call.ts';
import type { Debit, NewDebit } from '../../packages/gateway/src/credit/account.ts';
import type { HoldVerdict } from '../../packages/gateway/src/credit/accounts.ts';
import {
  answerFromCredit,
  ChargedAnswers,
  creditHeader,
  type DebitContext,
  refusalOfHold,
} from '../../packages/gateway/src/credit/debiting.ts';
import { LIMITS } from '../../packages/gateway/src/limits.ts';
import { UNUSED_PAYMENT } from '../../packages/gateway/src/receipts/paid-answers.ts';
import type { ReceiptIssuer } from '../../packages/gateway/src/receipts/response.ts';
import { TIMES } from '../../packages/gateway/src/times.ts';
import { grant, HOLDER, ledgerSuite, newDebit } from '../kit/ledger.ts';

const PRICE = 5;
const GRANTED = 100;
const ANSWER: Answer = { json: '{"n":1}' };

it.each<[HoldVerdict, string, Pick<RefusalDetails, 'reason' | 'payment' | 'retryAfterSeconds'>]>([
  ['insufficient', 'credit_exhausted', { payment: UNUSED_PAYMENT }],
  ['due', 'settlement_pending', { reason: 'due', payment: UNUSED_PAYMENT }],
  ['called', 'payment_already_used', { reason: 'called before', payment: { state: 'refused' } }],
  ['busy', 'rate_limited', { reason: 'holds of the wallet', payment: UNUSED_PAYMENT, retryAfterSeconds: 1 }],
  [
    'failing',
    'rate_limited',
    { reason: 'calls that were not charged', payment: UNUSED_PAYMENT, retryAfterSeconds: 10 },
  ],
  ['running', 'payment_in_progress', { reason: 'debit', payment: { state: 'in_progress' } }],
])('a price that is not held because the account is %s is refused as %s', (verdict, code, details) => {
  const refusal = refusalOfHold(verdict);
  expect(refusal).toBeInstanceOf(Refusal);
  expect(refusal).toMatchObject({ code, details });
  expect(refusal.details.message !== undefined).toBe(code === 'rate_limited');
});

it('a balance without a charge is named alone', () => {
  expect(creditHeader(undefined, 7)[HEADERS.credit]).toBe('balance=7');
});

ledgerSuite('a call that is paid from credit', (ledger) => {
  const dependencies = () => {
    const { accounts } = ledger;
    return { accounts, answers: new ChargedAnswers(accounts), holdMs: TIMES.leastHoldMs };
  };
  const contextOf = (request: NewDebit, change: Partial<DebitContext> = {}): DebitContext => ({
    request,
    inVersion1Header: false,
    receipts: undefined,
    ...change,
  });
  const account = () => ledger.accounts.find(HOLDER);

  /** A held price. */
  async function held(change: Partial<NewDebit> = {}): Promise<NewDebit> {
    await grant(ledger, GRANTED);
    const debit = newDebit(PRICE, change);
    expect(await ledger.accounts.hold(debit)).toMatchObject({ verdict: 'held' });
    return debit;
  }

  const failed = new Error('failed');
  type Upstream = (admission: Admission) => Promise<Answer>;

  it.each<[string, Upstream, number]>([
    ['that failed before it was made leaves none', async () => Promise.reject(failed), 0],
    [
      'that failed leaves one',
      async ({ onSlot }) => {
        await onSlot?.();
        throw failed;
      },
      1,
    ],
  ])('counts as an uncharged call only if the upstream was called: one %s', async (_, upstream, uncharged) => {
    const debit = await held();
    const answering = answerFromCredit(dependencies(), debit, contextOf(debit), () => upstream);
    await expect(answering).rejects.toBe(failed);
    expect(await account()).toMatchObject({ spentMicros: 0, heldMicros: 0, holds: 0, uncharged });
  });

  it.each<[string, Partial<NewDebit>, boolean, boolean]>([
    ['a signature, and receipts are not signed', {}, false, false],
    ['a signature, and receipts are signed', {}, true, true],
    ['a payment', { by: 'payment' }, false, true],
  ])('has a receipt, with a response of x402 unless it is for %s', async (_, change, isSigned, hasResponse) => {
    const debit = await held(change);
    const receipts = isSigned ? ({ extensionsFor: () => ({}) } as unknown as ReceiptIssuer) : undefined;
    const context = contextOf(debit, { receipts });
    const { answer, receipt } = await answerFromCredit(dependencies(), debit, context, () => async () => ANSWER);
    const { by } = debit;
    expect(answer).toEqual(ANSWER);
    expect(receipt).toMatchObject({
      priceUsd: '0.000005',
      debit: { micros: PRICE, by, balanceMicros: GRANTED - PRICE, isRepeat: false },
    });
    expect(receipt.headers[HEADERS.credit]).toBe(`charged=${PRICE}, balance=${GRANTED - PRICE}`);
    expect(HEADERS.paymentResponse in receipt.headers).toBe(hasResponse);
    expect(receipt.headers).not.toHaveProperty(HEADERS.replayed);
  });

  it('owes its answer until that is delivered', async () => {
    const debit = await held();
    const { receipt } = await answerFromCredit(dependencies(), debit, contextOf(debit), () => async () => ANSWER);
    const again = { ...newDebit(PRICE), requestHash: debit.requestHash };
    expect(await ledger.accounts.hold(again)).toMatchObject({ verdict: 'owed' });
    receipt.onDelivered?.();
    await expect.poll(async () => (await ledger.accounts.hold(again)).verdict).toBe('held');
  });

  it('is pending if the database does not confirm the charge', async () => {
    const debit = await held();
    vi.spyOn(ledger.accounts, 'capture').mockRejectedValueOnce(new Error('no answer'));
    const answering = answerFromCredit(dependencies(), debit, contextOf(debit), () => async () => ANSWER);
    const details = { payment: { state: 'pending' } };
    await expect(answering).rejects.toMatchObject({ code: 'state_unavailable', details });
    await expect.poll(account).toMatchObject({ spentMicros: 0, heldMicros: 0, holds: 0 });
  });

  describe('and was charged', () => {
    const again = vi.fn(async () => ANSWER);

    /** A debit that was charged, and how its signature is sent again. */
    async function charged() {
      const { answers, accounts } = dependencies();
      const debit = await held();
      await accounts.capture(debit, ANSWER.json);
      const known = (await accounts.debit(debit.id)) as Debit;
      return (change: Partial<NewDebit> = {}, progress = known.progress, more: Partial<DebitContext> = {}) =>
        answers.deliverKnown({ ...known, progress }, contextOf({ ...debit, ...change }, more), () => again);
    }

    it('is answered again with a fresh nonce, and not charged again', async () => {
      const freshNonce = () => ({ [HEADERS.replayNonce]: 'fresh' });
      const { answer, receipt } = await (await charged())({}, 'captured', { freshNonce });
      expect(answer).toEqual(ANSWER);
      expect(receipt.headers).toMatchObject({ [HEADERS.replayed]: 'true', [HEADERS.replayNonce]: 'fresh' });
      expect(receipt.debit).toEqual({ micros: PRICE, by: 'signature', balanceMicros: GRANTED - PRICE, isRepeat: true });
      expect(await account()).toMatchObject({ spentMicros: PRICE });
      expect(again).not.toHaveBeenCalled();
    });

    it.each<[string, object, Debit['progress'], string, string]>([
      ['for another request', { requestHash: 'another' }, 'captured', 'payment_already_used', 'settled'],
      ['for another request while it runs', { requestHash: 'another' }, 'held', 'payment_already_used', 'in_progress'],
      ['while it runs', {}, 'held', 'payment_in_progress', 'in_progress'],
    ])('is refused %s', async (_, change, progress, code, state) => {
      const deliver = await charged();
      await expect(deliver(change, progress)).rejects.toMatchObject({ code, details: { payment: { state } } });
      expect(again).not.toHaveBeenCalled();
    });

    it('is answered a limited number of times', async () => {
      const deliver = await charged();
      for (let times = 0; times < LIMITS.deliveries.payer; times++) await deliver();
      await expect(deliver()).rejects.toMatchObject({ code: 'payment_already_used' });
      expect(await account()).toMatchObject({ spentMicros: PRICE });
    });
  });
});
