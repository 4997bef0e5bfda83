import { CORS_HEADERS, dollars, HEADERS, Refusal } from '@asset-gateway/protocol';
import type { Answer, Receipt, Slot, TakeSlot } from '../call.ts';
import { type Admission, type Delivery, fromStore } from '../gates/gate.ts';
import { type Fetching, Redelivery, Repeats } from '../gates/redelivery.ts';
import { balanceOf, type Debit, type NewDebit } from './account.ts';
import type { Accounts, HoldVerdict } from './accounts.ts';

/** What debits need. */
export interface DebitDependencies {
  readonly accounts: Accounts;
  readonly onFailure: (error: unknown) => void;
  /** How long a call may take, in milliseconds. */
  readonly leaseMs: number;
  /** Called after each step of a debit, before the next one begins. */
  readonly onStep?: ((step: 'hold' | 'upstream' | 'capture' | 'respond') => void) | undefined;
}

/** Headers that depend on the debit as it was charged: a fresh nonce for a signature, and x402's response. */
export type HeadersOf = (debit: NewDebit) => Readonly<Record<string, string>>;

/** Upstream calls that one debit may cost. */
const MOST_CALLS = 3;

const EXPOSED = 'Access-Control-Expose-Headers';
const EXPOSED_HEADERS = `${CORS_HEADERS[EXPOSED]}, ${HEADERS.credit}`;

/** The credit header, a dictionary of RFC 8941 in millionths of a dollar, which scripts in browsers may read. */
export const creditHeader = (chargedMicros: number | undefined, balanceMicros: number): Record<string, string> => {
  const charged = chargedMicros === undefined ? '' : `charged=${chargedMicros}, `;
  return { [HEADERS.credit]: `${charged}balance=${balanceMicros}`, [EXPOSED]: EXPOSED_HEADERS };
};

/** The receipt of a debit. */
function receiptOf(debit: NewDebit, balanceMicros: number, headersOf: HeadersOf): Receipt {
  const { micros, by } = debit;
  return {
    priceUsd: dollars(micros),
    debit: { micros, by, balanceMicros },
    headers: { ...creditHeader(micros, balanceMicros), ...headersOf(debit) },
  };
}

const alreadyRunning = () => new Refusal('payment_in_progress', { reason: 'debit', payment: { state: 'in_progress' } });
const alreadyUsed = (reason: string) => new Refusal('payment_already_used', { reason, payment: { state: 'settled' } });

const BUSY = 'Too many calls of this wallet are in progress; retry after Retry-After.';
const FAILING = 'Too many uncharged calls of this wallet have failed at the upstream; retry after Retry-After.';

/** The refusal of a price that could not be held. The payment or signature stays unused. */
export function refusalOf(verdict: Exclude<HoldVerdict, 'held'>): Refusal {
  if (verdict === 'insufficient') return new Refusal('credit_exhausted', { payment: { state: 'unused' } });
  if (verdict === 'due') return new Refusal('settlement_pending', { reason: verdict, payment: { state: 'unused' } });
  if (verdict !== 'busy' && verdict !== 'failing') return alreadyRunning();
  const isFailing = verdict === 'failing';
  return new Refusal('rate_limited', {
    reason: isFailing ? 'calls that were not charged' : 'holds of the wallet',
    message: isFailing ? FAILING : BUSY,
    retryAfterSeconds: isFailing ? 10 : 1,
    payment: { state: 'unused' },
  });
}

interface DebitOptions {
  readonly headersOf: HeadersOf;
  /** Headers of every answer from now on. */
  readonly admissionHeaders?: Admission['headers'];
  readonly isHeld: boolean;
}

/** A call that is paid from credit: its price is held before the upstream call, and captured together with the answer. */
export class Debiting implements Admission {
  readonly headers: Admission['headers'];
  readonly #dependencies: DebitDependencies;
  readonly #debit: NewDebit;
  readonly #headersOf: HeadersOf;
  #isHeld: boolean;
  #isCalled = false;

  constructor(dependencies: DebitDependencies, debit: NewDebit, options: DebitOptions) {
    this.headers = options.admissionHeaders ?? (() => ({}));
    this.#dependencies = dependencies;
    this.#debit = debit;
    this.#headersOf = options.headersOf;
    this.#isHeld = options.isHeld;
  }

  async spend(take: TakeSlot): Promise<Slot> {
    if (!this.#isHeld) {
      const { accounts, leaseMs, onStep } = this.#dependencies;
      const { verdict } = await fromStore(accounts.hold(this.#debit, { leaseMs, isPastOwed: true }));
      if (verdict !== 'held') throw refusalOf(verdict);
      this.#isHeld = true;
      onStep?.('hold');
    }
    const slot = await take();
    this.#isCalled = true;
    return slot;
  }

  async settle({ json }: Answer): Promise<Receipt> {
    const { accounts, onStep } = this.#dependencies;
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
    const { accounts, onFailure } = this.#dependencies;
    if (this.#isHeld) await accounts.release(this.#debit, this.#isCalled).catch(onFailure);
  }
}

/** Answers that were charged before: to the same debit sent again, and to a request whose answer was not delivered. */
export class ChargedAnswers {
  readonly #accounts: Accounts;
  readonly #fetching: Fetching = new Set();
  readonly #repeats = new Repeats();

  constructor(accounts: Accounts) {
    this.#accounts = accounts;
  }

  /** The answer of this very debit. Refuses while it is running, or if it was for another request. */
  async known(debit: Debit, requestHash: string, headersOf: HeadersOf): Promise<Admission | Delivery> {
    if (debit.requestHash !== requestHash) throw alreadyUsed('another request');
    if (debit.progress === 'held') throw alreadyRunning();
    if (this.#isTooOften(debit)) throw alreadyUsed('sent again too often');
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
    const { id: key, micros, by } = debit;
    const [json, account] = await fromStore(Promise.all([accounts.answer(key), accounts.find(debit)]));
    const balanceMicros = balanceOf(account);
    const charged = receiptOf(debit, balanceMicros, headersOf);
    const receipt = {
      ...charged,
      debit: { micros, by, balanceMicros, isRepeat: true },
      headers: { ...charged.headers, [HEADERS.replayed]: 'true' },
      onDelivered: () => accounts.delivered(key),
    };
    if (json !== undefined) return { answer: { json }, receipt };
    return new Redelivery(accounts, { key, receipt, mostCalls: MOST_CALLS }, this.#fetching);
  }
}
