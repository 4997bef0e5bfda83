import { dollars, Refusal, type RefusalCode } from '@asset-gateway/protocol';
import type { Call, Challenge, Trail } from '../call.ts';
import type { Describe } from '../describe/discovery.ts';
import { challenge, challengedUrl, type OriginOf } from '../gates/challenge.ts';
import type { Crypto } from '../gates/crypto.ts';
import { type Admission, type Delivery, fromStore, type Gate } from '../gates/gate.ts';
import type { ReceiptIssuer } from '../receipts/issuer.ts';
import type { Cover, Covering, CreditLimits, SentPayment, SignedRequest } from './cover.ts';
import { Deliveries } from './deliveries.ts';
import { feePayerName } from './facilitator/fee-payer.ts';
import type { Look } from './payments.ts';
import { Purchase } from './purchase.ts';
import type { PurchaseDependencies } from './purchase-dependencies.ts';
import { type CarriedPayment, carriedPayment } from './read/header.ts';
import { type Memos, paymentKeyOf, requestHashOf } from './read/memo.ts';
import { type PresentedPayment, readPresentedPayment } from './read/payment.ts';
import { readTransaction, type Transaction } from './read/transaction.ts';
import type { NewPayment } from './record.ts';
import { type Offer, requirementOf } from './requirement.ts';
import { tellingOf, unavailable } from './responses.ts';

/** What the payment gate stands on. */
export interface ExactParts {
  readonly crypto: Crypto;
  /** Issues and reads memos and tickets; nothing when requirements have none. */
  readonly memos: Memos | undefined;
  readonly originOf: OriginOf;
  readonly describe: Describe;
  /** What the route is sold for; the fee payer may change while the gateway runs. */
  readonly offer: Omit<Offer, 'feePayer'>;
  /** Where payments can bring credit. */
  readonly credit?: CreditSale;
  readonly dependencies: PurchaseDependencies;
  /** Nothing where no receipts are signed. */
  readonly receipts: ReceiptIssuer | undefined;
  readonly randomId: () => string;
}

/** What a route sells beside the answer to one call. */
export interface CreditSale {
  /** What may be paid in place of the price of one call, ascending, in millionths of a dollar. */
  readonly bundles: readonly number[];
  /** What of such a payment is credit once it has settled, in millionths of a dollar. */
  creditMicros(amount: number): number;
  readonly cover: Cover;
  readonly limits: CreditLimits;
  /** What a challenge of this route carries for those who spend by signature. */
  extensions(call: Call): Readonly<Record<string, unknown>>;
}

/** A wallet on a network (CAIP-2). */
interface PayingWallet {
  readonly network: string;
  readonly wallet: string;
}

/** A call on its way through the gate. */
interface RequestContext extends SentPayment {
  readonly call: Call;
  readonly trail: Trail;
  readonly offer: Offer;
  readonly carried: CarriedPayment;
  readonly transaction: Transaction;
}

/** The gate of a paid route: one payment buys the answer to one request, exactly once. */
export class ExactGate implements Gate {
  readonly #parts: ExactParts;
  readonly #deliveries: Deliveries;

  constructor(parts: ExactParts) {
    this.#parts = parts;
    this.#deliveries = new Deliveries(parts.dependencies, parts.memos);
  }

  async admit(call: Call, trail: Trail): Promise<Admission | Delivery> {
    const offer = this.#offer();
    const carried = carriedPayment(call.inbound);
    if (!carried && offer.feePayer === '') this.assertOpen();
    if (!carried) throw new Refusal('payment_required', { payment: { state: 'unused' } });
    if (carried === 'malformed') throw new Refusal('payment_malformed', { payment: { state: 'refused' } });
    const transaction = readTransaction(carried.transaction);
    if (!transaction) {
      throw new Refusal('invalid_exact_svm_payload_transaction_could_not_be_decoded', {
        payment: { state: 'refused' },
      });
    }
    return this.#judge({
      key: paymentKeyOf(offer.network, transaction.message),
      requestHash: requestHashOf(call),
      network: offer.network,
      ...tellingOf(call, this.#parts.originOf(call.inbound), this.#parts.receipts),
      call,
      trail,
      offer,
      carried,
      transaction,
    });
  }

  /** What was bought before comes first; only then must the payment fit. */
  async #judge(context: RequestContext): Promise<Admission | Delivery> {
    const { trail } = context;
    const presented = this.#present(context);
    const looking = this.#look(context);
    looking.catch(() => undefined);
    await using cover = await this.#cover(context, presented);
    const look = await fromStore(looking);
    const earlier = (await this.#deliveries.known(context, look.record)) ?? (await cover?.known());
    if (earlier) return earlier;
    this.assertOpen();
    if (presented instanceof Refusal) throw presented;
    trail.wallet = presented.transfer.payer;
    trail.payment = { state: 'unused' };
    const { hasTicket } = presented.payment;
    const owed = (await this.#deliveries.owed(context, look.dueKey, hasTicket)) ?? (await cover?.owed());
    if (owed) return owed;
    const purchase = this.#purchase(context, presented, look);
    return cover ? cover.admit(purchase) : purchase;
  }

  /** The payer of a transaction of our shape signs second; whether it is of that shape is judged later. */
  #look({ key, network, requestHash, transaction, offer }: RequestContext): Promise<Look> {
    const feePayer = offer.feePayer === '' ? undefined : feePayerName(network, offer.feePayer);
    const payer = transaction.keys[1] ?? '';
    return this.#parts.dependencies.payments.look({ key, network, payer, requestHash }, feePayer);
  }

  /** What this wallet, which has signed, has paid for this very request and not got; refuses while the outcome is open. */
  async owedTo({ network, wallet: payer }: PayingWallet, { call, origin, requestHash }: SignedRequest) {
    const { payments } = this.#parts.dependencies;
    const { dueKey } = await fromStore(payments.look({ key: '', network, payer, requestHash }));
    const request = { requestHash, ...tellingOf(call, origin, this.#parts.receipts) };
    return this.#deliveries.owed(request, dueKey, true);
  }

  /** Nothing can be paid for before a fee payer is known. */
  challenge(call: Call, code: RefusalCode): Challenge | undefined {
    const offer = this.#offer();
    if (offer.feePayer === '') return undefined;
    const { credit, describe, originOf } = this.#parts;
    const url = challengedUrl(call, originOf(call.inbound));
    const requestHash = requestHashOf(call);
    const amounts = [offer.amount, ...(credit?.bundles ?? []).map(String)].filter((amount) => amount !== '');
    const accepts = amounts.map((amount) => this.#quote({ ...offer, amount }, requestHash));
    return challenge(call, { code, url, accepts, extensions: credit?.extensions(call) ?? {} }, describe);
  }

  /** What has been bought can be fetched without a facilitator; nothing new can be bought. Refuses by throwing. */
  assertOpen(): void {
    const reason = this.#whyClosed();
    if (reason !== undefined) throw unavailable(reason);
  }

  #whyClosed(): string | undefined {
    const { feePayer, network } = this.#offer();
    return feePayer === '' ? 'no fee payer known yet' : this.#parts.dependencies.facilitator.whyClosed(network);
  }

  /** The payment that fits the request, or why it does not: what was bought with it before counts first. */
  #present(context: RequestContext): PresentedPayment | Refusal {
    const { crypto, memos, dependencies } = this.#parts;
    try {
      return readPresentedPayment({ crypto, memos }, { ...context, nowMs: dependencies.payments.now() });
    } catch (error) {
      if (error instanceof Refusal) return error;
      throw error;
    }
  }

  /** Credit pays for what fits, while something can be bought. */
  #cover(context: RequestContext, presented: PresentedPayment | Refusal): Promise<Covering> | undefined {
    const { credit } = this.#parts;
    if (!credit) return undefined;
    if (presented instanceof Refusal || this.#whyClosed() !== undefined) return credit.cover.begin(context, undefined);
    const { payment, transfer } = presented;
    const amountMicros = Number(transfer.amount);
    const { payer, memo } = transfer;
    const creditMicros = credit.creditMicros(amountMicros);
    return credit.cover.begin(context, {
      ...context,
      payer,
      memo,
      hasTicket: payment.hasTicket,
      amountMicros,
      creditMicros,
    });
  }

  #purchase(context: RequestContext, presented: PresentedPayment, look: Look): Purchase {
    const { dependencies, credit } = this.#parts;
    const payment = this.#newPayment(context, presented);
    return new Purchase(dependencies, presented, payment, { ...context, look, credit: credit?.limits });
  }

  #offer(): Offer {
    const { offer, dependencies } = this.#parts;
    return { ...offer, feePayer: dependencies.facilitator.feePayer(offer.network) ?? '' };
  }

  #quote(offer: Offer, requestHash: string) {
    const { memos, dependencies } = this.#parts;
    if (!memos) return requirementOf(offer, undefined);
    const memo = memos.issue(offer, requestHash, dependencies.payments.now());
    return requirementOf(offer, memo, memos.ticketOf(memo));
  }

  #newPayment(context: RequestContext, { payment, transfer }: PresentedPayment): NewPayment {
    const amount = Number(transfer.amount);
    const creditMicros = this.#parts.credit?.creditMicros(amount) ?? 0;
    return {
      key: payment.key,
      network: payment.network,
      requestHash: context.requestHash,
      payer: transfer.payer,
      source: transfer.source,
      memo: transfer.memo,
      priceUsd: dollars(amount - creditMicros),
      ...(creditMicros > 0 && { creditMicros }),
      ...(context.resourceUrl !== undefined && { resourceUrl: context.resourceUrl }),
      transaction: payment.transaction,
      requirement: JSON.stringify(payment.requirement),
      owner: this.#parts.randomId(),
      route: context.call.route.id,
      requestId: context.trail.requestId,
      feeLamports: this.#parts.dependencies.facilitator.feeLamports(payment),
    };
  }
}
