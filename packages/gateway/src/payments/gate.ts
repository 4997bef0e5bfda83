import { dollars, Refusal, type RefusalCode } from '@asset-gateway/protocol';
import type { Call, Challenge, Trail } from '../call.ts';
import type { Describe } from '../describe/discovery.ts';
import { challenge, challengedUrl } from '../gates/challenge.ts';
import type { Crypto } from '../gates/crypto.ts';
import type { Admission, Delivery, Gate } from '../gates/gate.ts';
import type { OriginOf } from '../gates/origin.ts';
import type { ReceiptIssuer } from '../receipts/issuer.ts';
import type { Cover, SentPayment, SignedRequest } from './cover.ts';
import { Deliveries } from './deliveries.ts';
import { Purchase } from './purchase.ts';
import type { PurchaseDependencies } from './purchase-dependencies.ts';
import { type CarriedPayment, carriedPayment } from './read/header.ts';
import type { Memos } from './read/memo.ts';
import { type PresentedPayment, readPresentedPayment } from './read/payment.ts';
import { paymentKeyOf, requestHashOf } from './read/request-hash.ts';
import { readTransaction } from './read/transaction.ts';
import type { NewPayment } from './record.ts';
import { type Offer, requirementOf } from './requirement.ts';
import { tellingOf } from './telling.ts';

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
  /** What a challenge of this route carries for those who spend by signature. */
  extensions(call: Call): Readonly<Record<string, unknown>>;
}

/** A call on its way through the gate. */
interface RequestContext extends SentPayment {
  readonly call: Call;
  readonly trail: Trail;
  readonly offer: Offer;
  readonly carried: CarriedPayment;
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
    const origin = this.#parts.originOf(call.inbound);
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
    const context: RequestContext = {
      key: paymentKeyOf(offer.network, transaction.message),
      requestHash: requestHashOf(call),
      network: offer.network,
      ...tellingOf(call, origin, this.#parts.receipts),
      call,
      trail,
      offer,
      carried,
    };
    const { crypto, memos, credit, dependencies } = this.#parts;
    const [known, covered] = await Promise.all([
      this.#deliveries.known(context, context.key),
      credit?.cover.known(context),
    ]);
    const earlier = known ?? covered;
    if (earlier) return earlier;
    this.assertOpen();
    const nowMs = dependencies.payments.now();
    const presented = readPresentedPayment({ crypto, memos }, { ...context, transaction, nowMs });
    trail.wallet = presented.transfer.payer;
    trail.payment = { state: 'unused' };
    const asked = { payer: presented.transfer.payer, isProven: presented.payment.hasTicket };
    return (await this.#deliveries.owed(context, asked)) ?? this.#purchase(context, presented);
  }

  /** What this wallet, which has signed, has paid for this very request and not got; refuses while the outcome is open. */
  owedTo(payer: string, { call, origin, requestHash }: SignedRequest): Promise<Admission | Delivery | undefined> {
    const request = { requestHash, ...tellingOf(call, origin, this.#parts.receipts) };
    return this.#deliveries.owed(request, { payer, isProven: true });
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
    const { feePayer, network } = this.#offer();
    const reason = feePayer === '' ? 'no fee payer known yet' : this.#parts.dependencies.facilitator.whyClosed(network);
    if (reason !== undefined) {
      throw new Refusal('facilitator_unavailable', { reason, payment: { state: 'unused' } });
    }
  }

  #purchase(context: RequestContext, presented: PresentedPayment): Admission | Promise<Admission | Delivery> {
    const { dependencies, credit } = this.#parts;
    const payment = this.#newPayment(context, presented);
    const purchase = new Purchase(dependencies, presented, payment, context);
    if (!credit) return purchase;
    const { payer, memo, creditMicros = 0 } = payment;
    const { hasTicket } = presented.payment;
    const amountMicros = Number(presented.transfer.amount);
    return credit.cover.admit({ ...context, payer, memo, hasTicket, amountMicros, creditMicros }, purchase);
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
