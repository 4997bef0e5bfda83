import { HEADERS } from '@asset-gateway/protocol';
import { SHORT_NETWORKS } from './requirement.ts';

/** x402's SettleResponse. */
export interface Settled {
  readonly success: boolean;
  /** base58 signature; empty when nothing was sent. */
  readonly transaction: string;
  readonly network: string;
  readonly payer?: string;
  /** Atomic units, where it is not what was asked for: 0 for a payment that credit has covered. */
  readonly amount?: string;
  readonly errorReason?: string;
  /** What x402's extensions add, by their names. */
  readonly extensions?: Readonly<Record<string, unknown>>;
}

const encode = (settled: Settled): string => Buffer.from(JSON.stringify(settled)).toString('base64');

/** The headers that tell a payer what became of the payment; in version 1's header too when that was used. */
export function paymentResponse(settled: Settled, inVersion1Header: boolean): Record<string, string> {
  const old = { ...settled, network: SHORT_NETWORKS[settled.network] ?? settled.network };
  return {
    [HEADERS.paymentResponse]: encode(settled),
    ...(inVersion1Header && { [HEADERS.version1PaymentResponse]: encode(old) }),
  };
}
