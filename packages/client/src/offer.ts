import { NETWORKS, type PaymentRequired, USDC } from '@asset-gateway/protocol';

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

/**
 * A 402 with nothing left in it to pay but the first requirement that this client can: USDC on Solana, an exact amount.
 * Nothing when it asks for no payment; throws when it asks for others only.
 */
export function payableIn(body: unknown): (PaymentRequired & { readonly accepts: readonly [Offer] }) | undefined {
  const required = body as Partial<PaymentRequired> | null;
  if (!Array.isArray(required?.accepts) || required.accepts.length === 0) return undefined;
  const requirement = required.x402Version === 2 ? required.accepts.find(isPayable) : undefined;
  if (!requirement) {
    throw new Error('nothing that is asked for can be paid: this client pays USDC on Solana (x402 version 2, exact)');
  }
  return { ...(required as PaymentRequired), accepts: [requirement] };
}

/** The offer in the body of a 402, as it will be paid; nothing when the 402 asks for something else than a payment. */
export function offerIn(body: unknown): Offer | undefined {
  const requirement = payableIn(body)?.accepts[0];
  if (!requirement) return undefined;
  const { network, asset, payTo, amount } = requirement;
  return { network, asset, payTo, amount };
}

/** Whether a 402 says that the wallet's credit does not cover the price. */
export const isCreditExhausted = (body: unknown): boolean =>
  (body as { readonly error?: unknown } | null)?.error === 'credit_exhausted';

/** A 402 with the bundle of credit alone, which comes after the single call; the 402 itself where it offers none. */
export function bundleOf(required: PaymentRequired): PaymentRequired {
  const [, bundle] = required.accepts.filter(isPayable);
  return bundle ? { ...required, accepts: [bundle] } : required;
}
