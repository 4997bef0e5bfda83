import { dollars, mostMicrosOf, Refusal } from '@asset-gateway/protocol';
import { unused } from '../../receipts/paid-answers.ts';
import type { PresentedPayment } from './payment.ts';
import type { PaymentRequirements } from './requirement.ts';
import { COST_LIMITS } from './transaction.ts';

/**
 * A requirement with what a challenge tells besides: limits of the transaction and, for one call, both prices. A payment need not echo
 * it. `listMicros`: the price from credit in millionths of a dollar; undefined if credit cannot pay.
 */
export function informed(requirement: PaymentRequirements, listMicros: number | undefined) {
  const { maxFeeLamports, maxComputeUnits } = COST_LIMITS;
  const prices = listMicros !== undefined && {
    priceUsd: dollars(Number(requirement.amount)),
    creditPriceUsd: dollars(listMicros),
  };
  return { ...requirement, extra: { ...requirement.extra, maxFeeLamports, maxComputeUnits, ...prices } };
}

/** The signed text or payment does not cover the present price. Nothing was used up. */
const dearer = (message: string): Refusal =>
  new Refusal('no_matching_requirements', { reason: 'signed for less', message, payment: unused });

/** Why a signed statement may not spend this many millionths of a dollar; undefined if it may. */
export function statementRefusal(statement: string | undefined, micros: number): Refusal | undefined {
  if ((mostMicrosOf(statement) ?? -1) >= micros) return undefined;
  const wanted = `Spend ${dollars(micros)} USD`;
  return dearer(
    `The signed statement must begin with the most that the call may cost, now "${wanted}"; sign the fresh challenge.`,
  );
}

/** A payment that credit may cover. */
interface Coverable extends Pick<PresentedPayment, 'amount' | 'creditMicros' | 'hasTicket'> {
  /** The list price of the call now. */
  readonly priceMicros: number | undefined;
}

/**
 * The price that credit may pay in place of a payment: the list price, unless the payment, without the part that becomes credit, is for
 * less.
 */
export function coveredMicros({ amount, creditMicros, hasTicket, priceMicros }: Coverable): number | undefined {
  // Only the client that got the challenge has the ticket. Anyone can copy a payment that failed on the chain, but not its ticket.
  if (priceMicros === undefined || !hasTicket) return undefined;
  return Number(amount) - creditMicros >= priceMicros ? priceMicros : undefined;
}

/** Throws if credit would pay more than the wallet has signed for. A payment that credit cannot cover settles at its own price. */
export function assertNotDearer(payment: Coverable, balanceMicros: number): void {
  const { priceMicros, hasTicket } = payment;
  if (priceMicros === undefined || !hasTicket || coveredMicros(payment) !== undefined) return;
  if (balanceMicros >= priceMicros)
    throw dearer('The price has risen above the payment; pay a fresh requirement in `accepts`.');
}
