import { Refusal } from '@asset-gateway/protocol';
import type { Answer, NoncedTake, Receipt, Slot } from '../call.ts';
import { fromStore } from '../gates/from-store.ts';
import type { Admission, Delivery } from '../gates/gate.ts';
import type { Cover, CoverablePayment, CoverablePurchase, SentPayment } from '../payments/cover.ts';
import type { Stored } from '../payments/store/port.ts';
import { balanceOf } from './account.ts';
import type { ChargedAnswers } from './charged-answers.ts';
import { type AccountHolder, accountName, type NewDebit } from './debit.ts';
import { Debiting, type DebitParts } from './debiting.ts';
import { alreadyRunning, creditHeader, type HeadersOf, refusalOf } from './receipts.ts';
import type { Sight } from './sight.ts';
import { busy, type Turns } from './turns.ts';

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
  readonly responseOf: (debit: NewDebit, payment: SentPayment) => Readonly<Record<string, string>>;
}

/** Another call of the wallet is buying, or has bought, what this one would. */
const NOT_NEEDED = new Error('the purchase is not needed');

const overLimit = () => new Refusal('credit_limit', { payment: { state: 'unused' } });

/** So often a payment may find, after its verification, that another node buys for its wallet. */
const MOST_TURNS = 3;

/**
 * A payment that may not be needed: its call is paid from credit where there is enough, when its turn has come. Where another
 * call of its wallet is buying credit, it waits for that; and where it buys credit itself, others wait for it.
 */
class Coverable implements Admission {
  readonly #parts: CoverParts;
  readonly #payment: CoverablePayment;
  readonly #purchase: CoverablePurchase;
  #chosen: Admission | undefined;
  /** Whether other calls of the wallet wait for this one, which buys credit. */
  #isBuying = false;
  /** Whether a choice was tried before. */
  #hasWaited = false;
  /** The account as the choice was made by. */
  #seen: Stored | undefined;

  constructor(parts: CoverParts, payment: CoverablePayment, purchase: CoverablePurchase) {
    this.#parts = parts;
    this.#payment = payment;
    this.#purchase = purchase;
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
    this.#endBuying();
  }

  get #name(): string {
    return accountName(this.#holder);
  }

  get #holder(): AccountHolder {
    const { network, payer } = this.#payment;
    return { network, wallet: payer };
  }

  async #choose(): Promise<Admission | 'not yet'> {
    // While it waited, a copy of it may have bought the answer.
    if (this.#hasWaited && (await fromStore(this.#parts.isBought(this.#payment.key)))) throw alreadyRunning();
    this.#hasWaited = true;
    const covered = await this.#covered();
    if (covered) return covered;
    const { accounts, limitMicros, turns } = this.#parts;
    const { key, creditMicros } = this.#payment;
    const [account, stored] = await fromStore(accounts.read(this.#holder));
    const buyers = [account.purchase?.key, turns.buyerOf(this.#name)].filter((buyer) => buyer !== undefined);
    // A copy of the payment that buys is told that it is on its way.
    if (buyers.some((buyer) => buyer !== key)) return 'not yet';
    if (creditMicros === 0) return this.#purchase;
    if (balanceOf(account) + creditMicros > limitMicros) throw overLimit();
    this.#seen = stored;
    this.#isBuying = buyers.length === 0;
    if (this.#isBuying) turns.startBuying(this.#name, key);
    return this.#purchase;
  }

  /** Buys, and notes that when the payment has proved to be good. Answers nothing where another node has been sooner. */
  async #buy(take: NoncedTake): Promise<Slot | undefined> {
    try {
      return await this.#purchase.spend(async (nonce) => {
        await this.#startPurchase();
        return take(nonce);
      });
    } catch (error) {
      if (error !== NOT_NEEDED) throw error;
      await this.#purchase[Symbol.asyncDispose]();
      this.#chosen = undefined;
      this.#endBuying();
      return undefined;
    }
  }

  async #startPurchase(): Promise<void> {
    if (this.#purchase.isSettledBefore) return;
    const { accounts, limitMicros, purchaseMs } = this.#parts;
    const { key, creditMicros: micros } = this.#payment;
    const priceMicros = this.#coverable()?.micros;
    const options = { limitMicros, purchaseMs, priceMicros, seen: this.#seen };
    const verdict = await fromStore(accounts.startPurchase(this.#holder, { key, micros }, options));
    if (verdict === 'under_way' || verdict === 'covered') throw NOT_NEEDED;
    if (verdict === 'over_limit') throw overLimit();
  }

  #endBuying(): void {
    if (this.#isBuying) this.#parts.turns.endBuying(this.#name);
    this.#isBuying = false;
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

  async #covered(): Promise<Admission | 'not yet' | undefined> {
    const debit = this.#coverable();
    if (!debit) return undefined;
    const sight: Sight = {};
    const verdict = await fromStore(this.#parts.accounts.hold(debit, { leaseMs: this.#parts.leaseMs, sight }));
    if (verdict === 'insufficient') return undefined;
    if (verdict === 'busy') return 'not yet';
    if (verdict !== 'held') throw refusalOf(verdict);
    this.#parts.onStep?.('hold');
    const headersOf: HeadersOf = (charged) => this.#parts.responseOf(charged, this.#payment);
    return new Debiting(this.#parts, debit, { headersOf, sight, isHeld: true });
  }

  /** What credit may pay. Only who made the payment has its ticket: anybody could send a copy of one that has failed on the chain. */
  #coverable(): NewDebit | undefined {
    const { priceMicros, randomId } = this.#parts;
    const { key, requestHash, call, trail, amountMicros, memo, hasTicket, resourceUrl } = this.#payment;
    if (priceMicros === undefined || !hasTicket) return undefined;
    return {
      ...this.#holder,
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
}

/** Makes what may pay in the place of a route's payments. */
export function createCover(parts: CoverParts): Cover {
  const { accounts, answers, responseOf } = parts;
  return {
    async known(sent) {
      const debit = await fromStore(accounts.debit(sent.key));
      return debit && answers.known(debit, sent.requestHash, (charged) => responseOf(charged, sent));
    },
    async admit(payment, purchase): Promise<Admission | Delivery> {
      const holder = { network: payment.network, wallet: payment.payer };
      const account = payment.hasTicket ? await fromStore(accounts.find(holder)) : undefined;
      const owed =
        account &&
        (await answers.owed(holder, account, payment.requestHash, (charged) => responseOf(charged, payment)));
      return owed ?? new Coverable(parts, payment, purchase);
    },
  };
}
