import { HEADERS } from '@asset-gateway/protocol';
import { decodePaymentResponseHeader } from '@x402/core/http';
import type { SettleResponse } from '@x402/core/types';
import {
  extractReceiptFromResponse,
  type JWSSignedReceipt,
  verifyReceiptSignatureJWS,
} from '@x402/extensions/offer-receipt';

/** A public key. */
export interface Jwk {
  readonly kty: string;
  readonly crv: string;
  readonly x: string;
}

/** A DID document, as far as tests look at it. */
export interface DidDocument {
  readonly id: string;
  readonly verificationMethod: readonly { readonly id: string; readonly publicKeyJwk: Jwk }[];
  readonly assertionMethod: readonly string[];
}

export const didDocumentOf = async ({ url }: { readonly url: string }): Promise<DidDocument> =>
  (await (await fetch(`${url}/.well-known/did.json`)).json()) as DidDocument;

/** The receipt of an answer, found by x402's own package. */
export function receiptIn(response: Response): JWSSignedReceipt {
  const receipt = extractReceiptFromResponse(response);
  if (receipt?.format !== 'jws') throw new Error(`no receipt with ${response.status}`);
  return receipt;
}

/** The content of a receipt that x402's own package has verified. */
export const verified = (response: Response) => verifyReceiptSignatureJWS(receiptIn(response));

/** A part of a compact JWS: 0 is its header, 1 its payload. */
export const partOf = ({ signature }: JWSSignedReceipt, index: 0 | 1): Record<string, unknown> =>
  JSON.parse(Buffer.from(signature.split('.')[index] ?? '', 'base64url').toString()) as Record<string, unknown>;

/** The same receipt with another part. */
export function withPart({ format, signature }: JWSSignedReceipt, index: 0 | 1, value: unknown): JWSSignedReceipt {
  const parts = signature.split('.');
  parts[index] = Buffer.from(JSON.stringify(value)).toString('base64url');
  return { format, signature: parts.join('.') };
}

/** The settlement in a response. */
export const settledIn = (response: Response, header: string = HEADERS.paymentResponse): SettleResponse =>
  decodePaymentResponseHeader(response.headers.get(header) ?? '');
