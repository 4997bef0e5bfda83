import { clusterOfNetwork, dollarText, microsOfUsd, type PaymentRequired } from '@asset-gateway/protocol/wire';
import { issuesOf, type ListedRoute, listedMicros, listedRoute } from './catalog.ts';
import { GatewayError } from './error.ts';
import type { Fate } from './fate.ts';
import type { Caps, EarlierPayment, SpendingLedger } from './ledger.ts';
import { findOffer, type OfferWish, type PayableOffer } from './offer.ts';
import type { PaymentWish } from './settings.ts';

const CAPS = { perCallUsd: 0.01, perBundleUsd: 0.05, perDayUsd: 1, inAllUsd: Number.POSITIVE_INFINITY };

/** Caps in millionths of a dollar. */
export type Limits = Readonly<Record<'perCallMicros' | 'perBundleMicros' | 'perDayMicros' | 'inAllMicros', number>>;

function limitOf(name: keyof Caps, usd: unknown): number {
  if (usd === undefined) return microsOfUsd(CAPS[name]);
  if (typeof usd === 'number' && Number.isFinite(usd) && usd >= 0) return microsOfUsd(usd);
  throw new GatewayError('spending_limit', { message: `${name} must be a number of dollars of at least 0` });
}

/** Returns caps with defaults, in millionths of a dollar. Throws `spending_limit` for a cap that is not a finite number of at least 0. */
export const limitsOf = (caps: Caps = {}): Limits => ({
  perCallMicros: limitOf('perCallUsd', caps.perCallUsd),
  perBundleMicros: limitOf('perBundleUsd', caps.perBundleUsd),
  perDayMicros: limitOf('perDayUsd', caps.perDayUsd),
  inAllMicros: limitOf('inAllUsd', caps.inAllUsd),
});

const refused = (message: string): GatewayError =>
  new GatewayError('spending_limit', { message: `${message}; nothing was signed` });

/** Returns the listed route of a request, or an error if the catalog does not confirm the price. */
function confirmedRoute(routes: readonly ListedRoute[], { request }: PaymentWish, { offer, isBundle }: PayableOffer) {
  const route = listedRoute(routes, request);
  const asked = `the gateway asks for ${dollarText(Number(offer.amount))}`;
  if (!route) return refused(`${asked}, but the catalog does not list this route`);
  const listed = listedMicros(route);
  const isDearer = !isBundle && Number(offer.amount) > listed;
  return isDearer ? refused(`${asked}, but the catalog says ${dollarText(listed)}`) : route;
}

/** Throws if a request violates the catalog's schema or costs more than listed. Reads an outdated catalog again first. */
async function assertListed(wish: PaymentWish, found: PayableOffer): Promise<void> {
  let route = confirmedRoute(await wish.catalog(), wish, found);
  if (route instanceof GatewayError) route = confirmedRoute(await wish.catalog(true), wish, found);
  if (route instanceof GatewayError) throw route;
  const issues = issuesOf(route, wish.request);
  if (issues.length === 0) return;
  const wrong = issues.map(({ name, message }) => `${name}: ${message}`).join(' ');
  throw new GatewayError('invalid_request', { message: `${wrong} Nothing was signed.`, issues });
}

/** How to pay a 402: a new payment of an offer, or an earlier payment that may still settle. */
export type Decision = PayableOffer | { readonly again: EarlierPayment };

/** The inputs of a decision besides the 402. */
export interface DecisionOptions extends Pick<OfferWish, 'allowMemo'> {
  /** Where spending is recorded. */
  readonly ledger: SpendingLedger;
  /** Payments whose first call is still running. They do not stop other calls from paying. */
  readonly inFlight?: ReadonlySet<string>;
  /** Finds out whether an earlier payment settled or still may. */
  readonly fateOf: (payment: EarlierPayment) => Promise<Fate>;
}

const WAIT_SECONDS = 30;
/** How many refused payments for one request to look up. Only the newest can still settle. */
const MAX_REFUSED = 5;

/** Returns the error for a request whose earlier payment was refused and may still settle. */
function refusedBefore({ micros }: EarlierPayment): GatewayError {
  const message =
    `a payment of ${dollarText(micros)} for this request was sent and refused; it counts as spent until it can no longer settle, ` +
    'about a minute after it; then a repeated call makes a new one';
  return new GatewayError('payment_refused', { message, retryAfterSeconds: WAIT_SECONDS });
}

/** Returns the error for a request whose payment settled although the gateway refused it. */
function settledBefore({ micros }: EarlierPayment): GatewayError {
  const message =
    `the gateway refused a payment of ${dollarText(micros)} for this request, and the chain shows that it has settled: it counts as paid, ` +
    'and nothing was signed now; ask the operator for the answer, or call again to make a new payment';
  return new GatewayError('payment_refused', { message, payment: { state: 'settled' } });
}

/**
 * Returns the earlier payment to send again, if one may still settle. Frees payments that never will. Throws while a refused payment may
 * settle, and once for a refused one that has settled.
 */
async function openPayment(request: PaymentWish['request'], { ledger, inFlight, fateOf }: DecisionOptions) {
  const earlier = (await ledger.earlier(request)).filter(({ id }) => !inFlight?.has(id));
  const refused = earlier.filter(({ state }) => state === 'refused').slice(0, MAX_REFUSED);
  let blocking: GatewayError | undefined;
  for (const payment of [...earlier.filter(({ state }) => state === 'signed'), ...refused]) {
    const fate = await fateOf(payment);
    if (fate === 'expired') await ledger.release(payment.id);
    else if (payment.state === 'signed') return payment;
    else if (fate === 'open') blocking ??= refusedBefore(payment);
    else if (fate === 'settled') {
      await ledger.closed(payment.id, 'paid');
      blocking ??= settledBefore(payment);
    }
  }
  if (blocking) throw blocking;
  return undefined;
}

/**
 * Decides how to pay a 402: with the offer on the chosen network that the gateway's catalog confirms for a valid request. Makes no new
 * payment while an earlier one for the same request may settle. The caller checks the caps and the balance later.
 * @param body the body of the 402
 * @param wish what the payment buys, and its limits
 * @param options the ledger, and facts about earlier payments
 * @throws GatewayError `nothing_payable`, `spending_limit` if the catalog does not confirm the price, `invalid_request` if the request
 * violates the catalog's schema, `payment_refused` while a refused payment for the request may still settle
 */
export async function decide(body: PaymentRequired, wish: PaymentWish, options: DecisionOptions): Promise<Decision> {
  const open = await openPayment(wish.request, options);
  if (open) return { again: open };
  const found = findOffer(body, { ...wish, allowMemo: options.allowMemo });
  if (!found) throw new GatewayError('nothing_payable', { message: 'the 402 asks for no payment' });
  await assertListed(wish, found);
  return found;
}

/** Throws `spending_limit` unless an offer is within the caps of one payment. */
export function assertWithin(
  { offer, isBundle }: PayableOffer,
  { perCallMicros, perBundleMicros }: Limits,
  maxUsd?: number,
) {
  const micros = Number(offer.amount);
  const check = (cap: number, what: string): void => {
    if (!(micros <= cap))
      throw refused(`the gateway asks for ${dollarText(micros)}, above the cap of ${dollarText(cap)} ${what}`);
  };
  if (maxUsd !== undefined) check(microsOfUsd(maxUsd), 'for this call');
  if (isBundle) check(perBundleMicros, 'a bundle');
  else check(perCallMicros, 'a call');
}

/**
 * Throws `insufficient_funds` if the wallet holds less USDC than an offer asks for. An unreadable balance stops no payment, because a
 * payment that the gateway refuses costs nothing.
 */
export async function assertFunded(
  { offer: { network, amount } }: PayableOffer,
  address: string,
  balance: Promise<number>,
): Promise<void> {
  const neededMicros = Number(amount);
  const balanceMicros = await balance.catch(() => Number.POSITIVE_INFINITY);
  if (balanceMicros >= neededMicros) return;
  const cluster = `Solana ${clusterOfNetwork(network)}`;
  const message =
    `the payment of ${dollarText(neededMicros)} needs USDC on ${cluster}, and the wallet holds ${dollarText(balanceMicros)}: send at least ` +
    `${dollarText(neededMicros - balanceMicros)} in USDC on ${cluster} to ${address} (in the sandbox, ask its faucet), then call again; ` +
    'nothing was signed';
  throw new GatewayError('insufficient_funds', { message, funds: { network, neededMicros, balanceMicros } });
}
