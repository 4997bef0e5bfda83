import { NETWORKS, type PaymentRequired, USDC } from '@asset-gateway/protocol';
import { GatewayError } from './error.ts';
import type { PaymentWish } from './payer.ts';

/** What is asked for a paid answer: all that a payment for it may move, and to whom. */
export interface Offer {
  /** CAIP-2. */
  readonly network: string;
  /** The mint of USDC there. */
  readonly asset: string;
  /** The wallet that is paid. */
  readonly payTo: string;
  /** Millionths of a dollar in USDC, decimal digits. */
  readonly amount: string;
}

/** A 402 with nothing left in it to pay but this offer. */
export type Payable = PaymentRequired & { readonly accepts: readonly [Offer] };

const MINTS: ReadonlyMap<unknown, string> = new Map([
  [NETWORKS.mainnet, USDC.mainnet],
  [NETWORKS.devnet, USDC.devnet],
]);
const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
/** Up to a billion dollars, in one spelling only. */
const AMOUNT = /^[1-9][0-9]{0,14}$/;

const isTextOf = (pattern: RegExp, value: unknown): boolean => typeof value === 'string' && pattern.test(value);

function isPayable(requirement: unknown): requirement is Offer {
  if (typeof requirement !== 'object' || requirement === null) return false;
  const { scheme, network, asset, payTo, amount } = requirement as Readonly<Record<string, unknown>>;
  const isUsdc = MINTS.has(network) && MINTS.get(network) === asset;
  return scheme === 'exact' && isUsdc && isTextOf(ADDRESS, payTo) && isTextOf(AMOUNT, amount);
}

/** The price of the call comes first and a bundle after it; where nothing but credit is sold there are several amounts. */
function chosen(offers: readonly Offer[], buys: PaymentWish['buys']): Offer | undefined {
  if (buys === 'call' || buys === 'credit') return offers[0];
  if (buys === 'bundle') return offers[1] ?? offers[0];
  return offers.find(({ amount }) => amount === String(buys.micros));
}

/**
 * A 402 with nothing left in it to pay but the requirement that is wanted, of those that this client can pay: USDC on Solana, an
 * exact amount. Nothing when it asks for no payment; throws when it asks for others only.
 */
export function payableIn(body: unknown, buys: PaymentWish['buys'] = 'call'): Payable | undefined {
  const required = body as Partial<PaymentRequired> | null;
  if (!Array.isArray(required?.accepts) || required.accepts.length === 0) return undefined;
  const offers = required.x402Version === 2 ? required.accepts.filter(isPayable) : [];
  const offer = chosen(offers, buys);
  if (offer) return { ...(required as PaymentRequired), accepts: [offer] };
  const amounts = offers.map(({ amount }) => `$${Number(amount) / 1e6}`);
  const message =
    amounts.length > 0
      ? `this amount of credit is not sold, but ${amounts.join(', ')}`
      : 'nothing that is asked for can be paid: this client pays USDC on Solana (x402 version 2, exact)';
  throw new GatewayError('nothing_payable', { message });
}

/** The offer in the body of a 402, as it will be paid; nothing when the 402 asks for something else than a payment. */
export function offerIn(body: unknown, buys?: PaymentWish['buys']): Offer | undefined {
  const requirement = payableIn(body, buys)?.accepts[0];
  if (!requirement) return undefined;
  const { network, asset, payTo, amount } = requirement;
  return { network, asset, payTo, amount };
}
