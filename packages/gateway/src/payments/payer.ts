import { type AccountHolder, balanceOf, type CreditLimits, type NewDebit } from '../credit/account.ts';
import { type CreditDependencies, refusalOfHold } from '../credit/debiting.ts';
import { fromStore } from '../from-store.ts';
import type { Purchase } from './purchase-state.ts';
import type { AccountQueue } from './queue.ts';
import type { PayerState, ReserveVerdict } from './record.ts';
import * as refusals from './refusals.ts';

const PRICE_RISEN = 'The price has risen above the payment; pay a fresh requirement in `accepts`.';

/** What a route needs to sell credit besides the answer to one call. */
export interface CreditSale extends CreditLimits {
  readonly debiting: CreditDependencies;
  /** The calls that wait while another call of the same wallet buys credit. */
  readonly queue: AccountQueue;
  /** The amounts that a client may pay instead of one call's price, ascending, in millionths of a dollar. */
  readonly bundles: readonly number[];
}

/**
 * Returns the debit that may pay instead of this payment; undefined if the wallet has signed for less than this price. The part of the
 * payment that buys credit does not count.
 */
function debitFor({ context, payment }: Purchase, micros: number): NewDebit | undefined {
  const { network, payer: wallet, memo, isBound, amount, creditMicros } = payment;
  if (Number(amount) - creditMicros < micros) return undefined;
  const watched = isBound && memo !== undefined ? { memo } : {};
  return { ...context.request, network, wallet, id: context.key, by: 'payment', micros, ...watched };
}

/** Throws the refusal of a payment that was not reserved. */
function assertReserved(verdict: ReserveVerdict): undefined {
  if (verdict !== 'reserved') throw refusals.refusalOfReservation(verdict);
}

type Credit = Pick<PayerState, 'balanceMicros' | 'purchaseKey'>;

async function creditOf({ accounts }: CreditDependencies, holder: AccountHolder): Promise<Credit> {
  const account = await fromStore(accounts.find(holder));
  return { balanceMicros: balanceOf(account), purchaseKey: account.purchase?.key };
}

/**
 * Chooses once what pays for a call. If the wallet's credit suffices, holds the price and returns the debit. Otherwise calls `reserve` and
 * returns undefined. Waits while another call of the wallet buys credit. Throws a refusal if neither can pay.
 */
export async function choosePayer(
  credit: CreditSale | undefined,
  purchase: Purchase,
  reserve: () => Promise<ReserveVerdict>,
): Promise<NewDebit | undefined> {
  if (!credit) return assertReserved(await reserve());
  const { queue, debiting } = credit;
  const { accounts, holdMs } = debiting;
  const { payment } = purchase;
  const holder = { network: payment.network, wallet: payment.payer };
  // Only the client that got the challenge has the ticket. Anyone can copy a payment that failed on the chain, but not its ticket.
  const micros = payment.hasTicket ? credit.priceMicros : undefined;
  const debit = micros === undefined ? undefined : debitFor(purchase, micros);
  // Only the first attempt may use the state that was looked up with the payment.
  let lookedUp: Credit | undefined = purchase.stored;
  const chosen = await queue.until(holder, async () => {
    const { balanceMicros, purchaseKey = payment.key } = lookedUp ?? (await creditOf(debiting, holder));
    lookedUp = undefined;
    if (micros !== undefined && balanceMicros >= micros) {
      if (!debit) throw refusals.priceRisen(PRICE_RISEN);
      const { verdict } = await fromStore(accounts.hold(debit, { holdMs, isPastOwed: true }));
      if (verdict === 'held') return 'credit';
      if (verdict === 'busy' || verdict === 'insufficient') return 'not yet';
      throw refusalOfHold(verdict);
    }
    if (purchaseKey !== payment.key) return 'not yet';
    const verdict = await reserve();
    return verdict === 'under_way' || verdict === 'covered' ? 'not yet' : verdict;
  });
  return chosen === 'credit' ? debit : assertReserved(chosen);
}
