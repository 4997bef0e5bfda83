import type { Chain } from './facilitator/chain.ts';
import type { Facilitator } from './facilitator/facilitator.ts';
import type { Payments } from './payments.ts';
import type { Asked, PriorSettlements, Refused } from './prior-settlements.ts';
import type { VerificationLimits, Verified } from './verification-limits.ts';

/** What a verification has found out. */
export interface Findings {
  /** The finalized block height before it, where there is a chain to read. */
  readonly height: number | undefined;
  /** What has settled this purchase before, where anything has. */
  readonly signature: string | undefined;
}

/** What a payment is verified with. */
export interface Verifying {
  readonly payments: Payments;
  readonly facilitator: Facilitator;
  /** By network, over connections on which nobody settles. */
  readonly verifyingChains: ReadonlyMap<string, Chain>;
  readonly prior: PriorSettlements;
  readonly limits: VerificationLimits;
}

/** Has a payment verified, and its past looked at; refuses it where it cannot be settled and has not been. */
export async function verify(dependencies: Verifying, asked: Asked, verified: Verified): Promise<Findings> {
  const { facilitator, verifyingChains } = dependencies;
  const { payment } = asked;
  const height = verifyingChains.get(payment.network)?.finalizedHeight();
  height?.catch(() => undefined);
  const verification = await facilitator.verify(payment);
  const known = await height;
  if (verification.valid) return { height: known, signature: undefined };
  return { height: known, signature: await settledBefore(dependencies, asked, { refused: verification, verified }) };
}

interface Failure {
  readonly refused: Refused;
  readonly verified: Verified;
}

/** What the chain shows is there for all to copy: only where it shows nothing is a failure its payer's own. */
async function settledBefore(dependencies: Verifying, asked: Asked, { refused, verified }: Failure): Promise<string> {
  const { prior, limits, payments } = dependencies;
  limits.failed(verified, payments.now());
  const sighting = await prior.sight(asked, refused);
  if (sighting.status === 'missing') limits.failedByPayer(verified, payments.now());
  return prior.ofRefused(asked, refused, sighting);
}
