import {
  CORS_HEADERS,
  dollars,
  EXPOSE_HEADERS,
  HEADERS,
  Refusal,
  type RefusalCode,
  type RefusalDetails,
} from '@asset-gateway/protocol';
import type { Delivery, Prepare, Receipt } from '../call.ts';
import { fromStore, untilReleased } from '../from-store.ts';
import { alreadyUsed, inProgress, PaidAnswers, storedText, UNUSED_PAYMENT } from '../receipts/paid-answers.ts';
import { type PaidCall, settledResponse } from '../receipts/response.ts';
import { balanceOf, type Debit, type NewDebit } from './account.ts';
import type { Accounts, HoldVerdict } from './accounts.ts';

/** Dependencies of debiting. */
export interface CreditDependencies {
  readonly accounts: Accounts;
  readonly answers: ChargedAnswers;
  /** How long a hold lasts, in milliseconds (`holdMsFor`). */
  readonly holdMs: number;
  /** Called after each step of a debit, before the next one begins. */
  readonly onStep?: ((step: 'hold' | 'upstream' | 'capture' | 'respond') => void) | undefined;
}

/** A call that is paid from credit. */
export interface DebitContext extends PaidCall {
  /** Returns the headers with a fresh nonce; absent unless the call is paid by signature. */
  readonly freshNonce?: () => Readonly<Record<string, string>>;
}

const EXPOSED_WITH_CREDIT = `${CORS_HEADERS[EXPOSE_HEADERS]}, ${HEADERS.credit}`;

/** Returns the header with charge and balance: a dictionary of RFC 8941, in millionths of a dollar. Scripts in browsers may read it. */
export const creditHeader = (chargedMicros: number | undefined, balanceMicros: number): Record<string, string> => {
  const charged = chargedMicros === undefined ? '' : `charged=${chargedMicros}, `;
  return { [HEADERS.credit]: `${charged}balance=${balanceMicros}`, [EXPOSE_HEADERS]: EXPOSED_WITH_CREDIT };
};

/**
 * Returns the receipt of a debit. Its x402 response has no transaction and the amount 0. Answers to a signature carry that response only if
 * receipts are signed.
 */
function receiptOfDebit(debit: NewDebit, balanceMicros: number, context: DebitContext, isRepeat = false): Receipt {
  const { micros, by, network, wallet: payer, resourceUrl, capturedAtMs: paidAtMs } = debit;
  const settled = { transaction: '', network, payer, amount: '0', resourceUrl, paidAtMs };
  const hasResponse = by === 'payment' || context.receipts !== undefined;
  return {
    priceUsd: dollars(micros),
    debit: { micros, by, balanceMicros, isRepeat },
    headers: {
      ...creditHeader(micros, balanceMicros),
      ...(hasResponse && settledResponse(settled, context)),
      ...(isRepeat && { ...context.freshNonce?.(), [HEADERS.replayed]: 'true' }),
    },
  };
}

const BUSY = 'Too many calls of this wallet are in progress; retry after Retry-After.';
const FAILING = 'Too many uncharged calls of this wallet have failed at the upstream; retry after Retry-After.';

/** The refusal for each verdict of a hold that failed. */
const NOT_HELD: Partial<Record<HoldVerdict, readonly [RefusalCode, RefusalDetails]>> = {
  insufficient: ['credit_exhausted', {}],
  due: ['settlement_pending', { reason: 'due' }],
  called: ['payment_already_used', { reason: 'called before', payment: { state: 'refused' } }],
  busy: ['rate_limited', { reason: 'holds of the wallet', message: BUSY, retryAfterSeconds: 1 }],
  failing: ['rate_limited', { reason: 'calls that were not charged', message: FAILING, retryAfterSeconds: 10 }],
};

/** Returns the refusal of a price that was not held. Unless its debit is in progress, the payment or signature stays unused. */
export function refusalOfHold(verdict: HoldVerdict): Refusal {
  const [code, details] = NOT_HELD[verdict] ?? [];
  return code ? new Refusal(code, { payment: UNUSED_PAYMENT, ...details }) : inProgress('debit');
}

/**
 * Takes steps 6 to 10 of a purchase whose price is held in credit. Calls the upstream, and then captures the price together with the
 * answer, or releases it.
 */
export async function answerFromCredit(
  { accounts, onStep }: CreditDependencies,
  debit: NewDebit,
  context: DebitContext,
  prepare: Prepare,
): Promise<Delivery> {
  let isCalled = false;
  const onSlot = async () => {
    isCalled = true;
  };
  try {
    onStep?.('hold');
    const answer = await prepare()({ onSlot });
    onStep?.('upstream');
    const captured = { ...debit, capturedAtMs: accounts.now() };
    const balanceMicros = await fromStore(accounts.capture(captured, storedText(answer)), {
      payment: { state: 'pending' },
    });
    if (typeof balanceMicros === 'string') throw refusalOfHold(balanceMicros);
    onStep?.('capture');
    const onDelivered = () => {
      onStep?.('respond');
      accounts.delivered(debit.id);
    };
    return { answer, receipt: { ...receiptOfDebit(captured, balanceMicros, context), onDelivered } };
  } catch (error) {
    // This releases only what is still held.
    await untilReleased(error, accounts.release(debit, isCalled));
    throw error;
  }
}

/** Delivers answers that were charged before: to a debit that is sent again, and to a request whose answer was not delivered. */
export class ChargedAnswers extends PaidAnswers {
  readonly #accounts: Accounts;

  constructor(accounts: Accounts) {
    super(accounts);
    this.#accounts = accounts;
  }

  /** Returns the answer of this debit. Throws a refusal while the debit is in progress, or if it was for another request. */
  async deliverKnown(debit: Debit, context: DebitContext, prepare: Prepare): Promise<Delivery> {
    const isRunning = debit.progress === 'held';
    if (debit.requestHash !== context.request.requestHash)
      throw alreadyUsed('another request', isRunning ? 'in_progress' : 'settled');
    if (isRunning) throw inProgress('debit');
    const found = await this.deliverCharged(debit, context, prepare);
    if (!found) throw alreadyUsed('sent again too often');
    return found;
  }

  /** Returns the answer of another debit for the same request; undefined if it was fetched too often. */
  async deliverCharged(debit: Debit, context: DebitContext, prepare: Prepare): Promise<Delivery | undefined> {
    if (this.isTooOften(debit.id, 'payer')) return undefined;
    const found = this.#accounts.find(debit);
    const receipt = found.then((account) => receiptOfDebit(debit, balanceOf(account), context, true));
    return this.deliver(debit.id, receipt, prepare);
  }
}
