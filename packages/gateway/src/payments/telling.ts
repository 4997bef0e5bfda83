import type { Call } from '../call.ts';
import { challengedUrl } from '../gates/challenge.ts';
import type { ReceiptIssuer } from '../receipts/issuer.ts';
import { usesVersion1Header } from './read/header.ts';
import { paymentResponse, type Settled } from './settle-response.ts';

/** What is told of an answer that was paid for. */
export type SettledPayment = Pick<Settled, 'network' | 'transaction' | 'amount'> & { readonly payer: string };

/** How a payer is told. */
export interface Telling {
  readonly inVersion1Header: boolean;
  /** What x402's extensions add for an answer that was paid for; nothing where none is on. */
  readonly extensionsFor?: ((settled: SettledPayment) => Settled['extensions']) | undefined;
}

/** How whoever makes this call is told; a receipt names what was paid for as the challenge does. */
export function tellingOf(call: Call, origin: string, receipts: ReceiptIssuer | undefined): Telling {
  const inVersion1Header = usesVersion1Header(call.inbound);
  if (!receipts) return { inVersion1Header };
  const resourceUrl = challengedUrl(call, origin);
  return { inVersion1Header, extensionsFor: (settled) => receipts.extensionsFor({ ...settled, resourceUrl }) };
}

/** The headers that tell a payer of an answer that was paid for, with its receipt where receipts are signed. */
export function settledResponse(
  settled: SettledPayment,
  { inVersion1Header, extensionsFor }: Telling,
): Record<string, string> {
  const extensions = extensionsFor?.(settled);
  return paymentResponse({ success: true, ...settled, ...(extensions && { extensions }) }, inVersion1Header);
}
