import { CORS_HEADERS, dollars, HEADERS, Refusal } from '@asset-gateway/protocol';
import type { Receipt } from '../call.ts';
import type { HoldVerdict } from './accounts.ts';
import type { NewDebit } from './debit.ts';

/** A browser's script may read it as well. */
const EXPOSED = 'Access-Control-Expose-Headers';
const EXPOSED_HEADERS = `${CORS_HEADERS[EXPOSED]}, ${HEADERS.credit}`;

/** What every answer that was paid from credit says of it, as a dictionary of RFC 8941, in millionths of a dollar. */
export const creditHeader = (chargedMicros: number | undefined, balanceMicros: number): Record<string, string> => {
  const charged = chargedMicros === undefined ? '' : `charged=${chargedMicros}, `;
  return {
    [HEADERS.credit]: `${charged}balance=${balanceMicros}`,
    [EXPOSED]: EXPOSED_HEADERS,
  };
};

/** Headers beside those of credit, of a debit as it was charged: a fresh nonce for who has signed, and x402's response. */
export type HeadersOf = (debit: NewDebit) => Readonly<Record<string, string>>;

/** The receipt of a debit. */
export function receiptOf(debit: NewDebit, balanceMicros: number, headersOf: HeadersOf): Receipt {
  const { micros, by } = debit;
  return {
    priceUsd: dollars(micros),
    debit: { micros, by, balanceMicros },
    headers: { ...creditHeader(micros, balanceMicros), ...headersOf(debit) },
  };
}

/** Marks the receipt of an answer that was charged before. */
export const replayed = (receipt: Receipt): Receipt => ({
  ...receipt,
  ...(receipt.debit && { debit: { ...receipt.debit, isRepeat: true } }),
  headers: { ...receipt.headers, [HEADERS.replayed]: 'true' },
});

const running = () => new Refusal('payment_in_progress', { reason: 'debit', payment: { state: 'in_progress' } });

const BUSY = 'Too many calls of this wallet are on their way; send the same request again after Retry-After.';
const FAILING =
  'Too many calls of this wallet have failed at the upstream, which costs nothing; send the same request again after Retry-After.';

/** Why a price could not be held. What pays for the call stays unused. */
export function refusalOf(verdict: Exclude<HoldVerdict, 'held'>): Refusal {
  if (verdict === 'insufficient') return new Refusal('credit_exhausted', { payment: { state: 'unused' } });
  if (verdict === 'due') return new Refusal('settlement_pending', { reason: verdict, payment: { state: 'unused' } });
  if (verdict !== 'busy' && verdict !== 'failing') return running();
  const isFailing = verdict === 'failing';
  return new Refusal('rate_limited', {
    reason: isFailing ? 'calls that were not charged' : 'holds of the wallet',
    message: isFailing ? FAILING : BUSY,
    retryAfterSeconds: isFailing ? 10 : 1,
    payment: { state: 'unused' },
  });
}

/** A debit that is there already, for another request or still on its way. */
export const alreadyRunning = running;
export const alreadyUsed = (): Refusal =>
  new Refusal('payment_already_used', { reason: 'another request', payment: { state: 'settled' } });
