import { Refusal } from '@asset-gateway/protocol';
import { fromStore } from '../gates/gate.ts';
import type { PaymentDependencies } from './dependencies.ts';
import { codeOfReason, type Payment, type Verification } from './facilitator/facilitator.ts';
import type { Sighting } from './reconcile.ts';
import type { NewPayment, PaymentRecord } from './record.ts';
import { pendingRefusal } from './responses.ts';
import type { Verified } from './verification-limits.ts';

/** A reserved payment that is to be verified. */
export interface VerificationRequest {
  readonly payment: Payment;
  readonly record: NewPayment;
  readonly inVersion1Header: boolean;
  /** What its verification counts against. */
  readonly verified: Verified;
}

/** The outcome of a verification. */
export interface Findings {
  /** The finalized block height before the verification; undefined if there is no RPC. */
  readonly height: number | undefined;
  /** The signature of the payment if it had settled before. */
  readonly signature: string | undefined;
}

type Invalid = Extract<Verification, { valid: false }>;

/** Verifies a payment. Refuses it if it is invalid, unless it had settled before. */
export async function verify(dependencies: PaymentDependencies, request: VerificationRequest): Promise<Findings> {
  const { facilitator, verifyingChains, limits, payments } = dependencies;
  const { payment, verified } = request;
  const pendingHeight = verifyingChains.get(payment.network)?.finalizedHeight();
  pendingHeight?.catch(() => undefined);
  const verification = await facilitator.verify(payment);
  const height = await pendingHeight;
  if (verification.valid) return { height, signature: undefined };
  limits.failed(verified, payments.now());
  const sighting = await sightingOf(dependencies, request, verification);
  // Anyone can copy a payment that the chain shows: only one that it does not show is the payer's own failure.
  if (sighting.status === 'missing') limits.failedByPayer(verified, payments.now());
  return { height, signature: await settledBefore(dependencies, request, { verification, sighting }) };
}

/** What the chain shows of an invalid payment. One RPC can lead to nodes that disagree. */
async function sightingOf(
  { facilitator, reconciler, verifyingChains }: PaymentDependencies,
  { payment, record }: VerificationRequest,
  { processed }: Invalid,
): Promise<Sighting> {
  if (processed === 'no') return { signature: undefined, isComplete: false, status: 'missing' };
  const signature = facilitator.signatureOf(payment);
  const open: PaymentRecord = { ...record, progress: 'reserved', ...(signature !== undefined && { signature }) };
  const sighting = await reconciler.look(open, verifyingChains.get(payment.network));
  return sighting.status === 'missing' && processed === 'yes' ? { ...sighting, status: 'seen' } : sighting;
}

/** Records an invalid payment that had settled before, and answers its signature. Refuses any other. */
async function settledBefore(
  { payments }: PaymentDependencies,
  { payment, record, inVersion1Header }: VerificationRequest,
  { verification, sighting }: { readonly verification: Invalid; readonly sighting: Sighting },
): Promise<string> {
  const { reason } = verification;
  const { signature, status } = sighting;
  if (status === 'confirmed' && !payment.hasTicket) {
    // Anyone can copy a settled transaction, and only the ticket proves who made it.
    throw new Refusal('payment_already_used', { reason: 'settled before', payment: { state: 'settled' } });
  }
  if (status === 'seen' && signature !== undefined) {
    throw pendingRefusal({ ...record, progress: 'unresolved', signature }, inVersion1Header);
  }
  if (status !== 'confirmed' || signature === undefined) {
    throw new Refusal(codeOfReason(reason), { reason, payment: { state: 'refused' } });
  }
  await fromStore(payments.adopt(record, signature), { payment: { state: 'settled', transaction: signature } });
  return signature;
}
