import { Refusal } from '@asset-gateway/protocol';
import type { Admission, Answer, Delivery, Receipt, Slot, TakeSlot } from '../call.ts';
import type { AccountHolder, Debit, NewDebit } from '../credit/account.ts';
import type { HoldResult, HoldVerdict } from '../credit/accounts.ts';
import { type CreditDependencies, debiting, refusalOf } from '../credit/debiting.ts';
import { fromStore } from '../gates/gate.ts';
import type { PaidCall } from '../receipts/response.ts';
import { type AccountQueue, busy } from './queue.ts';

/** What covering needs. */
export interface CoveringDependencies extends CreditDependencies {
  readonly queue: AccountQueue;
}

/** A request that carries the payment with this key. */
interface SentPayment extends PaidCall {
  readonly key: string;
}

/** A payment that matches its request. Nothing is reserved yet. */
interface CoverablePayment {
  readonly holder: AccountHolder;
  readonly memo: string | undefined;
  /** Only the client that got the challenge has the ticket. A payment without it may be a copy. */
  readonly hasTicket: boolean;
  /** The price of one call; undefined for a route that sells only credit, whose payments always settle. */
  readonly priceMicros: number | undefined;
  /** The amount of the payment, in millionths of a dollar. */
  readonly amountMicros: number;
}

/** Verdicts that earlier payments do not change. */
const FINAL: readonly HoldVerdict[] = ['insufficient', 'busy', 'failing'];

/** How often a payment may lose the purchase to another call. */
const MOST_ATTEMPTS = 3;

/** Nothing was reserved: another call of the wallet buys credit, or its credit now pays for this call. */
const isNotNeeded = (error: unknown): boolean =>
  error instanceof Refusal && ['under_way', 'covered'].includes(error.details.reason ?? '');

/** The debit that may pay instead of a payment; undefined if only the payment may. */
function debitFor({ key, request }: SentPayment, payment: CoverablePayment): NewDebit | undefined {
  const { holder, priceMicros, amountMicros, memo, hasTicket } = payment;
  // Anyone can copy a payment that failed on the chain, but not its ticket.
  if (priceMicros === undefined || !hasTicket) return undefined;
  // Not more than the signed amount, whatever the price is now.
  const micros = Math.min(priceMicros, amountMicros);
  return { ...holder, ...request, id: key, by: 'payment', micros, ...(memo !== undefined && { memo }) };
}

/**
 * Credit that may pay instead of a payment: if the wallet has enough, its call is paid from credit, and otherwise by the purchase. It
 * waits while another call of the wallet buys credit. Disposing it releases what it holds.
 */
export class Cover implements Admission {
  readonly headers = () => ({});
  readonly #dependencies: CoveringDependencies;
  readonly #sent: SentPayment;
  readonly #holder: AccountHolder | undefined;
  readonly #debit: NewDebit | undefined;
  /** The result of the first attempt to hold the price. */
  #first: HoldResult | undefined;
  /** The debit that has paid in place of this very payment. */
  #existing: Debit | undefined;
  #purchase: Admission | undefined;
  #chosen: Admission | undefined;

  private constructor(dependencies: CoveringDependencies, sent: SentPayment, payment: CoverablePayment | undefined) {
    this.#dependencies = dependencies;
    this.#sent = sent;
    this.#holder = payment?.holder;
    this.#debit = payment && debitFor(sent, payment);
  }

  /** Holds the price of the call if credit suffices. `payment`: undefined if the payment does not match its request. */
  static async begin(
    dependencies: CoveringDependencies,
    sent: SentPayment,
    payment: CoverablePayment | undefined,
  ): Promise<Cover> {
    const cover = new Cover(dependencies, sent, payment);
    const trying = cover.#holder && cover.#tryToHold(cover.#holder, false);
    const copying = cover.#debit ? undefined : dependencies.accounts.debit(sent.key);
    const [first, copy] = await fromStore(Promise.all([trying, copying]));
    cover.#first = first;
    if (first?.verdict === 'held') cover.#chosen = debiting(dependencies, first, sent);
    else cover.#existing = first?.debit?.id === sent.key ? first.debit : copy;
    return cover;
  }

  /** The answer that credit has paid for in place of this very payment. */
  async known(): Promise<Admission | Delivery | undefined> {
    return this.#existing && this.#dependencies.answers.known(this.#existing, this.#sent);
  }

  /** An answer to the same request that the wallet's credit has paid for before. */
  async owed(): Promise<Admission | Delivery | undefined> {
    const first = this.#first;
    if (first?.verdict !== 'owed' || !first.debit) return undefined;
    return this.#dependencies.answers.owed(first.debit, this.#sent);
  }

  /** The purchase pays if credit cannot. */
  orBy(purchase: Admission): Admission {
    this.#purchase = purchase;
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#chosen?.[Symbol.asyncDispose]();
  }

  async spend(take: TakeSlot): Promise<Slot> {
    for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
      this.#chosen ??= await this.#choose();
      try {
        return await this.#chosen.spend(take);
      } catch (error) {
        if (!isNotNeeded(error)) throw error;
        this.#chosen = undefined;
      }
    }
    throw busy('other nodes buy for this wallet');
  }

  async settle(answer: Answer): Promise<Receipt> {
    const admission = this.#chosen ?? this.#purchase;
    if (!admission) throw new Error('nothing pays for this call');
    return admission.settle(answer);
  }

  #choose(): Promise<Admission> {
    const [holder, purchase] = [this.#holder, this.#purchase];
    if (!holder || !purchase) throw new Error('the payment does not fit its request');
    return this.#dependencies.queue.until(holder, async () => {
      const first = this.#first;
      this.#first = undefined;
      // An answer that was owed or due has been delivered since.
      const isFinal = first !== undefined && FINAL.includes(first.verdict);
      const result = isFinal ? first : await fromStore(this.#tryToHold(holder, true));
      if (result.verdict === 'held') return debiting(this.#dependencies, result, this.#sent);
      const { verdict, account } = result;
      if (verdict !== 'busy' && verdict !== 'insufficient') throw refusalOf(verdict);
      // The reservation refuses a copy of the payment that buys.
      const isBuying = account.purchase !== undefined && account.purchase.key !== this.#sent.key;
      return verdict === 'busy' || isBuying ? 'not yet' : purchase;
    });
  }

  /** Without a debit this only reads the account. */
  async #tryToHold(holder: AccountHolder, isPastOwed: boolean): Promise<HoldResult> {
    const { accounts, leaseMs } = this.#dependencies;
    if (this.#debit) return accounts.hold(this.#debit, { leaseMs, isPastOwed });
    return { verdict: 'insufficient', account: await accounts.find(holder) };
  }
}
