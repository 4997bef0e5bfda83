import { dollars, type RefusalCode } from '@asset-gateway/protocol';
import type { Call, Challenge, Delivery, Gate, Prepare, RequestFacts } from '../call.ts';
import type { Describe } from '../describe/discovery.ts';
import { fromStore } from '../from-store.ts';
import { challengedUrl } from '../origin.ts';
import { Deliveries } from '../payments/deliveries.ts';
import type { PaymentDependencies } from '../payments/dependencies.ts';
import type { CreditSale } from '../payments/payer.ts';
import { buy, type Seller } from '../payments/purchase.ts';
import { type Offer, type PaymentRequirements, requestHashOf, requirementOf } from '../payments/read/requirement.ts';
import { COST_LIMITS } from '../payments/read/transaction.ts';
import { NO_FEE_PAYER, unavailable } from '../payments/refusals.ts';
import type { PaidCall } from '../receipts/response.ts';
import { type ChallengeTerms, challenge } from './gate.ts';

/** What a gate needs to know about the route that it sells. */
interface ExactRoute {
  readonly describe: Describe;
  /** The price and the payee. The fee payer may change while the gateway runs. */
  readonly offer: Omit<Offer, 'feePayer'>;
  /** What the route needs to sell credit; undefined if credit is off. */
  readonly credit: CreditSale | undefined;
}

/**
 * Returns a requirement with further members of a challenge: the limits of the transaction, and for one call both prices. A payment need
 * not repeat them. `listMicros`: the price from credit in millionths of a dollar; undefined if credit cannot pay.
 */
function withLimitsAndPrices(requirement: PaymentRequirements, listMicros: number | undefined) {
  const { maxFeeLamports, maxComputeUnits } = COST_LIMITS;
  const prices = listMicros !== undefined && {
    priceUsd: dollars(Number(requirement.amount)),
    creditPriceUsd: dollars(listMicros),
  };
  return { ...requirement, extra: { ...requirement.extra, maxFeeLamports, maxComputeUnits, ...prices } };
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

  async serve(call: Call, facts: RequestFacts, prepare: Prepare): Promise<Delivery> {
    // The challenge of a 402 names the origin, so a foreign Host is refused before anything is paid.
    this.#dependencies.calls.originOf(call.inbound);
    return buy(this.#seller(), call, facts, prepare);
  }

  /**
   * Returns the answer to this request that a wallet has paid for and not received. Throws a refusal while the payment's outcome is
   * unknown.
   */
  async deliverOwedTo(payer: string, call: PaidCall, prepare: Prepare): Promise<Delivery | undefined> {
    const { requestHash } = call.request;
    const { network } = this.#route.offer;
    const { due } = await fromStore(this.#dependencies.payments.look({ key: '', network, payer, requestHash }));
    return this.#deliveries.deliverOwed(call, { due, isProven: true }, prepare);
  }

  /** Returns the challenge of a 402; undefined while no fee payer is known, because nothing can be paid then. */
  challenge(call: Call, code: RefusalCode, extensions: ChallengeTerms['extensions'] = {}): Challenge | undefined {
    const { offer } = this.#seller();
    if (offer.feePayer === '') return undefined;
    const { credit, describe } = this.#route;
    const { calls, memos, payments } = this.#dependencies;
    const url = challengedUrl(call, calls.originOf(call.inbound));
    const requestHash = requestHashOf(call);
    const amounts = [offer.amount, ...(credit?.bundles ?? []).map(String)].filter((amount) => amount !== '');
    const accepts = amounts.map((amount) => {
      const required = { ...offer, amount };
      // The part of the amount above the call's list price becomes credit.
      const creditMicros = amount === offer.amount ? 0 : Number(amount) - (credit?.priceMicros ?? 0);
      const memo = memos.issue(required, requestHash, payments.now(), creditMicros);
      const requirement = requirementOf(required, memo, memos.ticketOf(memo));
      return amount === amounts[0] ? withLimitsAndPrices(requirement, credit?.priceMicros) : requirement;
    });
    return challenge(call, { code, url, accepts, extensions }, describe);
  }

  /** Throws a refusal if nothing new can be bought. Answers that were bought before can still be fetched. */
  assertOpen(): void {
    const { whyClosed } = this.#seller();
    if (whyClosed !== undefined) throw unavailable(whyClosed);
  }

  /** Returns the seller of this route in its present state. */
  #seller(): Seller {
    const { offer, credit } = this.#route;
    const { facilitator } = this.#dependencies;
    const feePayer = facilitator.feePayer(offer.network) ?? '';
    const whyClosed = feePayer === '' ? NO_FEE_PAYER : facilitator.whyClosed?.(offer.network);
    const dependencies = this.#dependencies;
    const deliveries = this.#deliveries;
    return { dependencies, offer: { ...offer, feePayer }, credit, whyClosed, deliveries };
  }
}
