import { Refusal } from '@asset-gateway/protocol';
import type { Answer, Receipt, Slot, TakeSlot } from '../call.ts';
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
import {
  type ChargedAnswers,
  creditHeader,
  type DebitDependencies,
  Debiting,
  type HeadersOf,
  refusalOf,
} from './debiting.ts';
import { type AccountQueue, accountName, busy } from './queue.ts';

/** What covering payments needs. */
export interface CoverDependencies extends DebitDependencies {
  readonly answers: ChargedAnswers;
  readonly queue: AccountQueue;
  /** The price of one call; undefined for a route that sells only credit, whose payments always settle. */
  readonly priceMicros: number | undefined;
  /** The largest balance of a wallet. */
  readonly limitMicros: number;
  readonly randomId: () => string;
  /** The headers of x402's response to a covered payment. */
  readonly responseOf: (debit: NewDebit, payment: SentPayment) => Readonly<Record<string, string>>;
}

const overLimit = () => new Refusal('credit_limit', { payment: { state: 'unused' } });

/** Verdicts that earlier payments do not change. */
const FINAL: readonly HoldVerdict[] = ['insufficient', 'busy', 'failing'];

/** How often a payment may lose the purchase to another node. */
const MOST_ATTEMPTS = 3;

const holderOf = ({ network, payer }: CoverablePayment): AccountHolder => ({ network, wallet: payer });

/** The debit that may pay instead of a payment; undefined if only the payment may. */
function debitFor(payment: CoverablePayment, { priceMicros, randomId }: CoverDependencies): NewDebit | undefined {
  const { key, requestHash, call, trail, amountMicros, memo, hasTicket, resourceUrl } = payment;
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

/**
 * A payment that credit may cover: if the wallet has enough, its call is paid from credit. It waits while another call of the
 * wallet buys credit, and other calls wait while it buys credit itself.
 */
class Coverable implements Admission {
  readonly #dependencies: CoverDependencies;
  readonly #payment: CoverablePayment;
  readonly #purchase: CoverablePurchase;
  readonly #debit: NewDebit | undefined;
  /** The result of the first attempt to hold the price. */
  #first: HoldResult | undefined;
  #chosen: Admission | undefined;
  /** Whether other calls of the wallet wait for this one, which buys credit. */
  #isBuying = false;

  constructor(dependencies: CoverDependencies, { payment, debit, first }: Begun, purchase: CoverablePurchase) {
    this.#dependencies = dependencies;
    this.#payment = payment;
    this.#purchase = purchase;
    this.#debit = debit;
    this.#first = first;
    if (first.verdict === 'held') this.#chosen = this.#debiting(first.debit);
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

  #debiting(debit: NewDebit): Debiting {
    this.#dependencies.onStep?.('hold');
    const headersOf: HeadersOf = (charged) => this.#dependencies.responseOf(charged, this.#payment);
    return new Debiting(this.#dependencies, debit, { headersOf, isHeld: true });
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

/** A payment, the debit that may pay instead, and the result of the first attempt to hold its price. */
interface Begun {
  readonly payment: CoverablePayment;
  readonly debit: NewDebit | undefined;
  readonly first: HoldResult;
}

/** Without a debit this only reads the account. */
async function tryToHold(
  { accounts, leaseMs }: CoverDependencies,
  payment: CoverablePayment,
  { debit, isPastOwed }: { readonly debit: NewDebit | undefined; readonly isPastOwed: boolean },
): Promise<HoldResult> {
  if (debit) return accounts.hold(debit, { leaseMs, isPastOwed });
  return { verdict: 'insufficient', account: await accounts.find(holderOf(payment)) };
}

/** Lets credit pay instead of a route's payments. */
export function createCover(dependencies: CoverDependencies): Cover {
  const { accounts, answers, responseOf, onFailure } = dependencies;
  return {
    async begin(sent, payment): Promise<Covering> {
      const debit = payment && debitFor(payment, dependencies);
      const [first, copy] = await fromStore(
        Promise.all([
          payment && tryToHold(dependencies, payment, { debit, isPastOwed: false }),
          debit ? undefined : accounts.debit(sent.key),
        ]),
      );
      const refused = first?.verdict === 'held' ? undefined : first;
      const existing: Debit | undefined = refused?.debit?.id === sent.key ? refused.debit : copy;
      const headersOf: HeadersOf = (charged) => responseOf(charged, sent);
      let held = first?.verdict === 'held' ? first.debit : undefined;
      return {
        known: async () => existing && answers.known(existing, sent.requestHash, headersOf),
        async owed() {
          if (refused?.verdict !== 'owed' || !refused.debit) return undefined;
          return answers.owed(refused.debit, headersOf);
        },
        admit(purchase) {
          if (!payment || !first) throw new Error('the payment does not fit its request');
          held = undefined;
          return new Coverable(dependencies, { payment, debit, first }, purchase);
        },
        async [Symbol.asyncDispose]() {
          if (held) await accounts.release(held, false).catch(onFailure);
        },
      };
    },
  };
}
