import { CORS_HEADERS, dollars, HEADERS, Refusal } from '@asset-gateway/protocol';
import type { Answer, NoncedTake, Receipt, Slot } from '../call.ts';
import { type Admission, type Delivery, fromStore } from '../gates/gate.ts';
import { type Fetching, Redelivery, Repeats } from '../gates/redelivery.ts';
import { balanceOf, type Debit, type NewDebit } from './account.ts';
import type { Accounts, HoldVerdict } from './accounts.ts';

/** A browser's script may read it as well. */
const EXPOSED = 'Access-Control-Expose-Headers';
const EXPOSED_HEADERS = `${CORS_HEADERS[EXPOSED]}, ${HEADERS.credit}`;

/** What every answer that was paid from credit says of it, as a dictionary of RFC 8941, in millionths of a dollar. */
export const creditHeader = (chargedMicros: number | undefined, balanceMicros: number): Record<string, string> => {
  const charged = chargedMicros === undefined ? '' : `charged=${chargedMicros}, `;
  return {
    [HEADERS.credit]: `${charged}balance=${balanceMicros}`,
    [EXPOSED]: EXPOSED_HEADERS,
  };
};

/** Headers beside those of credit, of a debit as it was charged: a fresh nonce for who has signed, and x402's response. */
export type HeadersOf = (debit: NewDebit) => Readonly<Record<string, string>>;

/** The receipt of a debit. */
export function receiptOf(debit: NewDebit, balanceMicros: number, headersOf: HeadersOf): Receipt {
  const { micros, by } = debit;
  return {
    priceUsd: dollars(micros),
    debit: { micros, by, balanceMicros },
    headers: { ...creditHeader(micros, balanceMicros), ...headersOf(debit) },
  };
}

/** Marks the receipt of an answer that was charged before. */
export const replayed = (receipt: Receipt): Receipt => ({
  ...receipt,
  ...(receipt.debit && { debit: { ...receipt.debit, isRepeat: true } }),
  headers: { ...receipt.headers, [HEADERS.replayed]: 'true' },
});

const running = () => new Refusal('payment_in_progress', { reason: 'debit', payment: { state: 'in_progress' } });

const BUSY = 'Too many calls of this wallet are on their way; send the same request again after Retry-After.';
const FAILING =
  'Too many calls of this wallet have failed at the upstream, which costs nothing; send the same request again after Retry-After.';

/** Why a price could not be held. What pays for the call stays unused. */
export function refusalOf(verdict: Exclude<HoldVerdict, 'held'>): Refusal {
  if (verdict === 'insufficient') return new Refusal('credit_exhausted', { payment: { state: 'unused' } });
  if (verdict === 'due') return new Refusal('settlement_pending', { reason: verdict, payment: { state: 'unused' } });
  if (verdict !== 'busy' && verdict !== 'failing') return running();
  const isFailing = verdict === 'failing';
  return new Refusal('rate_limited', {
    reason: isFailing ? 'calls that were not charged' : 'holds of the wallet',
    message: isFailing ? FAILING : BUSY,
    retryAfterSeconds: isFailing ? 10 : 1,
    payment: { state: 'unused' },
  });
}

/** A debit that is there already, for another request or still on its way. */
const alreadyRunning = running;
export const alreadyUsed = (): Refusal =>
  new Refusal('payment_already_used', { reason: 'another request', payment: { state: 'settled' } });

/** What a debit is carried out with. */
export interface DebitParts {
  readonly accounts: Accounts;
  readonly onFailure: (error: unknown) => void;
  /** How long a call may take, in milliseconds. */
  readonly leaseMs: number;
  /** Called at each step of a debit, before the next one begins. */
  readonly onStep?: (step: 'hold' | 'upstream' | 'capture' | 'respond') => void;
}

/** How one debit is answered, and whether its price is held already. */
interface DebitOptions {
  readonly headersOf: HeadersOf;
  /** What every answer from here on carries. */
  readonly admissionHeaders?: Admission['headers'];
  readonly isHeld: boolean;
}

const none = () => ({});

/** A call that is paid from credit: its price is held before the upstream is called, and captured together with the answer. */
export class Debiting implements Admission {
  readonly headers: Admission['headers'];
  readonly #parts: DebitParts;
  readonly #debit: NewDebit;
  readonly #headersOf: HeadersOf;
  #isHeld: boolean;
  #isCalled = false;

  constructor(parts: DebitParts, debit: NewDebit, { headersOf, admissionHeaders = none, isHeld }: DebitOptions) {
    this.headers = admissionHeaders;
    this.#parts = parts;
    this.#debit = debit;
    this.#headersOf = headersOf;
    this.#isHeld = isHeld;
  }

  async spend(take: NoncedTake): Promise<Slot> {
    if (!this.#isHeld) {
      const { accounts, leaseMs } = this.#parts;
      const { verdict } = await fromStore(accounts.hold(this.#debit, { leaseMs, isPastOwed: true }));
      if (verdict !== 'held') throw refusalOf(verdict);
      this.#isHeld = true;
      this.#parts.onStep?.('hold');
    }
    const slot = await take();
    this.#isCalled = true;
    return slot;
  }

  async settle({ json }: Answer): Promise<Receipt> {
    const { accounts, onStep } = this.#parts;
    onStep?.('upstream');
    const debit: NewDebit = { ...this.#debit, capturedAtMs: accounts.now() };
    const balanceMicros = await fromStore(accounts.capture(debit, json), { payment: { state: 'pending' } });
    if (typeof balanceMicros === 'string') throw refusalOf(balanceMicros);
    this.#isHeld = false;
    onStep?.('capture');
    const onDelivered = () => {
      onStep?.('respond');
      accounts.delivered(debit.id);
    };
    return { ...receiptOf(debit, balanceMicros, this.#headersOf), onDelivered };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { accounts, onFailure } = this.#parts;
    if (this.#isHeld) await accounts.release(this.#debit, this.#isCalled).catch(onFailure);
  }
}

/** Calls to the upstream that one debit may cost, its first among them. */
const MOST_CALLS = 3;

/** Answers that were charged before: the same debit again gets the same answer, and an answer that was not delivered is owed. */
export class ChargedAnswers {
  readonly #accounts: Accounts;
  readonly #fetching: Fetching = new Set();
  readonly #repeats = new Repeats();

  constructor(accounts: Accounts) {
    this.#accounts = accounts;
  }

  /** The answer of this very debit. Refuses while it is running, or if it was for another request. */
  async known(debit: Debit, requestHash: string, headersOf: HeadersOf): Promise<Admission | Delivery> {
    if (debit.requestHash !== requestHash) throw alreadyUsed();
    if (debit.progress === 'held') throw alreadyRunning();
    if (this.#isTooOften(debit)) {
      throw new Refusal('payment_already_used', { reason: 'sent again too often', payment: { state: 'settled' } });
    }
    return this.#deliver(debit, headersOf);
  }

  /** The answer of another debit for the same request; undefined if it was fetched too often. */
  async owed(debit: Debit, headersOf: HeadersOf): Promise<Admission | Delivery | undefined> {
    return this.#isTooOften(debit) ? undefined : this.#deliver(debit, headersOf);
  }

  #isTooOften({ id }: Debit): boolean {
    return this.#repeats.isTooOften(id, 'payer', this.#accounts.now());
  }

  async #deliver(debit: Debit, headersOf: HeadersOf): Promise<Admission | Delivery> {
    const accounts = this.#accounts;
    const { id } = debit;
    const [json, account] = await fromStore(Promise.all([accounts.answer(id), accounts.find(debit)]));
    const receipt = {
      ...replayed(receiptOf(debit, balanceOf(account), headersOf)),
      onDelivered: () => accounts.delivered(id),
    };
    if (json !== undefined) return { answer: { json }, receipt };
    return new Redelivery(accounts, { key: id, receipt, mostCalls: MOST_CALLS }, this.#fetching);
  }
}
