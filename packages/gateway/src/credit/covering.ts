import { Refusal } from '@asset-gateway/protocol';
import type { Answer, NoncedTake, Receipt, Slot } from '../call.ts';
import { type Admission, fromStore } from '../gates/gate.ts';
import {
  type Cover,
  type CoverablePayment,
  type CoverablePurchase,
  type Covering,
  NotNeeded,
  type SentPayment,
} from '../payments/cover.ts';
import { type AccountHolder, balanceOf, type Debit, type NewDebit } from './account.ts';
import type { HoldResult, HoldVerdict } from './accounts.ts';
import { type ChargedAnswers, creditHeader, Debiting, type DebitParts, type HeadersOf, refusalOf } from './debiting.ts';
import { accountName, busy, type Turns } from './turns.ts';

/** What payments are covered with. */
export interface CoverParts extends DebitParts {
  readonly answers: ChargedAnswers;
  readonly turns: Turns;
  /** The price of one call; undefined if payments only buy credit, which always settles. */
  readonly priceMicros: number | undefined;
  /** How much credit a wallet may have. */
  readonly limitMicros: number;
  readonly randomId: () => string;
  /** x402's response to a payment that was not needed. */
  readonly responseOf: (debit: NewDebit, payment: SentPayment) => Readonly<Record<string, string>>;
}

const overLimit = () => new Refusal('credit_limit', { payment: { state: 'unused' } });

/** Verdicts that do not depend on what was paid before. */
const FINAL: readonly HoldVerdict[] = ['insufficient', 'busy', 'failing'];

/** How often a payment may find, after its verification, that another node buys for its wallet. */
const MOST_TURNS = 3;

const holderOf = ({ network, payer }: CoverablePayment): AccountHolder => ({ network, wallet: payer });

/** The debit that may pay for a call in place of a payment; undefined if only the payment may. */
function debitFor(payment: CoverablePayment, { priceMicros, randomId }: CoverParts): NewDebit | undefined {
  const { key, requestHash, call, trail, amountMicros, memo, hasTicket, resourceUrl } = payment;
  // Anyone can send a copy of a payment that failed on the chain, but not its ticket.
  if (priceMicros === undefined || !hasTicket) return undefined;
  return {
    ...holderOf(payment),
    id: key,
    by: 'payment',
    ...(memo !== undefined && { memo }),
    ...(resourceUrl !== undefined && { resourceUrl }),
    // No more than was signed for, whatever the price is now.
    micros: Math.min(priceMicros, amountMicros),
    route: call.route.id,
    requestHash,
    owner: randomId(),
    requestId: trail.requestId,
  };
}

/**
 * A payment that may not be needed: its call is paid from credit if there is enough. While another call of its wallet buys credit,
 * it waits for that; while it buys credit itself, others wait for it.
 */
class Coverable implements Admission {
  readonly #parts: CoverParts;
  readonly #payment: CoverablePayment;
  readonly #purchase: CoverablePurchase;
  readonly #debit: NewDebit | undefined;
  /** The outcome of the first attempt to hold the price. */
  #first: HoldResult | undefined;
  #chosen: Admission | undefined;
  /** Whether other calls of the wallet wait for this one, which buys credit. */
  #isBuying = false;

  constructor(parts: CoverParts, { payment, debit, first }: Begun, purchase: CoverablePurchase) {
    this.#parts = parts;
    this.#payment = payment;
    this.#purchase = purchase;
    this.#debit = debit;
    this.#first = first;
    if (first.verdict === 'held') this.#chosen = this.#debiting(first.debit);
  }

  async spend(take: NoncedTake): Promise<Slot> {
    for (let turn = 0; turn < MOST_TURNS && !this.#chosen; turn++) {
      this.#chosen = await this.#parts.turns.until(this.#name, () => this.#choose());
      if (this.#chosen !== this.#purchase || this.#payment.creditMicros === 0) break;
      const slot = await this.#buy(take);
      if (slot) return slot;
    }
    if (!this.#chosen) throw busy('other nodes buy for this wallet');
    return this.#chosen.spend(take);
  }

  async settle(answer: Answer): Promise<Receipt> {
    const chosen = this.#chosen ?? this.#purchase;
    const receipt = await chosen.settle(answer);
    const { creditMicros } = this.#payment;
    if (chosen !== this.#purchase || creditMicros === 0) return receipt;
    const { balanceMicros } = this.#purchase;
    const headers = { ...receipt.headers, ...(balanceMicros !== undefined && creditHeader(undefined, balanceMicros)) };
    return { ...receipt, grantedMicros: creditMicros, headers };
  }

  headers(): Readonly<Record<string, string>> {
    return this.#chosen?.headers() ?? {};
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (this.#chosen ?? this.#purchase)[Symbol.asyncDispose]();
    this.#endBuying();
  }

  get #name(): string {
    return accountName(holderOf(this.#payment));
  }

  async #choose(): Promise<Admission | 'not yet'> {
    const result = await this.#tryToHold();
    if (result.verdict === 'held') return this.#debiting(result.debit);
    const { verdict, account } = result;
    if (verdict === 'busy') return 'not yet';
    if (verdict !== 'insufficient') throw refusalOf(verdict);
    const { limitMicros, turns } = this.#parts;
    const { key, creditMicros } = this.#payment;
    const buyers = [account.purchase?.key, turns.buyerOf(this.#name)].filter((buyer) => buyer !== undefined);
    // A copy of the payment that buys is refused by its reservation.
    if (buyers.some((buyer) => buyer !== key)) return 'not yet';
    if (creditMicros === 0) return this.#purchase;
    if (balanceOf(account) + creditMicros > limitMicros) throw overLimit();
    this.#isBuying = buyers.length === 0;
    if (this.#isBuying) turns.startBuying(this.#name, key);
    return this.#purchase;
  }

  /** What was owed or due by the first attempt has been dealt with since. */
  async #tryToHold(): Promise<HoldResult> {
    const first = this.#first;
    this.#first = undefined;
    if (first && FINAL.includes(first.verdict)) return first;
    return fromStore(tryToHold(this.#parts, this.#payment, { debit: this.#debit, isPastOwed: true }));
  }

  #debiting(debit: NewDebit): Debiting {
    this.#parts.onStep?.('hold');
    const headersOf: HeadersOf = (charged) => this.#parts.responseOf(charged, this.#payment);
    return new Debiting(this.#parts, debit, { headersOf, isHeld: true });
  }

  /** Undefined if the purchase is not needed any more: another node buys for the wallet, or its credit is enough by now. */
  async #buy(take: NoncedTake): Promise<Slot | undefined> {
    try {
      return await this.#purchase.spend(take);
    } catch (error) {
      if (!(error instanceof NotNeeded)) throw error;
      this.#chosen = undefined;
      this.#endBuying();
      return undefined;
    }
  }

  #endBuying(): void {
    if (this.#isBuying) this.#parts.turns.endBuying(this.#name);
    this.#isBuying = false;
  }
}

/** A payment, the debit that may pay in its place, and the outcome of the first attempt to hold its price. */
interface Begun {
  readonly payment: CoverablePayment;
  readonly debit: NewDebit | undefined;
  readonly first: HoldResult;
}

/** Without a debit that may pay, there is only the account to read. */
async function tryToHold(
  { accounts, leaseMs }: CoverParts,
  payment: CoverablePayment,
  { debit, isPastOwed }: { readonly debit: NewDebit | undefined; readonly isPastOwed: boolean },
): Promise<HoldResult> {
  if (debit) return accounts.hold(debit, { leaseMs, isPastOwed });
  return { verdict: 'insufficient', account: await accounts.find(holderOf(payment)) };
}

/** Makes what may pay in the place of a route's payments. */
export function createCover(parts: CoverParts): Cover {
  const { accounts, answers, responseOf } = parts;
  return {
    async begin(sent, payment): Promise<Covering> {
      const debit = payment && debitFor(payment, parts);
      const [first, copy] = await fromStore(
        Promise.all([
          payment && tryToHold(parts, payment, { debit, isPastOwed: false }),
          debit ? undefined : accounts.debit(sent.key),
        ]),
      );
      const refused = first?.verdict === 'held' ? undefined : first;
      const ofThis: Debit | undefined = refused?.debit?.id === sent.key ? refused.debit : copy;
      const headersOf: HeadersOf = (charged) => responseOf(charged, sent);
      let held = first?.verdict === 'held' ? first.debit : undefined;
      return {
        known: async () => ofThis && answers.known(ofThis, sent.requestHash, headersOf),
        async owed() {
          if (refused?.verdict !== 'owed' || !refused.debit) return undefined;
          return answers.owed(refused.debit, headersOf);
        },
        admit(purchase) {
          if (!payment || !first) throw new Error('the payment does not fit its request');
          held = undefined;
          return new Coverable(parts, { payment, debit, first }, purchase);
        },
        async [Symbol.asyncDispose]() {
          if (held) await accounts.release(held, false).catch(parts.onFailure);
        },
      };
    },
  };
}
