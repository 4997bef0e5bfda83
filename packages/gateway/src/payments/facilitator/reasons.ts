import { REFUSALS, type RefusalCode } from '@asset-gateway/protocol';

/** A facilitator's reason as a public code: its own where it is one of x402's, else that the payment was rejected. */
export function codeOfReason(reason: unknown): RefusalCode {
  const isKnown =
    typeof reason === 'string' && reason.startsWith('invalid_exact_svm_') && Object.hasOwn(REFUSALS, reason);
  return isKnown ? (reason as RefusalCode) : 'payment_rejected';
}

/** The reasons that a facilitator gives before it sends anything; no other one proves that nothing can move. */
export function isBeforeBroadcast(reason: unknown): boolean {
  if (typeof reason !== 'string') return false;
  return (
    reason.startsWith('invalid_exact_svm_payload_') ||
    /^invalid_exact_svm_\w+_mismatch$/.test(reason) ||
    reason === 'invalid_exact_svm_transaction_simulation_failed'
  );
}
