import type { Call } from '../call.ts';
import { challengedUrl } from '../gates/challenge.ts';
import type { ReceiptIssuer } from '../receipts/issuer.ts';
import { usesVersion1Header } from './read/header.ts';
import { paymentResponse, type Settled } from './settle-response.ts';

/** What a receipt states, noted when its answer was paid for: each answer to the same payment has the same receipt. */
export interface Receipted {
  /** The URL that was paid for; only where receipts are signed. */
  readonly resourceUrl?: string | undefined;
  /** When it was paid for, in milliseconds. */
  readonly paidAtMs?: number | undefined;
}

/** What is told of an answer that was paid for. */
export interface SettledPayment extends Pick<Settled, 'network' | 'transaction' | 'amount'>, Receipted {
  readonly payer: string;
}

/** How a payer is told. */
export interface Telling {
  readonly inVersion1Header: boolean;
  /** The URL that is paid for; only where receipts are signed. */
  readonly resourceUrl?: string;
  /** What x402's extensions add for an answer that was paid for; nothing where none is on. */
  readonly extensionsFor?: ((settled: SettledPayment) => Settled['extensions']) | undefined;
}

/** How whoever makes this call is told; a receipt names what was paid for as the challenge does. */
export function tellingOf(call: Call, origin: string, receipts: ReceiptIssuer | undefined): Telling {
  const inVersion1Header = usesVersion1Header(call.inbound);
  if (!receipts) return { inVersion1Header };
  const resourceUrl = challengedUrl(call, origin);
  const extensionsFor: Telling['extensionsFor'] = (settled) =>
    receipts.extensionsFor({ ...settled, resourceUrl: settled.resourceUrl ?? resourceUrl });
  return { inVersion1Header, resourceUrl, extensionsFor };
}

/** The headers that tell a payer of an answer that was paid for, with its receipt where receipts are signed. */
export function settledResponse(
  settled: SettledPayment,
  { inVersion1Header, extensionsFor }: Telling,
): Record<string, string> {
  const extensions = extensionsFor?.(settled);
  const { resourceUrl: _url, paidAtMs: _at, ...told } = settled;
  return paymentResponse({ success: true, ...told, ...(extensions && { extensions }) }, inVersion1Header);
}
