import { isDeepStrictEqual } from 'node:util';

/** The transfer that a purchase requires; the same for every payer. */
export interface Offer {
  /** CAIP-2. */
  readonly network: string;
  /** The mint of USDC there. */
  readonly asset: string;
  /** The wallet that is paid. */
  readonly payTo: string;
  /** Its token account, the only accepted destination. */
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

/** x402's time limit from the challenge to the payment. */
export const MAX_TIMEOUT_SECONDS = 60;

/** The requirement of an offer. Challenges contain the ticket; a requirement rebuilt from a payment does not. */
export function requirementOf(offer: Offer, memo: string | undefined, ticket?: string): PaymentRequirements {
  const { network, amount, asset, payTo, feePayer } = offer;
  const extra = { feePayer, ...(memo !== undefined && { memo }), ...(ticket !== undefined && { ticket }) };
  return { scheme: 'exact', network, amount, asset, payTo, maxTimeoutSeconds: MAX_TIMEOUT_SECONDS, extra };
}

/** Whether a client's copy equals the requirement. Clients may add members to `extra`, but nowhere else. */
export function isSameRequirement(accepted: unknown, requirement: PaymentRequirements): boolean {
  if (typeof accepted !== 'object' || accepted === null) return false;
  const { extra: ourExtra, ...core } = requirement;
  const { extra: theirExtra, ...theirs } = accepted as Record<string, unknown>;
  if (!isDeepStrictEqual(theirs, core) || typeof theirExtra !== 'object' || theirExtra === null) return false;
  return Object.entries(ourExtra).every(([name, value]) => Reflect.get(theirExtra, name) === value);
}
