import { dollars, Refusal, type RefusalCode } from '@asset-gateway/protocol';
import type { Admission, Call, Challenge, Delivery, Gate, Trail } from '../call.ts';
import type { CreditLimits } from '../credit/account.ts';
import type { Describe } from '../describe/discovery.ts';
import { challenge, challengedUrl, type Demand, fromStore } from '../gates/gate.ts';
import type { PaidCall } from '../receipts/response.ts';
import { beginCover, type CoveringDependencies } from './covering.ts';
import { Deliveries } from './deliveries.ts';
import type { PaymentDependencies } from './dependencies.ts';
import { feePayerName } from './facilitator/fee-payer.ts';
import { Purchase } from './purchase.ts';
import { carriedPayment, type PaymentCall, type PresentedPayment, readPresentedPayment } from './read/payment.ts';
import { type Offer, paidCallOf, paymentKeyOf, requestHashOf, requirementOf } from './read/requirement.ts';
import { readTransaction } from './read/transaction.ts';
import type { NewPayment } from './record.ts';
import { unavailable } from './responses.ts';

/** The route that a gate sells. */
export interface ExactRoute {
  readonly describe: Describe;
  /** The price and the payee. The fee payer may change while the gateway runs. */
  readonly offer: Omit<Offer, 'feePayer'>;
  /** Undefined if credit is off. */
  readonly credit: CreditSale | undefined;
}

/** The credit that a route sells besides the answer to one call. */
export interface CreditSale extends CreditLimits {
  readonly dependencies: CoveringDependencies;
  /** Amounts that may be paid instead of the price of one call, ascending, in millionths of a dollar. */
  readonly bundles: readonly number[];
}

/** The gate of a paid route: one payment buys the answer to one request, exactly once. */
export class ExactGate implements Gate {
  readonly #dependencies: PaymentDependencies;
  readonly #route: ExactRoute;
  readonly #deliveries: Deliveries;

  constructor(dependencies: PaymentDependencies, route: ExactRoute) {
    this.#dependencies = dependencies;
    this.#route = route;
    this.#deliveries = new Deliveries(dependencies);
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
    return this.#admitPayment({
      ...paidCallOf(this.#dependencies, call, trail),
      key: paymentKeyOf(offer.network, transaction.message),
      trail,
      offer,
      carried,
      transaction,
    });
  }

  /** Earlier purchases come first: only a new purchase needs a payment that matches the request. */
  async #admitPayment(context: PaymentCall): Promise<Admission | Delivery> {
    const { crypto, memos, payments } = this.#dependencies;
    const { trail } = context;
    const { requestHash } = context.request;
    const presented = readPresentedPayment({ ...context, crypto, memos, requestHash, nowMs: payments.now() });
    const looking = this.#look(context);
    looking.catch(() => undefined);
    let cover = await this.#cover(context, presented);
    try {
      const look = await fromStore(looking);
      const earlier = (await this.#deliveries.known(context, look.record)) ?? (await cover?.known());
      if (earlier) return earlier;
      this.assertOpen();
      if (presented instanceof Refusal) throw presented;
      trail.wallet = presented.payer;
      trail.payment = { state: 'unused' };
      const { hasTicket } = presented;
      const owed = (await this.#deliveries.owed(context, look.due, hasTicket)) ?? (await cover?.owed());
      if (owed) return owed;
      const { credit } = this.#route;
      const record = this.#newPayment(context, presented);
      const purchase = new Purchase(this.#dependencies, record, { ...context, look, credit });
      const admission = cover?.orBy(purchase) ?? purchase;
      cover = undefined;
      return admission;
    } finally {
      await cover?.[Symbol.asyncDispose]();
    }
  }

  /** The second signer is the payer if the transaction has the required shape, which is checked later. */
  #look({ key, request: { requestHash }, transaction, offer }: PaymentCall) {
    const { network } = offer;
    const feePayer = offer.feePayer === '' ? undefined : feePayerName(network, offer.feePayer);
    const payer = transaction.keys[1] ?? '';
    return this.#dependencies.payments.look({ key, network, payer, requestHash }, feePayer);
  }

  /** The answer to this request that a wallet has paid for and not received. Refuses while its outcome is unknown. */
  async owedTo(payer: string, call: PaidCall): Promise<Admission | Delivery | undefined> {
    const { requestHash } = call.request;
    const { network } = this.#route.offer;
    const { due } = await fromStore(this.#dependencies.payments.look({ key: '', network, payer, requestHash }));
    return this.#deliveries.owed(call, due, true);
  }

  /** Undefined while no fee payer is known, because nothing can be paid for then. */
  challenge(call: Call, code: RefusalCode, extensions: Demand['extensions'] = {}): Challenge | undefined {
    const offer = this.#offer();
    if (offer.feePayer === '') return undefined;
    const { credit, describe } = this.#route;
    const { originOf, memos, payments } = this.#dependencies;
    const url = challengedUrl(call, originOf(call.inbound));
    const requestHash = requestHashOf(call);
    const amounts = [offer.amount, ...(credit?.bundles ?? []).map(String)].filter((amount) => amount !== '');
    const accepts = amounts.map((amount) => {
      const required = { ...offer, amount };
      // What exceeds the price of the call becomes credit.
      const creditMicros = Number(amount) - Number(offer.amount);
      const memo = memos?.issue(required, requestHash, payments.now(), creditMicros);
      return requirementOf(required, memo, memo && memos?.ticketOf(memo));
    });
    return challenge(call, { code, url, accepts, extensions }, describe);
  }

  /** Refuses by throwing if nothing new can be bought. Earlier purchases can still be fetched. */
  assertOpen(): void {
    const reason = this.#whyClosed();
    if (reason !== undefined) throw unavailable(reason);
  }

  #whyClosed(): string | undefined {
    const { feePayer, network } = this.#offer();
    return feePayer === '' ? 'no fee payer known yet' : this.#dependencies.facilitator.whyClosed?.(network);
  }

  /** Credit pays only for payments that match their request, and only while purchases are possible. */
  async #cover(context: PaymentCall, presented: PresentedPayment | Refusal) {
    const { credit } = this.#route;
    if (!credit) return undefined;
    const isCoverable = !(presented instanceof Refusal) && this.#whyClosed() === undefined;
    const payment = isCoverable ? { ...presented, priceMicros: credit.priceMicros } : undefined;
    return beginCover(credit.dependencies, context, payment);
  }

  #offer(): Offer {
    const { offer } = this.#route;
    return { ...offer, feePayer: this.#dependencies.facilitator.feePayer(offer.network) ?? '' };
  }

  #newPayment({ request }: PaymentCall, presented: PresentedPayment): NewPayment & PresentedPayment {
    const price = Number(presented.amount) - presented.creditMicros;
    // A remote facilitator pays its own fees.
    const isFeeOurs = this.#dependencies.facilitator.feeBudgetPerHour !== undefined;
    const feeLamports = isFeeOurs ? presented.feeLamports : 0;
    return { ...request, ...presented, priceUsd: dollars(price), feeLamports };
  }
}
