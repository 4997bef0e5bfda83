import { HEADERS, NETWORKS } from '@asset-gateway/protocol';
import type { Call } from '../call.ts';
import { challengedUrl } from '../gates/challenge.ts';
import type { ReceiptIssuer } from './issuer.ts';

/** x402's SettleResponse. */
interface SettleResponse {
  readonly success: boolean;
  /** base58 signature; empty if nothing was sent. */
  readonly transaction: string;
  readonly network: string;
  readonly payer: string;
  /** Atomic units, if not the required amount: 0 for a payment that credit has covered. */
  readonly amount?: string;
  readonly errorReason?: string;
  readonly extensions?: Readonly<Record<string, unknown>>;
}

/** What the response to a paid request depends on, besides the payment. */
export interface ResponseContext {
  readonly inVersion1Header: boolean;
  /** Undefined if receipts are not signed. */
  readonly receipts?: ReceiptIssuer | undefined;
  /** The URL that is paid for; only if receipts are signed. */
  readonly resourceUrl?: string;
}

/** A payment that has settled. All answers to one payment carry the same receipt. */
interface SettledPayment extends Pick<SettleResponse, 'network' | 'payer' | 'transaction' | 'amount'> {
  /** The URL that was paid for; only if receipts are signed. */
  readonly resourceUrl?: string | undefined;
  readonly paidAtMs?: number | undefined;
}

/** The names of networks in version 1 of x402. */
export const SHORT_NETWORKS: Readonly<Record<string, string>> = {
  [NETWORKS.mainnet]: 'solana',
  [NETWORKS.devnet]: 'solana-devnet',
};

/** The response context of a call. A receipt names the same URL as the challenge. */
export const responseContextOf = (
  call: Call,
  origin: string,
  receipts: ReceiptIssuer | undefined,
): ResponseContext => ({
  inVersion1Header: call.inbound.headers[HEADERS.version1Payment.toLowerCase()] !== undefined,
  ...(receipts && { receipts, resourceUrl: challengedUrl(call, origin) }),
});

const encode = (response: SettleResponse): string => Buffer.from(JSON.stringify(response)).toString('base64');

/** The headers that carry a SettleResponse; the header of version 1 too if the payment came in that version's. */
export function paymentResponse(response: SettleResponse, inVersion1Header: boolean): Record<string, string> {
  const version1 = { ...response, network: SHORT_NETWORKS[response.network] ?? response.network };
  return {
    [HEADERS.paymentResponse]: encode(response),
    ...(inVersion1Header && { [HEADERS.version1PaymentResponse]: encode(version1) }),
  };
}

/** The headers of an answer that was paid for, with its receipt if receipts are signed. */
export function settledResponse(settled: SettledPayment, context: ResponseContext): Record<string, string> {
  const { resourceUrl = context.resourceUrl ?? '', paidAtMs, ...response } = settled;
  const extensions = context.receipts?.extensionsFor({ ...response, resourceUrl, paidAtMs });
  return paymentResponse({ success: true, ...response, ...(extensions && { extensions }) }, context.inVersion1Header);
}
