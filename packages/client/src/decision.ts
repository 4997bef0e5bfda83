import { listAt, member, NETWORKS, objectAt, type PaymentRequired, USDC } from '@asset-gateway/protocol/wire';
import { issuesOf, type ListedRoute, listedMicros, listedRoute } from './catalog.ts';
import { GatewayError } from './error.ts';
import type { Caps, EarlierPayment, SpendingLedger } from './ledger.ts';
import type { PaymentWish } from './settings.ts';

/** The transfer that pays a 402, and the memo that it writes onto the chain. */
export interface Offer {
  /** CAIP-2. */
  readonly network: string;
  /** The mint of USDC on that network. */
  readonly asset: string;
  /** The wallet that is paid. */
  readonly payTo: string;
  /** Millionths of a dollar in USDC, as decimal digits. */
  readonly amount: string;
  /** The memo of the transaction; undefined if the gateway asks for none. */
  readonly memo?: string;
}

/** A 402 reduced to the one requirement to pay. */
type Payable = PaymentRequired & { readonly accepts: readonly [unknown] };

/** Chooses a requirement of a 402. */
export interface OfferWish extends Partial<Pick<PaymentWish, 'buys' | 'network'>> {
  /** Whether a memo may be signed; default: only the form of the gateway's own memos. */
  readonly allowMemo?: ((memo: string) => boolean) | undefined;
}

const MINTS: ReadonlyMap<unknown, string> = new Map([
  [NETWORKS.mainnet, USDC.mainnet],
  [NETWORKS.devnet, USDC.devnet],
]);
const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
/** Less than a billion dollars, without leading zeros. */
const AMOUNT = /^[1-9][0-9]{0,14}$/;
const GATEWAY_MEMO = /^[\w-]{32}$/;

const isTextOf = (pattern: RegExp, value: unknown): value is string => typeof value === 'string' && pattern.test(value);

const isGatewayMemo = (memo: string): boolean => GATEWAY_MEMO.test(memo);

/** The offer in one requirement; undefined if this client cannot pay it. */
function offerOf(requirement: unknown, { network: wanted, allowMemo = isGatewayMemo }: OfferWish): Offer | undefined {
  const { scheme, network, asset, payTo, amount, extra } = objectAt(requirement);
  const { feePayer, memo } = objectAt(extra);
  const isUsdc = typeof network === 'string' && MINTS.has(network) && MINTS.get(network) === asset;
  if (scheme !== 'exact' || !isUsdc || (wanted !== undefined && network !== wanted)) return undefined;
  if (!isTextOf(ADDRESS, payTo) || !isTextOf(AMOUNT, amount) || !isTextOf(ADDRESS, feePayer)) return undefined;
  if (memo !== undefined && !(typeof memo === 'string' && allowMemo(memo))) return undefined;
  return { network, asset: String(asset), payTo, amount, ...(memo !== undefined && { memo }) };
}

/** A payable requirement and its offer. */
interface Choice {
  readonly requirement: unknown;
  readonly offer: Offer;
}

/** The call's price comes first and a bundle second. Routes that sell credit list several amounts. */
function chosen(choices: readonly Choice[], buys: PaymentWish['buys']): Choice | undefined {
  if (buys === 'call' || buys === 'credit') return choices[0];
  if (buys === 'bundle') return choices[1] ?? choices[0];
  return choices.find(({ offer }) => offer.amount === String(buys.micros));
}

/** The offer of a 402 that will be paid, and whether it is a bundle of credit. */
export interface PayableOffer {
  readonly payable: Payable;
  readonly offer: Offer;
  readonly isBundle: boolean;
}

/**
 * Finds the wanted requirement of a 402 among those that this client can pay: an exact amount of USDC on Solana. Undefined if the 402
 * asks for no payment. Throws `nothing_payable` if it asks for other payments only.
 */
export function findOffer(body: unknown, wish: OfferWish = {}): PayableOffer | undefined {
  const accepts = listAt(body, 'accepts');
  if (accepts.length === 0) return undefined;
  const readable = member(body, 'x402Version') === 2 ? accepts : [];
  const choices = readable.flatMap((requirement) => {
    const offer = offerOf(requirement, wish);
    return offer ? [{ requirement, offer }] : [];
  });
  const { buys = 'call' } = wish;
  const choice = chosen(choices, buys);
  if (choice) {
    const payable = { ...(body as PaymentRequired), accepts: [choice.requirement] as const };
    return { payable, offer: choice.offer, isBundle: buys === 'bundle' ? choice === choices[1] : buys !== 'call' };
  }
  const amounts = choices.map(({ offer }) => `$${Number(offer.amount) / 1e6}`);
  const message =
    amounts.length > 0
      ? `the gateway does not sell this amount of credit; it sells ${amounts.join(', ')}`
      : 'none of the payments can be made: this client pays USDC on the chosen Solana cluster (x402 version 2, exact)';
  throw new GatewayError('nothing_payable', { message });
}

/** The offer in the body of a 402; undefined if the 402 asks for no payment. */
export const offerIn = (body: unknown, wish?: OfferWish): Offer | undefined => findOffer(body, wish)?.offer;

const MICROS = 1e6;
const CAPS = { perCallUsd: 0.01, perBundleUsd: 0.05, perDayUsd: 1, inAllUsd: Number.POSITIVE_INFINITY };
/** A signed transaction expires sooner, and a gateway delivers a paid answer for this long. */
const REFUSED_MS = 600_000;

/** Caps in millionths of a dollar. */
export interface Limits {
  readonly perCallMicros: number;
  readonly perBundleMicros: number;
  readonly perDayMicros: number;
  readonly inAllMicros: number;
}

/** Dollars in millionths, rounded: 0.57 * 1e6 is slightly below 570,000. */
const microsOf = (usd: number): number => Math.round(usd * MICROS);

function limitOf(name: keyof Caps, usd: unknown): number {
  if (usd === undefined) return microsOf(CAPS[name]);
  if (typeof usd === 'number' && Number.isFinite(usd) && usd >= 0) return microsOf(usd);
  throw new GatewayError('spending_limit', { message: `${name} must be a number of dollars of at least 0` });
}

/** Caps with their defaults. Throws `spending_limit` for a cap that is not a finite number of at least 0. */
export const limitsOf = (caps: Caps = {}): Limits => ({
  perCallMicros: limitOf('perCallUsd', caps.perCallUsd),
  perBundleMicros: limitOf('perBundleUsd', caps.perBundleUsd),
  perDayMicros: limitOf('perDayUsd', caps.perDayUsd),
  inAllMicros: limitOf('inAllUsd', caps.inAllUsd),
});

/** An amount as text, such as `$0.01`. */
const usd = (micros: number): string => `$${micros / MICROS}`;

const refused = (message: string): GatewayError =>
  new GatewayError('spending_limit', { message: `${message}; nothing was signed` });

function assertNotRefused({ micros, at }: EarlierPayment): void {
  if (Date.now() - at >= REFUSED_MS) return;
  const message =
    `a payment of ${usd(micros)} for this request was sent and refused; it counts as spent, and a new one is possible ` +
    'ten minutes after it';
  throw new GatewayError('payment_refused', { message });
}

/** The listed route of a request, or the error if the catalog does not confirm the price. */
function listing(routes: readonly ListedRoute[], { request }: PaymentWish, { offer, isBundle }: PayableOffer) {
  const route = listedRoute(routes, request);
  const asked = `the gateway asks for ${usd(Number(offer.amount))}`;
  if (!route) return refused(`${asked}, but the catalog does not list this route`);
  const listed = listedMicros(route);
  const isDearer = !isBundle && Number(offer.amount) > listed;
  return isDearer ? refused(`${asked}, but the catalog says ${usd(listed)}`) : route;
}

/** Throws if a request breaks the catalog's schema or costs more than listed. An outdated catalog is read again first. */
async function assertListed(wish: PaymentWish, found: PayableOffer): Promise<void> {
  let route = listing(await wish.catalog(), wish, found);
  if (route instanceof GatewayError) route = listing(await wish.catalog(true), wish, found);
  if (route instanceof GatewayError) throw route;
  const issues = issuesOf(route, wish.request);
  if (issues.length === 0) return;
  const wrong = issues.map(({ name, message }) => `${name}: ${message}`).join(' ');
  throw new GatewayError('invalid_request', { message: `${wrong} Nothing was signed.`, issues });
}

/** How to pay a 402: a new payment for an offer, or an earlier payment that may still settle. */
export type Decision = PayableOffer | { readonly again: EarlierPayment };

/** The inputs of a decision besides the 402. */
export interface Rules extends Pick<OfferWish, 'allowMemo'> {
  readonly ledger: SpendingLedger;
  /** Payments whose first call has not ended. They do not block other calls from paying. */
  readonly inFlight?: ReadonlySet<string>;
}

/**
 * Decides how to pay a 402: by the offer on the chosen network that the gateway's catalog confirms for a valid request. No new payment
 * is made while an earlier one for the same request may settle, or shortly after one was refused. Throws if nothing may be paid.
 * `assertWithin` checks the caps.
 */
export async function decide(body: PaymentRequired, wish: PaymentWish, rules: Rules): Promise<Decision> {
  const { ledger, inFlight, allowMemo } = rules;
  const earlier = (await ledger.earlier(wish.request)).filter(({ id }) => !inFlight?.has(id));
  const open = earlier.find(({ state }) => state === 'signed');
  if (open) return { again: open };
  if (earlier[0]) assertNotRefused(earlier[0]);
  const found = findOffer(body, { ...wish, allowMemo });
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
    if (!(micros <= cap)) throw refused(`the gateway asks for ${usd(micros)}, above the cap of ${usd(cap)} ${what}`);
  };
  if (maxUsd !== undefined) check(microsOf(maxUsd), 'for this call');
  if (isBundle) check(perBundleMicros, 'a bundle');
  else check(perCallMicros, 'a call');
}
