import { NETWORKS, type PaymentRequired, USDC } from '@asset-gateway/protocol';
import { GatewayError } from './error.ts';
import type { PaymentWish } from './payer.ts';

/** What a 402 asks for: all that a payment for it may move, to which wallet, and what it writes onto the chain. */
export interface Offer {
  /** CAIP-2. */
  readonly network: string;
  /** The mint of USDC on that network. */
  readonly asset: string;
  /** The wallet that is paid. */
  readonly payTo: string;
  /** Millionths of a dollar in USDC, decimal digits. */
  readonly amount: string;
  /** The text that the transaction carries; undefined if the gateway asks for none. */
  readonly memo?: string;
}

/** A 402 reduced to the one requirement that may be paid. */
export type Payable = PaymentRequired & { readonly accepts: readonly [unknown] };

/** Which requirement of a 402 is wanted. */
export interface OfferWish extends Partial<Pick<PaymentWish, 'buys' | 'network'>> {
  /** Whether a memo may be signed; default: only the form of the gateway's own memos. */
  readonly allowMemo?: ((memo: string) => boolean) | undefined;
}

const MINTS: ReadonlyMap<unknown, string> = new Map([
  [NETWORKS.mainnet, USDC.mainnet],
  [NETWORKS.devnet, USDC.devnet],
]);
const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
/** Up to a billion dollars, in one spelling only. */
const AMOUNT = /^[1-9][0-9]{0,14}$/;
const GATEWAY_MEMO = /^[\w-]{32}$/;

const isTextOf = (pattern: RegExp, value: unknown): value is string => typeof value === 'string' && pattern.test(value);

const isGatewayMemo = (memo: string): boolean => GATEWAY_MEMO.test(memo);

/** The offer in one requirement; undefined if this client cannot pay it. */
function offerOf(requirement: unknown, { network: wanted, allowMemo = isGatewayMemo }: OfferWish): Offer | undefined {
  if (typeof requirement !== 'object' || requirement === null) return undefined;
  const { scheme, network, asset, payTo, amount, extra } = requirement as Readonly<Record<string, unknown>>;
  const { feePayer, memo } = (extra ?? {}) as Readonly<Record<string, unknown>>;
  const isUsdc = typeof network === 'string' && MINTS.has(network) && MINTS.get(network) === asset;
  if (scheme !== 'exact' || !isUsdc || (wanted !== undefined && network !== wanted)) return undefined;
  if (!isTextOf(ADDRESS, payTo) || !isTextOf(AMOUNT, amount) || !isTextOf(ADDRESS, feePayer)) return undefined;
  if (memo !== undefined && !(typeof memo === 'string' && allowMemo(memo))) return undefined;
  return { network, asset: String(asset), payTo, amount, ...(memo !== undefined && { memo }) };
}

/** A requirement that can be paid, with what is shown of it. */
interface Choice {
  readonly requirement: unknown;
  readonly offer: Offer;
}

/** The price of the call comes first and a bundle after it; routes that sell only credit list several amounts. */
function chosen(choices: readonly Choice[], buys: PaymentWish['buys']): Choice | undefined {
  if (buys === 'call' || buys === 'credit') return choices[0];
  if (buys === 'bundle') return choices[1] ?? choices[0];
  return choices.find(({ offer }) => offer.amount === String(buys.micros));
}

/** What a 402 offers: the 402 reduced to one requirement, the offer in it, and whether that is a bundle of credit. */
export interface Found {
  readonly payable: Payable;
  readonly offer: Offer;
  readonly isBundle: boolean;
}

/**
 * Finds the requirement of a 402 that is wanted, among those that this client can pay: USDC on Solana, an exact amount. Undefined if
 * the 402 asks for no payment. Throws `nothing_payable` if it asks for other payments only.
 */
export function findOffer(body: unknown, wish: OfferWish = {}): Found | undefined {
  const required = body as Partial<PaymentRequired> | null;
  if (!Array.isArray(required?.accepts) || required.accepts.length === 0) return undefined;
  const accepts: readonly unknown[] = required.x402Version === 2 ? required.accepts : [];
  const choices = accepts.flatMap((requirement) => {
    const offer = offerOf(requirement, wish);
    return offer ? [{ requirement, offer }] : [];
  });
  const { buys = 'call' } = wish;
  const choice = chosen(choices, buys);
  if (choice) {
    const payable = { ...(required as PaymentRequired), accepts: [choice.requirement] as const };
    return { payable, offer: choice.offer, isBundle: buys === 'bundle' ? choice === choices[1] : buys !== 'call' };
  }
  const amounts = choices.map(({ offer }) => `$${Number(offer.amount) / 1e6}`);
  const message =
    amounts.length > 0
      ? `this amount of credit is not sold, but ${amounts.join(', ')}`
      : 'nothing that is asked for can be paid: this client pays USDC on the chosen Solana cluster (x402 version 2, exact)';
  throw new GatewayError('nothing_payable', { message });
}

/** The offer in the body of a 402, as it will be paid; undefined if the 402 asks for no payment. */
export const offerIn = (body: unknown, wish?: OfferWish): Offer | undefined => findOffer(body, wish)?.offer;
