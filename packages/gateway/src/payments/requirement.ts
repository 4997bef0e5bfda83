import { NETWORKS } from '@asset-gateway/protocol';

/** What one purchase is to move: everything about it that is the same for every buyer. */
export interface Offer {
  /** CAIP-2. */
  readonly network: string;
  /** The mint of USDC there. */
  readonly asset: string;
  /** The wallet that is paid. */
  readonly payTo: string;
  /** Its token account, the only destination there is. */
  readonly destination: string;
  /** Atomic units, decimal digits. */
  readonly amount: string;
  readonly feePayer: string;
}

/** x402's PaymentRequirements of the scheme `exact` on Solana. */
export interface PaymentRequirements {
  readonly scheme: 'exact';
  readonly network: string;
  readonly amount: string;
  readonly asset: string;
  readonly payTo: string;
  readonly maxTimeoutSeconds: number;
  readonly extra: { readonly feePayer: string; readonly memo?: string; readonly ticket?: string };
}

/** How long a client has from the challenge to the payment, as x402 states it. */
export const MAX_TIMEOUT_SECONDS = 60;

/** The requirement as it is rebuilt from a payment and, with its ticket, as it is advertised. */
export function requirementOf(offer: Offer, memo: string | undefined, ticket?: string): PaymentRequirements {
  const { network, amount, asset, payTo, feePayer } = offer;
  const extra = { feePayer, ...(memo !== undefined && { memo }), ...(ticket !== undefined && { ticket }) };
  return { scheme: 'exact', network, amount, asset, payTo, maxTimeoutSeconds: MAX_TIMEOUT_SECONDS, extra };
}

/** Version 1 of x402 has short names for networks. */
export const SHORT_NETWORKS: Readonly<Record<string, string>> = {
  [NETWORKS.mainnet]: 'solana',
  [NETWORKS.devnet]: 'solana-devnet',
};

/**
 * Whether a client's copy of the requirement says the same. Extra members of `extra` may stand beside ours, as clients
 * add what they looked up; anywhere else a difference is another requirement.
 */
export function isSameRequirement(accepted: unknown, requirement: PaymentRequirements): boolean {
  if (typeof accepted !== 'object' || accepted === null) return false;
  const { extra: ourExtra, ...core } = requirement;
  const { extra: theirExtra, ...theirs } = accepted as Record<string, unknown>;
  const sameCore =
    Object.keys(theirs).length === Object.keys(core).length &&
    Object.entries(core).every(([name, value]) => theirs[name] === value);
  if (!sameCore || typeof theirExtra !== 'object' || theirExtra === null) return false;
  return Object.entries(ourExtra).every(([name, value]) => Reflect.get(theirExtra, name) === value);
}
