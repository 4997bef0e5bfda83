import {
  ADDRESS_PATTERN,
  dollarText,
  listAt,
  member,
  microsOf,
  NETWORKS,
  objectAt,
  type PaymentRequired,
  USDC,
} from '@asset-gateway/protocol/wire';
import { GatewayError } from './error.ts';
import type { PaymentWish } from './settings.ts';

/** The transfer that pays a 402, and its memo on the chain. */
export interface Offer {
  /** The network (CAIP-2). */
  readonly network: string;
  /** The mint of USDC on that network. */
  readonly asset: string;
  /** The wallet that receives the payment. */
  readonly payTo: string;
  /** USDC in millionths of a dollar, as decimal digits. */
  readonly amount: string;
  /** The price of the call from credit in dollars, if the 402 names one. */
  readonly creditPriceUsd?: string;
  /** The memo of the transaction; undefined if the gateway asks for none. */
  readonly memo?: string;
}

/** A 402 that has only the requirement to pay. */
export type Payable = PaymentRequired & { readonly accepts: readonly [unknown] };

/** Chooses a requirement of a 402. */
export interface OfferWish extends Partial<Pick<PaymentWish, 'buys' | 'network'>> {
  /** Whether the client may sign a memo; default: only memos in the gateway's own form. */
  readonly allowMemo?: ((memo: string) => boolean) | undefined;
}

const MINTS: ReadonlyMap<unknown, string> = new Map([
  [NETWORKS.mainnet, USDC.mainnet],
  [NETWORKS.devnet, USDC.devnet],
]);
/** Matches an amount below a billion dollars, without leading zeros. */
const AMOUNT = /^[1-9][0-9]{0,14}$/;
const GATEWAY_MEMO = /^[\w-]{32}$/;

const isTextOf = (pattern: RegExp, value: unknown): value is string => typeof value === 'string' && pattern.test(value);

const isGatewayMemo = (memo: string): boolean => GATEWAY_MEMO.test(memo);

/** Returns the offer in one requirement; undefined if this client cannot pay it. */
function offerOf(requirement: unknown, { network: wanted, allowMemo = isGatewayMemo }: OfferWish): Offer | undefined {
  const { scheme, network, asset, payTo, amount, extra } = objectAt(requirement);
  const { feePayer, memo, creditPriceUsd } = objectAt(extra);
  const isUsdc = typeof network === 'string' && MINTS.has(network) && MINTS.get(network) === asset;
  if (scheme !== 'exact' || !isUsdc || (wanted !== undefined && network !== wanted)) return undefined;
  if (!isTextOf(ADDRESS_PATTERN, payTo) || !isTextOf(AMOUNT, amount) || !isTextOf(ADDRESS_PATTERN, feePayer))
    return undefined;
  if (memo !== undefined && !(typeof memo === 'string' && allowMemo(memo))) return undefined;
  const fromCredit = microsOf(creditPriceUsd) !== undefined && { creditPriceUsd: String(creditPriceUsd) };
  return { network, asset: String(asset), payTo, amount, ...fromCredit, ...(memo !== undefined && { memo }) };
}

/** A payable requirement and its offer. */
interface Choice {
  readonly requirement: unknown;
  readonly offer: Offer;
}

/** Returns the wanted requirement. The call's price comes first and a bundle second. A route that sells credit lists several amounts. */
function chosen(choices: readonly Choice[], buys: PaymentWish['buys']): Choice | undefined {
  if (buys === 'call' || buys === 'credit') return choices[0];
  if (buys === 'bundle') return choices[1] ?? choices[0];
  return choices.find(({ offer }) => offer.amount === String(buys.micros));
}

/** The offer to pay from a 402, and whether it is a bundle of credit. */
export interface PayableOffer {
  /** The 402 with this one requirement. */
  readonly payable: Payable;
  /** The offer in that requirement. */
  readonly offer: Offer;
  /** Whether the offer buys credit. */
  readonly isBundle: boolean;
}

/**
 * Finds the wanted requirement of a 402. It must be one that this client can pay: an exact amount of USDC on Solana.
 * @param body the parsed body of the 402
 * @param wish the purpose, the network and the allowed memos; default: the first requirement that this client can pay
 * @returns undefined if the 402 asks for no payment
 * @throws GatewayError `nothing_payable` if it asks only for payments that this client cannot make
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
  const amounts = choices.map(({ offer }) => dollarText(Number(offer.amount)));
  const message =
    amounts.length > 0
      ? `the gateway does not sell this amount of credit; it sells ${amounts.join(', ')}`
      : 'none of the payments can be made: this client pays USDC on the chosen Solana cluster (x402 version 2, exact)';
  throw new GatewayError('nothing_payable', { message });
}

/**
 * Returns the offer that this client would pay, for example to show it. Parameters and errors are those of `findOffer`.
 * @param body the parsed body of the 402
 * @param wish the purpose, the network and the allowed memos
 * @returns undefined if the 402 asks for no payment
 */
export const offerIn = (body: unknown, wish?: OfferWish): Offer | undefined => findOffer(body, wish)?.offer;
