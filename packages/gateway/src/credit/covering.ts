import { Refusal } from '@asset-gateway/protocol';
import type { Answer, NoncedTake, Receipt, Slot } from '../call.ts';
import { fromStore } from '../gates/from-store.ts';
import type { Admission, Delivery } from '../gates/gate.ts';
import type { Cover, CoverablePayment, SentPayment } from '../payments/cover.ts';
import type { ChargedAnswers } from './charged-answers.ts';
import { type AccountHolder, accountName, type NewDebit } from './debit.ts';
import { Debiting, type DebitParts } from './debiting.ts';
import { alreadyRunning, creditHeader, refusalOf } from './receipts.ts';
import type { Sight } from './sight.ts';
import type { Turns } from './turns.ts';

/** What payments are covered with. */
export interface CoverParts extends DebitParts {
  readonly answers: ChargedAnswers;
  readonly turns: Turns;
  /** The price of one call; nothing where payments only buy credit, which always settles. */
  readonly priceMicros: number | undefined;
  /** How much credit a wallet may have. */
  readonly limitMicros: number;
  /** How long a purchase may take, in milliseconds. */
  readonly purchaseMs: number;
  /** Whether this very payment is being settled, or has settled. */
  readonly isBought: (key: string) => Promise<boolean>;
  readonly randomId: () => string;
  /** x402's response to a payment that was not needed. */
  readonly responseOf: (holder: AccountHolder, payment: SentPayment) => Readonly<Record<string, string>>;
}

/**
 * A payment that may not be needed: its call is paid from credit where there is enough, when its turn has come. Where another
 * call of its wallet is buying credit, it waits for that; and where it buys credit itself, others wait for it.
 */
class Coverable implements Admission {
  readonly #parts: CoverParts;
  readonly #payment: CoverablePayment;
  readonly #purchase: Admission;
  #chosen: Admission | undefined;
  /** Whether it was this call that has noted the purchase. */
  #isBuyer = false;

  constructor(parts: CoverParts, payment: CoverablePayment, purchase: Admission) {
    this.#parts = parts;
    this.#payment = payment;
    this.#purchase = purchase;
  }

  async spend(take: NoncedTake): Promise<Slot> {
    const isFirst = this.#chosen === undefined;
    this.#chosen ??= await this.#parts.turns.until(accountName(this.#holder), () => this.#choose());
    return this.#chosen.spend(take).catch(async (error) => {
      if (isFirst) await this.#endPurchase();
      throw error;
    });
  }

  async settle(answer: Answer): Promise<Receipt> {
    const chosen = this.#chosen ?? this.#purchase;
    if (await fromStore(this.#isPaidOtherwise(chosen))) throw alreadyRunning();
    const receipt = await chosen.settle(answer);
    const { creditMicros } = this.#payment;
    if (chosen !== this.#purchase || creditMicros === 0) return receipt;
    const account = await this.#parts.accounts.find(this.#holder).catch(() => undefined);
    const headers = { ...receipt.headers, ...(account && creditHeader(undefined, account)) };
    return { ...receipt, grantedMicros: creditMicros, headers };
  }

  headers(): Readonly<Record<string, string>> {
    return this.#chosen?.headers() ?? {};
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (this.#chosen ?? this.#purchase)[Symbol.asyncDispose]();
  }

  get #holder(): AccountHolder {
    const { network, payer } = this.#payment;
    return { network, wallet: payer };
  }

  async #choose(): Promise<Admission | 'not yet'> {
    const covered = await this.#covered();
    if (covered) return covered;
    const { accounts, limitMicros, purchaseMs } = this.#parts;
    const { key, creditMicros } = this.#payment;
    if (creditMicros === 0) return (await fromStore(accounts.find(this.#holder))).purchase ? 'not yet' : this.#purchase;
    const purchase = { key, micros: creditMicros };
    const verdict = await fromStore(accounts.startPurchase(this.#holder, purchase, { limitMicros, purchaseMs }));
    if (verdict === 'over_limit') throw new Refusal('credit_limit', { payment: { state: 'unused' } });
    this.#isBuyer = verdict === 'started';
    return verdict === 'under_way' ? 'not yet' : this.#purchase;
  }

  /**
   * The same payment may have come twice at once, once before and once after credit was there. What pays for either call was
   * written down before this looks, so that one of both sees the other.
   */
  async #isPaidOtherwise(chosen: Admission): Promise<boolean> {
    const { accounts, isBought, priceMicros } = this.#parts;
    if (priceMicros === undefined) return false;
    const { key } = this.#payment;
    return chosen === this.#purchase ? (await accounts.debit(key)) !== undefined : isBought(key);
  }

  /** Only who made the payment has its ticket: anybody could send a copy of one that has failed on the chain. */
  async #covered(): Promise<Admission | 'not yet' | undefined> {
    const debit = this.#debit();
    if (!debit || !this.#payment.hasTicket) return undefined;
    const sight: Sight = {};
    const verdict = await fromStore(this.#parts.accounts.hold(debit, { leaseMs: this.#parts.leaseMs, sight }));
    if (verdict === 'insufficient') return undefined;
    if (verdict === 'busy') return 'not yet';
    if (verdict !== 'held') throw refusalOf(verdict);
    this.#parts.onStep?.('hold');
    const headersOf = () => this.#parts.responseOf(this.#holder, this.#payment);
    return new Debiting(this.#parts, debit, { headersOf, sight, isHeld: true });
  }

  #debit(): NewDebit | undefined {
    const { priceMicros, randomId } = this.#parts;
    const { key, requestHash, call, trail, amountMicros, memo } = this.#payment;
    if (priceMicros === undefined) return undefined;
    return {
      ...this.#holder,
      id: key,
      by: 'payment',
      ...(memo !== undefined && { memo }),
      // No more than was signed for, whatever the price is now.
      micros: Math.min(priceMicros, amountMicros),
      route: call.route.id,
      requestHash,
      owner: randomId(),
      requestId: trail.requestId,
    };
  }

  /** A reservation that was never made. What was reserved ends the purchase itself, in the same step. */
  async #endPurchase(): Promise<void> {
    if (!this.#isBuyer) return;
    await this.#parts.accounts.endPurchase(this.#holder, this.#payment.key).catch(this.#parts.onFailure);
  }
}

/** Makes what may pay in the place of a route's payments. */
export function createCover(parts: CoverParts): Cover {
  const { accounts, answers, responseOf } = parts;
  return {
    async known(sent) {
      const debit = await fromStore(accounts.debit(sent.key));
      return debit && answers.known(debit, sent.requestHash, () => responseOf(debit, sent));
    },
    async admit(payment, purchase): Promise<Admission | Delivery> {
      const holder = { network: payment.network, wallet: payment.payer };
      const account = payment.hasTicket ? await fromStore(accounts.find(holder)) : undefined;
      const owed =
        account && (await answers.owed(holder, account, payment.requestHash, () => responseOf(holder, payment)));
      return owed ?? new Coverable(parts, payment, purchase);
    },
  };
}
