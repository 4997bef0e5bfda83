import bs58 from 'bs58';
import type { Crypto } from '../../gates/crypto.ts';

const SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;

/** A reported signature counts only if it is the fee payer's over the message that was paid with. */
export function isFeePayerSignature(
  crypto: Crypto,
  signature: unknown,
  feePayer: string,
  message: Uint8Array,
): signature is string {
  if (typeof signature !== 'string' || !SIGNATURE.test(signature)) return false;
  return crypto.verify(bs58.decode(signature), message, bs58.decode(feePayer));
}
