import { Refusal } from '@asset-gateway/protocol';
import type { Admission, Answer, Call, Receipt, Slot, TakeSlot, Trail } from '../call.ts';
import { fromStore } from '../gates/gate.ts';
import type { ResponseContext } from '../receipts/response.ts';
import { type AccountHolder, balanceOf, type NewDebit } from './account.ts';
import type { HoldResult, HoldVerdict } from './accounts.ts';
import { type CreditDependencies, creditHeader, debiting, refusalOf } from './debiting.ts';
import { accountName, busy } from './queue.ts';

/** A payment in a request, before it is checked. */
export interface SentPayment extends ResponseContext {
  readonly key: string;
  readonly requestHash: string;
  readonly network: string;
}

/** A payment that matches its request. Nothing is reserved yet. */
interface CoverablePayment extends SentPayment {
  readonly call: Call;
  readonly trail: Trail;
  readonly payer: string;
  readonly memo: string | undefined;
  /** Only the client that got the challenge has the ticket. A payment without it may be a copy. */
  readonly hasTicket: boolean;
  /** The price of one call; undefined for a route that sells only credit, whose payments always settle. */
  readonly priceMicros: number | undefined;
  /** The amount of the payment, in millionths of a dollar. */
  readonly amountMicros: number;
  /** The part of it that becomes credit when it settles. */
  readonly creditMicros: number;
}

/** The purchase of such a payment. */
export interface CoverablePurchase extends Admission {
  /** The wallet's credit after the settlement, if this purchase has changed it. */
  readonly balanceMicros: number | undefined;
}

/** Nothing was reserved: another call of the wallet buys credit, or its credit now pays for this call. */
export class NotNeeded extends Error {}

const overLimit = () => new Refusal('credit_limit', { payment: { state: 'unused' } });

/** Verdicts that earlier payments do not change. */
const FINAL: readonly HoldVerdict[] = ['insufficient', 'busy', 'failing'];

/** How often a payment may lose the purchase to another node. */
const MOST_ATTEMPTS = 3;

const holderOf = ({ network, payer }: CoverablePayment): AccountHolder => ({ network, wallet: payer });

/** The debit that may pay instead of a payment; undefined if only the payment may. */
function debitFor(payment: CoverablePayment, randomId: () => string): NewDebit | undefined {
  const { key, requestHash, call, trail, priceMicros, amountMicros, memo, hasTicket, resourceUrl } = payment;
  // Anyone can copy a payment that failed on the chain, but not its ticket.
  if (priceMicros === undefined || !hasTicket) return undefined;
  return {
    ...holderOf(payment),
    id: key,
    by: 'payment',
    ...(memo !== undefined && { memo }),
    ...(resourceUrl !== undefined && { resourceUrl }),
    // Not more than the signed amount, whatever the price is now.
    micros: Math.min(priceMicros, amountMicros),
    route: call.route.id,
    requestHash,
    owner: randomId(),
    requestId: trail.requestId,
  };
}

/** A payment, the debit that may pay instead, and the result of the first attempt to hold its price. */
interface Begun {
  readonly payment: CoverablePayment;
  readonly debit: NewDebit | undefined;
  readonly first: HoldResult;
}

/** Without a debit this only reads the account. */
async function tryToHold(
  { accounts, leaseMs }: CreditDependencies,
  payment: CoverablePayment,
  { debit, isPastOwed }: { readonly debit: NewDebit | undefined; readonly isPastOwed: boolean },
): Promise<HoldResult> {
  if (debit) return accounts.hold(debit, { leaseMs, isPastOwed });
  return { verdict: 'insufficient', account: await accounts.find(holderOf(payment)) };
}

/**
 * Credit that may pay instead of a payment: holds the price of the call if it suffices. Disposing it releases what it holds.
 * `payment`: undefined if the payment does not match its request.
 */
export async function beginCovering(
  dependencies: CreditDependencies,
  sent: SentPayment,
  payment: CoverablePayment | undefined,
) {
  const { accounts, answers, onFailure } = dependencies;
  const debit = payment && debitFor(payment, dependencies.randomId);
  const [first, copy] = await fromStore(
    Promise.all([
      payment && tryToHold(dependencies, payment, { debit, isPastOwed: false }),
      debit ? undefined : accounts.debit(sent.key),
    ]),
  );
  const isSame = first?.verdict !== 'held' && first?.debit?.id === sent.key;
  const existing = isSame ? first.debit : copy;
  let isAdmitted = false;
  return {
    /** The answer that credit has paid for in place of this very payment. */
    known: async () => existing && answers.known(existing, sent.requestHash, sent),
    /** An answer to the same request that the wallet's credit has paid for before. */
    owed: async () => (first?.verdict === 'owed' && first.debit ? answers.owed(first.debit, sent) : undefined),
    /** An admission that is paid from credit if possible, and otherwise by the payment. It takes over what is held. */
    admit(purchase: CoverablePurchase): Admission {
      if (!payment || !first) throw new Error('the payment does not fit its request');
      isAdmitted = true;
      return new Coverable(dependencies, { payment, debit, first }, purchase);
    },
    async [Symbol.asyncDispose]() {
      if (first?.verdict === 'held' && !isAdmitted) await accounts.release(first.debit, false).catch(onFailure);
    },
  };
}

/**
 * A payment that credit may cover: if the wallet has enough, its call is paid from credit. It waits while another call of the
 * wallet buys credit, and other calls wait while it buys credit itself.
 */
class Coverable implements Admission {
  readonly #dependencies: CreditDependencies;
  readonly #payment: CoverablePayment;
  /** The name of the account. */
  readonly #name: string;
  readonly #purchase: CoverablePurchase;
  readonly #debit: NewDebit | undefined;
  /** The result of the first attempt to hold the price. */
  #first: HoldResult | undefined;
  #chosen: Admission | undefined;
  /** Whether other calls of the wallet wait for this one, which buys credit. */
  #isBuying = false;

  constructor(dependencies: CreditDependencies, { payment, debit, first }: Begun, purchase: CoverablePurchase) {
    this.#dependencies = dependencies;
    this.#payment = payment;
    this.#name = accountName(holderOf(payment));
    this.#purchase = purchase;
    this.#debit = debit;
    this.#first = first;
    if (first.verdict === 'held') this.#chosen = debiting(dependencies, first, payment);
  }

  async spend(take: TakeSlot): Promise<Slot> {
    for (let attempt = 0; attempt < MOST_ATTEMPTS && !this.#chosen; attempt++) {
      this.#chosen = await this.#dependencies.queue.until(this.#name, () => this.#choose());
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
    await this.#chosen?.[Symbol.asyncDispose]();
    this.#endBuying();
  }

  async #choose(): Promise<Admission | 'not yet'> {
    const result = await this.#tryToHold();
    if (result.verdict === 'held') return debiting(this.#dependencies, result, this.#payment);
    const { verdict, account } = result;
    if (verdict === 'busy') return 'not yet';
    if (verdict !== 'insufficient') throw refusalOf(verdict);
    const { limitMicros, queue } = this.#dependencies;
    const { key, creditMicros } = this.#payment;
    const buyers = [account.purchase?.key, queue.buyerOf(this.#name)].filter((buyer) => buyer !== undefined);
    // The reservation refuses a copy of the payment that buys.
    if (buyers.some((buyer) => buyer !== key)) return 'not yet';
    if (creditMicros === 0) return this.#purchase;
    if (balanceOf(account) + creditMicros > limitMicros) throw overLimit();
    this.#isBuying = buyers.length === 0;
    if (this.#isBuying) queue.startBuying(this.#name, key);
    return this.#purchase;
  }

  /** Tries again unless the first result is final: an answer that was owed or due has been delivered since. */
  async #tryToHold(): Promise<HoldResult> {
    const first = this.#first;
    this.#first = undefined;
    if (first && FINAL.includes(first.verdict)) return first;
    return fromStore(tryToHold(this.#dependencies, this.#payment, { debit: this.#debit, isPastOwed: true }));
  }

  /** Undefined if the purchase is no longer needed: another node buys for the wallet, or its credit now suffices. */
  async #buy(take: TakeSlot): Promise<Slot | undefined> {
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
    if (this.#isBuying) this.#dependencies.queue.endBuying(this.#name);
    this.#isBuying = false;
  }
}
